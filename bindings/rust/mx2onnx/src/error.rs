use crate::look::static_text;
use mx2onnx_sys as sys;
use std::fmt;

/// An error of the caller's own, from a reader, a writer or a handler.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

macro_rules! kinds {
    ($($name:ident = $value:ident, $words:literal;)*) => {
        /// Of what kind an error is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $(#[doc = $words] $name,)*
            /// A status that this crate does not know.
            Other(i32),
        }

        impl ErrorKind {
            /// The kind for a status of the C library; `None` if it is not an error.
            pub fn from_status(status: i32) -> Option<ErrorKind> {
                match status {
                    sys::MX2ONNX_STATUS_OK => None,
                    $(sys::$value => Some(ErrorKind::$name),)*
                    other => Some(ErrorKind::Other(other)),
                }
            }

            /// The status of the C library.
            pub fn status(self) -> i32 {
                match self {
                    $(ErrorKind::$name => sys::$value,)*
                    ErrorKind::Other(status) => status,
                }
            }
        }
    };
}

kinds! {
    InvalidArgument = MX2ONNX_STATUS_INVALID_ARGUMENT, "an argument of the call is not valid";
    OutOfMemory = MX2ONNX_STATUS_OUT_OF_MEMORY, "out of memory";
    Io = MX2ONNX_STATUS_IO, "a file cannot be read or written";
    NotFound = MX2ONNX_STATUS_NOT_FOUND, "no such file, input, output or name";
    Format = MX2ONNX_STATUS_FORMAT, "a file is damaged or not of an MXNet format";
    Unsupported = MX2ONNX_STATUS_UNSUPPORTED, "an operator, attribute value or type has no form in ONNX";
    Shape = MX2ONNX_STATUS_SHAPE, "shapes or element types do not fit together or are not known";
    MissingParameter = MX2ONNX_STATUS_MISSING_PARAMETER, "the graph needs a parameter that no file holds";
    TooLarge = MX2ONNX_STATUS_TOO_LARGE, "a limit of ONNX or of this library is exceeded";
    Cancelled = MX2ONNX_STATUS_CANCELLED, "the call was cancelled";
    Internal = MX2ONNX_STATUS_INTERNAL, "an invariant of the library does not hold";
}

impl ErrorKind {
    /// The name of the status, `NOT_FOUND`.
    pub fn name(self) -> &'static str {
        unsafe { static_text(sys::mx2onnx_status_name(self.status())) }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(unsafe { static_text(sys::mx2onnx_status_text(self.status())) })
    }
}

/// How much a diagnostic or a line of the log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The call fails because of it.
    Error,
    /// The result may not be what was meant.
    Warning,
    /// Something that is good to know.
    Note,
    /// For those who work on the library; in the log only.
    Debug,
}

impl Severity {
    pub(crate) fn raw(self) -> i32 {
        match self {
            Severity::Error => sys::MX2ONNX_SEVERITY_ERROR,
            Severity::Warning => sys::MX2ONNX_SEVERITY_WARNING,
            Severity::Note => sys::MX2ONNX_SEVERITY_NOTE,
            Severity::Debug => sys::MX2ONNX_SEVERITY_DEBUG,
        }
    }

    pub(crate) fn from_raw(severity: i32) -> Severity {
        match severity {
            sys::MX2ONNX_SEVERITY_ERROR => Severity::Error,
            sys::MX2ONNX_SEVERITY_WARNING => Severity::Warning,
            sys::MX2ONNX_SEVERITY_NOTE => Severity::Note,
            _ => Severity::Debug,
        }
    }
}

/// Something that there is to say of a model. Texts that do not apply are empty.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// An error, a warning or a note.
    pub severity: Severity,
    /// None for a warning or a note.
    pub kind: Option<ErrorKind>,
    /// The name of the MXNet node.
    pub node: String,
    /// The operator of the node.
    pub op: String,
    /// The operator's attribute.
    pub attribute: String,
    /// The input, output, parameter or file that is meant instead of a node.
    pub name: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub advice: String,
}

/// Why a call failed. `{:?}` is the text with that of the source, as Rust prints an error of `main`; `{:#?}` has everything.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    text: String,
    diagnostics: Vec<Diagnostic>,
    source: Option<BoxError>,
}

/// A text of the library, whose advice names functions and choices of the C header, in the words of this crate.
pub(crate) fn in_rust(text: &str) -> String {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    // Names and paths of the caller are in quotes.
    let is_ours = |before: &str| before.is_empty() || before.ends_with([' ', '(']);
    let text = with_calls(text);
    for part in text.split_inclusive(|c| !in_name(c)) {
        let end = part.find(|c| !in_name(c)).unwrap_or(part.len());
        let name = &part[..end];
        let shown = if is_ours(&out) { word(name) } else { name.to_string() };
        out += &shown;
        out += &part[end..];
    }
    out
}

/// "mx2onnx_set_input_shape: data=1x3xSIZE", the form of the command line, as a call, and "mx2onnx_set_option: OPSET is 9" by the name of
/// the option. A word such as SIZE is for the reader.
fn with_calls(text: &str) -> String {
    let text = text.replace("mx2onnx_set_option: ", "MX2ONNX_OPTION_");
    let mut parts = text.split("mx2onnx_set_input_shape: ");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let in_dims = |c: char| c.is_ascii_alphanumeric() || "_?,".contains(c);
        let end = part.find([' ', ')', ';']).unwrap_or(part.len());
        let Some((input, rest)) = part[..end].split_once('=') else {
            out = out + "mx2onnx_set_input_shape: " + part;
            continue;
        };
        let dims = rest[..rest.find(|c| !in_dims(c)).unwrap_or(rest.len())].trim_end_matches(',');
        let list: Vec<_> = dims.split(if dims.contains(',') { ',' } else { 'x' }).collect();
        let is_size = |d: &&str| !d.is_empty() && (d.bytes().all(|c| c.is_ascii_digit()) || d.bytes().all(|c| c.is_ascii_uppercase()));
        let dim = |d: &&str| match *d {
            "?" => "Dim::Open".to_string(),
            size if is_size(&size) => format!("Dim::Size({size})"),
            name => format!("Dim::named(\"{name}\")"),
        };
        let sizes = if list.iter().all(is_size) { list.join(", ") } else { list.iter().map(dim).collect::<Vec<_>>().join(", ") };
        let shape = if dims == "DIMS" { sizes } else { format!("[{sizes}]") };
        out += &format!("mx2onnx_set_input_shape(\"{input}\", {shape}){}", &part[input.len() + 1 + dims.len()..]);
    }
    out
}

fn word(name: &str) -> String {
    let camel = |name: &str| -> String {
        name.split('_').filter(|w| !w.is_empty()).map(|w| w[..1].to_string() + &w[1..].to_ascii_lowercase()).collect()
    };
    if let Some(choice) = name.strip_prefix("MX2ONNX_OPTION_") {
        return format!("Choice::{}", camel(choice));
    }
    if let Some(mode) = name.strip_prefix("MX2ONNX_EXTERNAL_") {
        return format!("External::{}", camel(mode));
    }
    if let Some(choice) = name.strip_prefix("MX2ONNX_TEXT_") {
        return format!("Text::{}", camel(choice));
    }
    match name.strip_prefix("mx2onnx_") {
        None => name.to_string(),
        Some("catalogue_name") => "Model::nets".to_string(),
        Some("load_catalogue_file") => "Model::load_catalogue".to_string(),
        Some("model_reset") => "Model::reset".to_string(),
        Some("node_input_size") => "Node::input_bytes".to_string(),
        Some("param_size") => "Param::bytes".to_string(),
        Some("set_custom_operator") => "Model::custom_operator".to_string(),
        Some(other) if other.starts_with("set_input_") => {
            format!("Model::{}", &other["set_".len()..])
        }
        Some(other) => format!("Model::{other}"),
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: String, diagnostics: Vec<Diagnostic>, source: Option<BoxError>) -> Error {
        let text = if text.is_empty() { kind.to_string() } else { text };
        Error(Box::new(Inner { kind, text, diagnostics, source }))
    }

    pub(crate) fn of(kind: ErrorKind, source: impl Into<BoxError>) -> Error {
        Error::new(kind, String::new(), Vec::new(), Some(source.into()))
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The model's diagnostics at the time of the error.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.0.source {
            _ if f.alternate() => self.0.fmt(f),
            Some(source) => write!(f, "{self}: {source}"),
            None => write!(f, "{self}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| &**e as _)
    }
}

#[cfg(test)]
mod tests {
    use super::in_rust;

    /// Each name of C that a message has is one of this crate.
    #[test]
    fn advice_is_about_rust() {
        for (text, want) in [
            ("fix it with mx2onnx_set_input_shape: data=1x3xSIZE", r#"fix it with Model::input_shape("data", [1, 3, SIZE])"#),
            (
                "(mx2onnx_set_input_shape: data=batch,?,8), or mx2onnx_set_input_shape: w=DIMS;",
                r#"(Model::input_shape("data", [Dim::named("batch"), Dim::Open, Dim::Size(8)])), or Model::input_shape("w", DIMS);"#,
            ),
            ("mx2onnx_set_option: OPSET is 9, but", "Choice::Opset is 9, but"),
            ("leave MX2ONNX_OPTION_MEMORY_LIMIT at its default", "leave Choice::MemoryLimit at its default"),
            ("(MX2ONNX_TEXT_UNKNOWN_DOMAIN), or mx2onnx_add_output", "(Text::UnknownDomain), or Model::add_output"),
            ("these bytes are not within mx2onnx_param_size", "these bytes are not within Param::bytes"),
            ("libmx2onnx_x and 'mx2onnx' are not names of C: é", "libmx2onnx_x and 'mx2onnx' are not names of C: é"),
            ("MX2ONNX_OPTION__", "Choice::"),
            ("choose a hard link (MX2ONNX_EXTERNAL_LINK)", "choose a hard link (External::Link)"),
            ("cannot open '/tmp/mx2onnx_data/mx2onnx_net.params'", "cannot open '/tmp/mx2onnx_data/mx2onnx_net.params'"),
            ("node 'mx2onnx_fc1' (mx2onnx_add_output)", "node 'mx2onnx_fc1' (Model::add_output)"),
        ] {
            assert_eq!(in_rust(text), want);
        }
    }
}
