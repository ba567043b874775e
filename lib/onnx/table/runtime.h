/* The programs that ONNX files are written for, and where each differs from ONNX Runtime. */
#ifndef OX_RUNTIME_H
#define OX_RUNTIME_H

#include "onnx/build.h"

struct ox_runtime {
    const char *name, *text;
    int opset; /* the newest that it reads */
    /* AveragePool that counts its padding becomes Pad and an AveragePool without. */
    bool explicit_padding;
    /* Cast of a float to an integer leaves its fraction, so an index is rounded down before. */
    bool casts_keep_fractions;
    /* Where with a constant condition becomes a product and a sum, which are the same for finite numbers. */
    bool masks_in_floats;
    /* Steps of QuantizeLinear and DequantizeLinear are constants; those that depend on data are multiplied beside them. */
    bool constant_levels;
    /* Quantised values are int8, no uint8; of int32, which a bias has, they are multiplied before. */
    bool signed_levels;
};

extern const struct ox_runtime ox_runtimes[]; /* ended by a row without a name; the first one is ONNX Runtime */

#endif
