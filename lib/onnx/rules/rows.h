/* The functions used in rows of operators.inc. */
#ifndef OX_ROWS_H
#define OX_ROWS_H

#include "onnx/rules/rules.h"

/* *shapes.c: shapes of the outputs, and the types that the row leaves open. */
typedef void ox_rule(struct ox_call *c);
ox_rule ox_rule_affine_grid, ox_rule_arg, ox_rule_attention, ox_rule_blocks, ox_rule_broadcast, ox_rule_cast, ox_rule_col2im,
    ox_rule_compress, ox_rule_concat, ox_rule_conv, ox_rule_conv_transpose, ox_rule_crop_pad, ox_rule_det, ox_rule_einsum, ox_rule_expand,
    ox_rule_flatten, ox_rule_gather, ox_rule_gather_nd, ox_rule_gemm, ox_rule_global_pool, ox_rule_grid_sample, ox_rule_if, ox_rule_like_1,
    ox_rule_loop, ox_rule_matmul, ox_rule_nms, ox_rule_non_zero, ox_rule_norm, ox_rule_of_shape, ox_rule_one_hot, ox_rule_open, ox_rule_pad,
    ox_rule_pool, ox_rule_random, ox_rule_range, ox_rule_reduce, ox_rule_reshape, ox_rule_resize, ox_rule_rnn, ox_rule_roi, ox_rule_same,
    ox_rule_scan, ox_rule_shape, ox_rule_size, ox_rule_slice, ox_rule_split, ox_rule_tile, ox_rule_top_k, ox_rule_transpose, ox_rule_unique,
    ox_rule_window;

/* simplify.c: calls that need no node. True: the outputs are filled. */
typedef bool ox_simplify_rule(struct ox_call *c, ox_val *out);
ox_simplify_rule ox_simplify_cast, ox_simplify_concat, ox_simplify_dropout, ox_simplify_expand, ox_simplify_flatten, ox_simplify_gather,
    ox_simplify_gemm, ox_simplify_identity, ox_simplify_neutral, ox_simplify_of_shape, ox_simplify_only_one, ox_simplify_reduce,
    ox_simplify_reshape, ox_simplify_shape, ox_simplify_size, ox_simplify_slice, ox_simplify_softmax, ox_simplify_split,
    ox_simplify_squeeze, ox_simplify_tile, ox_simplify_transpose, ox_simplify_where;

/* turn.c: a node whose data become those that they transpose. */
struct ox_turn {
    struct ox_build *b;
    const struct ox_node *n;
    int rank;            /* of the data */
    const int64_t *perm; /* axis i of the data is axis perm[i] of the new ones; NULL: nothing is changed */
    ox_val *in;          /* copies of n's inputs and attributes, to be changed */
    struct ox_attr *attrs;
    struct mx_axes gone; /* without perm: the axes that the outputs lack, if they lack any */
};
/* False if it cannot be written over other data. */
typedef bool ox_turn_rule(struct ox_turn *t);
ox_turn_rule ox_turn_axes, ox_turn_axis, ox_turn_each, ox_turn_pad, ox_turn_scale, ox_turn_sizes, ox_turn_slice, ox_turn_squeeze;

/* fold.c: arithmetic on constants. True: *out is the result. */
typedef bool ox_fold_rule(struct ox_fold *f, struct ox_data *out);
ox_fold_rule ox_fold_binary, ox_fold_clip, ox_fold_gather, ox_fold_range, ox_fold_reduce, ox_fold_softmax, ox_fold_tile, ox_fold_unary,
    ox_fold_where;

/* interval.c: the range of the elements in that part of the output. False: unknown. */
typedef bool ox_interval_rule(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out);
ox_interval_rule ox_interval_any_part, ox_interval_between_0_and_1, ox_interval_between_signs, ox_interval_cast, ox_interval_chosen,
    ox_interval_difference, ox_interval_gathered, ox_interval_handed_on, ox_interval_joined, ox_interval_position, ox_interval_product,
    ox_interval_reshaped, ox_interval_rows, ox_interval_sliced, ox_interval_sum, ox_interval_transposed;

/* pass/forms.c: forms that no list of changes covers, what an older opset cannot express and how it expresses the rest. */
typedef void ox_form_rule(struct ox_call *c);
ox_form_rule ox_refuse_cast, ox_refuse_dft, ox_refuse_gather_nd, ox_refuse_pad, ox_refuse_resize, ox_refuse_roi_align, ox_refuse_softmax,
    ox_refuse_split;

ox_form_rule ox_older_clip, ox_older_dft, ox_older_extreme, ox_older_gather_nd, ox_older_or_equal, ox_older_pad, ox_older_reshape,
    ox_older_resize, ox_older_shape;
/* The same, for operators that a target computes differently from ONNX Runtime. */
ox_form_rule ox_target_average_pool, ox_target_gemm, ox_target_where;

#endif
