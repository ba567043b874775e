use crate::error::{in_rust, BoxError, Error, ErrorKind, Severity};
use crate::handler::{array, Handler, Node, Refused};
use crate::look::{text, text_or_none, Candidate, Choice, DType, Dim, External, Float16, Phase, Precision, Progress, Published, Text};
use crate::Result;
use mx2onnx_sys as sys;
use std::any::Any;
use std::ffi::{c_char, c_void, CString};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a callback returned or panicked with, for the call that is under way.
#[derive(Default)]
struct Caught {
    error: Option<BoxError>,
    panic: Option<Box<dyn Any + Send>>,
}

/// What a model shares with its callbacks and its [`Canceller`]s.
struct State {
    /// NULL once the model is dropped.
    raw: *mut sys::mx2onnx_model,
    caught: Caught,
    /// A function runs that gives no [`Result`]: nothing may end it.
    looking: bool,
}

// SAFETY: the library has no state of a thread, and the holder of the lock only cancels with the pointer.
unsafe impl Send for State {}

impl State {
    fn failed(&self) -> bool {
        self.caught.error.is_some() || self.caught.panic.is_some()
    }
}

type Shared = Arc<Mutex<State>>;

/// A `user`: a function, and where to put what it fails with.
struct Callback<F> {
    state: Shared,
    f: F,
}

fn locked(shared: &Shared) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls the function of `user`; the first failure or panic is kept, and after it no function runs and the answer is `failed`.
///
/// # Safety
/// `user` is a `Callback<F>` that is not in use elsewhere now.
unsafe fn guarded<F>(user: *mut c_void, failed: i32, body: impl FnOnce(&mut F) -> std::result::Result<i32, BoxError>) -> i32 {
    let callback = &mut *user.cast::<Callback<F>>();
    let f = &mut callback.f;
    if locked(&callback.state).failed() {
        return failed;
    }
    let result = catch_unwind(AssertUnwindSafe(|| body(f)));
    let mut state = locked(&callback.state);
    let first = !state.failed(); // else it was a reader's, in a handler
    match result {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => match error.downcast_ref::<Refused>() {
            Some(refused) => refused.0.status(),
            None => {
                if first {
                    state.caught.error = Some(error);
                }
                failed
            }
        },
        Err(panic) => {
            if first {
                state.caught.panic = Some(panic);
            }
            failed
        }
    }
}

unsafe extern "C" fn release<T>(user: *mut c_void) {
    drop(Box::from_raw(user.cast::<T>()));
}

unsafe extern "C" fn read<R: Read + Seek>(offset: u64, buffer: *mut c_void, size: usize, user: *mut c_void) -> i32 {
    guarded::<R>(user, 1, |r| {
        let buffer = std::slice::from_raw_parts_mut(buffer.cast::<u8>(), size);
        buffer.fill(0); // what a Read is given is initialised
        r.seek(SeekFrom::Start(offset))?;
        r.read_exact(buffer)?;
        Ok(0)
    })
}

unsafe extern "C" fn write<W: Write>(data: *const c_void, size: usize, user: *mut c_void) -> i32 {
    guarded::<W>(user, 1, |w| {
        w.write_all(std::slice::from_raw_parts(data.cast::<u8>(), size))?;
        Ok(0)
    })
}

unsafe extern "C" fn progress<F: FnMut(&Progress) -> ControlFlow<()>>(now: *const sys::mx2onnx_progress, user: *mut c_void) -> i32 {
    let state = locked(&(*user.cast::<Callback<F>>()).state);
    if state.looking || state.failed() {
        return 0; // what has failed ends the call in its own way
    }
    drop(state);
    let now = &*now;
    let now = Progress { phase: Phase::from_raw(now.phase), done: now.done, total: now.total, node: &text(now.node) };
    guarded::<F>(user, 1, |f| Ok(f(&now).is_break().into()))
}

unsafe extern "C" fn log<F: FnMut(Severity, &str)>(entry: *const sys::mx2onnx_log_entry, user: *mut c_void) {
    let state = &(*user.cast::<Callback<F>>()).state;
    if locked(state).failed() {
        return;
    }
    let stop = guarded::<F>(user, 1, |f| {
        f(Severity::from_raw((*entry).severity), &text((*entry).message));
        Ok(0)
    });
    if stop != 0 {
        sys::mx2onnx_cancel(locked(state).raw); // a log has no result to say it with
    }
}

unsafe extern "C" fn infer<H: Handler>(n: *mut sys::mx2onnx_node, user: *mut c_void) -> i32 {
    guarded::<H>(user, sys::MX2ONNX_STATUS_UNSUPPORTED, |h| h.infer(&Node::new(n)).map(|()| sys::MX2ONNX_STATUS_OK))
}

unsafe extern "C" fn lower<H: Handler>(n: *mut sys::mx2onnx_node, user: *mut c_void) -> i32 {
    guarded::<H>(user, sys::MX2ONNX_STATUS_UNSUPPORTED, |h| h.lower(&Node::new(n)).map(|()| sys::MX2ONNX_STATUS_OK))
}

unsafe extern "C" fn count_outputs<H: Handler>(n: *mut sys::mx2onnx_node, user: *mut c_void) -> usize {
    let mut count = 0;
    guarded::<H>(user, 0, |h| {
        count = h.count_outputs(&Node::new(n))?;
        Ok(0)
    });
    count
}

fn c_text(s: &str) -> Result<CString> {
    CString::new(s).map_err(|e| Error::of(ErrorKind::InvalidArgument, e))
}

/// On Unix any bytes but NUL.
#[cfg(unix)]
fn c_path(path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).map_err(|e| Error::of(ErrorKind::InvalidArgument, e))
}

#[cfg(not(unix))]
fn c_path(path: &Path) -> Result<CString> {
    match path.to_str() {
        Some(s) => c_text(s),
        None => Err(Error::of(ErrorKind::InvalidArgument, format!("{} is not Unicode", path.display()))),
    }
}

fn or_null(s: &Option<CString>) -> *const c_char {
    s.as_ref().map_or(ptr::null(), |s| s.as_ptr())
}

fn maybe(s: Option<&str>) -> Result<Option<CString>> {
    s.map(c_text).transpose()
}

/// An MXNet model. Functions that set something return the model, so that calls can be chained with `?`.
pub struct Model {
    raw: *mut sys::mx2onnx_model,
    state: Shared,
}

// SAFETY: the library has no state of a thread, and every callback that a model holds is Send.
unsafe impl Send for Model {}

impl Drop for Model {
    fn drop(&mut self) {
        locked(&self.state).raw = ptr::null_mut();
        unsafe { sys::mx2onnx_model_free(self.raw) }
    }
}

/// Ends the call that is running on a model, from any thread: see [`Model::canceller`].
#[derive(Clone)]
pub struct Canceller {
    state: Shared,
}

impl Canceller {
    /// The call that is running ends with [`ErrorKind::Cancelled`]. This has no effect on later calls, on functions that give no
    /// [`Result`], such as [`Model::inputs`], and when the model is gone.
    pub fn cancel(&self) {
        let state = locked(&self.state);
        if !state.looking {
            unsafe { sys::mx2onnx_cancel(state.raw) }
        }
    }
}

impl std::fmt::Debug for Canceller {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Canceller").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Model").field("inputs", &self.inputs()).field("outputs", &self.outputs()).finish()
    }
}

/// Calls a function of the library with the model and checks its status.
macro_rules! call {
    ($self:ident, $f:ident($($argument:expr),*)) => {{
        let status = unsafe { sys::$f($self.raw, $($argument),*) };
        $self.check(status)
    }};
}

impl Model {
    /// An empty model.
    pub fn new() -> Result<Model> {
        let mut raw = ptr::null_mut();
        match ErrorKind::from_status(unsafe { sys::mx2onnx_model_new(&mut raw) }) {
            None => {
                let state = State { raw, caught: Caught::default(), looking: false };
                Ok(Model { raw, state: Arc::new(Mutex::new(state)) })
            }
            Some(kind) => Err(Error::new(kind, String::new(), Vec::new(), None)),
        }
    }

    /// Loads a symbol file with the parameters next to it, a prefix, a folder or an archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Model> {
        let mut m = Model::new()?;
        m.load(path)?;
        Ok(m)
    }

    /// Reads an archive or a symbol to its end.
    pub fn from_reader(mut r: impl Read) -> Result<Model> {
        let mut data = Vec::new();
        r.read_to_end(&mut data).map_err(|e| Error::of(ErrorKind::Io, e))?;
        let mut m = Model::new()?;
        m.load_memory(data)?;
        Ok(m)
    }

    /// The C handle, for mx2onnx-sys; it stays the model's.
    pub fn as_ptr(&self) -> *mut sys::mx2onnx_model {
        self.raw
    }

    /// What another thread, or a callback, ends a call with.
    ///
    /// ```
    /// # fn main() -> Result<(), mx2onnx::Error> {
    /// let mut m = mx2onnx::Model::new()?;
    /// let canceller = m.canceller();
    /// std::thread::spawn(move || canceller.cancel()); // for example when a user has asked for it
    /// # m.reset().ok();
    /// # Ok(())
    /// # }
    /// ```
    pub fn canceller(&self) -> Canceller {
        Canceller { state: self.state.clone() }
    }

    /// What callbacks left for the call that is at its end; a panic goes on.
    fn take(&self) -> Caught {
        let mut state = locked(&self.state);
        state.looking = false;
        let mut caught = std::mem::take(&mut state.caught);
        drop(state);
        match caught.panic.take() {
            Some(panic) => resume_unwind(panic),
            None => caught,
        }
    }

    /// Runs functions that give no [`Result`]; what a log panics with goes on here.
    pub(crate) fn look<T>(&self, get: impl FnOnce(*mut sys::mx2onnx_model) -> T) -> T {
        locked(&self.state).looking = true;
        let found = get(self.raw);
        self.take();
        found
    }

    pub(crate) fn check(&mut self, status: i32) -> Result<&mut Self> {
        let caught = self.take();
        match ErrorKind::from_status(status) {
            None => Ok(self),
            Some(kind) => {
                let words = in_rust(&unsafe { text(sys::mx2onnx_error(self.raw)) });
                Err(Error::new(kind, words, self.diagnostics(), caught.error))
            }
        }
    }

    /// Of a call whose error is not among the diagnostics.
    pub(crate) fn check_alone(&mut self, status: i32) -> Result<()> {
        let caught = self.take();
        match ErrorKind::from_status(status) {
            None => Ok(()),
            Some(kind) => Err(Error::new(kind, String::new(), Vec::new(), caught.error)),
        }
    }

    fn user<F>(&self, f: F) -> *mut c_void {
        Box::into_raw(Box::new(Callback { state: self.state.clone(), f })).cast()
    }

    /// Makes the model as [`Model::new`] made it: without what was loaded and chosen, and without functions.
    pub fn reset(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_model_reset())
    }

    /// Loads a whole model: a symbol file with the parameters next to it, a prefix, a folder, an archive, or the parameters of a published net.
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let path = c_path(path.as_ref())?;
        call!(self, mx2onnx_load(path.as_ptr()))
    }
    /// An archive or a symbol in memory that the model takes over: a `Vec<u8>`, a `&'static [u8]`, an `Arc<[u8]>`, ...
    pub fn load_memory<T: AsRef<[u8]> + Send + 'static>(&mut self, data: T) -> Result<&mut Self> {
        let (kept, at, size) = keep(data);
        call!(self, mx2onnx_load_memory(at, size, kept, Some(release::<T>)))
    }
    /// The same, read by pieces as long as the model lives.
    pub fn load_reader<R: Read + Seek + Send + 'static>(&mut self, mut r: R) -> Result<&mut Self> {
        let size = r.seek(SeekFrom::End(0)).map_err(|e| Error::of(ErrorKind::Io, e))?;
        let user = self.user(r);
        call!(self, mx2onnx_load_callback(size, Some(read::<R>), user, Some(release::<Callback<R>>)))
    }
    /// Loads the graph alone, from a symbol file.
    pub fn load_symbol(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let path = c_path(path.as_ref())?;
        call!(self, mx2onnx_load_symbol_file(path.as_ptr()))
    }
    /// Loads the graph alone, from the text of a symbol file.
    pub fn load_symbol_memory(&mut self, json: &[u8]) -> Result<&mut Self> {
        call!(self, mx2onnx_load_symbol_memory(json.as_ptr().cast(), json.len()))
    }
    /// The file must stay unchanged as long as the model lives.
    pub fn load_params(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let path = c_path(path.as_ref())?;
        call!(self, mx2onnx_load_params_file(path.as_ptr()))
    }
    /// Adds the arrays of a parameter file in memory, which the model keeps.
    pub fn load_params_memory<T: AsRef<[u8]> + Send + 'static>(&mut self, data: T) -> Result<&mut Self> {
        let (kept, at, size) = keep(data);
        call!(self, mx2onnx_load_params_memory(at, size, kept, Some(release::<T>)))
    }
    /// Adds the arrays of a parameter file that is read by pieces as long as the model lives.
    pub fn load_params_reader<R: Read + Seek + Send + 'static>(&mut self, mut r: R) -> Result<&mut Self> {
        let size = r.seek(SeekFrom::End(0)).map_err(|e| Error::of(ErrorKind::Io, e))?;
        let user = self.user(r);
        call!(self, mx2onnx_load_params_callback(size, Some(read::<R>), user, Some(release::<Callback<R>>)))
    }
    /// The graph for parameters without a symbol: that of the published net of this name, or of the one that they fit.
    pub fn load_net(&mut self, name: Option<&str>) -> Result<&mut Self> {
        let name = name.map(c_text).transpose()?;
        call!(self, mx2onnx_load_net(or_null(&name)))
    }
    /// All published nets that the parameters fit.
    pub fn identify_net(&mut self) -> Result<Vec<Candidate>> {
        call!(self, mx2onnx_identify_net())?;
        let candidate = |i| unsafe {
            let (name, title) = (sys::mx2onnx_candidate_name(self.raw, i), sys::mx2onnx_candidate_title(self.raw, i));
            Candidate { name: text(name), title: text(title) }
        };
        Ok((0..unsafe { sys::mx2onnx_candidate_count(self.raw) }).map(candidate).collect())
    }
    /// Chooses what was published with the net for its inputs.
    pub fn use_published(&mut self, what: Published) -> Result<&mut Self> {
        call!(self, mx2onnx_use_published(what.raw()))
    }
    /// Uses another catalogue of published models than the one in the library.
    pub fn load_catalogue(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let path = c_path(path.as_ref())?;
        call!(self, mx2onnx_load_catalogue_file(path.as_ptr()))
    }
    /// The same with a catalogue in memory, which is read during the call only.
    pub fn load_catalogue_memory(&mut self, data: &[u8]) -> Result<&mut Self> {
        call!(self, mx2onnx_load_catalogue_memory(data.as_ptr().cast(), data.len()))
    }
    /// Gives a value to a variable: row-major, little-endian.
    pub fn set_param<T: AsRef<[u8]> + Send + 'static>(
        &mut self,
        name: &str,
        dtype: DType,
        dims: &[i64],
        data: T,
    ) -> Result<&mut Self> {
        let name = c_text(name)?;
        let (kept, at, size) = keep(data);
        let value = array(dtype.raw(), dims, at, size);
        call!(self, mx2onnx_set_param(name.as_ptr(), &value, kept, Some(release::<T>)))
    }

    /// Takes back what [`Model::set_param`] set: the array of a file with this name is used again.
    pub fn remove_param(&mut self, name: &str) -> Result<&mut Self> {
        let name = c_text(name)?;
        call!(self, mx2onnx_remove_param(name.as_ptr()))
    }

    /// The whole shape of an input, also where a dim had a name before: sizes, names, and [`Dim::Open`]. One that is refused changes
    /// nothing.
    pub fn input_shape<D: Into<Dim>>(&mut self, input: &str, dims: impl IntoIterator<Item = D>) -> Result<&mut Self> {
        let dims: Vec<Dim> = dims.into_iter().map(Into::into).collect();
        let sizes: Vec<i64> = dims.iter().map(Dim::size).collect();
        let names = dims.iter().map(|d| maybe(d.name())).collect::<Result<Vec<_>>>()?;
        let input = c_text(input)?;
        let texts: Vec<*const c_char> = names.iter().map(or_null).collect();
        call!(self, mx2onnx_set_input_shape(input.as_ptr(), sizes.len() as i32, sizes.as_ptr(), texts.as_ptr()))
    }
    /// Takes the shape of an input back.
    pub fn clear_input_shape(&mut self, input: &str) -> Result<&mut Self> {
        let input = c_text(input)?;
        call!(self, mx2onnx_set_input_shape(input.as_ptr(), -1, ptr::null(), ptr::null()))
    }
    /// Makes a dim dynamic; None makes it fixed again.
    pub fn input_dim_name(&mut self, input: &str, axis: usize, name: Option<&str>) -> Result<&mut Self> {
        let (input, name) = (c_text(input)?, maybe(name)?);
        call!(self, mx2onnx_set_input_dim_name(input.as_ptr(), axis, or_null(&name)))
    }
    /// The element type of an input; [`DType::Unknown`] takes the choice back.
    pub fn input_dtype(&mut self, input: &str, dtype: DType) -> Result<&mut Self> {
        let input = c_text(input)?;
        call!(self, mx2onnx_set_input_dtype(input.as_ptr(), dtype.raw()))
    }
    /// Makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w).
    pub fn input_channels_last(&mut self, input: &str, on: bool) -> Result<&mut Self> {
        let input = c_text(input)?;
        call!(self, mx2onnx_set_input_channels_last(input.as_ptr(), on.into()))
    }
    /// BGR for a net of RGB, and the other way round.
    pub fn input_channels_reversed(&mut self, input: &str, on: bool) -> Result<&mut Self> {
        let input = c_text(input)?;
        call!(self, mx2onnx_set_input_channels_reversed(input.as_ptr(), on.into()))
    }
    /// With `input_scale`, (x - mean) * scale after an input: a value a channel, one for all, or none.
    pub fn input_mean(&mut self, input: &str, mean: &[f64]) -> Result<&mut Self> {
        let input = c_text(input)?;
        call!(self, mx2onnx_set_input_mean(input.as_ptr(), mean.len(), mean.as_ptr()))
    }
    /// The scale of `(x - mean) * scale`, see [`Model::input_mean`].
    pub fn input_scale(&mut self, input: &str, scale: &[f64]) -> Result<&mut Self> {
        let input = c_text(input)?;
        call!(self, mx2onnx_set_input_scale(input.as_ptr(), scale.len(), scale.as_ptr()))
    }
    /// Adds an output by MXNet's name; the first call replaces the outputs of the file.
    pub fn add_output(&mut self, name: &str) -> Result<&mut Self> {
        let name = c_text(name)?;
        call!(self, mx2onnx_add_output(name.as_ptr()))
    }
    /// Takes back what [`Model::add_output`] added: the outputs are those of the file.
    pub fn clear_outputs(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_clear_outputs())
    }
    /// Gives an input, output or parameter another name in the ONNX file; None takes that back.
    pub fn rename<'a>(&mut self, from: &str, to: impl Into<Option<&'a str>>) -> Result<&mut Self> {
        let (from, to) = (c_text(from)?, maybe(to.into())?);
        call!(self, mx2onnx_rename(from.as_ptr(), or_null(&to)))
    }
    /// Are the files that an ONNX model names there, long enough and unchanged? Notes say it of each.
    pub fn check_external_data(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let path = c_path(path.as_ref())?;
        call!(self, mx2onnx_check_external_data(path.as_ptr()))
    }
    /// For [`Model::float16`]: the type of a node, or of all nodes of an operator.
    pub fn set_node_precision(&mut self, name: &str, precision: Precision) -> Result<&mut Self> {
        let name = c_text(name)?;
        call!(self, mx2onnx_set_node_precision(name.as_ptr(), precision.raw()))
    }
    /// What was set for this name.
    pub fn node_precision(&self, name: &str) -> Precision {
        let raw = |name: CString| unsafe { sys::mx2onnx_get_node_precision(self.raw, name.as_ptr()) };
        Precision::from_raw(c_text(name).map_or(sys::MX2ONNX_PRECISION_AUTO, raw))
    }

    /// Sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1.
    pub fn set_domain_version(&mut self, domain: &str, version: i32) -> Result<&mut Self> {
        let domain = c_text(domain)?;
        call!(self, mx2onnx_set_domain_version(domain.as_ptr(), version))
    }
    /// An entry of the ONNX model's metadata_props; None removes it.
    pub fn set_metadata(&mut self, key: &str, value: Option<&str>) -> Result<&mut Self> {
        let (key, value) = (c_text(key)?, maybe(value)?);
        call!(self, mx2onnx_set_metadata(key.as_ptr(), or_null(&value)))
    }
    /// Removes all entries that [`Model::set_metadata`] set.
    pub fn clear_metadata(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_set_metadata(ptr::null(), ptr::null()))
    }

    /// Sets a choice that is a number.
    pub fn set_option(&mut self, which: Choice, value: i64) -> Result<&mut Self> {
        call!(self, mx2onnx_set_option(which.raw(), value))
    }
    /// The value that a choice has.
    pub fn option(&self, which: Choice) -> i64 {
        unsafe { sys::mx2onnx_get_option(self.raw, which.raw()) }
    }
    /// Gives a choice its default value.
    pub fn reset_option(&mut self, which: Choice) -> Result<&mut Self> {
        call!(self, mx2onnx_reset_option(which.raw()))
    }
    /// Sets a choice that is a text; None is its default.
    pub fn set_text(&mut self, which: Text, value: Option<&str>) -> Result<&mut Self> {
        let value = maybe(value)?;
        call!(self, mx2onnx_set_text(which.raw(), or_null(&value)))
    }
    /// The text that was set; None for the default.
    pub fn text(&self, which: Text) -> Option<String> {
        unsafe { text_or_none(sys::mx2onnx_get_text(self.raw, which.raw())) }
    }
    /// The opset to write; 0 is the default.
    pub fn opset(&mut self, opset: i32) -> Result<&mut Self> {
        self.set_option(Choice::Opset, opset.into())
    }
    /// A float16 model of half the size.
    pub fn float16(&mut self, mode: Float16) -> Result<&mut Self> {
        self.set_option(Choice::Float16, mode.raw().into())
    }
    /// Where the weights of [`Model::export`] go.
    pub fn external_data(&mut self, mode: External) -> Result<&mut Self> {
        self.set_option(Choice::ExternalData, mode.raw().into())
    }
    /// Writes for a program that does not read all of ONNX, one of [`crate::targets`].
    pub fn target(&mut self, name: Option<&str>) -> Result<&mut Self> {
        self.set_text(Text::Target, name)
    }

    /// Gives the lines of the log that are `least` or graver to `f`; with [`Severity::Debug`] these are all.
    pub fn log<F: FnMut(Severity, &str) + Send + 'static>(&mut self, least: Severity, f: F) -> Result<&mut Self> {
        let user = self.user(f);
        call!(self, mx2onnx_set_log(least.raw(), Some(log::<F>), user, Some(release::<Callback<F>>)))
    }
    /// Takes back [`Model::log`].
    pub fn no_log(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_set_log(sys::MX2ONNX_SEVERITY_NOTE, None, ptr::null_mut(), None))
    }
    /// Called now and then with how far the call is; a break ends it with [`ErrorKind::Cancelled`]. Functions that give no [`Result`],
    /// such as [`Model::inputs`], do not call it.
    ///
    /// ```
    /// # fn main() -> Result<(), mx2onnx::Error> {
    /// use mx2onnx::{Model, Phase, Progress};
    /// use std::ops::ControlFlow;
    ///
    /// let mut m = Model::new()?;
    /// m.progress(|now: &Progress| {
    ///     if now.phase == Phase::Write {
    ///         eprintln!("{} of {} bytes", now.done, now.total);
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn progress<F: FnMut(&Progress) -> ControlFlow<()> + Send + 'static>(&mut self, f: F) -> Result<&mut Self> {
        let user = self.user(f);
        call!(self, mx2onnx_set_progress(Some(progress::<F>), user, Some(release::<Callback<F>>)))
    }
    /// Takes back [`Model::progress`].
    pub fn no_progress(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_set_progress(None, ptr::null_mut(), None))
    }
    /// Registers a handler for nodes whose operator, or attribute op_type, is `name`, each with this number of outputs unless the
    /// handler counts them.
    ///
    /// ```
    /// # fn main() -> Result<(), mx2onnx::Error> {
    /// # const SYMBOL: &str = concat!(r#"{"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "Custom", "name": "c", "#,
    /// # r#""attrs": {"op_type": "leaky", "slope": "0.25"}, "inputs": [[0, 0, 0]]}], "arg_nodes": [0], "heads": [[1, 0, 0]]}"#);
    /// use mx2onnx::{Dim, Model, Node};
    ///
    /// let mut m = Model::from_reader(SYMBOL.as_bytes())?; // Custom(op_type="leaky", slope=0.25)
    /// let infer = |n: &Node| Ok(n.set_output_like(0, 0)?);
    /// let lower = |n: &Node| {
    ///     let slope = n.attribute("slope").ok_or_else(|| n.fail("a leaky needs a slope"))?;
    ///     let [y] = n.add("LeakyRelu", &[n.input(0)], &format!("{{\"alpha\": {slope}}}"))?;
    ///     Ok(n.set_result(0, y)?)
    /// };
    /// m.custom_operator("leaky", 1, (infer, lower))?.input_shape("x", [Dim::named("n"), 4.into()])?;
    /// let onnx = m.to_vec()?;
    /// assert_eq!(onnx.len() as u64, m.written().bytes);
    /// # Ok(())
    /// # }
    /// ```
    pub fn custom_operator<H: Handler>(&mut self, name: &str, outputs: usize, handler: H) -> Result<&mut Self> {
        let name = c_text(name)?;
        let how = sys::mx2onnx_handler {
            struct_size: std::mem::size_of::<sys::mx2onnx_handler>(),
            output_count: outputs,
            overrides: handler.overrides().into(),
            infer: Some(infer::<H>),
            lower: handler.lowers().then_some(lower::<H> as sys::mx2onnx_custom_fn),
            count_outputs: handler.counts_outputs().then_some(count_outputs::<H> as sys::mx2onnx_outputs_fn),
        };
        let (user, free) = (self.user(handler), release::<Callback<H>>);
        call!(self, mx2onnx_set_custom_operator(name.as_ptr(), &how, user, Some(free)))
    }
    /// Takes back [`Model::custom_operator`] for this name.
    pub fn remove_custom_operator(&mut self, name: &str) -> Result<&mut Self> {
        let name = c_text(name)?;
        call!(self, mx2onnx_set_custom_operator(name.as_ptr(), ptr::null(), ptr::null_mut(), None))
    }
    /// Removes the handlers of all operators.
    pub fn remove_custom_operators(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_set_custom_operator(ptr::null(), ptr::null(), ptr::null_mut(), None))
    }

    /// Runs inference, so that inputs and outputs know shapes and types.
    pub fn infer(&mut self) -> Result<&mut Self> {
        call!(self, mx2onnx_infer())
    }
    /// Writes the ONNX model to a file, which is whole or untouched.
    pub fn export(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let path = c_path(path.as_ref())?;
        call!(self, mx2onnx_export_file(path.as_ptr()))
    }
    /// The ONNX model in memory.
    pub fn to_vec(&mut self) -> Result<Vec<u8>> {
        let (mut data, mut size) = (ptr::null_mut(), 0);
        call!(self, mx2onnx_export_memory(&mut data, &mut size))?;
        let copy = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec() };
        unsafe { sys::mx2onnx_memory_free(data) };
        Ok(copy)
    }
    /// Writes the ONNX model, in pieces; what the writer fails with is the source of the error.
    pub fn write_to<W: Write>(&mut self, w: W) -> Result<&mut Self> {
        let mut callback = Callback { state: self.state.clone(), f: w };
        call!(self, mx2onnx_export_callback(Some(write::<W>), ptr::from_mut(&mut callback).cast(), None))
    }
}

/// Puts what owns bytes where it does not move: (user, data, size).
fn keep<T: AsRef<[u8]>>(data: T) -> (*mut c_void, *const c_void, usize) {
    let kept = Box::into_raw(Box::new(data));
    let bytes = unsafe { (*kept).as_ref() };
    (kept.cast(), bytes.as_ptr().cast(), bytes.len())
}
