/* The table of all operators. Constant data, made from the list in ops/meson.build; nothing runs at start-up. */
#ifndef MX_OP_REGISTRY_H
#define MX_OP_REGISTRY_H

#include "base/map.h"
#include "op/op.h"

/* The arrays of all files, ended by NULL; generated. */
extern const struct mx_op *const mx_op_tables[];

/* Every name and alias to its operator; made once per model, about a thousand entries. */
int mx_registry_map(struct mx_map *map, struct mx_arena *arena) MX_MUST_USE;
/* The operators, in no particular order; NULL past the end. */
size_t mx_registry_count(void);
const struct mx_op *mx_registry_nth(size_t i);

/* Access to the descriptor's word lists. */
int mx_op_n_inputs(const struct mx_op *op, const void *attrs); /* -n: n or more */
int mx_op_n_outputs(const struct mx_op *op, const void *attrs);
/* Does the number of inputs depend on attributes? */
bool mx_op_inputs_vary(const struct mx_op *op);
/* The inputs with this role: bit i is input i. */
uint32_t mx_op_inputs_with(const struct mx_op *op, enum mx_role role);
static inline bool mx_has_bit(uint32_t bits, int i)
{
    return i < 32 && (bits >> i & 1);
}
/* Name of input or output suffix i ("data", "arg3", "output"), into out. */
void mx_op_input_name(const struct mx_op *op, int i, char out[64]);
/* The input with this name; its index may exceed the node's inputs. -1 if there is none. */
int mx_op_input_called(const struct mx_op *op, const char *name, size_t length);
void mx_op_output_name(const struct mx_op *op, int i, char out[64]);

#endif
