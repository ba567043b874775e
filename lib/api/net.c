/* The exported functions for published nets. */
#include "api/api.h"

mx2onnx_status mx2onnx_load_net(mx2onnx_model *m, const char *name)
{
    ENTER(m);
    CHECK(!name || mx_is_utf8(name), "the net's name is not UTF-8");
    return mx_call_end(m, mx_model_load_net(m, name));
}

mx2onnx_status mx2onnx_identify_net(mx2onnx_model *m)
{
    ENTER(m);
    return mx_call_end(m, mx_model_identify_net(m));
}

mx2onnx_status mx2onnx_use_published(mx2onnx_model *m, mx2onnx_published what)
{
    ENTER(m);
    CHECK(what == MX2ONNX_PUBLISHED_SHAPES || what == MX2ONNX_PUBLISHED_NORMALIZATION, "the choice %d is unknown", (int)what);
    return mx_call_end(m, what == MX2ONNX_PUBLISHED_SHAPES ? mx_model_use_published_shapes(m) : mx_model_use_published_normalization(m));
}

size_t mx2onnx_candidate_count(const mx2onnx_model *m)
{
    return mx_call_looks(m) ? m->nets.n_fits : 0;
}

const char *mx2onnx_candidate_name(const mx2onnx_model *m, size_t i)
{
    return i < mx2onnx_candidate_count(m) ? m->nets.fits[i].name : NULL;
}

const char *mx2onnx_candidate_title(const mx2onnx_model *m, size_t i)
{
    return i < mx2onnx_candidate_count(m) ? m->nets.fits[i].title : NULL;
}

const char *mx2onnx_net_title(const mx2onnx_model *m)
{
    return mx_call_looks(m) && m->loaded.net ? m->nets.title.text : NULL;
}

/* Reports no error. */
static bool open_catalogue(mx2onnx_model *m)
{
    const mx_log_fn log = m->diags.log;
    const size_t said = m->diags.count;
    m->diags.log = NULL;
    const bool open = mx_model_catalogue(m) == MX_OK;
    m->diags.log = log;
    if (!open) {
        mx_diags_truncate(&m->diags, said);
    }
    return open;
}

/* Net i of the catalogue, which is opened if necessary. NULL if there is none. */
static const struct mx_net *net_at(mx2onnx_model *m, size_t i)
{
    return LOOK(m, open_catalogue(m)) && i < m->nets.catalogue.n_nets ? &m->nets.catalogue.nets[i] : NULL;
}

size_t mx2onnx_catalogue_count(mx2onnx_model *m)
{
    return net_at(m, 0) ? m->nets.catalogue.n_nets : 0;
}

const char *mx2onnx_catalogue_name(mx2onnx_model *m, size_t i)
{
    const struct mx_net *net = net_at(m, i);
    return net ? net->name : NULL;
}

const char *mx2onnx_catalogue_text(mx2onnx_model *m, size_t i)
{
    return net_at(m, i) && LOOK(m, mx_model_net_text(m, i, false)) ? mx_model_net_text(m, i, false) : NULL;
}

const char *mx2onnx_catalogue_json(mx2onnx_model *m, size_t i)
{
    return net_at(m, i) && LOOK(m, mx_model_net_text(m, i, true)) ? mx_model_net_text(m, i, true) : NULL;
}
