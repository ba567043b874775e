module github.com/mx2onnx/libmx2onnx/bindings/go

go 1.21
