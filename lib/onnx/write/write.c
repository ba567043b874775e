/* Writes a plan to sinks. The side file goes first: a model file without its weights must never be left behind. */
#include "onnx/write/write.h"

#include "onnx/tensor/bytes.h"
#include "onnx/write/plan_internal.h"

struct out {
    const struct ox_plan *plan;
    struct mx_sink *sink;
    struct ox_meter *meter;
    struct mx_diags *diags;
};

/* The source of a range whose end cannot be read: then it has an error, wherever that was noticed. NULL if there is none. */
static const struct mx_source *unreadable(const struct ox_tensor *t)
{
    while (t->base || (t->n_pieces > 0 && t->pieces[0].kind == OX_PIECE_ROWS)) {
        t = t->base ? t->base : t->pieces[0].rows->of;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        const struct ox_piece *p = &t->pieces[i];
        uint8_t last;
        const struct ox_tensor *factors[3] = {0};
        if (p->kind == OX_PIECE_PRODUCT) {
            factors[0] = p->product->left;
            factors[1] = p->product->right;
            factors[2] = p->product->bias;
        }
        for (int k = 0; k < 3 && factors[k]; k++) {
            const struct mx_source *found = unreadable(factors[k]);
            if (found) {
                return found;
            }
        }
        if (p->kind == OX_PIECE_RANGE && mx_source_read(p->source, p->offset + p->length - 1, &last, 1) != MX_OK) {
            return p->source;
        }
    }
    return NULL;
}

/* Says what went wrong: the sink or, with a tensor in hand, the file that it comes from. */
static int checked(const struct out *o, int status, const struct ox_value *tensor)
{
    if (status == MX_OK || status == MX_OUT_OF_MEMORY) {
        return status;
    }
    if (status == MX_CANCELLED) {
        return mx_fail(o->diags, status, MX_NOWHERE, "the export was cancelled");
    }
    const struct mx_source *from = tensor ? unreadable(tensor->tensor) : NULL;
    if (from) {
        return mx_source_unread(from, o->diags, tensor->name, "leave it unchanged until the export ends");
    }
    return mx_sink_fail(o->sink, status, o->diags);
}

static int put(const struct out *o, const void *data, size_t size)
{
    MX_TRY(checked(o, mx_sink_write(o->sink, data, size), NULL));
    return checked(o, ox_meter_add(o->meter, size), NULL);
}

static int put_text(const struct out *o, const struct mx_str *text)
{
    return put(o, text->text, text->length);
}

static int put_tensor(const struct out *o, ox_val value)
{
    const struct ox_value *v = &o->plan->model->values[value];
    const uint64_t before = mx_sink_written(o->sink);
    MX_TRY(checked(o, ox_tensor_emit(v->tensor, o->sink, o->meter), v));
    if (mx_sink_written(o->sink) - before != ox_tensor_bytes(v->tensor)) {
        /* Not by a file: the plan counted with ox_tensor_bytes, as here. */
        return mx_fail(o->diags, MX_INTERNAL, mx_named(v->name), "an initialiser has another size than its shape says");
    }
    return MX_OK;
}

/* The encoded initialisers, each payload in its place. */
static int put_initialisers(const struct out *o)
{
    const struct ox_payloads *list = &o->plan->in_model;
    const char *rest = o->plan->initialisers.text;
    uint64_t at = 0;
    for (size_t i = 0; i < list->count; i++) {
        const size_t some = (size_t)(list->items[i].at - at);
        MX_TRY(put(o, rest, some));
        MX_TRY(put_tensor(o, list->items[i].value));
        rest += some;
        at += some;
    }
    return put(o, rest, o->plan->initialisers.length - (size_t)at);
}

static int put_model(const struct out *o)
{
    const uint64_t before = mx_sink_written(o->sink);
    MX_TRY(put_text(o, &o->plan->head));
    MX_TRY(put_text(o, &o->plan->nodes));
    MX_TRY(put_initialisers(o));
    MX_TRY(put_text(o, &o->plan->values));
    MX_TRY(put_text(o, &o->plan->tail));
    if (mx_sink_written(o->sink) - before != o->plan->model_bytes) {
        /* Not by a file: encoding is a function of the graph, which no longer changes. */
        return mx_fail(o->diags, MX_INTERNAL, MX_NOWHERE, "the model has another size than planned");
    }
    return MX_OK;
}

static int put_side(const struct out *o)
{
    static const uint8_t zeros[4096];
    const struct ox_payloads *list = &o->plan->in_side;
    const uint64_t before = mx_sink_written(o->sink);
    for (size_t i = 0; i < list->count; i++) {
        const uint64_t gap = list->items[i].at - (mx_sink_written(o->sink) - before);
        if (gap > sizeof zeros) {
            /* Not by a file: the plan aligns to at most sizeof zeros. */
            return mx_fail(o->diags, MX_INTERNAL, MX_NOWHERE, "the side file is not as planned");
        }
        MX_TRY(put(o, zeros, (size_t)gap));
        MX_TRY(put_tensor(o, list->items[i].value));
    }
    return MX_OK;
}

/* The model records what its side file is. */
static int seal(const struct out *o, struct ox_plan *p)
{
    struct mx_source *written;
    MX_TRY(checked(o, mx_sink_read_back(o->sink, &written), NULL));
    const int status = ox_plan_seal(p, written);
    mx_source_close(written);
    if (status == MX_IO) {
        return mx_fail(o->diags, status, MX_NOWHERE, "the side file cannot be read back");
    }
    return status;
}

int ox_plan_write(struct ox_plan *p, struct mx_sink *model, struct mx_sink *side, struct mx_diags *diags)
{
    struct ox_meter meter = {
        .total = p->model_bytes + p->side_bytes,
        .progress = p->options.progress,
        .user = p->options.progress_user,
    };
    struct out o = {.plan = p, .sink = side, .meter = &meter, .diags = diags};
    if (meter.progress && meter.progress(0, meter.total, meter.user)) { /* before a first block that takes long */
        return checked(&o, MX_CANCELLED, NULL);
    }
    if (ox_plan_needs_side_file(p)) {
        MX_ASSERT(side);
        MX_TRY(put_side(&o));
        MX_TRY(seal(&o, p));
    }
    o.sink = model;
    return put_model(&o);
}
