//! The shared cases of bindings/cases; their README says what each step means.
use mx2onnx::*;
use serde_json::{json, Map, Value as Json};
use sha2::{Digest, Sha256};
use std::any::Any;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::panic::{catch_unwind, panic_any, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

#[derive(Debug)]
struct Thrown; // "an error of the language's own"

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("thrown on purpose")
    }
}
impl std::error::Error for Thrown {}

struct Broken(u64);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other(Thrown))
    }
}
impl Seek for Broken {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Ok(self.0)
    }
}
impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other(Thrown))
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn digest(data: &[u8]) -> Json {
    json!(Sha256::digest(data).iter().map(|b| format!("{b:02x}")).collect::<String>())
}

type Outcome = std::result::Result<(), BoxError>;

fn choice(name: &str) -> Choice {
    let all = [
        ("OPSET", Choice::Opset),
        ("FLOAT16", Choice::Float16),
        ("TRUST_INDICES", Choice::TrustIndices),
        ("KEEP_BATCH_NORM", Choice::KeepBatchNorm),
        ("INITIALIZERS_AS_INPUTS", Choice::InitializersAsInputs),
        ("SEED", Choice::Seed),
        ("EXTERNAL_DATA", Choice::ExternalData),
        ("EXTERNAL_THRESHOLD", Choice::ExternalThreshold),
        ("FULL_CHECKSUM", Choice::FullChecksum),
        ("FSYNC", Choice::Fsync),
        ("CLASSES", Choice::Classes),
        ("CROP", Choice::Crop),
        ("SEGMENTS", Choice::Segments),
        ("VOCABULARY", Choice::Vocabulary),
        ("MEMORY_LIMIT", Choice::MemoryLimit),
        ("EXPANSION_LIMIT", Choice::ExpansionLimit),
        ("NODES_LIMIT", Choice::NodesLimit),
        ("OUTPUT_LIMIT", Choice::OutputLimit),
    ];
    all.iter().find(|x| x.0 == name).unwrap().1
}

fn like(n: &Node) -> Outcome {
    Ok(n.set_output_like(0, 0)?)
}

fn leaky(n: &Node) -> Outcome {
    let slope = n.attribute("slope").unwrap();
    let [y] = n.add("LeakyRelu", &[n.input(0)], &format!("{{\"alpha\": {slope}}}"))?;
    Ok(n.set_result(0, y)?)
}

fn split_infer(n: &Node) -> Outcome {
    let mut dims = n.input_dims(0);
    dims[1] /= 2;
    for output in 0..n.output_count() {
        n.set_output(output, n.input_dtype(0), &dims)?;
        for axis in (0..dims.len()).filter(|&axis| dims[axis] < 0) {
            n.set_output_dim(output, axis, 0, axis)?;
        }
    }
    Ok(())
}

fn split_lower(n: &Node) -> Outcome {
    let half = (n.input_dims(0)[1] / 2).to_le_bytes();
    let sizes = n.constant(DType::Int64, &[2], &[half, half].concat())?;
    let [a, b] = n.add("Split", &[n.input(0), sizes], "{\"axis\": 1}")?;
    n.set_result(0, a)?;
    Ok(n.set_result(1, b)?)
}

fn table(n: &Node) -> Outcome {
    let turned: Vec<u8> = n.read_input(1)?.chunks(4).rev().flatten().copied().collect();
    let value = n.constant(n.input_stored_dtype(1), &[turned.len() as i64 / 4], &turned)?;
    let [y] = n.add("Mul", &[n.input(0), value], "")?;
    Ok(n.set_result(0, y)?)
}

fn describe(n: &Node) -> Outcome {
    let domain = n.domain().unwrap_or_default();
    let mut parts = vec![format!("name={};operator={};opset={};domain={domain}", n.name(), n.operator(), n.opset())];
    parts.extend(n.attributes().iter().map(|(key, value)| format!("{key}={value}")));
    parts.push(format!("outputs={}", n.output_count()));
    for i in 0..n.input_count() {
        let dims: Vec<String> = n.input_dims(i).iter().map(i64::to_string).collect();
        let (dtype, stored) = (n.input_dtype(i), n.input_stored_dtype(i));
        parts.push(format!("input={} {dtype} ({}) {stored} {}", n.input_name(i), dims.join(","), n.input_bytes(i)));
    }
    let [y] = n.add_in_domain(&domain, "Describe", &[n.input(0)], &json!({"text": parts.join(";")}).to_string())?;
    Ok(n.set_result(0, y)?)
}

fn thrown(_: &Node) -> Outcome {
    Err(Thrown.into())
}

fn register(m: &mut Model, name: &str, handler: &str, outputs: usize) -> Result<()> {
    let raw = m.as_ptr() as usize; // a handler of safe Rust cannot reach its model at all
    let busy = move |n: &Node| {
        let m = raw as *mut mx2onnx_sys::mx2onnx_model;
        let (status, inputs) = unsafe { (mx2onnx_sys::mx2onnx_set_option(m, mx2onnx_sys::MX2ONNX_OPTION_OPSET, 13), mx2onnx_sys::mx2onnx_input_count(m)) };
        assert_eq!((status, inputs), (mx2onnx_sys::MX2ONNX_STATUS_INVALID_ARGUMENT, 0));
        like(n)
    };
    match handler {
        "leaky" => m.custom_operator(name, outputs, (like, leaky)),
        "split2" => m.custom_operator(name, outputs, (split_infer, split_lower)),
        "table" => m.custom_operator(name, outputs, (like, table)),
        "describe" => m.custom_operator(name, outputs, (like, describe)),
        "refuse" => m.custom_operator(name, outputs, (|n: &Node| Err(n.fail("refused on purpose")), leaky)),
        "throw in infer" => m.custom_operator(name, outputs, (thrown, leaky)),
        "throw in lower" => m.custom_operator(name, outputs, (like, thrown)),
        "busy" => m.custom_operator(name, outputs, (busy, leaky)),
        "shape only" => m.custom_operator(name, outputs, ShapeOnly(like)),
        "" => m.remove_custom_operator(name),
        other => panic!("no such handler: {other}"),
    }
    .map(drop)
}

#[derive(Default)]
struct Seen {
    log: u32,
    progress: Json,
}

struct Run {
    m: Model,
    target: PathBuf,
    found: Map<String, Json>,
    seen: Arc<Mutex<Seen>>,
}

fn dims_of(t: &Tensor) -> Json {
    let dim = |d: &Dim| match d {
        Dim::Size(n) => json!(n),
        Dim::Named(name) => json!(name),
        _ => Json::Null,
    };
    let dims = t.dims.as_ref().map(|dims| dims.iter().map(dim).collect::<Vec<_>>());
    json!({"name": t.name, "dtype": t.dtype.to_string(), "dims": dims})
}

impl Run {
    fn step(&mut self, step: &Json) -> Result<()> {
        let text = |key: &str| step[key].as_str().unwrap_or_default();
        let (name, input) = (text("name"), text("input"));
        let path = folder().join(text("file"));
        let data = || std::fs::read(&path).unwrap();
        let number = |key: &str| step[key].as_u64().unwrap_or_default();
        let flag = |key: &str| step[key].as_bool().unwrap_or_default();
        let values = || step["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>();
        let (m, on) = (&mut self.m, flag("on"));
        match text("do") {
            "load" => m.load(path),
            "load_symbol" => m.load_symbol(path),
            "load_params" => m.load_params(path),
            "load_memory" => m.load_memory(data()),
            "load_symbol_memory" => m.load_symbol_memory(&data()),
            "load_params_memory" => m.load_params_memory(data()),
            "load_callback" if flag("throw") => m.load_reader(Broken(data().len() as u64)),
            "load_callback" => m.load_reader(Cursor::new(data())),
            "load_params_callback" if flag("throw") => m.load_params_reader(Broken(data().len() as u64)),
            "load_params_callback" => m.load_params_reader(std::fs::File::open(path).unwrap()),
            "set_param" => {
                let dims: Vec<i64> = step["dims"].as_array().unwrap().iter().map(|d| d.as_i64().unwrap()).collect();
                let bytes: Vec<u8> = step["bytes"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap() as u8).collect();
                m.set_param(name, DType::from_name(text("dtype")), &dims, bytes)
            }
            "load_catalogue" => m.load_catalogue(&path),
            "load_net" => {
                m.load_net(step["name"].as_str())?;
                self.found.insert("net".into(), json!(m.net()));
                Ok(m)
            }
            "identify_net" => {
                m.identify_net()?;
                Ok(m)
            }
            "use_published" => {
                m.use_published(if text("choice") == "SHAPES" { Published::Shapes } else { Published::Normalization })
            }
            "nets" => {
                let nets: Vec<Json> = m.nets().into_iter().map(|(name, text)| json!({"name": name, "text": text})).collect();
                self.found.insert("nets".into(), json!(nets));
                Ok(m)
            }
            "param_prefix" => m.set_text(Text::ParamPrefix, step["prefix"].as_str()),
            "input_shape" => {
                let dim = |d: &Json| d.as_str().map_or_else(|| Dim::Size(d.as_i64().unwrap()), Dim::named);
                m.input_shape(input, step["dims"].as_array().unwrap().iter().map(dim))
            }
            "input_dim_name" => m.input_dim_name(input, number("axis") as usize, step["name"].as_str()),
            "input_dtype" => m.input_dtype(input, DType::from_name(text("dtype"))),
            "channels_last" => m.input_channels_last(input, on),
            "channels_reversed" => m.input_channels_reversed(input, on),
            "mean" => m.input_mean(input, &values()),
            "scale" => m.input_scale(input, &values()),
            "add_output" => m.add_output(name),
            "rename" => m.rename(text("old"), text("new")),
            "opset" => m.opset(number("opset") as i32),
            "target" => m.target(step["name"].as_str()),
            "trust_indices" => m.set_option(Choice::TrustIndices, on.into()),
            "option" => {
                let which = choice(text("which"));
                let failed = m.set_option(which, number("value") as i64).err();
                self.found.insert("option".into(), json!(m.option(which)));
                match failed {
                    Some(error) => return Err(error),
                    None => Ok(m),
                }
            }
            "reset_option" => {
                let which = choice(text("which"));
                m.reset_option(which)?;
                self.found.insert("option".into(), json!(m.option(which)));
                Ok(m)
            }
            "external_data" => {
                let all = [("AUTO", External::Auto), ("NEVER", External::Never), ("ALWAYS", External::Always), ("IN_PLACE", External::InPlace), ("LINK", External::Link)];
                m.external_data(all.iter().find(|x| x.0 == text("mode")).unwrap().1)?;
                m.set_option(Choice::ExternalThreshold, number("threshold") as i64)
            }
            "full_checksum" => m.set_option(Choice::FullChecksum, on.into()),
            "check_file" => m.check_external_data(&path),
            "initializers_as_inputs" => m.set_option(Choice::InitializersAsInputs, on.into()),
            "keep_batch_norm" => m.set_option(Choice::KeepBatchNorm, on.into()),
            "fsync" => m.set_option(Choice::Fsync, on.into()),
            "float16" => {
                let all = [("OFF", Float16::Off), ("ALL", Float16::All), ("INSIDE", Float16::Inside)];
                m.float16(all.iter().find(|x| x.0 == text("mode")).unwrap().1)
            }
            "keep_float32" => m.set_node_precision(name, if flag("keep") { Precision::Float32 } else { Precision::Float16 }),
            "seed" => m.set_option(Choice::Seed, number("seed") as i64),
            "unknown_domain" => m.set_text(Text::UnknownDomain, step["domain"].as_str()),
            "custom_operator" => return register(m, name, text("handler"), number("outputs") as usize),
            "log" if text("handler").is_empty() => m.no_log(),
            "log" => {
                let (seen, throws) = (self.seen.clone(), text("handler") == "throw");
                m.log(Severity::Note, move |severity, _| {
                    if throws {
                        panic_any(Thrown);
                    }
                    assert!(severity <= Severity::Note);
                    seen.lock().unwrap().log += 1
                })
            }
            "progress" if text("handler").is_empty() => m.no_progress(),
            "progress" => {
                let (seen, handler) = (self.seen.clone(), text("handler").to_string());
                m.progress(move |now| {
                    if handler == "throw" {
                        panic_any(Thrown);
                    }
                    seen.lock().unwrap().progress = json!([now.done, now.total]);
                    if handler == "watch" { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
            }
            "infer" => m.infer(),
            "look" => return self.look(),
            "export_file" => return self.export_file(step["path"].as_str().unwrap_or("model.onnx")),
            "export_memory" => {
                let data = m.to_vec()?;
                self.found.insert("sha256".into(), digest(&data));
                return Ok(());
            }
            "export_stream" if flag("throw") => m.write_to(Broken(0)),
            "export_stream" => {
                let mut data = Vec::new();
                m.write_to(&mut data)?;
                self.found.insert("sha256".into(), digest(&data));
                return Ok(());
            }
            other => panic!("no such step: {other}"),
        }
        .map(drop)
    }

    fn export_file(&mut self, name: &str) -> Result<()> {
        let path = self.target.join(name);
        let done = self.m.export(&path).map(drop);
        for (key, file) in [("sha256", path.clone()), ("data_sha256", path.with_extension("onnx.data"))] {
            if let Ok(data) = std::fs::read(&file) {
                self.found.insert(key.into(), digest(&data));
                std::fs::remove_file(file).unwrap();
            }
        }
        assert_eq!(std::fs::read_dir(&self.target).unwrap().count(), 0, "the export left a file");
        done
    }

    fn look(&mut self) -> Result<()> {
        let mut params = Vec::new();
        for (i, p) in self.m.params().into_iter().enumerate() {
            let sha = digest(&self.m.read_param(i)?);
            params.push(json!({"name": p.name, "dtype": p.dtype.to_string(), "dims": p.dims, "used": p.used, "sha256": sha}));
        }
        let (m, w) = (&self.m, self.m.written());
        let variable = |v: Variable| json!({"name": v.name, "kind": format!("{:?}", v.kind).to_uppercase()});
        let operator = |o: Operator| json!({"name": o.name, "uses": o.uses, "supported": o.supported});
        let Json::Object(found) = json!({
            "inputs": m.inputs().iter().map(dims_of).collect::<Vec<_>>(),
            "outputs": m.outputs().iter().map(dims_of).collect::<Vec<_>>(),
            "variables": m.variables().into_iter().map(variable).collect::<Vec<_>>(), "params": params,
            "operators": m.operators().into_iter().map(operator).collect::<Vec<_>>(),
            "written": {"opset": w.opset, "nodes": w.nodes, "bytes": w.bytes},
        }) else {
            unreachable!()
        };
        self.found.extend(found);
        Ok(())
    }

    fn diagnostics(&self) -> Json {
        let row = |d: Diagnostic| {
            let name = d.name.rsplit('/').next().unwrap();
            let status = d.kind.map_or("OK", ErrorKind::name);
            let severity = format!("{:?}", d.severity).to_uppercase();
            json!({"severity": severity, "status": status, "node": d.node, "op": d.op, "attribute": d.attribute, "name": name})
        };
        self.m.diagnostics().into_iter().map(row).collect()
    }
}

fn is_thrown(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    let inner = source.and_then(|s| s.downcast_ref::<std::io::Error>()).and_then(|e| e.get_ref());
    source.is_some_and(|s| s.is::<Thrown>()) || inner.is_some_and(|e| e.is::<Thrown>())
}

fn run_case(name: &str, steps: &[Json]) {
    let target = std::env::temp_dir().join(format!("mx2onnx-rust-{}-{}", std::process::id(), name.replace(' ', "-")));
    std::fs::create_dir(&target).unwrap();
    let mut run = Run { m: Model::new().unwrap(), target: target.clone(), found: Map::new(), seen: Arc::default() };
    for step in steps {
        run.found.clear();
        *run.seen.lock().unwrap() = Seen::default();
        let status = match catch_unwind(AssertUnwindSafe(|| run.step(step))) {
            Ok(Ok(())) => "OK".to_string(),
            Ok(Err(error)) if is_thrown(&error) => "THROWN".to_string(),
            Ok(Err(error)) => error.kind().name().to_string(),
            Err(panic) if panic.is::<Thrown>() => "THROWN".to_string(),
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let seen = std::mem::take(&mut *run.seen.lock().unwrap());
        run.found.extend([("status".into(), json!(status)), ("diagnostics".into(), run.diagnostics())]);
        run.found.extend([("log".into(), json!(seen.log)), ("progress".into(), seen.progress)]);
        for (key, wanted) in step["expect"].as_object().unwrap() {
            assert_eq!(run.found.get(key), Some(wanted), "{name}: {key} of {}", step["do"]);
        }
    }
    std::fs::remove_dir(target).unwrap();
}

#[test]
fn shared_cases_hold() {
    let all: Json = serde_json::from_slice(&std::fs::read(folder().join("cases.json")).unwrap()).unwrap();
    let cases = all["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        run_case(case["name"].as_str().unwrap(), case["steps"].as_array().unwrap());
    }
    println!("{} cases", cases.len());
}

fn digits() -> Model {
    let mut m = Model::open(folder().join("../../examples/digits/digits-symbol.json")).unwrap();
    m.input_shape("data", [Dim::named("batch"), 1.into(), 8.into(), 8.into()]).unwrap();
    m
}

#[test]
fn a_model_goes_to_another_thread() {
    let mut m = digits();
    let here = m.to_vec().unwrap();
    assert_eq!(std::thread::spawn(move || m.to_vec().unwrap()).join().unwrap(), here);
}

#[test]
fn a_panic_in_a_handler_comes_out() {
    let mut m = Model::open(folder().join("leaky-symbol.json")).unwrap();
    m.input_shape("x", [1, 4]).unwrap();
    m.custom_operator("leaky", 1, (like, |_: &Node| panic_any(Thrown))).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| m.to_vec())).unwrap_err().is::<Thrown>());
    m.custom_operator("leaky", 1, (like, leaky)).unwrap();
    m.to_vec().unwrap();
}

#[test]
fn given_functions_are_released() {
    let data: Arc<[u8]> = std::fs::read(folder().join("leaky-symbol.json")).unwrap().into();
    let held = Arc::new(());
    let mut m = Model::new().unwrap();
    m.load_memory(data.clone()).unwrap();
    let seen = held.clone();
    m.log(Severity::Error, move |_, _| drop(seen.clone())).unwrap();
    assert_eq!(Arc::strong_count(&held), 2);
    m.no_log().unwrap();
    assert_eq!(Arc::strong_count(&held), 1);
    for name in ["leaky", "other"] {
        let kept = held.clone();
        m.custom_operator(name, 1, (move |n: &Node| if Arc::strong_count(&kept) > 0 { like(n) } else { leaky(n) }, leaky)).unwrap();
    }
    assert_eq!(Arc::strong_count(&held), 3);
    m.remove_custom_operator("other").unwrap();
    assert_eq!(Arc::strong_count(&held), 2);
    m.remove_custom_operators().unwrap();
    assert_eq!(Arc::strong_count(&held), 1);
    drop(m);
    assert_eq!(Arc::strong_count(&data), 1);
}

#[test]
fn options_are_set_and_reset() {
    let mut m = digits();
    let range = opset_range();
    assert!(range.contains(&opset_default()));
    assert_eq!((m.option(Choice::Opset), m.option(Choice::Seed), m.text(Text::Target)), (0, -1, None));
    m.opset(*range.start()).unwrap().float16(Float16::All).unwrap().target(Some("opencv4")).unwrap();
    m.set_option(Choice::Seed, 3).unwrap().set_text(Text::Producer, Some("a test")).unwrap();
    assert_eq!((m.option(Choice::Opset), m.option(Choice::Float16)), ((*range.start()).into(), 1));
    assert_eq!(m.text(Text::Target).as_deref(), Some("opencv4"));
    m.reset_option(Choice::Opset).unwrap().reset_option(Choice::Float16).unwrap().target(None).unwrap();
    assert!(String::from_utf8_lossy(&m.to_vec().unwrap()).contains("a test"));
    assert_eq!(m.opset(range.end() + 1).err().unwrap().kind(), ErrorKind::InvalidArgument);
    assert_eq!(m.set_option(Choice::Fsync, 2).err().unwrap().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_reset_model_is_new() {
    let mut m = digits();
    let want = m.to_vec().unwrap();
    let held = Arc::new(());
    let kept = held.clone();
    m.progress(move |_| if Arc::strong_count(&kept) > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }).unwrap();
    assert_eq!(m.to_vec().err().unwrap().kind(), ErrorKind::Cancelled);
    assert!(m.reset().unwrap().inputs().is_empty());
    assert_eq!(Arc::strong_count(&held), 1);
    // a choice may come before the load
    m.input_shape("data", [Dim::named("batch"), 1.into(), 8.into(), 8.into()]).unwrap();
    m.load(folder().join("../../examples/digits/digits-symbol.json")).unwrap();
    assert_eq!(m.to_vec().unwrap(), want);
}

#[test]
fn a_progress_states_what_it_is_about() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let writer = seen.clone();
    let mut m = Model::new().unwrap();
    m.progress(move |now| {
        writer.lock().unwrap().push((now.phase, now.done, now.total, now.node.to_string()));
        ControlFlow::Continue(())
    })
    .unwrap();
    m.load(folder().join("../../examples/digits/digits-symbol.json")).unwrap().input_shape("data", [1, 1, 8, 8]).unwrap();
    let size = m.to_vec().unwrap().len() as u64;
    let seen = seen.lock().unwrap();
    let last = seen.last().unwrap();
    assert_eq!((last.0, last.1, last.2), (Phase::Write, size, size));
    assert!(seen.iter().any(|now| now.0 == Phase::Load));
    assert!(seen.iter().all(|now| now.0 == Phase::Write || (now.1, now.2) == (0, 0)));
}

#[test]
fn a_log_has_only_what_it_is_asked_for() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = || {
        let lines = lines.clone();
        move |severity, _: &str| lines.lock().unwrap().push(severity)
    };
    let mut m = digits();
    m.log(Severity::Debug, log()).unwrap().graph_text(Graph::Onnx).unwrap();
    assert!(lines.lock().unwrap().contains(&Severity::Debug));
    lines.lock().unwrap().clear();
    m.log(Severity::Note, log()).unwrap().graph_text(Graph::Onnx).unwrap();
    assert!(lines.lock().unwrap().is_empty());
    m.log(Severity::Error, log()).unwrap().add_output("nosuch").unwrap_err();
    assert_eq!(*lines.lock().unwrap(), [Severity::Error]);
}

#[test]
fn a_call_is_cancelled() {
    let mut m = digits();
    let want = m.to_vec().unwrap();
    let canceller = m.canceller();
    canceller.cancel(); // no call runs
    assert_eq!(m.to_vec().unwrap(), want);
    let other = canceller.clone();
    m.progress(move |_| {
        let other = other.clone();
        std::thread::spawn(move || other.cancel()).join().unwrap();
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(m.to_vec().unwrap_err().kind(), ErrorKind::Cancelled);
    m.no_progress().unwrap();
    // a look gives no Result, so nothing ends it
    let other = canceller.clone();
    let count = move |_: &Node| {
        other.cancel();
        Ok(1)
    };
    m.custom_operator("Convolution", 1, Counting(count, Overriding((like, leaky)))).unwrap();
    assert_eq!(m.outputs().len(), 1);
    assert_eq!(m.opset(18).unwrap().to_vec().unwrap_err().kind(), ErrorKind::Cancelled);
    m.remove_custom_operators().unwrap().opset(0).unwrap();
    assert_eq!(m.to_vec().unwrap(), want);
    drop(m);
    canceller.cancel();
}

fn pass(n: &Node) -> Outcome {
    Ok(n.set_result(0, n.input(0))?)
}

#[test]
fn a_handler_counts_and_overrides() {
    let mut m = digits();
    m.custom_operator("SoftmaxOutput", 1, Overriding((like, pass))).unwrap();
    assert!(!m.graph_text(Graph::Onnx).unwrap().contains("Softmax"));
    m.custom_operator("SoftmaxOutput", 1, (like, pass)).unwrap();
    assert_eq!(m.graph_text(Graph::Onnx).unwrap_err().kind(), ErrorKind::InvalidArgument);
    m.remove_custom_operators().unwrap();
    assert!(m.graph_text(Graph::Onnx).unwrap().contains("Softmax"));

    let mut m = Model::open(folder().join("leaky-symbol.json")).unwrap();
    m.input_shape("x", [1, 4]).unwrap();
    let seen = Arc::new(Mutex::new(String::new()));
    let writer = seen.clone();
    let one = move |n: &Node| {
        *writer.lock().unwrap() = format!("{} {} {}", n.name(), n.input_name(0), n.attribute("slope").unwrap());
        Ok(1)
    };
    m.custom_operator("leaky", 7, Counting(one, (like, leaky))).unwrap().to_vec().unwrap();
    assert_eq!(*seen.lock().unwrap(), "c x 0.25");
    let counted = |count: usize| Counting(move |_: &Node| Ok(count), (like, leaky));
    assert_eq!(m.custom_operator("leaky", 1, counted(0)).unwrap().to_vec().unwrap_err().kind(), ErrorKind::Format);
    assert_eq!(m.custom_operator("leaky", 1, counted(usize::MAX)).unwrap().to_vec().unwrap_err().kind(), ErrorKind::TooLarge);
    let fails = Counting(|n: &Node| Err(n.fail("not counted on purpose")), (like, leaky));
    let error = m.custom_operator("leaky", 1, fails).unwrap().to_vec().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("not counted on purpose"));
    let panics = Counting(|_: &Node| panic_any(Thrown), (like, leaky));
    m.custom_operator("leaky", 1, panics).unwrap();
    assert!(panic_of(|| m.to_vec()).unwrap().is::<Thrown>());
}

#[test]
fn choices_are_taken_back() {
    let mut m = digits();
    let want = m.to_vec().unwrap();
    m.add_output("fc1_output").unwrap().rename("data", "pixels").unwrap().input_dtype("data", DType::Float16).unwrap();
    assert_eq!(m.outputs()[0].name, "fc1");
    assert!(m.graph_text(Graph::Onnx).unwrap().contains("pixels : float16 (batch, 1, 8, 8)"));
    let inferred = m.clear_input_shape("data").unwrap().infer().unwrap().inputs();
    assert_eq!(inferred[0].dims.as_ref().unwrap()[2], Dim::named("data_dim2"));
    m.clear_outputs().unwrap().rename("data", None).unwrap().input_dtype("data", DType::Unknown).unwrap();
    m.input_shape("data", [Dim::named("batch"), 1.into(), 8.into(), 8.into()]).unwrap();
    assert_eq!(m.to_vec().unwrap(), want);
    assert_eq!(m.node_precision("fc1"), Precision::Auto);
    let most = m.float16(Float16::Inside).unwrap().set_node_precision("fc1", Precision::Float32).unwrap().to_vec().unwrap().len();
    assert_eq!(m.node_precision("fc1"), Precision::Float32);
    assert!(m.set_node_precision("fc1", Precision::Auto).unwrap().to_vec().unwrap().len() < most);
    assert_eq!((m.node_precision("fc1"), m.node_precision("fc1\0")), (Precision::Auto, Precision::Auto));
}

#[test]
fn settings_are_read_and_taken_back() {
    let mut m = digits();
    let want = m.to_vec().unwrap();
    m.set_metadata("b", Some("two")).unwrap().set_metadata("a", Some("")).unwrap();
    assert_eq!(m.metadata(), [("a".into(), String::new()), ("b".into(), "two".to_string())]);
    assert_eq!(m.set_metadata("input:data", Some("x")).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert!(m.to_vec().unwrap().windows(8).any(|w| w == b"\x0a\x01b\x12\x03two"));
    m.set_metadata("a", None).unwrap();
    assert_eq!(m.metadata().len(), 1);
    m.clear_metadata().unwrap();
    assert_eq!(m.metadata(), []);
    let mut chosen = Model::new().unwrap();
    assert_eq!((chosen.chosen_shape("data"), chosen.chosen_dtype("data"), chosen.chosen_name("data")), (None, DType::Unknown, None));
    chosen.input_shape("data", [Dim::named("n"), Dim::Size(1), Dim::Open]).unwrap();
    chosen.input_dtype("data", DType::UInt8).unwrap().rename("data", "pixels").unwrap();
    assert_eq!(chosen.chosen_shape("data"), Some(vec![Dim::named("n"), Dim::Size(1), Dim::Open]));
    assert_eq!((chosen.chosen_dtype("data"), chosen.chosen_name("data")), (DType::UInt8, Some("pixels".to_string())));
    m.input_mean("data", &[1.0]).unwrap().input_scale("data", &[0.5]).unwrap().input_channels_last("data", true).unwrap();
    assert_eq!((m.mean_of("data"), m.scale_of("data"), m.mean_of("no")), (vec![1.0], vec![0.5], vec![]));
    assert_eq!((m.has_channels_last("data"), m.has_channels_reversed("data")), (true, false));
    m.input_mean("data", &[]).unwrap().input_scale("data", &[]).unwrap().input_channels_last("data", false).unwrap();
    assert_eq!((m.mean_of("data"), m.has_channels_last("data")), (vec![], false));
    let bias = m.params().into_iter().find(|p| p.name == "fc1_bias").unwrap();
    m.set_param("fc1_bias", bias.dtype, &bias.dims, vec![1; bias.bytes as usize]).unwrap();
    assert_ne!(m.to_vec().unwrap(), want);
    assert_eq!(m.remove_param("fc1_bias").unwrap().to_vec().unwrap(), want);
    assert_eq!(m.remove_param("fc1_bias").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(m.set_domain_version("ai.onnx.ml", 3).unwrap().domain_version("ai.onnx.ml"), 3);
    assert_eq!(m.set_domain_version("ai.onnx.ml", 0).unwrap().domain_version("ai.onnx.ml"), 1);
    m.load_catalogue_memory(&std::fs::read(folder().join("nets.zip")).unwrap()).unwrap();
    assert!(!m.nets().is_empty());
    assert_eq!(m.identify_net().unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn parts_of_an_array_can_be_read() {
    let mut m = digits();
    let all = m.read_param(0).unwrap();
    let mut part = [0; 8];
    m.read_param_at(0, 3, &mut part).unwrap().read_param_at(0, all.len() as u64, &mut []).unwrap();
    assert_eq!(part, all[3..11]);
    for (i, offset) in [(0, all.len() as u64 - 7), (0, u64::MAX), (usize::MAX, 0)] {
        assert_eq!(m.read_param_at(i, offset, &mut part).unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn the_files_of_an_export_are_listed() {
    let target = std::env::temp_dir().join(format!("mx2onnx-rust-{}-files", std::process::id()));
    std::fs::create_dir(&target).unwrap();
    let mut m = digits();
    assert!(m.written().files.is_empty());
    m.external_data(External::Always).unwrap().set_text(Text::SideFile, Some("weights")).unwrap();
    m.export(target.join("net.onnx")).unwrap();
    assert_eq!(m.written().files, ["net.onnx", "weights"]);
    std::fs::remove_dir_all(target).unwrap();
}

#[test]
fn texts_describe_the_model() {
    let mut m = digits();
    m.to_vec().unwrap();
    assert!(m.graph_text(Graph::Onnx).unwrap().contains("Conv") && m.graph_text(Graph::Mxnet).unwrap().contains("Convolution"));
    for (graph, op) in [(Graph::Mxnet, "Convolution"), (Graph::Onnx, "Conv")] {
        let json: Json = serde_json::from_str(&m.graph_json(graph).unwrap()).unwrap();
        assert!(json["schema"] == 1 && json["nodes"].as_array().unwrap().iter().any(|n| n["op"] == op));
    }
    assert!(m.report_json().unwrap().contains("softmax"));
    assert!(version().starts_with("0.") && version_number() >= 1000 && has_feature(Feature::Zip));
    assert!(known_operators().len() > 100 && !targets().is_empty());
    assert!(known_operators().iter().any(|o| o.name == "Pooling" && o.status == "partial" && !o.refuses.is_empty()));
    assert!(known_operators().iter().any(|o| o.name == "Cast" && o.status == "differs" && !o.differs.is_empty()));
    let error = m.opset(99).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains(&error.diagnostics()[0].message));
    assert_eq!(m.add_output("a\0b").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

fn panic_of<T>(call: impl FnOnce() -> T) -> Option<Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(call)).err()
}

#[test]
fn a_progress_function_is_asked_by_no_look_and_stays_with_its_call() {
    let looks: [fn(&mut Model); 6] = [
        |m| drop(m.inputs()),
        |m| drop(m.outputs()),
        |m| drop(m.variables()),
        |m| drop(m.params()),
        |m| drop(m.operators()),
        |m| drop(m.nets()),
    ];
    for look in looks {
        let mut m = digits();
        m.progress(|_| panic_any(Thrown)).unwrap();
        look(&mut m);
        assert_eq!(m.inputs().len(), 1);
        m.progress(|_| ControlFlow::Break(())).unwrap();
        look(&mut m);
        assert_eq!(m.infer().unwrap_err().kind(), ErrorKind::Cancelled);
        m.progress(|_| panic_any(Thrown)).unwrap();
        assert!(panic_of(|| m.to_vec()).unwrap().is::<Thrown>());
        m.no_progress().unwrap().opset(17).unwrap().to_vec().unwrap();
    }
}

#[test]
fn the_first_panic_counts_and_no_function_runs_after_it() {
    let mut m = Model::open(folder().join("leaky-symbol.json")).unwrap();
    let lines = Arc::new(Mutex::new(0));
    let count = lines.clone();
    m.log(Severity::Debug, move |_, _| {
        *count.lock().unwrap() += 1;
        panic_any(Thrown)
    })
    .unwrap();
    assert!(panic_of(|| m.infer().map(|_| ())).unwrap().is::<Thrown>());
    assert_eq!(*lines.lock().unwrap(), 1);
    m.no_log().unwrap();
    assert_eq!(m.to_vec().unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn a_reader_that_fails_is_not_cancelled() {
    let mut m = Model::new().unwrap();
    m.progress(|_| ControlFlow::Continue(())).unwrap();
    let error = m.load_reader(Broken(1 << 20)).unwrap_err();
    assert!(is_thrown(&error));
    assert_eq!((error.kind(), error.diagnostics()[0].kind), (ErrorKind::Io, Some(ErrorKind::Io)));
}

#[test]
fn a_log_that_panics_ends_the_call() {
    let mut m = digits();
    m.log(Severity::Debug, |_, _| panic_any(Thrown)).unwrap();
    assert!(panic_of(|| m.graph_text(Graph::Onnx)).unwrap().is::<Thrown>());
    assert!(m.diagnostics().iter().any(|d| d.kind == Some(ErrorKind::Cancelled)));
    m.no_log().unwrap().graph_text(Graph::Onnx).unwrap();
}

/// Reads and takes other counts than it is asked for.
struct Other(Cursor<Vec<u8>>, isize);

impl Read for Other {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read(to)?;
        Ok(n.saturating_add_signed(self.1))
    }
}
impl Seek for Other {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}
impl Write for Other {
    fn write(&mut self, from: &[u8]) -> std::io::Result<usize> {
        Ok(from.len().saturating_add_signed(self.1))
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn counts_of_readers_and_writers() {
    let data = std::fs::read(folder().join("leaky-symbol.json")).unwrap();
    let open = |by| Model::new().unwrap().load_reader(Other(Cursor::new(data.clone()), by)).map(|_| ());
    open(0).unwrap();
    assert!(panic_of(|| open(1)).is_some()); // std's own check
    assert_eq!(open(-(1 << 30)).unwrap_err().kind(), ErrorKind::Io);
    let mut m = digits();
    assert!(panic_of(|| m.write_to(Other(Cursor::default(), 1)).map(|_| ())).is_some());
    assert_eq!(m.write_to(Other(Cursor::default(), isize::MIN)).unwrap_err().kind(), ErrorKind::Io);
    m.write_to(std::io::sink()).unwrap();
}

#[test]
fn names_with_a_nul_are_refused() {
    let mut m = digits();
    let name = "data\0x";
    type Call<'a> = &'a dyn Fn(&mut Model) -> Option<mx2onnx::Error>;
    let calls: [Call; 13] = [
        &|m| m.rename("data", name).err(),
        &|m| m.rename(name, "x").err(),
        &|m| m.input_shape(name, [1]).err(),
        &|m| m.input_shape("data", [Dim::named(name), 1.into(), 8.into(), 8.into()]).err(),
        &|m| m.input_dim_name("data", 0, Some(name)).err(),
        &|m| m.add_output(name).err(),
        &|m| m.target(Some(name)).err(),
        &|m| m.set_text(Text::UnknownDomain, Some(name)).err(),
        &|m| m.load_net(Some(name)).err(),
        &|m| m.set_param(name, DType::Int8, &[1], [1u8]).err(),
        &|m| m.custom_operator(name, 1, (like, leaky)).err(),
        &|m| m.load_params(name).err(),
        &|m| m.export(name).err(),
    ];
    for call in calls {
        assert_eq!(call(&mut m).unwrap().kind(), ErrorKind::InvalidArgument);
    }
    assert_eq!(DType::from_name("int8\0"), DType::Unknown);
    let x = &m.infer().unwrap().inputs()[0];
    assert_eq!((x.name.as_str(), x.dims.as_ref().unwrap()[0].clone()), ("data", Dim::named("batch")));
}

/// `main` prints an error that it returns with `{:?}`, which was a structure.
#[test]
fn an_error_of_main_is_a_sentence() {
    let error = digits().input_shape("image", [1]).err().unwrap();
    assert_eq!(format!("{error:?}"), "'image': the model has no input of this name; use one of its inputs: 'data'");
    assert!(format!("{error:#?}").contains("diagnostics"));
    let read = Model::from_reader(Broken(0)).err().unwrap();
    assert_eq!(format!("{read:?}"), format!("{read}: {}", std::io::Error::other(Thrown)));
}

#[test]
fn the_text_of_a_size_is_not_a_name() {
    let mut m = digits();
    for name in ["1", "14", "None", "4.5"] {
        let dims = [Dim::from(name), 1.into(), 8.into(), 8.into()];
        assert_eq!(m.input_shape("data", dims).err().unwrap().kind(), ErrorKind::InvalidArgument, "{name}");
    }
}

/// A path need not be UTF-8 on Unix; it was refused.
#[cfg(unix)]
#[test]
fn a_path_may_have_any_bytes() {
    use std::os::unix::ffi::OsStringExt;
    let name = [format!("mx2onnx-rust-{}-", std::process::id()).into_bytes(), vec![0xff, b'.', b'o']].concat();
    let path = std::env::temp_dir().join(std::ffi::OsString::from_vec(name));
    let mut m = digits();
    m.export(&path).unwrap().check_external_data(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), m.written().bytes);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(m.check_external_data(&path).err().unwrap().kind(), ErrorKind::NotFound);
    assert_eq!(m.load_catalogue(&path).err().unwrap().kind(), ErrorKind::NotFound);
}
