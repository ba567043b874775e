use crate::error::{BoxError, ErrorKind};
use crate::look::{text, text_or_none, DType};
use mx2onnx_sys as sys;
use std::ffi::{c_void, CString};
use std::fmt;

/// An array for C, of what the caller keeps.
pub(crate) fn array(dtype: sys::mx2onnx_dtype, dims: &[i64], data: *const c_void, size: usize) -> sys::mx2onnx_array {
    let struct_size = std::mem::size_of::<sys::mx2onnx_array>();
    sys::mx2onnx_array { struct_size, dtype, rank: dims.len() as i32, dims: dims.as_ptr(), data, size }
}

/// Converts the nodes of an operator that the library does not know, or, with [`Overriding`], that it does. A pair of closures is
/// one too, `(infer, lower)`, and so are [`ShapeOnly`] and [`Counting`]. An error other than a [`Refused`] of the node's becomes the
/// source of the call's error.
pub trait Handler: Send + 'static {
    /// What a node gives.
    fn infer(&mut self, node: &Node) -> Result<(), BoxError>;
    /// Writes the node as ONNX.
    fn lower(&mut self, node: &Node) -> Result<(), BoxError>;
    /// False: without `lower`, for [`crate::Text::UnknownDomain`].
    fn lowers(&self) -> bool {
        true
    }
    /// The number of outputs of a node, when only its name, its attributes and the names of its inputs are known. Called
    /// where `counts_outputs` is true.
    fn count_outputs(&mut self, _node: &Node) -> Result<usize, BoxError> {
        Ok(1)
    }
    /// False: every node has the number of outputs that the handler is registered with.
    fn counts_outputs(&self) -> bool {
        false
    }
    /// True: also for an operator that the library knows.
    fn overrides(&self) -> bool {
        false
    }
}

impl<I, L> Handler for (I, L)
where
    I: FnMut(&Node) -> Result<(), BoxError> + Send + 'static,
    L: FnMut(&Node) -> Result<(), BoxError> + Send + 'static,
{
    fn infer(&mut self, node: &Node) -> Result<(), BoxError> {
        self.0(node)
    }
    fn lower(&mut self, node: &Node) -> Result<(), BoxError> {
        self.1(node)
    }
}

/// A handler that says what a node gives, and nothing else.
pub struct ShapeOnly<I>(pub I);

impl<I: FnMut(&Node) -> Result<(), BoxError> + Send + 'static> Handler for ShapeOnly<I> {
    fn infer(&mut self, node: &Node) -> Result<(), BoxError> {
        self.0(node)
    }
    fn lower(&mut self, _: &Node) -> Result<(), BoxError> {
        Ok(())
    }
    fn lowers(&self) -> bool {
        false
    }
}

/// A handler that is used for an operator that the library knows, too.
pub struct Overriding<H>(pub H);

impl<H: Handler> Handler for Overriding<H> {
    fn infer(&mut self, node: &Node) -> Result<(), BoxError> {
        self.0.infer(node)
    }
    fn lower(&mut self, node: &Node) -> Result<(), BoxError> {
        self.0.lower(node)
    }
    fn lowers(&self) -> bool {
        self.0.lowers()
    }
    fn count_outputs(&mut self, node: &Node) -> Result<usize, BoxError> {
        self.0.count_outputs(node)
    }
    fn counts_outputs(&self) -> bool {
        self.0.counts_outputs()
    }
    fn overrides(&self) -> bool {
        true
    }
}

/// A function that counts the outputs of a node, and a handler for the rest: `Counting(|node: &Node| Ok(2), (infer, lower))`.
pub struct Counting<C, H>(pub C, pub H);

impl<C, H> Handler for Counting<C, H>
where
    C: FnMut(&Node) -> Result<usize, BoxError> + Send + 'static,
    H: Handler,
{
    fn infer(&mut self, node: &Node) -> Result<(), BoxError> {
        self.1.infer(node)
    }
    fn lower(&mut self, node: &Node) -> Result<(), BoxError> {
        self.1.lower(node)
    }
    fn lowers(&self) -> bool {
        self.1.lowers()
    }
    fn count_outputs(&mut self, node: &Node) -> Result<usize, BoxError> {
        self.0(node)
    }
    fn counts_outputs(&self) -> bool {
        true
    }
    fn overrides(&self) -> bool {
        self.1.overrides()
    }
}

/// A function of the node failed, on its way through the handler back to the library.
#[derive(Clone, Copy, Debug)]
pub struct Refused(pub ErrorKind);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refused {}

fn check(status: i32) -> Result<(), Refused> {
    ErrorKind::from_status(status).map_or(Ok(()), |kind| Err(Refused(kind)))
}

fn c_text(s: &str) -> Result<CString, Refused> {
    CString::new(s).map_err(|_| Refused(ErrorKind::InvalidArgument))
}

/// A value of the ONNX graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value(i32);

impl Value {
    /// Stands for an omitted input.
    pub const NONE: Value = Value(0);
}

/// What a handler is called for; it ends with the call.
pub struct Node {
    n: *mut sys::mx2onnx_node,
}

impl Node {
    pub(crate) fn new(n: *mut sys::mx2onnx_node) -> Node {
        Node { n }
    }

    /// Records an error with this text at the node, for the handler to return: `return Err(node.fail("..."))`.
    pub fn fail(&self, message: &str) -> BoxError {
        let message = message.replace('\0', " ");
        match c_text(&message).and_then(|m| check(unsafe { sys::mx2onnx_node_fail(self.n, m.as_ptr()) })) {
            Err(refused) => refused.into(),
            Ok(()) => Refused(ErrorKind::Unsupported).into(),
        }
    }

    /// MXNet's name of the node.
    pub fn name(&self) -> String {
        unsafe { text(sys::mx2onnx_node_name(self.n)) }
    }
    /// The name that the handler is registered for.
    pub fn operator(&self) -> String {
        unsafe { text(sys::mx2onnx_node_operator(self.n)) }
    }
    /// The opset that is being written.
    pub fn opset(&self) -> i32 {
        unsafe { sys::mx2onnx_node_opset(self.n) }
    }
    /// That of [`crate::Text::UnknownDomain`].
    pub fn domain(&self) -> Option<String> {
        unsafe { text_or_none(sys::mx2onnx_node_domain(self.n)) }
    }
    /// An attribute's text, as in the file.
    pub fn attribute(&self, key: &str) -> Option<String> {
        let key = CString::new(key).ok()?;
        unsafe { text_or_none(sys::mx2onnx_node_attribute(self.n, key.as_ptr())) }
    }
    /// Keys and texts, in the file's order.
    pub fn attributes(&self) -> Vec<(String, String)> {
        let n = self.n;
        let count = unsafe { sys::mx2onnx_node_attribute_count(n) };
        (0..count)
            .map(|i| unsafe { (text(sys::mx2onnx_node_attribute_key(n, i)), text(sys::mx2onnx_node_attribute_value(n, i))) })
            .collect()
    }
    /// The number of the node's outputs, as the handler states it.
    pub fn output_count(&self) -> usize {
        unsafe { sys::mx2onnx_node_output_count(self.n) }
    }
    /// The number of the node's inputs.
    pub fn input_count(&self) -> usize {
        unsafe { sys::mx2onnx_node_input_count(self.n) }
    }
    /// The name of the variable or of the node that the input comes from; "" past the end.
    pub fn input_name(&self, i: usize) -> String {
        unsafe { text(sys::mx2onnx_node_input_name(self.n, i)) }
    }
    /// The element type of the input; [`DType::Unknown`] while it is not known, and past the end.
    pub fn input_dtype(&self, i: usize) -> DType {
        DType::from_raw(unsafe { sys::mx2onnx_node_input_dtype(self.n, i) })
    }
    /// The sizes, -1 where a dim is dynamic.
    pub fn input_dims(&self, i: usize) -> Vec<i64> {
        let rank = unsafe { sys::mx2onnx_node_input_rank(self.n, i) }.max(0) as usize;
        (0..rank).map(|axis| unsafe { sys::mx2onnx_node_input_dim(self.n, i, axis) }).collect()
    }
    /// Of an input that is a parameter: the type in its file.
    pub fn input_stored_dtype(&self, i: usize) -> DType {
        DType::from_raw(unsafe { sys::mx2onnx_node_input_stored_dtype(self.n, i) })
    }
    /// The number of bytes of an input that is a parameter; 0 for any other input.
    pub fn input_bytes(&self, i: usize) -> u64 {
        unsafe { sys::mx2onnx_node_input_size(self.n, i) }
    }
    /// The bytes of an input that is a parameter: dense, row-major, little-endian.
    pub fn read_input(&self, i: usize) -> Result<Vec<u8>, Refused> {
        let mut data = vec![0; self.input_bytes(i) as usize];
        self.read_input_at(i, 0, &mut data)?;
        Ok(data)
    }
    /// Fills `to` with the bytes from `offset` on.
    pub fn read_input_at(&self, i: usize, offset: u64, to: &mut [u8]) -> Result<(), Refused> {
        check(unsafe { sys::mx2onnx_node_input_read(self.n, i, offset, to.as_mut_ptr().cast(), to.len()) })
    }

    /// In infer: an output has the type and shape of an input.
    pub fn set_output_like(&self, output: usize, input: usize) -> Result<(), Refused> {
        check(unsafe { sys::mx2onnx_node_set_output_like(self.n, output, input) })
    }
    /// In infer: type and sizes of an output.
    pub fn set_output(&self, output: usize, dtype: DType, dims: &[i64]) -> Result<(), Refused> {
        check(unsafe { sys::mx2onnx_node_set_output(self.n, output, dtype.raw(), dims.len() as i32, dims.as_ptr()) })
    }
    /// In infer: a dim of -1 equals an input's.
    pub fn set_output_dim(&self, output: usize, axis: usize, input: usize, input_axis: usize) -> Result<(), Refused> {
        check(unsafe { sys::mx2onnx_node_set_output_dim(self.n, output, axis, input, input_axis) })
    }

    /// In lower: the value of an input.
    pub fn input(&self, i: usize) -> Value {
        Value(unsafe { sys::mx2onnx_node_input_value(self.n, i) })
    }
    /// In lower: a constant of little-endian bytes, which are copied.
    pub fn constant(&self, dtype: DType, dims: &[i64], data: &[u8]) -> Result<Value, Refused> {
        let mut value = 0;
        let given = array(dtype.raw(), dims, data.as_ptr().cast(), data.len());
        check(unsafe { sys::mx2onnx_node_add_constant(self.n, &given, &mut value) })?;
        Ok(Value(value))
    }
    /// In lower: an ONNX node of one of ONNX's own operators. `attributes` is a JSON object or "".
    pub fn add<const N: usize>(&self, op_type: &str, inputs: &[Value], attributes: &str) -> Result<[Value; N], Refused> {
        self.add_in_domain("", op_type, inputs, attributes)
    }
    /// The same in another domain.
    pub fn add_in_domain<const N: usize>(
        &self,
        domain: &str,
        op_type: &str,
        inputs: &[Value],
        attributes: &str,
    ) -> Result<[Value; N], Refused> {
        let (op_type, domain_text, json) = (c_text(op_type)?, c_text(domain)?, c_text(attributes)?);
        let domain = if domain.is_empty() { std::ptr::null() } else { domain_text.as_ptr() };
        let attributes = if attributes.is_empty() { std::ptr::null() } else { json.as_ptr() };
        let from: Vec<i32> = inputs.iter().map(|v| v.0).collect();
        let mut to = [0; N];
        let node = sys::mx2onnx_onnx_node {
            struct_size: std::mem::size_of::<sys::mx2onnx_onnx_node>(),
            op_type: op_type.as_ptr(),
            domain,
            attributes,
            input_count: from.len(),
            inputs: from.as_ptr(),
            output_count: N,
        };
        check(unsafe { sys::mx2onnx_node_add(self.n, &node, to.as_mut_ptr()) })?;
        Ok(to.map(Value))
    }
    /// In lower: which value is an output of the MXNet node.
    pub fn set_result(&self, output: usize, value: Value) -> Result<(), Refused> {
        check(unsafe { sys::mx2onnx_node_set_result(self.n, output, value.0) })
    }
}
