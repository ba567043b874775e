module mx2onnx

go 1.21
