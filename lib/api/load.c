/* The exported functions that load. */
#include "api/api.h"

#include <stdio.h>

#include "base/io.h"
#include "read/find.h"
#include "read/folder.h"

typedef int load_fn(mx2onnx_model *m, struct mx_source *source, const char *label);

/* ---- files */

static int not_read(mx2onnx_model *m, const char *path, bool params, int status, const char *reason)
{
    struct mx_arena arena = {.budget = &m->budget};
    const char *advice = mx_is_folder(path) ? "give the path of a file in it" : "";
    const int advised = status == MX_NOT_FOUND ? mx_path_advice(&arena, path, params, &advice) : MX_OK;
    const int result =
        advised != MX_OK ? advised : mx_fail(&m->diags, status, mx_named(path), "the file cannot be read: %s" MX_HELP "%s", reason, advice);
    mx_arena_free(&arena);
    return result;
}

static int load_file(mx2onnx_model *m, load_fn *fn, const char *path)
{
    struct mx_source *source;
    const char *reason = NULL;
    const int status = mx_source_open_file(&source, path, &reason);
    if (status == MX_OUT_OF_MEMORY) {
        return status;
    }
    return status == MX_OK ? fn(m, source, path) : not_read(m, path, fn == mx_model_load_params, status, reason);
}

mx2onnx_status mx2onnx_load(mx2onnx_model *m, const char *path)
{
    ENTER(m);
    CHECK(path && *path, "the path is empty");
    return mx_call_end(m, mx_model_load(m, path));
}

static int load_symbol_file(mx2onnx_model *m, const char *path)
{
    struct mx_arena arena = {.budget = &m->budget};
    const char *symbol = NULL;
    int status = mx_is_file(path) ? MX_OK : mx_symbol_of_prefix(&arena, path, &symbol);
    status = status == MX_OK ? load_file(m, mx_model_load_symbol, symbol ? symbol : path) : status;
    mx_arena_free(&arena);
    return status;
}

mx2onnx_status mx2onnx_load_symbol_file(mx2onnx_model *m, const char *path)
{
    ENTER(m);
    CHECK(path && *path, "the path is empty");
    return mx_call_end(m, load_symbol_file(m, path));
}

mx2onnx_status mx2onnx_load_params_file(mx2onnx_model *m, const char *path)
{
    ENTER(m);
    CHECK(path && *path, "the path is empty");
    return mx_call_end(m, load_file(m, mx_model_load_params, path));
}

mx2onnx_status mx2onnx_load_catalogue_file(mx2onnx_model *m, const char *path)
{
    ENTER(m);
    CHECK(path && *path, "the path is empty");
    return mx_call_end(m, load_file(m, mx_model_load_catalogue, path));
}

/* ---- memory, and what is read by a function */

static int load_catalogue_memory(mx2onnx_model *m, const void *data, size_t size)
{
    struct mx_source *source;
    MX_TRY(mx_source_open_memory(&source, data, size, false));
    return mx_model_load_catalogue(m, source, "the catalogue in memory");
}

mx2onnx_status mx2onnx_load_catalogue_memory(mx2onnx_model *m, const void *data, size_t size)
{
    ENTER(m);
    CHECK(data, "data is NULL");
    return mx_call_end(m, load_catalogue_memory(m, data, size));
}

/* A source over the caller's memory or function. Whatever happens, it is released exactly once. */
struct borrowed {
    struct mx_source *source; /* NULL: could not be made, and what it would own is released */
    int status;
};

static struct borrowed borrow(struct mx_source *source, int status, void *user, mx2onnx_release_fn release)
{
    if (status == MX_OK) {
        mx_source_on_close(source, release, user);
        return (struct borrowed){source, MX_OK};
    }
    if (release) {
        release(user);
    }
    return (struct borrowed){NULL, status};
}

static struct borrowed borrow_memory(const void *data, size_t size, void *user, mx2onnx_release_fn release)
{
    struct mx_source *source = NULL;
    const int status = data ? mx_source_open_memory(&source, data, size, false) : MX_INVALID_ARGUMENT;
    return borrow(source, status, user, release);
}

static struct borrowed borrow_callback(uint64_t size, mx2onnx_read_fn read, void *user, mx2onnx_release_fn release)
{
    struct mx_source *source = NULL;
    const int status = read ? mx_source_open_callback(&source, size, read, user) : MX_INVALID_ARGUMENT;
    return borrow(source, status, user, release);
}

static int load_borrowed(mx2onnx_model *m, load_fn *fn, struct borrowed b, const char *label)
{
    if (b.status == MX_INVALID_ARGUMENT) {
        return mx_call_invalid(m, "there is nothing to read: data or the function is NULL");
    }
    MX_TRY(b.status);
    return fn(m, b.source, label);
}

static mx2onnx_status call_borrowed(mx2onnx_model *m, load_fn *fn, const char *function, struct borrowed b, const char *label)
{
    if (!mx_call_begin(m, function)) {
        mx_source_close(b.source);
        return MX_INVALID_ARGUMENT;
    }
    const char *name = m->choices.texts[MX2ONNX_TEXT_SOURCE_NAME];
    return mx_call_end(m, load_borrowed(m, fn, b, name ? name : label));
}

mx2onnx_status mx2onnx_load_memory(mx2onnx_model *m, const void *data, size_t size, void *user, mx2onnx_release_fn release)
{
    return call_borrowed(m, mx_model_load_source, __func__, borrow_memory(data, size, user, release), "model");
}

mx2onnx_status mx2onnx_load_callback(mx2onnx_model *m, uint64_t size, mx2onnx_read_fn read, void *user, mx2onnx_release_fn release)
{
    return call_borrowed(m, mx_model_load_source, __func__, borrow_callback(size, read, user, release), "model");
}

mx2onnx_status mx2onnx_load_symbol_memory(mx2onnx_model *m, const void *data, size_t size)
{
    return call_borrowed(m, mx_model_load_symbol, __func__, borrow_memory(data, size, NULL, NULL), "symbol");
}

mx2onnx_status mx2onnx_load_params_memory(mx2onnx_model *m, const void *data, size_t size, void *user, mx2onnx_release_fn release)
{
    return call_borrowed(m, mx_model_load_params, __func__, borrow_memory(data, size, user, release), "params");
}

mx2onnx_status mx2onnx_load_params_callback(mx2onnx_model *m, uint64_t size, mx2onnx_read_fn read, void *user, mx2onnx_release_fn release)
{
    return call_borrowed(m, mx_model_load_params, __func__, borrow_callback(size, read, user, release), "params");
}

/* ---- one array */

/* Takes ownership of the source. */
static int set_param(mx2onnx_model *m, const char *name, const mx2onnx_array *value, const mx2onnx_array *a, struct borrowed b)
{
    char unknown[64];
    (void)snprintf(unknown, sizeof unknown, "the element type %d is unknown", (int)a->dtype);
    const char *wrong = !name                                           ? "the name is NULL"
                        : !value                                        ? "the value is NULL"
                        : a->struct_size <= sizeof(size_t)              ? NO_SIZE(mx2onnx_array)
                        : !mx_is_utf8(name)                             ? "the name is not UTF-8"
                        : mx_dtype_from_flag(a->dtype) == MX_DTYPE_NONE ? unknown
                        : !mx_call_valid_dims(a->rank, a->dims, 0)
                            ? "the shape is not valid: the rank is not 0 to 32, or the sizes are NULL or negative"
                        : b.status == MX_INVALID_ARGUMENT ? "the data is NULL"
                                                          : NULL;
    if (wrong) {
        mx_source_close(b.source);
        return mx_call_invalid(m, "%s", wrong);
    }
    MX_TRY(b.status);
    const struct mx_param like = {
        .name = name, .dtype = mx_dtype_from_flag(a->dtype), .ndim = a->rank, .dims = a->dims, .source = b.source};
    return mx_model_set_param(m, &like);
}

mx2onnx_status mx2onnx_set_param(mx2onnx_model *m, const char *name, const mx2onnx_array *value, void *user, mx2onnx_release_fn release)
{
    const mx2onnx_array a = mx_call_array(value);
    const struct borrowed b = borrow_memory(a.data ? a.data : a.size == 0 ? "" : NULL, a.size, user, release);
    if (!mx_call_begin(m, __func__)) {
        mx_source_close(b.source);
        return MX_INVALID_ARGUMENT;
    }
    return mx_call_end(m, set_param(m, name, value, &a, b));
}

mx2onnx_status mx2onnx_remove_param(mx2onnx_model *m, const char *name)
{
    ENTER(m);
    CHECK(name, "the name is NULL");
    return mx_call_end(m, mx_model_remove_param(m, name));
}
