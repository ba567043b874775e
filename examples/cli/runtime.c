#include "cli/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The part of ONNX Runtime's function table that is used (onnxruntime_c_api.h, OrtApi); its order never changes. Each function returns
 * NULL, or a status that describes the error. */
struct ort_status;
struct ort_env;
struct ort_options;
struct ort_session;
struct ort_allocator;
struct ort_memory;
struct ort_value;
struct ort_type;
struct ort_tensor;
typedef struct ort_status *ort;
typedef void (*ort_unused)(void);

struct ort_api {
    ort_unused from_0[1];
    int (*GetErrorCode)(const struct ort_status *);
    const char *(*GetErrorMessage)(const struct ort_status *);
    ort (*CreateEnv)(int severity, const char *id, struct ort_env **);
    ort_unused from_4[4];
    ort (*CreateSessionFromArray)(const struct ort_env *, const void *, size_t, const struct ort_options *, struct ort_session **);
    ort (*Run)(struct ort_session *, const void *, const char *const *, const struct ort_value *const *, size_t, const char *const *,
               size_t, struct ort_value **);
    ort (*CreateSessionOptions)(struct ort_options **);
    ort_unused from_11[11];
    ort (*SetSessionLogSeverityLevel)(struct ort_options *, int);
    ort (*SetSessionGraphOptimizationLevel)(struct ort_options *, int);
    ort_unused from_24[6];
    ort (*SessionGetInputCount)(const struct ort_session *, size_t *);
    ort (*SessionGetOutputCount)(const struct ort_session *, size_t *);
    ort_unused from_32[1];
    ort (*SessionGetInputTypeInfo)(const struct ort_session *, size_t, struct ort_type **);
    ort_unused from_34[2];
    ort (*SessionGetInputName)(const struct ort_session *, size_t, struct ort_allocator *, char **);
    ort (*SessionGetOutputName)(const struct ort_session *, size_t, struct ort_allocator *, char **);
    ort_unused from_38[11];
    ort (*CreateTensorWithDataAsOrtValue)(const struct ort_memory *, void *, size_t, const int64_t *, size_t, int, struct ort_value **);
    ort_unused from_50[1];
    ort (*GetTensorMutableData)(struct ort_value *, void **);
    ort_unused from_52[3];
    ort (*CastTypeInfoToTensorInfo)(const struct ort_type *, const struct ort_tensor **);
    ort_unused from_56[4];
    ort (*GetTensorElementType)(const struct ort_tensor *, int *);
    ort (*GetDimensionsCount)(const struct ort_tensor *, size_t *);
    ort (*GetDimensions)(const struct ort_tensor *, int64_t *, size_t);
    ort_unused from_63[2];
    ort (*GetTensorTypeAndShape)(const struct ort_value *, struct ort_tensor **);
    ort_unused from_66[3];
    ort (*CreateCpuMemoryInfo)(int allocator, int memory, struct ort_memory **);
    ort_unused from_70[6];
    ort (*AllocatorFree)(struct ort_allocator *, void *);
    ort_unused from_77[1];
    ort (*GetAllocatorWithDefaultOptions)(struct ort_allocator **);
    ort_unused from_79[13];
    void (*ReleaseEnv)(struct ort_env *);
    void (*ReleaseStatus)(struct ort_status *);
    void (*ReleaseMemoryInfo)(struct ort_memory *);
    void (*ReleaseSession)(struct ort_session *);
    void (*ReleaseValue)(struct ort_value *);
    ort_unused from_97[1];
    void (*ReleaseTypeInfo)(struct ort_type *);
    void (*ReleaseTensorTypeAndShapeInfo)(struct ort_tensor *);
    void (*ReleaseSessionOptions)(struct ort_options *);
    ort_unused from_101[29];
    ort (*AddSessionConfigEntry)(struct ort_options *, const char *key, const char *value);
};
_Static_assert(offsetof(struct ort_api, AddSessionConfigEntry) == 130 * sizeof(ort_unused), "a row is missing");

struct ort_base {
    const struct ort_api *(*GetApi)(uint32_t version);
    const char *(*GetVersionString)(void);
};
enum { ORT_API_VERSION = 11, ORT_FAIL = 1, ORT_FATAL = 4, ORT_UNCHANGED = 0, ORT_BASIC = 1, ORT_ALL = 99, ORT_ARENA = 1, ORT_DEFAULT = 0 };

struct cli_ort {
    const struct ort_api *api;
    struct ort_env *env;
    struct ort_allocator *allocator;
    struct ort_session *session;
};

/* Element types by their numbers in ONNX (onnx.proto3, TensorProto.DataType). */
static const mx2onnx_dtype dtypes[] = {MX2ONNX_DTYPE_UNKNOWN, MX2ONNX_DTYPE_FLOAT32, MX2ONNX_DTYPE_UINT8,   MX2ONNX_DTYPE_INT8,
                                       MX2ONNX_DTYPE_UINT16,  MX2ONNX_DTYPE_INT16,   MX2ONNX_DTYPE_INT32,   MX2ONNX_DTYPE_INT64,
                                       MX2ONNX_DTYPE_UNKNOWN, MX2ONNX_DTYPE_BOOL,    MX2ONNX_DTYPE_FLOAT16, MX2ONNX_DTYPE_FLOAT64,
                                       MX2ONNX_DTYPE_UINT32,  MX2ONNX_DTYPE_UINT64,  MX2ONNX_DTYPE_UNKNOWN, MX2ONNX_DTYPE_UNKNOWN,
                                       MX2ONNX_DTYPE_BFLOAT16};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

static mx2onnx_dtype of_onnx(int type)
{
    return type >= 0 && type < N_DTYPES ? dtypes[type] : MX2ONNX_DTYPE_UNKNOWN;
}

static int to_onnx(mx2onnx_dtype dtype)
{
    int type = N_DTYPES - 1;
    while (type > 0 && dtypes[type] != dtype) {
        type--;
    }
    return type;
}

static bool fail(struct cli_runtime *r, const char *why)
{
    snprintf(r->why, sizeof r->why, "%s", why);
    return false;
}

/* True if the status is a success. */
static bool ok(struct cli_runtime *r, ort status)
{
    if (!status) {
        return true;
    }
    snprintf(r->why, sizeof r->why, "ONNX Runtime: %s", r->ort->api->GetErrorMessage(status));
    for (char *c = r->why; *c; c++) { /* a line */
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    for (size_t n = strlen(r->why); n > 0 && r->why[n - 1] == ' '; n--) {
        r->why[n - 1] = '\0';
    }
    r->ort->api->ReleaseStatus(status);
    return false;
}

/* The onnxruntime package of an active Python environment: $VIRTUAL_ENV/lib/python3.N/site-packages/onnxruntime/capi, on Windows without
 * the folder python3.N. conda sets CONDA_PREFIX instead. */
struct search {
    char folder[1000], library[1300];
};

static void take_library(const char *name, bool is_folder, void *user)
{
    struct search *s = user;
    const bool named = strncmp(name, "libonnxruntime.", 15) == 0 || strcmp(name, "onnxruntime.dll") == 0;
    if (!is_folder && named && snprintf(s->library, sizeof s->library, "%s/%s", s->folder, name) >= (int)sizeof s->library) {
        s->library[0] = '\0';
    }
}

static void search_python(const char *name, bool is_folder, void *user)
{
    struct search *s = user, inner = {.library = ""};
    const bool python = strncmp(name, "python3", 7) == 0;
    const int length =
        snprintf(inner.folder, sizeof inner.folder, "%s/%s%s/onnxruntime/capi", s->folder, name, python ? "/site-packages" : "");
    if (is_folder && (python || strcmp(name, "site-packages") == 0) && length > 0 && (size_t)length < sizeof inner.folder
        && cli_each_entry(inner.folder, take_library, &inner) && inner.library[0]) {
        memcpy(s->library, inner.library, sizeof s->library);
    }
}

static void *find_in_environment(const char *environment)
{
    struct search s = {.library = ""};
    const int length = snprintf(s.folder, sizeof s.folder, "%s/lib", environment ? environment : "");
    const bool searched = environment && *environment && (size_t)length < sizeof s.folder && cli_each_entry(s.folder, search_python, &s);
    return searched && s.library[0] ? cli_library_symbol(s.library, "OrtGetApiBase") : NULL;
}

static bool find_api(struct cli_runtime *r, const char *library)
{
    void *get = library ? NULL : find_in_environment(getenv("VIRTUAL_ENV"));
    get = get || library ? get : find_in_environment(getenv("CONDA_PREFIX"));
    get = get ? get : cli_library_symbol(library, "OrtGetApiBase");
    const struct ort_base *(*get_base)(void);
    if (!get) {
        r->help = library
                      ? "give the file of ONNX Runtime's library: libonnxruntime.so, libonnxruntime.dylib or onnxruntime.dll"
                      : "activate a Python or conda environment that has it (pip install onnxruntime), or set its library with --runtime";
        return fail(r, library ? "the library is not ONNX Runtime, or cannot be loaded" : "ONNX Runtime was not found");
    }
    r->help = "install a newer one";
    memcpy(&get_base, &get, sizeof get);
    r->ort->api = get_base()->GetApi(ORT_API_VERSION);
    return r->ort->api || fail(r, "this version of ONNX Runtime is too old");
}

bool cli_runtime_start(struct cli_runtime *r, const char *library)
{
    r->help = "";
    memset(r, 0, sizeof *r);
    r->ort = calloc(1, sizeof *r->ort);
    return r->ort ? find_api(r, library) && ok(r, r->ort->api->CreateEnv(ORT_FATAL, "mx2onnx", &r->ort->env))
                        && ok(r, r->ort->api->GetAllocatorWithDefaultOptions(&r->ort->allocator))
                  : fail(r, "out of memory");
}

static void free_names(struct cli_runtime *r, char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++) {
        ok(r, r->ort->api->AllocatorFree(r->ort->allocator, names[i]));
    }
    free(names);
}

static void unload(struct cli_runtime *r)
{
    if (r->ort->session) {
        free_names(r, r->inputs, r->n_inputs);
        free_names(r, r->outputs, r->n_outputs);
        free(r->input_dtypes);
        free(r->input_shapes);
        r->ort->api->ReleaseSession(r->ort->session);
    }
    r->ort->session = NULL;
    r->inputs = r->outputs = NULL;
    r->input_dtypes = NULL;
    r->input_shapes = NULL;
    r->n_inputs = r->n_outputs = 0;
}

void cli_runtime_stop(struct cli_runtime *r)
{
    if (r->ort && r->ort->api) {
        unload(r);
        r->ort->api->ReleaseEnv(r->ort->env);
    }
    free(r->ort);
    r->ort = NULL;
}

static bool read_tensor(struct cli_runtime *r, const struct ort_tensor *tensor, int *element, struct cli_array *shape)
{
    const struct ort_api *api = r->ort->api;
    size_t rank = 0;
    if (!ok(r, api->GetTensorElementType(tensor, element)) || !ok(r, api->GetDimensionsCount(tensor, &rank))) {
        return false;
    }
    shape->rank = rank <= CLI_MOST_DIMS ? (int32_t)rank : 0;
    return ok(r, api->GetDimensions(tensor, shape->dims, (size_t)shape->rank));
}

static bool read_type(struct cli_runtime *r, size_t i)
{
    const struct ort_api *api = r->ort->api;
    const struct ort_tensor *tensor = NULL;
    struct ort_type *type = NULL;
    int element = 0;
    const bool done = ok(r, api->SessionGetInputTypeInfo(r->ort->session, i, &type)) && ok(r, api->CastTypeInfoToTensorInfo(type, &tensor))
                      && (!tensor || read_tensor(r, tensor, &element, &r->input_shapes[i]));
    api->ReleaseTypeInfo(type);
    r->input_dtypes[i] = of_onnx(element);
    return done;
}

static bool read_names(struct cli_runtime *r)
{
    const struct ort_api *api = r->ort->api;
    struct ort_session *s = r->ort->session;
    size_t inputs, outputs;
    if (!ok(r, api->SessionGetInputCount(s, &inputs)) || !ok(r, api->SessionGetOutputCount(s, &outputs))) {
        return false;
    }
    r->inputs = calloc(inputs + 1, sizeof *r->inputs);
    r->outputs = calloc(outputs + 1, sizeof *r->outputs);
    r->input_dtypes = calloc(inputs + 1, sizeof *r->input_dtypes);
    r->input_shapes = calloc(inputs + 1, sizeof *r->input_shapes);
    if (!r->inputs || !r->outputs || !r->input_dtypes || !r->input_shapes) {
        return fail(r, "out of memory");
    }
    for (; r->n_inputs < inputs; r->n_inputs++) {
        if (!ok(r, api->SessionGetInputName(s, r->n_inputs, r->ort->allocator, &r->inputs[r->n_inputs]))) {
            return false;
        }
        if (!read_type(r, r->n_inputs)) {
            return false;
        }
    }
    for (; r->n_outputs < outputs; r->n_outputs++) {
        if (!ok(r, api->SessionGetOutputName(s, r->n_outputs, r->ort->allocator, &r->outputs[r->n_outputs]))) {
            return false;
        }
    }
    return true;
}

/* The status of the session that is made; NULL if there is one. */
static ort open_session(struct cli_runtime *r, struct cli_span model, const char *folder, int level, const char *exact)
{
    static const char side_files[] = "session.model_external_initializers_file_folder_path";
    const struct ort_api *api = r->ort->api;
    struct ort_options *options = NULL;
    ort status = api->CreateSessionOptions(&options);
    status = status ? status : api->SetSessionLogSeverityLevel(options, ORT_FATAL);
    status = status ? status : api->SetSessionGraphOptimizationLevel(options, level);
    status = status ? status : api->AddSessionConfigEntry(options, "session.x64quantprecision", exact);
    status = status ? status : api->AddSessionConfigEntry(options, side_files, folder);
    status = status ? status : api->CreateSessionFromArray(r->ort->env, model.data, model.size, options, &r->ort->session);
    api->ReleaseSessionOptions(options);
    return status;
}

/* True if Linux names VNNI among the abilities of the processor, on which the runtime's sums of uint8 and int8 products are exact. */
static bool has_vnni(void)
{
    char text[1 << 14] = ""; /* holds the first processor */
    FILE *f = cli_open("/proc/cpuinfo");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) {
        fclose(f);
    }
    return strstr(text, "vnni") != NULL;
}

/* On an x86 processor without VNNI, the runtime's sums of uint8 and int8 products saturate unless it is asked for exact ones. It cannot
 * rewrite a graph for them where two nodes read one weight; without VNNI such a graph runs as it is written, in float32. */
bool cli_runtime_load(struct cli_runtime *r, struct cli_span model, const char *folder, bool fuse)
{
    unload(r);
    ort status = open_session(r, model, folder, fuse ? ORT_ALL : ORT_BASIC, "1");
    if (status && r->ort->api->GetErrorCode(status) == ORT_FAIL) {
        r->ort->api->ReleaseStatus(status);
        status = open_session(r, model, folder, !has_vnni() ? ORT_UNCHANGED : fuse ? ORT_ALL : ORT_BASIC, "0");
    }
    return ok(r, status) && read_names(r);
}

static bool take_output(struct cli_runtime *r, struct ort_value *value, struct cli_array *to)
{
    const struct ort_api *api = r->ort->api;
    struct ort_tensor *tensor = NULL;
    void *data;
    size_t rank = 0;
    int element = 0;
    if (!ok(r, api->GetTensorTypeAndShape(value, &tensor)) || !ok(r, api->GetTensorElementType(tensor, &element))
        || !ok(r, api->GetDimensionsCount(tensor, &rank))
        || !(rank <= CLI_MOST_DIMS ? ok(r, api->GetDimensions(tensor, to->dims, rank)) : fail(r, "an output has too many dimensions"))
        || !ok(r, api->GetTensorMutableData(value, &data))) {
        api->ReleaseTensorTypeAndShapeInfo(tensor);
        return false;
    }
    api->ReleaseTensorTypeAndShapeInfo(tensor);
    to->dtype = of_onnx(element);
    to->rank = (int32_t)rank;
    to->count = 1;
    for (size_t k = 0; k < rank; k++) {
        to->count *= (size_t)to->dims[k];
    }
    if (cli_dtype_size(to->dtype) == 0) {
        return fail(r, "an output does not hold numbers");
    }
    if (!cli_array_allocate(to)) {
        return fail(r, "out of memory");
    }
    if (to->count > 0) {
        memcpy(to->data, data, to->count * cli_dtype_size(to->dtype));
    }
    return true;
}

static bool give_inputs(struct cli_runtime *r, const struct cli_array *inputs, struct ort_value **values)
{
    const struct ort_api *api = r->ort->api;
    struct ort_memory *memory = NULL;
    bool done = ok(r, api->CreateCpuMemoryInfo(ORT_ARENA, ORT_DEFAULT, &memory));
    for (size_t i = 0; done && i < r->n_inputs; i++) {
        const struct cli_array *a = &inputs[i];
        done = ok(r, api->CreateTensorWithDataAsOrtValue(memory, a->data, a->count * cli_dtype_size(a->dtype), a->dims, (size_t)a->rank,
                                                         to_onnx(a->dtype), &values[i]));
    }
    api->ReleaseMemoryInfo(memory);
    return done;
}

bool cli_runtime_run(struct cli_runtime *r, const struct cli_array *inputs, const char *const *names, size_t n, struct cli_array *outputs)
{
    struct ort_value **values = calloc(r->n_inputs + n + 1, sizeof *values);
    if (!values) {
        return fail(r, "out of memory");
    }
    struct ort_value **results = values + r->n_inputs;
    memset(outputs, 0, n * sizeof *outputs);
    bool done = give_inputs(r, inputs, values)
                && ok(r, r->ort->api->Run(r->ort->session, NULL, (const char *const *)r->inputs, (const struct ort_value *const *)values,
                                          r->n_inputs, names, n, results));
    for (size_t i = 0; done && i < n; i++) {
        done = take_output(r, results[i], &outputs[i]);
    }
    for (size_t i = 0; i < r->n_inputs + n; i++) {
        r->ort->api->ReleaseValue(values[i]);
    }
    free(values);
    return done;
}
