/* Symbols made out of the operators' own tables: chains of one to three operators with attributes that are absent, ordinary, extreme or of
 * another kind, and inputs of odd shapes that are variables, constants or results. */
#ifndef TESTS_FUZZ_OPERATORS_H
#define TESTS_FUZZ_OPERATORS_H

#include "model.h"

enum { FUZZ_MADE = 1 << 16 }; /* bytes that a made model may take */

/* Writes a symbol's text and, after a NUL, a parameter file, as the bytes choose; returns their size. 0: there was no room. */
size_t fuzz_make(struct fuzz_bytes *b, char out[FUZZ_MADE]);

#endif
