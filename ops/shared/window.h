/* Declarations shared by convolutions and poolings: a window over the spatial axes, and the place of the channels. */
#ifndef OPS_WINDOW_H
#define OPS_WINDOW_H

#include "op/op.h"

enum { MX_MAX_SPATIAL = 3 };

/* Words of the attribute `layout`; from NWC on, channels are last. */
extern const char *const mx_layouts[];
bool mx_layout_channels_last(int layout);

struct mx_window_attrs {
    struct mx_tuple kernel, stride, dilate, pad; /* if empty: ones, or for pad zeros */
    int layout;
};

/* Their rows, for a struct T with a field `window` of this type. */
#define MX_WINDOW_ROW(T, f, d) MX_ATTR_NAMED(#f, T, window.f, struct mx_tuple, MX_ATTR_TUPLE_NONE, d, MX_IS_LONG)
#define MX_WINDOW_ATTRS(T)                                                                                                                 \
    MX_WINDOW_ROW(T, kernel, NULL), MX_WINDOW_ROW(T, stride, "()"), MX_WINDOW_ROW(T, dilate, "()"), MX_WINDOW_ROW(T, pad, "()")
#define MX_WINDOW_LAYOUT(T) MX_ATTR_NAMED("layout", T, window.layout, int, MX_ATTR_ENUM, "None", .words = mx_layouts)

struct mx_window {
    int n; /* spatial axes */
    bool channels_last;
    bool ceil; /* the last window may be partly after the padding: the size is rounded up */
    int64_t kernel[MX_MAX_SPATIAL], stride[MX_MAX_SPATIAL], dilate[MX_MAX_SPATIAL];
    int64_t pad[2 * MX_MAX_SPATIAL]; /* before each axis, and the same after each */
};

/* Error naming the attribute whose length or values are wrong. */
int mx_window_init(struct mx_infer *c, const struct mx_window_attrs *a, struct mx_window *w) MX_MUST_USE;
/* For `lower`: what `infer` has already checked. */
struct mx_window mx_window_of(const struct mx_window_attrs *a);

/* An error if the window covers more than `most` cells. */
int mx_window_check_taps(struct mx_infer *c, const struct mx_window *w, int64_t most) MX_MUST_USE;

/* Error unless there are filters, and the groups divide them. */
int mx_check_filters(struct mx_infer *c, int64_t num_filter, int64_t num_group) MX_MUST_USE;
/* States the shape of input 1: `rows` weights of each tap for so many channels, in the order of the data's axes. */
int mx_window_weight(struct mx_infer *c, const struct mx_window *w, mx_dim rows, mx_dim channels) MX_MUST_USE;

/* The axis of the channels in data with this layout. */
int mx_window_channels(const struct mx_window *w);

/* The number of cells that the window covers along spatial axis i. */
int64_t mx_window_extent(const struct mx_window *w, int i);
/* The size after the window along spatial axis i: floor((in + 2 pad - extent) / stride) + 1, or ceil. Error if the window does not fit. */
typedef int mx_window_size_fn(struct mx_infer *c, const struct mx_window *w, int i, mx_dim in, mx_dim *out);
int mx_window_size(struct mx_infer *c, const struct mx_window *w, int i, mx_dim in, mx_dim *out) MX_MUST_USE;
/* States the shape of output 0: the batch of input 0, so many channels, and the sizes that `size` gives. */
int mx_window_output(struct mx_infer *c, const struct mx_window *w, mx_dim channels, mx_window_size_fn *size) MX_MUST_USE;

/* For `lower`: data with the channels on axis 1, and back. */
ox_val mx_channels_first(struct ox_build *b, const struct mx_window *w, ox_val x);
ox_val mx_channels_back(struct ox_build *b, const struct mx_window *w, ox_val y);

#endif
