/* The runtimes for which ONNX files are written, and how each differs from ONNX Runtime. */
#ifndef OX_TARGETS_H
#define OX_TARGETS_H

#include <stdbool.h>

struct ox_target {
    const char *name, *text;
    int opset; /* the newest that it can read */
    /* An AveragePool that counts its padding becomes a Pad and an AveragePool without padding. */
    bool explicit_padding;
    /* Its Cast from float to integer keeps the fraction, so an index is rounded down first. */
    bool casts_keep_fractions;
    /* Its Gemm of float16 gives float32; a MatMul does not. */
    bool wide_gemm;
    /* A Where with a constant condition becomes a product and a sum, which give the same for finite numbers. */
    bool masks_in_floats;
    /* Its QuantizeLinear and DequantizeLinear require constant scales; scales that depend on data are multiplied outside them. */
    bool constant_levels;
    /* It supports int8, not uint8; for int32, the type of a bias, the scale is multiplied first. */
    bool signed_levels;
};

extern const struct ox_target ox_targets[]; /* ended by a row without a name; the first one is ONNX Runtime */

#endif
