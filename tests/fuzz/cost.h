/* What a model may cost: memory, temporary files and their like are counted, not measured, and must stay below
 *     64 MiB + 64 x the file's size + 1 KiB a node + what is written.
 * The library's allocations and spools are counted by the linker's --wrap (meson.build). */
#ifndef TESTS_FUZZ_COST_H
#define TESTS_FUZZ_COST_H

#include "model.h"

/* Converts a model (model.h) after `choose`, and expects that it keeps the rule and gives back all memory. */
void fuzz_cost(const uint8_t *data, size_t size, void (*choose)(mx2onnx_model *m, struct fuzz_bytes *b), struct fuzz_bytes *b);

#endif
