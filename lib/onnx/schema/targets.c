/* What each runtime was found to refuse or to compute incorrectly; measured by tests/consumers. */
#include "onnx/schema/targets.h"

const struct ox_target ox_targets[] = {
    {.name = "onnxruntime", .text = "ONNX Runtime, and what runs on it: the form that is written without a target", .opset = 26},
    {.name = "openvino", .text = "OpenVINO 2026", .opset = 23},
    {.name = "opencv4",
     .text = "OpenCV's dnn module before 5: pads with zeros before average pooling, which it computes wrongly itself; no bool initialisers",
     .opset = 17,
     .explicit_padding = true,
     .casts_keep_fractions = true,
     .masks_in_floats = true},
    {.name = "opencv5",
     .text = "OpenCV 5: int8 only with zero point 0 (uint8 loses one bit); it computes uint8 convolutions with 1x1 kernels wrongly",
     .opset = 17,
     .signed_levels = true},
    {.name = "tract",
     .text = "tract 0.23: products of float16 without Gemm; quantisation steps must be constants",
     .opset = 18,
     .wide_gemm = true,
     .constant_levels = true},
    {.name = "tensorrt",
     .text =
         "TensorRT from 8.6: int8 only with zero point 0 (uint8 loses one bit); quantisation steps must be constants; biases in float32",
     .opset = 17,
     .constant_levels = true,
     .signed_levels = true},
    {.name = "ncnn", .text = "ncnn through pnnx, which loses the axes of ReduceSum if they are an input, as from opset 13 on", .opset = 12},
    {0},
};
