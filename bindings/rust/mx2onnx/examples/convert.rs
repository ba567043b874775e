//! `convert MODEL-symbol.json OUT.onnx [INPUT DIM...]`: a DIM is a size or a name; nodes Custom(op_type="leaky") become LeakyRelu.
use mx2onnx::{Dim, Model, Node};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [symbol, target, rest @ ..] = &arguments[..] else {
        return Err("usage: convert MODEL-symbol.json OUT.onnx [INPUT DIM...]".into());
    };
    let mut m = Model::open(symbol)?;
    let infer = |n: &Node| Ok(n.set_output_like(0, 0)?);
    let lower = |n: &Node| {
        let slope = n.attribute("slope").unwrap_or("0.25".to_string());
        let [y] = n.add("LeakyRelu", &[n.input(0)], &format!("{{\"alpha\": {slope}}}"))?;
        Ok(n.set_result(0, y)?)
    };
    m.custom_operator("leaky", 1, (infer, lower))?;
    if let [input, dims @ ..] = rest {
        m.input_shape(input, dims.iter().map(|d| d.parse().map_or_else(|_| Dim::named(d), Dim::Size)))?;
    }
    m.export(target)?;
    println!("wrote {target}: {} nodes", m.written().nodes);
    Ok(())
}
