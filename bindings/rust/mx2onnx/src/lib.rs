//! MXNet models to ONNX, without MXNet: a safe way to the C library libmx2onnx, whose header says in full what each call does.
//!
//! ```no_run
//! use mx2onnx::{Dim, Model};
//!
//! # fn main() -> Result<(), mx2onnx::Error> {
//! let mut m = Model::open("resnet-symbol.json")?; // finds resnet-0000.params
//! m.input_shape("data", [Dim::named("batch"), 3.into(), 224.into(), 224.into()])?;
//! m.export("resnet.onnx")?;
//! # Ok(())
//! # }
//! ```
//!
//! A call that fails gives an [`Error`] with its kind, the model's diagnostics, and as source what a reader, a writer or a
//! handler returned. A panic in one continues in the call. A [`Model`] may go to another thread, but not be shared; its
//! [`Canceller`] may.

#![deny(missing_docs)]

mod error;
mod handler;
mod look;
mod model;

pub use error::{BoxError, Diagnostic, Error, ErrorKind, Severity};
pub use handler::{Counting, Handler, Node, Overriding, Refused, ShapeOnly, Value};
pub use look::{
    has_feature, known_operators, opset_default, opset_range, targets, version, version_number, Candidate, Choice, DType, Dim, External,
    Feature, Float16, Graph, KnownOperator, Operator, Param, Phase, Precision, Progress, Published, Target, Tensor, Text, Variable,
    VariableKind, Written,
};
pub use model::{Canceller, Model};

/// The result of a call on a [`Model`].
pub type Result<T> = std::result::Result<T, Error>;
