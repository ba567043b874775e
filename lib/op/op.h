/* The interface of an operator: a single descriptor contains everything that the library knows about it. A file in ops/ includes only
 * this, and headers of ops/shared.
 *
 * How to add one: ops/README.md. */
#ifndef MX_OP_OP_H
#define MX_OP_OP_H

#include "base/budget.h"
#include "base/num.h"
#include "graph/graph.h"
#include "onnx/builder/build.h"
#include "op/attr.h"
#include "op/infer.h"

/* Roles, written after the names of inputs. */
enum mx_role {
    MX_LEARNED, /* "learned": a weight; a variable there without a value is an error, not a graph input */
    MX_AUX,     /* "aux": an auxiliary state; without a value the same */
    MX_UNREAD,  /* "unread": not read at inference, such as a label; its edge is cut. Only for trailing inputs */
    MX_EXACT    /* "exact": read as positions, pixels or counts; a float16 conversion computes its value in float32 */
};

/* The parts of a node that MXNet's graph passes fuse from several (ops/quantize/fused.c). */
enum mx_fusion {
    MX_FUSION_NONE, /* none that has a place in the list */
    MX_FUSION_CONVOLUTION,
    MX_FUSION_DENSE,
    MX_FUSION_NORM,
    MX_FUSION_ACTIVATION, /* which one is the word of act_type */
    MX_FUSION_LEAKY,      /* likewise */
    MX_FUSION_CLIP,
    MX_FUSION_ABS
};

struct mx_op {
    const char *name;  /* MXNet 1.9.1's canonical name */
    const char *alias; /* other names in files, separated by blanks; NULL if none */

    const struct mx_attr *attrs; /* set by MX_ATTRS */
    size_t n_attrs, attrs_size;

    /* MXNet's input names in order, separated by blanks; a last one with "..." repeats ("data..."). NULL: one input called "data". "":
     * none. Roles and conditions follow the name, each after a colon: "data weight:learned bias:learned:unless(no_bias)". The roles are
     * those of enum mx_role. Conditions state which nodes have the input: "if(use_length)", "unless(no_bias)",
     * "if(mode=lstm)"; "arg...:count(num_args)" states how often it repeats, which is any number otherwise. */
    const char *inputs;
    int (*n_inputs)(const void *attrs); /* the number of inputs of a node with these attributes, where words cannot state it */

    /* Suffixes of the visible outputs ("output mean:if(output_mean_var)"); NULL: "output". "output..." numbers them: output0, output1. */
    const char *outputs;
    int (*n_outputs)(const void *attrs); /* likewise */

    /* Shapes and types of inputs and outputs, in both directions. Runs several times until nothing changes. Returns
     * MX_OK, MX_LATER while too little is known, or an error from mx_infer_fail. */
    int (*infer)(struct mx_infer *c);

    /* Writes the node: reads in[], fills out[n->n_out]. Builder errors stick, so this is straight-line code. */
    void (*lower)(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out);

    const void *data; /* distinguishes this row from others of its family */
    int which;        /* the same as a number: a value of the family's own enum, or a flag */

    enum mx_fusion fusion; /* the part of a fused node that it can be */

    bool loss;          /* its output is a loss, not a prediction (MakeLoss): the head is removed if it needs a label */
    bool training_only; /* has no meaning at inference (MultiBoxTarget): heads that need it are removed */

    bool any_rank; /* written alike whatever the rank is, which may stay unknown, unless its rule says needs_rank */

    /* For a float16 conversion (pass/float16.c) */
    bool single;    /* stays float32: as in MXNet's AMP (contrib/amp/lists/symbol_fp16.py, FP32_FUNCS) */
    bool positions; /* gives positions, pixels or counts, which float16 rounds from 2049 on: stays float32 */

    int min_opset; /* the first opset that can express it; 0: MX2ONNX_OPSET_MIN */

    bool random; /* its values are random; MX_RANDOM sets it (shared/random_numbers.h) */

    /* For users, one line each: "CONDITION: REASON." NULL: none. */
    const char *refuses; /* nodes that are not converted, with an error */
    const char *differs; /* results that may differ from MXNet's */
};

/* The number of inputs according to an attribute like num_args. An impossible number becomes 1, which differs from the node's
 * number of inputs. */
static inline int mx_count(int64_t num_args)
{
    return num_args > 0 && num_args < 1 << 20 ? (int)num_args : 1;
}

/* An attribute's number as a value of type t: truncated to an integer, with wrap-around in a narrow type. */
double mx_number_in(enum mx_dtype t, double v);

/* Writes subgraph k of n into the builder's current graph, where in[] are the values of its inputs in file order; out[] gets its heads
 * (pass/lower.c). */
void mx_lower_body(struct ox_build *b, const struct mx_node *n, int k, const ox_val *in, ox_val *out);

/* Writes one node of a subgraph by its operator's `lower`; in[] and out[] are its own. */
void mx_lower_node(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out);

/* True for the descriptor of nodes whose operator the library does not know (op/custom.h); false for NULL. */
bool mx_op_is_unknown(const struct mx_op *op);

/* Attributes of an operator on a tensor and a number, whose rule is mx_infer_scalar. */
struct mx_scalar {
    double scalar;
    bool is_int;
};
extern const struct mx_attr mx_scalar_attrs[2];
#define MX_SCALAR_ATTRS MX_ATTRS(mx_scalar_attrs, struct mx_scalar)

/* Ends the array of descriptors that each file in ops/ exports as `const struct mx_op mx_ops_FILE[]`. */
#define MX_OPS_END                                                                                                                         \
    {                                                                                                                                      \
        .name = NULL                                                                                                                       \
    }

/* The attributes of a row, and the struct that they fill; the names of those of a row that ignores them all. */
#define MX_ATTRS(table, type) .attrs = (table), .n_attrs = sizeof(table) / sizeof(*(table)), .attrs_size = sizeof(type)
#define MX_IGNORED_ATTRS(names) .attrs = (const struct mx_attr[]){MX_IGNORED(names)}, .n_attrs = 1

/* The row of an operator of control flow. */
#define MX_CONTROL_FLOW(suffix, table, type, shapes, write)                                                                                \
    {                                                                                                                                      \
        .name = "_" suffix, .alias = "_npx_" suffix, MX_ATTRS(table, type), .inputs = "data...",                                           \
        .outputs = "output...:count(num_outputs)", .infer = (shapes), .lower = (write),                                                    \
        .refuses = "A node that HybridBlock.export of MXNet 2.0.0b1 has traced: the file lacks its attributes, and MXNet does not load "   \
                   "it either.",                                                                                                           \
    }

#endif
