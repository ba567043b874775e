/* The exported functions for published nets. */
#include "api/api.h"

#include "base/io.h"

static int load_net(mx2onnx_model *m, const char *name)
{
    CHECK(!name || mx_is_utf8(name), "the net's name is not UTF-8");
    return mx_model_load_net(m, name);
}

mx2onnx_status mx2onnx_load_net(mx2onnx_model *m, const char *name)
{
    return CALL(m, load_net(m, name));
}

mx2onnx_status mx2onnx_identify_net(mx2onnx_model *m)
{
    return CALL(m, mx_model_identify_net(m));
}

static int use_published(mx2onnx_model *m, mx2onnx_published what)
{
    CHECK(what == MX2ONNX_PUBLISHED_SHAPES || what == MX2ONNX_PUBLISHED_NORMALIZATION, "there is no such choice");
    return what == MX2ONNX_PUBLISHED_SHAPES ? mx_model_use_published_shapes(m) : mx_model_use_published_normalization(m);
}

mx2onnx_status mx2onnx_use_published(mx2onnx_model *m, mx2onnx_published what)
{
    return CALL(m, use_published(m, what));
}

static int load_catalogue_file(mx2onnx_model *m, const char *path)
{
    struct mx_source *source;
    const char *reason = NULL;
    CHECK(path && *path, "the path is empty");
    const int status = mx_source_open_file(&source, path, &reason);
    if (status == MX_OUT_OF_MEMORY) {
        return status;
    }
    return status == MX_OK ? mx_model_load_catalogue(m, source, path)
                           : mx_fail(&m->diags, status, (struct mx_where){.name = path}, "the file cannot be read: %s",
                                     reason ? reason : mx2onnx_status_text(status));
}

static int load_catalogue_memory(mx2onnx_model *m, const void *data, size_t size)
{
    struct mx_source *source;
    CHECK(data, "data is NULL");
    MX_TRY(mx_source_open_memory(&source, data, size, false));
    return mx_model_load_catalogue(m, source, "the catalogue in memory");
}

mx2onnx_status mx2onnx_load_catalogue_file(mx2onnx_model *m, const char *path)
{
    return CALL(m, load_catalogue_file(m, path));
}

mx2onnx_status mx2onnx_load_catalogue_memory(mx2onnx_model *m, const void *data, size_t size)
{
    return CALL(m, load_catalogue_memory(m, data, size));
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
    return mx_call_looks(m) && m->loaded.net ? m->nets.told.text : NULL;
}

/* Reports no error. */
static bool open_catalogue(mx2onnx_model *m)
{
    const size_t said = m->diags.count;
    const bool open = mx_model_catalogue(m) == MX_OK;
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
