/* Loops: a body that is written once and runs several times. */
#ifndef OPS_LOOP_H
#define OPS_LOOP_H

#include "onnx/builder/build.h"

enum { OX_LOOP_VALUES = 8 };

struct ox_loop {
    struct ox_build *b;
    struct ox_graph *body;
    ox_val at; /* inside: the number of the round, int64 () */
    ox_val go; /* inside: true, the condition of a body that has no other */
    int n_states, n_out;
    ox_val start[OX_LOOP_VALUES], next[OX_LOOP_VALUES];
};

struct ox_loop ox_loop_begin(struct ox_build *b, const char *name);
/* A state inside the body, which is `start` in the first round. */
ox_val ox_loop_state(struct ox_loop *l, ox_val start);
/* Ends the body. n values: the states of the next round, then those that each round adds to a list. */
void ox_loop_end(struct ox_loop *l, ox_val go, const ox_val *next, int n);
/* The final states, then the lists, on a new axis 0: after this many rounds, or with OX_NONE when the condition is false. */
void ox_loop_run(struct ox_loop *l, ox_val rounds, ox_val *out);
void ox_loop_times(struct ox_loop *l, mx_dim rounds, ox_val *out);

#endif
