/* The module has no main. */
typedef int mx2onnx_core_is_the_library;
