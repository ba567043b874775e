/* SPDX-License-Identifier: Apache-2.0
 *
 * libmx2onnx: MXNet models to ONNX, without MXNet.
 *
 *     mx2onnx_model *m = NULL;
 *     if (mx2onnx_model_new(&m) == MX2ONNX_OK
 *         && mx2onnx_load(m, "resnet-symbol.json") == MX2ONNX_OK      // finds resnet-0000.params
 *         && mx2onnx_set_input_shape(m, "data", 4, (int64_t[]){1, 3, 224, 224}, NULL) == MX2ONNX_OK
 *         && mx2onnx_export_file(m, "resnet.onnx") == MX2ONNX_OK) { ... }
 *     else fprintf(stderr, "%s\n", mx2onnx_error(m));
 *     mx2onnx_model_free(m);
 *
 * A model goes through these steps: create, load, choose options, export, read the report, free. Setters may be called in any
 * order, before the load too; those that say "for the loads that follow" have no effect on what is loaded already. Names set before
 * the load are checked by the first inference or export, which fails with NOT_FOUND if the symbol lacks one. After the load the
 * setter checks at once. A choice that was taken back is ignored; it can be taken back after the load even if the symbol has no
 * such name. A model may be exported several times with different options. mx2onnx_model_reset returns it to the state in which
 * it was created.
 *
 * Threads: any thread may use a model, but only one at a time; different models are independent. The library has no global
 * state, prints nothing, reads no environment variables and does not depend on the locale.
 *
 * Names: a function that does something to the model, or reads what was set, begins with a verb (mx2onnx_load_params_file,
 * mx2onnx_set_option, mx2onnx_get_option). Any other begins with what it is about: an element of a list (mx2onnx_param_read), another
 * handle (mx2onnx_node_add), a value of an enumeration (mx2onnx_status_name), or what there is one of: the model as a whole
 * (mx2onnx_model_free), its net (mx2onnx_net_title), its last export (mx2onnx_written_opset), the library (mx2onnx_opset_max).
 *   ..._file, ..._memory, ..._callback  where bytes come from or go to: a path, memory, a function of the caller. Only mx2onnx_load,
 *     which also takes a folder, and mx2onnx_check_external_data take a path and end otherwise.
 *   ..._count  a number of elements. With a list, the other functions take an index from 0 on; past the end a function without a
 *     status returns NULL, 0, -1 for a rank or a dim, or UNKNOWN for a type.
 *   ..._size  a number of bytes.
 *   ..._get_X  what ..._set_X or ..._X set; ..._reset, ..._remove, ..._clear take back what was set, or a NULL, as its comment says.
 * `input`, `name` and `from` are names of the MXNet file, whatever they are renamed to.
 *
 * Types: indices, counts, axes and memory sizes are size_t, file sizes uint64_t, dimensions int64_t. A rank is an int32_t, 32 at most;
 * -1 means unknown. A choice from a list is an int32_t with its own type name, with which its constants begin
 * (mx2onnx_dtype, MX2ONNX_DTYPE_INT8). A switch among the arguments of a function is an int32_t: 0 is off, any other number is on.
 * Strings are UTF-8 and end in NUL: another name is INVALID_ARGUMENT, and so is a new one (of an output, a dimension, a domain)
 * with control characters. Only a path may have any bytes, except on Windows; in messages "\xff" represents a byte of it that is
 * not UTF-8.
 *
 * Errors: functions that can fail return a mx2onnx_status, which is 0 or negative; on an error their outputs are left untouched.
 * The model's diagnostics say what went wrong, where, and how to fix it; mx2onnx_error() gives the first error as a single
 * string. Each function names the statuses that it returns; besides these, every call that works on a model can end with
 * OUT_OF_MEMORY, TOO_LARGE or CANCELLED, and with INVALID_ARGUMENT if the model is NULL or in use. An error belongs to the call
 * that returned it: every call that returns a status first clears the errors of the previous call, so there are none after a call
 * that succeeded. Only mx2onnx_diagnostic_get and mx2onnx_report_json leave the list as it is, also if they fail. A load that fails
 * or is cancelled leaves the model as it was, and so does a setter.
 *
 * Returned pointers (texts, names, dims) belong to the model. They are valid until the next call on this model that returns a
 * status (mx2onnx_diagnostic_get does not count), or until it is freed; functions without a status never invalidate a returned
 * pointer. What is returned for a mx2onnx_node is valid until the handler that was given the node returns. Strings returned by
 * functions without a model are static. Arguments are copied unless the function says that it borrows them.
 *
 * For authors of bindings, what another language must know to call this header safely:
 *   Calling: every argument is an integer of fixed width or size_t, a pointer, or a function pointer. There are no variadic
 *     functions, no structures by value and no macros that a caller needs. Every structure begins with its size as the side that
 *     fills it knows it (struct_size): later versions add members at the end, and what one side does not know is zero or is not
 *     read. Set all other members of a structure that you pass to zero. No structure ends in padding, so a later member is always
 *     beyond the size that an older side knows. bindings/api.json holds the contents of this header for
 *     generators.
 *   Callbacks run on the calling thread before the call returns. None is called later, and the library starts no threads. The
 *     arguments of a callback are valid only until it returns.
 *   Unwinding: a callback must return normally: no exception, panic or longjmp may pass through C. Catch it, keep it, return the
 *     value that stops the call (described at each callback type), and rethrow it once the call has returned.
 *   Reentrancy: while a call is in progress, every other call on the same model that returns a status fails with
 *     INVALID_ARGUMENT, functions that only look at the model return 0, NULL or -1 (except mx2onnx_get_option, mx2onnx_get_text and
 *     mx2onnx_get_node_precision, and the functions mx2onnx_written_..., which describe the unfinished export), mx2onnx_cancel
 *     works, and mx2onnx_model_free does nothing. So a callback cannot invalidate what its caller is using. Diagnostics and
 *     mx2onnx_error remain available, and so do, in a handler, all functions that take its mx2onnx_node. Other models are not
 *     affected.
 *   Lifetimes: next to every `user` and all borrowed memory there is a `release` function, which may be NULL. It is called with
 *     `user` exactly once, even after an error: when the function or the memory is no longer needed, and no later than in
 *     mx2onnx_model_free. It must not call the model. In a language whose memory may move or be collected, copy the data into
 *     mx2onnx_memory_new() and pass mx2onnx_memory_free as `release` and that memory as `user`.
 *   Removing a function: passing NULL as the function or handler removes a log, progress callback or handler and releases its
 *     `user`.
 *   Freeing: the owner frees a model once, on any thread; a finalizer may do so when no call is in progress.
 *   Versions: within a major version names are added, never changed or removed. mx2onnx_version_number() is the version of the
 *     library that is running, mx2onnx_has_feature() says what it was built with. Be prepared for new values of a status, type
 *     or severity.
 *
 * include/README.md is made from this header: each function with the version since which it exists.
 */
#ifndef MX2ONNX_H
#define MX2ONNX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Linkage; a program may define it otherwise. MX2ONNX_STATIC is for those who link the static library. */
#ifndef MX2ONNX_API
#if defined(MX2ONNX_STATIC)
#define MX2ONNX_API
#elif defined(_WIN32) && defined(MX2ONNX_BUILD)
#define MX2ONNX_API __declspec(dllexport)
#elif defined(_WIN32)
#define MX2ONNX_API __declspec(dllimport)
#elif defined(__GNUC__)
#define MX2ONNX_API __attribute__((visibility("default")))
#else
#define MX2ONNX_API
#endif
#endif

/* The calling convention of functions and callbacks: C's own, whatever a program's default is. */
#if defined(_WIN32) && !defined(__GNUC__)
#define MX2ONNX_CALL __cdecl
#elif defined(_WIN32) && defined(__i386__)
#define MX2ONNX_CALL __attribute__((cdecl))
#else
#define MX2ONNX_CALL
#endif

/* A result that a program must look at, which compilers of C23 and C++17 check; a cast to void says that it means not to. */
#ifdef __has_cpp_attribute
#if defined(__cplusplus) && __cplusplus >= 201703L && __has_cpp_attribute(nodiscard)
#define MX2ONNX_NODISCARD [[nodiscard]]
#endif
#endif
#if !defined(MX2ONNX_NODISCARD) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define MX2ONNX_NODISCARD [[nodiscard]]
#elif !defined(MX2ONNX_NODISCARD)
#define MX2ONNX_NODISCARD
#endif

/* What a later version replaces; MX2ONNX_NO_WARNINGS silences the compiler. */
#if defined(__GNUC__) && !defined(MX2ONNX_NO_WARNINGS)
#define MX2ONNX_DEPRECATED(instead) __attribute__((deprecated(instead)))
#elif defined(_MSC_VER) && !defined(MX2ONNX_NO_WARNINGS)
#define MX2ONNX_DEPRECATED(instead) __declspec(deprecated(instead))
#else
#define MX2ONNX_DEPRECATED(instead)
#endif

#define MX2ONNX_VERSION_MAJOR 0
#define MX2ONNX_VERSION_MINOR 9
#define MX2ONNX_VERSION_PATCH 0
/* As one number, for comparisons: 1002003 is 1.2.3. */
#define MX2ONNX_VERSION_NUMBER                                                                    \
    (MX2ONNX_VERSION_MAJOR * 1000000 + MX2ONNX_VERSION_MINOR * 1000 + MX2ONNX_VERSION_PATCH)

/* The oldest and newest operator set of the default ONNX domain that can be written, and the default, which every current runtime
 * reads. MX2ONNX_OPSET_AUTO, the value of MX2ONNX_OPTION_OPSET until one is set, writes a newer one if the model needs it. Those of
 * the running library are mx2onnx_opset_min(), mx2onnx_opset_max() and mx2onnx_opset_default(). */
#define MX2ONNX_OPSET_MIN 11
#define MX2ONNX_OPSET_MAX 28
#define MX2ONNX_OPSET_DEFAULT 17
#define MX2ONNX_OPSET_AUTO 0

/* ---------------------------------------------------------------- status */

/* What a call returns; success is MX2ONNX_OK, which is short for MX2ONNX_STATUS_OK. */
typedef int32_t mx2onnx_status;

/* code, name, text */
#define MX2ONNX_STATUS_MAP(X)                                                                     \
    X(0, OK, "no error")                                                                          \
    X(-1, INVALID_ARGUMENT, "an argument of the call is not valid")                               \
    X(-2, OUT_OF_MEMORY, "out of memory")                                                         \
    X(-3, IO, "a file cannot be read or written")                                                 \
    X(-4, NOT_FOUND, "no such file, input, output or name")                                       \
    X(-5, FORMAT, "a file is damaged or not of an MXNet format")                                  \
    X(-6, UNSUPPORTED, "an operator, attribute value or type has no form in ONNX")                \
    X(-7, SHAPE, "shapes or element types do not fit together or are not known")                  \
    X(-8, MISSING_PARAMETER, "the graph needs a parameter that no file holds")                    \
    X(-9, TOO_LARGE, "a limit of ONNX or of this library is exceeded")                            \
    X(-10, CANCELLED, "the call was cancelled")                                                  \
    X(-11, INTERNAL, "an invariant of the library does not hold; please report it")

enum mx2onnx_status_values {
#define MX2ONNX_STATUS_ENUM(code, name, text) MX2ONNX_STATUS_##name = code,
    MX2ONNX_STATUS_MAP(MX2ONNX_STATUS_ENUM)
#undef MX2ONNX_STATUS_ENUM
};

/* Short for MX2ONNX_STATUS_OK, which every call is compared with. */
#define MX2ONNX_OK MX2ONNX_STATUS_OK

/* The name of a status, such as "FORMAT"; "UNKNOWN" for any other number. Static string. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_status_name(mx2onnx_status status);
/* What a status means, in a few English words; "UNKNOWN" for any other number. Static string. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_status_text(mx2onnx_status status);

/* The version of the running library, such as "1.2.3", which may differ from MX2ONNX_VERSION_*. Static string. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_version(void);
/* The same as a number, in the form of MX2ONNX_VERSION_NUMBER. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_version_number(void);

/* Optional parts of the library. */
typedef int32_t mx2onnx_feature;
enum mx2onnx_feature_values {
    MX2ONNX_FEATURE_ZIP = 1, /* .zip, .mar, .model and .npz */
    MX2ONNX_FEATURE_TAR = 2, /* .tar and .tar.gz; libarchive is loaded when the first such file is read */
    MX2ONNX_FEATURE_CATALOGUE = 3 /* the catalogue of published nets */
};

/* Nonzero if the running library was built with this feature; 0 for a feature that it does not know. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_has_feature(mx2onnx_feature feature);

/* The oldest opset that the running library writes. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_opset_min(void);
/* The newest opset that the running library writes. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_opset_max(void);
/* The opset that MX2ONNX_OPSET_AUTO writes unless the model needs a newer one or the target an older one. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_opset_default(void);

/* Element types; the numbers are MXNet's type flags (mshadow/base.h). */
typedef int32_t mx2onnx_dtype;
enum mx2onnx_dtype_values {
    MX2ONNX_DTYPE_UNKNOWN = -1,
    MX2ONNX_DTYPE_FLOAT32 = 0,
    MX2ONNX_DTYPE_FLOAT64 = 1,
    MX2ONNX_DTYPE_FLOAT16 = 2,
    MX2ONNX_DTYPE_UINT8 = 3,
    MX2ONNX_DTYPE_INT32 = 4,
    MX2ONNX_DTYPE_INT8 = 5,
    MX2ONNX_DTYPE_INT64 = 6,
    MX2ONNX_DTYPE_BOOL = 7,
    MX2ONNX_DTYPE_INT16 = 8,
    MX2ONNX_DTYPE_UINT16 = 9,
    MX2ONNX_DTYPE_UINT32 = 10,
    MX2ONNX_DTYPE_UINT64 = 11,
    MX2ONNX_DTYPE_BFLOAT16 = 12
};

/* NumPy's name, such as "float32"; "unknown" for any other number. Static string. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_dtype_name(mx2onnx_dtype dtype);
/* The type with this name of NumPy's; MX2ONNX_DTYPE_UNKNOWN for any other text. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_dtype_from_name(const char *name);

/* An array that a caller passes. */
typedef struct mx2onnx_array {
    size_t struct_size;  /* set by the caller to sizeof(mx2onnx_array) */
    mx2onnx_dtype dtype; /* the type of its elements */
    int32_t rank;        /* the number of its dims, 0 to 32 */
    const int64_t *dims; /* its dims, `rank` of them; may be NULL if there are none */
    const void *data;    /* its elements, row-major and little-endian */
    size_t size;         /* the number of bytes of `data`: that of the shape and type */
} mx2onnx_array;

/* ---------------------------------------------------------------- life */

/* A model: what was loaded and chosen, the result of the last inference or export, and the diagnostics. */
typedef struct mx2onnx_model mx2onnx_model;

/* Creates an empty model in *out, owned by the caller; NULL in *out if that fails. INVALID_ARGUMENT, OUT_OF_MEMORY. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_model_new(mx2onnx_model **out);

/* Frees the model and everything it owns, and releases what it borrowed; NULL is allowed. Does nothing inside a callback of the
 * model, because the model is in use. */
MX2ONNX_API void MX2ONNX_CALL mx2onnx_model_free(mx2onnx_model *m);

/* Makes the model empty, as mx2onnx_model_new returns it: forgets what was loaded and chosen, the limits, the log and all handlers too, and
 * releases what it borrowed. Fails only inside a callback of the model: INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_model_reset(mx2onnx_model *m);

/* Called once with the `user` that was passed along with it, when that is no longer needed. It must not call the model. */
typedef void (MX2ONNX_CALL *mx2onnx_release_fn)(void *user);

/* Allocates `size` bytes, aligned for any type, to be freed with mx2onnx_memory_free; NULL when memory runs out. For data that the
 * caller cannot keep in place: copy it here and let the model free it, since mx2onnx_memory_free is a release function:
 *     void *copy = mx2onnx_memory_new(size);
 *     memcpy(copy, data, size);
 *     mx2onnx_load_params_memory(m, copy, size, copy, mx2onnx_memory_free); */
MX2ONNX_API void *MX2ONNX_CALL mx2onnx_memory_new(size_t size);
/* Frees the memory of mx2onnx_memory_new, or the result of mx2onnx_export_memory; NULL is allowed. */
MX2ONNX_API void MX2ONNX_CALL mx2onnx_memory_free(void *data);

/* ---------------------------------------------------------------- load */

/* Loads a whole model from `path`, which may be
 *   a symbol file (its parameters are expected next to it: PREFIX-symbol.json -> PREFIX-EEEE.params, highest epoch),
 *   the parameter file of a symbol next to it, a prefix ("model/resnet-50" or "model/resnet-50-0007"), a folder with one model in it,
 *   an archive that holds one (.zip, .mar, .model; .tar and .tar.gz if the library was built with libarchive), or
 *   only the parameters of a published net (mx2onnx_load_net), as a file or in a folder or an archive, or
 *   SageMaker's k-means or PCA, which holds only arrays: the graph that is made computes what the endpoint returns.
 * A file of input shapes next to the symbol (SageMaker's model-shapes.json or hyperparams.json, Model Server's signature.json)
 * supplies the shapes that the symbol leaves open, with a dynamic batch. GluonTS's parameters.json supplies names of inputs, as
 * mx2onnx_rename sets them, and a file of SageMaker's linear learner the metadata "sagemaker:threshold"; notes say so. A model
 * without parameters is loaded with a note. INVALID_ARGUMENT if the path is empty or there is a symbol already; NOT_FOUND, IO,
 * FORMAT, UNSUPPORTED. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load(mx2onnx_model *m, const char *path);

/* Reads the bytes [offset, offset + size) into `buffer` and returns 0; anything else means failure and ends the call with IO. An
 * offset must yield the same bytes each time, as long as the model lives. */
typedef int32_t (MX2ONNX_CALL *mx2onnx_read_fn)(uint64_t offset, void *buffer, size_t size, void *user);

/* Loads a whole model from `size` bytes of memory: an archive with a model, a symbol alone, or the parameters of a published net alone.
 * The memory is borrowed until `release` is called with `user`. Statuses as for mx2onnx_load. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_memory(mx2onnx_model *m, const void *data, size_t size,
        void *user, mx2onnx_release_fn release);
/* Loads what mx2onnx_load_memory loads, from `size` bytes that `read` reads piece by piece. The function is borrowed until `release` is
 * called with `user`. Statuses as for mx2onnx_load. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_callback(mx2onnx_model *m, uint64_t size,
        mx2onnx_read_fn read, void *user, mx2onnx_release_fn release);

/* Loads the graph from the JSON that MXNet's Symbol.save() writes, of any version from 0.8 to 2.0. The file may have any name;
 * `path` may also be the prefix of PREFIX-symbol.json. A model takes one symbol, until mx2onnx_model_reset. INVALID_ARGUMENT if there is
 * one already; NOT_FOUND, IO, FORMAT, UNSUPPORTED. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_symbol_file(mx2onnx_model *m, const char *path);
/* Loads the graph from `size` bytes of JSON, which are read during the call only. Statuses as for mx2onnx_load_symbol_file. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_symbol_memory(mx2onnx_model *m, const void *data,
        size_t size);

/* Adds the arrays of a parameter file: an NDArray list of any version, .npz or .npy. May be called several times; of two arrays
 * with the same name the later one is used. The prefixes "arg:" and "aux:" are dropped. The file is indexed, not loaded: it must
 * stay unchanged until the model is freed. INVALID_ARGUMENT, NOT_FOUND, IO, FORMAT, UNSUPPORTED. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_params_file(mx2onnx_model *m, const char *path);
/* Adds the arrays of a parameter file of `size` bytes in memory, which is borrowed and must stay unchanged until `release` is called
 * with `user`. Statuses as for mx2onnx_load_params_file. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_params_memory(mx2onnx_model *m, const void *data,
        size_t size, void *user, mx2onnx_release_fn release);
/* Adds the arrays of a parameter file of `size` bytes that `read` reads piece by piece; the function is borrowed until `release` is
 * called with `user`. Statuses as for mx2onnx_load_params_file. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_params_callback(mx2onnx_model *m, uint64_t size,
        mx2onnx_read_fn read, void *user, mx2onnx_release_fn release);

/* Sets the value of the variable `name`, to replace one from a parameter file or to turn an input into a constant. The structure and
 * its dims are copied; its `data` is borrowed until `release` is called with `user`. If the symbol has no such variable, inference
 * warns of it. Of this value and the array of a file that is loaded later, the later one is used. mx2onnx_remove_param takes the
 * value back. INVALID_ARGUMENT, also if `size` is not that of the shape and type. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_param(mx2onnx_model *m, const char *name,
        const mx2onnx_array *value, void *user, mx2onnx_release_fn release);
/* Removes the value that mx2onnx_set_param set for `name`, and releases its memory: the array of a file that it replaced is used
 * again. NOT_FOUND if no value is set for this name, or the array of a file took its place. INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_remove_param(mx2onnx_model *m, const char *name);

/* ---------------------------------------------------------------- options
 *
 * Everything about a model that is one number or one text has a default, can be read, and can be reset. */

/* A value of MX2ONNX_OPTION_FLOAT16. */
typedef int32_t mx2onnx_float16;
enum mx2onnx_float16_values {
    MX2ONNX_FLOAT16_OFF = 0,
    MX2ONNX_FLOAT16_ALL = 1,   /* inputs and outputs become float16 too, where the operators that read or produce them do */
    MX2ONNX_FLOAT16_INSIDE = 2 /* inputs and outputs keep their types, with casts after and before them */
};

/* A value of MX2ONNX_OPTION_EXTERNAL_DATA.
 *   AUTO      in the model file, or next to it if the file would exceed 2 GiB, the limit of protobuf.
 *   NEVER     in the model file; TOO_LARGE if that is impossible.
 *   ALWAYS    tensors of at least MX2ONNX_OPTION_EXTERNAL_THRESHOLD bytes in one side file, MODEL.onnx.data. An export to
 *             memory or to a callback has no side file.
 *   IN_PLACE  as ALWAYS, but arrays that the model uses unchanged stay in their parameter file, and none of them is copied: the
 *             model refers to that file, which from then on is part of the model and must not change. Weights that are computed
 *             (transposed, converted, of another type, or merged with a BatchNorm: see MX2ONNX_OPTION_KEEP_BATCH_NORM), and those
 *             that come from memory, an archive, or a compressed or sparse array, go into MODEL.onnx.data. The parameter file
 *             must be in the model's folder and must not be a symbolic link; otherwise INVALID_ARGUMENT. Arrays in it begin at
 *             arbitrary bytes, not at pages or multiples of 64: ONNX Runtime, OpenVINO, tract, OpenCV 5 and onnx read that;
 *             OpenCV 4 reads no external data.
 *   LINK      the same, but a parameter file elsewhere gets a second name in the model's folder: a hard link, on the same file
 *             system. Another file that has this name is kept, and is an error. ONNX Runtime reads linked files; onnx.load
 *             and onnx.checker refuse them. The report lists the files that belong together. */
typedef int32_t mx2onnx_external;
enum mx2onnx_external_values {
    MX2ONNX_EXTERNAL_AUTO = 0,
    MX2ONNX_EXTERNAL_NEVER = 1,
    MX2ONNX_EXTERNAL_ALWAYS = 2,
    MX2ONNX_EXTERNAL_IN_PLACE = 3,
    MX2ONNX_EXTERNAL_LINK = 4
};

/* Options with a number. A switch is 0 or 1.
 *   OPSET           the opset to write, mx2onnx_opset_min() to mx2onnx_opset_max(); UNSUPPORTED if an operator needs a newer one.
 *                   The default, MX2ONNX_OPSET_AUTO (0), writes mx2onnx_opset_default(), or the oldest opset above it that the
 *                   model needs; a note names a node that needs it. With a target it is one that the target reads.
 *   FLOAT16         a mx2onnx_float16: writes a float32 model as a float16 one, of half the size. Weights are rounded to the
 *                   nearest float16 as they are written; finite values stay finite (65504 at most), and nonzero values stay
 *                   nonzero (2^-24 at least). Some of the model stays float32, with casts around it: the operators that MXNet's
 *                   automatic mixed precision keeps in float32 (softmax, norms, sums, exp, ...), boxes and pixel positions, the
 *                   bodies of control flow, and everything that counts or computes positions, lengths and indices. Default OFF.
 *   TRUST_INDICES   switch: the caller guarantees that the indices of Embedding and take (mode="clip") are within the table, which
 *                   saves the node that clips them. Default 0: for an index outside the table, MXNet reads the first or last row, where
 *                   ONNX counts from the end or fails.
 *   KEEP_BATCH_NORM  switch: a BatchNorm after a convolution remains a node, and all weights remain as they are in the parameter
 *                   file. Default 0: the BatchNorm is merged into the weights, which are multiplied while they are written, as
 *                   runtimes do when they load a model; a constant factor of the convolution's input or output is merged
 *                   likewise, except one of the model's input (FOLD_INPUT_SCALE). Only in float32 models, and never with
 *                   INITIALIZERS_AS_INPUTS.
 *   FOLD_INPUT_SCALE  switch: a factor by which the net multiplies an input is merged into the first convolution like any other.
 *                   Default 0: such a node, and a subtraction before it, remain with their MXNet names ("_minusscalar0",
 *                   "_mulscalar0"), because programs conclude from them that the net normalises images itself (InsightFace's
 *                   package does).
 *   INITIALIZERS_AS_INPUTS  switch: parameters are also graph inputs with a default value, as old exporters wrote them. Default 0,
 *                   because runtimes cannot fold such weights.
 *   NODE_METADATA   switch: the metadata of each ONNX node (metadata_props) name the MXNet node that it comes from and that node's
 *                   operator, with the keys "mxnet_node" and "mxnet_op"; nodes that only compute shapes have none. The model's IR
 *                   version is then at least 10, the first that has metadata of nodes, which older runtimes refuse. Default 0.
 *   STRUCTURAL_NAMES  switch: arrays with the names of Gluon's save_parameters ("features.0.weight") are matched to the symbol's
 *                   ("net_conv0_weight") by kind, shape and order. MISSING_PARAMETER if something fits nothing, or several alike
 *                   arrays fit and neither words or numbers in the names nor the order of the file say which is which. Default 0: save symbol
 *                   and parameters together with export(), which needs no guess.
 *   SEED            the seed of random operators, 0 to 2147483647: each node's ONNX attribute `seed` is made from it and the node's
 *                   position, so that a runtime draws the same values in every run. Default -1: the runtime chooses a seed. The
 *                   values are never those of MXNet.
 *   EXTERNAL_DATA   a mx2onnx_external: where weights are stored. Default AUTO.
 *   EXTERNAL_THRESHOLD  the least bytes of a tensor that is stored outside of the model file. Default 1024.
 *   FULL_CHECKSUM   switch. The model's metadata records the size and a CRC-32 of its side file and, with IN_PLACE and LINK,
 *                   of each parameter file, for mx2onnx_check_external_data. Default 0: the CRC is of 256 blocks of 1024 bytes,
 *                   spread evenly over the file, which takes about a millisecond. It detects a different file, a longer or
 *                   shorter one, and different weights throughout (another epoch), but not a change of a few bytes between two
 *                   blocks. 1: the CRC is of all bytes, which must be read for it, at about a second per GiB; then any accidental
 *                   change is detected.
 *   FSYNC           switch: each file is flushed to disk before it is given its name, and each rename before the next one, so that
 *                   files survive a power failure. Default 0: it takes longer than the export. On Windows renames are flushed,
 *                   too; on macOS the disk itself may still delay them.
 *   CLASSES, CROP, SEGMENTS, VOCABULARY  for the loads that follow: only published nets with this size are considered.
 *                   Default 0: the numbers of classes and words follow from the shapes of the parameters; the crop size of a
 *                   segmentation net (the side of its square image) and the segments of a video are as published.
 *   ..._LIMIT       limits on the resources that a model may use, so that untrusted files can do no harm. The option is the base
 *                   (its default is the first number that is given for it), to which an allowance for each byte of the loaded files is added; no trained
 *                   model reaches a limit. Exceeding one is TOO_LARGE, while a graph is converted with the node where it
 *                   happened. lib/LIMITS.md has the details. */
typedef int32_t mx2onnx_option;
enum mx2onnx_option_values {
    MX2ONNX_OPTION_OPSET = 1,
    MX2ONNX_OPTION_FLOAT16 = 2,
    MX2ONNX_OPTION_TRUST_INDICES = 3,
    MX2ONNX_OPTION_KEEP_BATCH_NORM = 4,
    MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS = 5,
    MX2ONNX_OPTION_SEED = 6,
    MX2ONNX_OPTION_EXTERNAL_DATA = 7,
    MX2ONNX_OPTION_EXTERNAL_THRESHOLD = 8,
    MX2ONNX_OPTION_FULL_CHECKSUM = 9,
    MX2ONNX_OPTION_FSYNC = 10,
    MX2ONNX_OPTION_CLASSES = 11,
    MX2ONNX_OPTION_CROP = 12,
    MX2ONNX_OPTION_SEGMENTS = 13,
    MX2ONNX_OPTION_VOCABULARY = 14,
    MX2ONNX_OPTION_MEMORY_LIMIT = 15,    /* bytes of graph, constants and texts: 64 MiB, 64 for each byte, 1024 for each ONNX node */
    MX2ONNX_OPTION_EXPANSION_LIMIT = 16, /* bytes of unpacked archives and sparse arrays: 64 MiB, 64 for each byte */
    MX2ONNX_OPTION_NODES_LIMIT = 17,     /* ONNX nodes: 1,048,576, one for each byte */
    MX2ONNX_OPTION_OUTPUT_LIMIT = 18,    /* bytes of an export: 4 GiB, 64 for each byte */
    MX2ONNX_OPTION_FOLD_INPUT_SCALE = 19,
    MX2ONNX_OPTION_NODE_METADATA = 20,
    MX2ONNX_OPTION_STRUCTURAL_NAMES = 21
};
/* Sets an option. INVALID_ARGUMENT if the running library does not know it, or if the value is not possible. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_option(mx2onnx_model *m, mx2onnx_option option,
        int64_t value);
/* Its present value; INT64_MIN if the option does not exist or m is NULL. Allowed inside a callback. */
MX2ONNX_API int64_t MX2ONNX_CALL mx2onnx_get_option(const mx2onnx_model *m, mx2onnx_option option);
/* Sets it back to its default value. INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_reset_option(mx2onnx_model *m, mx2onnx_option option);

/* Options with a text.
 *   TARGET          a program that does not support all of ONNX, "opencv4", "tract" or another that mx2onnx_target_name lists: what
 *                   it lacks is expressed in other operators with the same results; the opset, unless it is set, is one that it
 *                   reads. NOT_FOUND if the target does not exist.
 *   UNKNOWN_DOMAIN  the domain ("mxnet") in which unknown operators are kept, for a runtime that implements them; without it and
 *                   without a handler they are errors. Such a node has the operator's MXNet name, its attributes as strings, and
 *                   the outputs that are used, with the type of its first input and the shapes that the nodes which use them
 *                   need. Where no node determines a shape and none needs it, as for the model's outputs, the
 *                   model has none, which a warning says; elsewhere a handler must supply it; its `lower` is
 *                   NULL then. A note says what was kept.
 *   PARAM_PREFIX    a prefix to ignore when names are matched, in the symbol and in the parameter files: Gluon strips the prefix
 *                   of a block when it saves ("conv0_weight" for the symbol's "resnet_conv0_weight"), other programs add one
 *                   ("module.conv0_weight"). If two arrays match a variable, the one with its full name is used.
 *   PRODUCER        the ONNX model's producer_name; by default "libmx2onnx".
 *   DOC_STRING      the ONNX model's doc_string.
 *   SIDE_FILE       the name, without a folder, of the side file for weights; by default the name of the model with ".data".
 *   SOURCE_NAME     for the loads from memory and from callbacks that follow: the name of the file that the bytes are of, in messages
 *                   and in the search for a net (mx2onnx_load_net); by default "model", "symbol" or "params". */
typedef int32_t mx2onnx_text;
enum mx2onnx_text_values {
    MX2ONNX_TEXT_TARGET = 1,
    MX2ONNX_TEXT_UNKNOWN_DOMAIN = 2,
    MX2ONNX_TEXT_PARAM_PREFIX = 3,
    MX2ONNX_TEXT_PRODUCER = 4,
    MX2ONNX_TEXT_DOC_STRING = 5,
    MX2ONNX_TEXT_SIDE_FILE = 6,
    MX2ONNX_TEXT_SOURCE_NAME = 7
};
/* Sets a text; NULL resets it to its default. INVALID_ARGUMENT, NOT_FOUND (of a target), OUT_OF_MEMORY. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_text(mx2onnx_model *m, mx2onnx_text which,
        const char *text);
/* The text that was set; NULL for the default, if the text does not exist, or if m is NULL. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_get_text(const mx2onnx_model *m, mx2onnx_text which);

/* Sets the version with which the ONNX model imports a domain other than ONNX's own, if a node has this domain: those of
 * mx2onnx_node_add and of MX2ONNX_TEXT_UNKNOWN_DOMAIN. Each is 1 until it is set ("ai.onnx.ml" has 1 to 5); 0 takes it back.
 * INVALID_ARGUMENT, also for ONNX's own domain, "" or "ai.onnx", whose version is MX2ONNX_OPTION_OPSET. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_domain_version(mx2onnx_model *m, const char *domain,
        int32_t version);
/* The version with which this domain is imported: 1 if none was set. 0 for ONNX's own domain, and if m is NULL. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_get_domain_version(const mx2onnx_model *m, const char *domain);

/* Sets an entry of the ONNX model's metadata_props; a `value` of NULL removes it, a `key` of NULL removes all that were set. The key
 * is not empty and has no control characters; the value may be any text. 4096 entries at most, otherwise TOO_LARGE.
 * INVALID_ARGUMENT for a key that the library writes itself: "source_framework", and those that begin with "input:"
 * (mx2onnx_export_file) or "mx2onnx_file:" (the checksums of MX2ONNX_OPTION_FULL_CHECKSUM). */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_metadata(mx2onnx_model *m, const char *key,
        const char *value);
/* The value that was set; NULL if none was. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_get_metadata(const mx2onnx_model *m, const char *key);
/* The number of keys that were set. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_metadata_count(const mx2onnx_model *m);
/* A key that was set; they are sorted by their bytes, as in the model. NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_metadata_key(const mx2onnx_model *m, size_t i);

/* The number of targets. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_target_count(void);
/* The name of a target, for MX2ONNX_TEXT_TARGET. Static string; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_target_name(size_t i);
/* A sentence about a target. Static string; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_target_text(size_t i);

/* ---------------------------------------------------------------- published nets
 *
 * Parameters without a symbol, as Gluon's save_parameters writes them, can be converted if they belong to a net published by
 * MXNet, GluonCV or GluonNLP: the library has a catalogue of their graphs, as MXNet 1.9.1, GluonCV 0.10.5 and GluonNLP 0.10.0 run
 * them. mx2onnx_load finds the net of such a file by itself; the functions below are the single steps. A net is identified by
 * the names and shapes of all its arrays, never by the file name alone. If the parameters fit several nets that compute different
 * things, and the file name is none of theirs, that is an error which lists them. For a network of your own, call export()
 * where its Python code is, to get its symbol. */

/* Makes the graph for the loaded parameters: that of the net `name` ("resnet50_v1") or, with NULL, of the net that they fit, which
 * a note names. Where two sources published a net of this name, it is the one that the parameters fit. mx2onnx_model_reset takes it back. NOT_FOUND: no net has that name, or none fits; the message names the nearest and
 * how it differs. SHAPE: the parameters do not fit this net. INVALID_ARGUMENT: they fit several nets, or there are none.
 * UNSUPPORTED: the library was built without the catalogue. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_net(mx2onnx_model *m, const char *name);

/* Finds all nets that the parameters fit, without making a graph. NOT_FOUND, INVALID_ARGUMENT and UNSUPPORTED as for
 * mx2onnx_load_net, but not if they fit several. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_identify_net(mx2onnx_model *m);
/* The number of nets that the last mx2onnx_identify_net found; 0 before the first call, after one that failed, and after any load or
 * change of the parameters or the catalogue. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_candidate_count(const mx2onnx_model *m);
/* The name of such a net, for mx2onnx_load_net; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_candidate_name(const mx2onnx_model *m, size_t i);
/* Its title with the sizes ("resnet50_v1 with 10 classes"), as mx2onnx_net_title will return it; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_candidate_title(const mx2onnx_model *m, size_t i);

/* The net that the graph was made for and its sizes, "ssd_512_mobilenet1.0_voc with 7 classes"; NULL if the graph came from a
 * symbol. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_net_title(const mx2onnx_model *m);

/* Applies to the inputs what was published with the net, which never happens automatically: the shapes, with a dynamic batch; or
 * mean and scale, for RGB images with values from 0 to 255. Replaces what was set for the inputs before; their own
 * functions take it back. INVALID_ARGUMENT if the model has no net, or nothing was published for it. */
typedef int32_t mx2onnx_published;
enum mx2onnx_published_values { MX2ONNX_PUBLISHED_SHAPES = 0, MX2ONNX_PUBLISHED_NORMALIZATION = 1 };
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_use_published(mx2onnx_model *m, mx2onnx_published what);

/* The number of nets in the catalogue; 0 without the catalogue. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_catalogue_count(mx2onnx_model *m);
/* The name of a net of the catalogue, which is sorted by name; NULL past the end. A few names are there twice, because MXNet and
 * GluonCV published a net of this name. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_catalogue_name(mx2onnx_model *m, size_t i);
/* A line about a net, for people: sizes, inputs, mean and deviation, source; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_catalogue_text(mx2onnx_model *m, size_t i);
/* The same for programs: a JSON object, which lib/schema/net.json describes; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_catalogue_json(mx2onnx_model *m, size_t i);

/* Uses another catalogue than the one in the library: a file in the form of lib/catalogue/nets.zip. mx2onnx_model_reset takes it
 * back. INVALID_ARGUMENT, NOT_FOUND, IO; FORMAT, also if it is of another version of the library. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_catalogue_file(mx2onnx_model *m, const char *path);
/* The same with a catalogue in memory, which is read during the call only. INVALID_ARGUMENT, FORMAT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_load_catalogue_memory(mx2onnx_model *m, const void *data,
        size_t size);

/* ---------------------------------------------------------------- choose */

/* Sets the shape of an input, with the names of its dims, in place of all that was set before; rank -1 takes both back. A dim of -1,
 * or of 0 as MXNet writes it (unless the model uses NumPy's shapes, where a size may be 0), is left to inference and becomes dynamic if
 * inference does not find it: axis 0 of the first such input is named "batch", others "INPUT_dimAXIS"; dims that inference proves
 * equal share a name. `dim_names` is NULL, or has `rank` elements: NULL for a dim without a name, or a name, as
 * mx2onnx_set_input_dim_name takes it, which makes the dim dynamic whatever its size. For a node whose operator is unknown the call
 * states the shape of its output: "NODE", or "NODE_output1" for a further one. NOT_FOUND if the graph has no variable of that name and
 * no such node; INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_shape(mx2onnx_model *m, const char *input,
        int32_t rank, const int64_t *dims, const char *const *dim_names);
/* The shape that was set for an input, before the load and inference too, and in *rank the number of its dims; `rank` may be NULL.
 * NULL and -1 if none was set, also if the input does not exist. mx2onnx_input_dim returns what inference made of it. */
MX2ONNX_API const int64_t *MX2ONNX_CALL mx2onnx_get_input_shape(const mx2onnx_model *m, const char *input, int32_t *rank);

/* Makes dim `axis` of an input dynamic with the name `dim_name` ("batch"); dims with the same name must have the same size. In an
 * input of rank 3 or more, axis 0 may share its name with another axis only if the net requires both to be equal; otherwise
 * inference fails with SHAPE. The rank must be known, from mx2onnx_set_input_shape or from the file, so before the load the shape
 * comes first. NULL makes the dim fixed again. NOT_FOUND; INVALID_ARGUMENT, also for the text of a size ("14", "4.5", "None", "?"),
 * which is most likely a number that was not read as one, and for blanks around the name. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_dim_name(mx2onnx_model *m, const char *input,
        size_t axis, const char *dim_name);
/* The name that was set for dim `axis` of an input; NULL if none was. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_get_input_dim_name(const mx2onnx_model *m, const char *input, size_t axis);

/* Sets the element type of an input; MX2ONNX_DTYPE_UNKNOWN takes it back. By default it is what the file says or
 * inference finds, otherwise float32. NOT_FOUND, INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_dtype(mx2onnx_model *m, const char *input,
        mx2onnx_dtype dtype);
/* The element type that was set for an input; UNKNOWN if none was. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_get_input_dtype(const mx2onnx_model *m, const char *input);

/* Preprocessing that a program would otherwise do itself, written into the ONNX model after an input. Shapes, dim names and the
 * order of channels that are set are those of the net, whose channels are axis 1; after inference mx2onnx_input_dim returns those of
 * the ONNX input. It is what the chosen steps are applied to, in this order: channels_last, channels_reversed, mean, scale. With mean
 * or scale the input may also have an integer type (mx2onnx_set_input_dtype with MX2ONNX_DTYPE_UINT8), which is converted to floating
 * point. An input that a step does not fit is an error of the inference, SHAPE. */

/* If `on` is nonzero, the ONNX input is (n, h, w, c) where the net has (n, c, h, w); likewise for ranks 3 and 5. 0 takes it back.
 * NOT_FOUND, INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_channels_last(mx2onnx_model *m, const char *input,
        int32_t on);
/* 1 if the channels of an input are last, otherwise 0, also if the input does not exist. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_get_input_channels_last(const mx2onnx_model *m, const char *input);

/* If `on` is nonzero, the ONNX input has BGR where the net expects RGB, and vice versa. 0 takes it back. NOT_FOUND,
 * INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_channels_reversed(mx2onnx_model *m,
        const char *input, int32_t on);
/* 1 if the channels of an input are reversed, otherwise 0, also if the input does not exist. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_get_input_channels_reversed(const mx2onnx_model *m, const char *input);

/* Subtracts `mean` from the ONNX input: `n` values, one for each channel, or one for all. n = 0 takes it back. NOT_FOUND,
 * INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_mean(mx2onnx_model *m, const char *input,
        size_t n, const double *mean);
/* The mean of an input, also one that mx2onnx_use_published set, and in *n the number of values; `n` may be NULL. NULL and 0 if none
 * was set, also if the input does not exist. */
MX2ONNX_API const double *MX2ONNX_CALL mx2onnx_get_input_mean(const mx2onnx_model *m, const char *input, size_t *n);

/* Multiplies the ONNX input, after the mean was subtracted, by `scale`: `n` values, one for each channel, or one for all. n = 0 takes
 * it back. NOT_FOUND, INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_input_scale(mx2onnx_model *m, const char *input,
        size_t n, const double *scale);
/* The scale of an input, in the same way as mx2onnx_get_input_mean. */
MX2ONNX_API const double *MX2ONNX_CALL mx2onnx_get_input_scale(const mx2onnx_model *m, const char *input, size_t *n);

/* Adds an output by its MXNet name: "fc1_output", "split0_output1", "bn0_mean", the name of a node with a single output, or a
 * variable. The first call replaces the outputs of the file; use it to cut a model off at an inner node. NOT_FOUND,
 * INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_add_output(mx2onnx_model *m, const char *name);
/* Takes back all that mx2onnx_add_output added: the outputs are those of the file. INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_clear_outputs(mx2onnx_model *m);

/* Renames an input, output or parameter in the ONNX file. `from` is its name in the MXNet file, whatever it was renamed to before
 * (of a node with several outputs "split0", "split1"). The name of a node has no effect while it is not an output. Another call for
 * the same `from` replaces `to`; NULL takes the name back. NOT_FOUND if the model has none of that name; INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_rename(mx2onnx_model *m, const char *from, const char *to);
/* The name that mx2onnx_rename set for `from`; NULL if it has none, or that is `from` itself. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_get_rename(const mx2onnx_model *m, const char *from);

/* For MX2ONNX_OPTION_FLOAT16: the type of the node `name`, or of every node of the operator `name`. AUTO takes back what was set
 * for this name, FLOAT32 keeps the node as it is, FLOAT16 converts it even where the library would not. If several names concern
 * a node, the one that was set last applies. NOT_FOUND if the graph has no such node or operator. INVALID_ARGUMENT. */
typedef int32_t mx2onnx_precision;
enum mx2onnx_precision_values {
    MX2ONNX_PRECISION_AUTO = 0,
    MX2ONNX_PRECISION_FLOAT32 = 1,
    MX2ONNX_PRECISION_FLOAT16 = 2
};
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_node_precision(mx2onnx_model *m, const char *name,
        mx2onnx_precision precision);
/* What was set for this name; AUTO if nothing was. */
MX2ONNX_API mx2onnx_precision MX2ONNX_CALL mx2onnx_get_node_precision(const mx2onnx_model *m, const char *name);

/* The severity of a diagnostic or a log line. */
typedef int32_t mx2onnx_severity;
enum mx2onnx_severity_values {
    MX2ONNX_SEVERITY_ERROR = 0,
    MX2ONNX_SEVERITY_WARNING = 1,
    MX2ONNX_SEVERITY_NOTE = 2,
    MX2ONNX_SEVERITY_DEBUG = 3 /* in the log only */
};

/* A line of the log. */
typedef struct mx2onnx_log_entry {
    size_t struct_size;        /* set by the library */
    mx2onnx_severity severity; /* of this line */
    const char *message;       /* its text */
} mx2onnx_log_entry;

/* Receives a line of the log. */
typedef void (MX2ONNX_CALL *mx2onnx_log_fn)(const mx2onnx_log_entry *entry, void *user);
/* Calls `fn` for every log line of severity `least` or graver: with MX2ONNX_SEVERITY_WARNING for errors and warnings, with
 * MX2ONNX_SEVERITY_DEBUG or any larger number for all. Diagnostics are logged when they are found. NULL turns the log off.
 * INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_log(mx2onnx_model *m, mx2onnx_severity least,
        mx2onnx_log_fn fn, void *user, mx2onnx_release_fn release);

/* What a call is doing. Be prepared for new values. */
typedef int32_t mx2onnx_phase;
enum mx2onnx_phase_values {
    MX2ONNX_PHASE_OTHER = 0,
    MX2ONNX_PHASE_LOAD = 1,
    MX2ONNX_PHASE_INFER = 2,
    MX2ONNX_PHASE_LOWER = 3,
    MX2ONNX_PHASE_WRITE = 4
};

/* The progress of a call. */
typedef struct mx2onnx_progress {
    size_t struct_size;  /* set by the library */
    mx2onnx_phase phase; /* what it is doing */
    const char *node;    /* the node at which it is, or "" */
    uint64_t done;       /* bytes written while the phase is WRITE; otherwise 0 */
    uint64_t total;      /* bytes to be written; otherwise 0 */
} mx2onnx_progress;

/* Called from time to time during a call. A nonzero result ends the call with CANCELLED, within about 10 ms of work: a thousand
 * nodes, 4 MB of unpacked data, 256 KiB of JSON. lib/LIMITS.md lists what is not interrupted. */
typedef int32_t (MX2ONNX_CALL *mx2onnx_progress_fn)(const mx2onnx_progress *progress, void *user);
/* Sets the function that is called from time to time during calls; NULL takes it back. INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn,
        void *user, mx2onnx_release_fn release);

/* Ends the call that is running on this model with CANCELLED, as a progress function does, unless its work is done before the call asks
 * again; it has no effect on later calls, or if none is running. The only function that another thread or a signal handler
 * may call meanwhile; a callback may call it, too. The model must not be freed at the same time. NULL is allowed. */
MX2ONNX_API void MX2ONNX_CALL mx2onnx_cancel(mx2onnx_model *m);

/* ---------------------------------------------------------------- operators of your own
 *
 * MXNet's Custom operator is Python code that is not part of the model's files, and plugins add operators that the library cannot
 * know. A handler supplies the types and shapes of such a node's outputs (infer) and writes the node as ONNX (lower):
 *
 *     static mx2onnx_status infer(mx2onnx_node *n, void *user)
 *     {
 *         return mx2onnx_node_set_output_like(n, 0, 0);              // shape and type of input 0
 *     }
 *     static mx2onnx_status lower(mx2onnx_node *n, void *user)
 *     {
 *         mx2onnx_value x = mx2onnx_node_input_value(n, 0), y;
 *         mx2onnx_onnx_node leaky = {.struct_size = sizeof leaky, .op_type = "LeakyRelu", .attributes = "{\"alpha\": 0.2}",
 *                                    .input_count = 1, .inputs = &x, .output_count = 1};
 *         mx2onnx_status status = mx2onnx_node_add(n, &leaky, &y);
 *         return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
 *     }
 *     mx2onnx_handler leaky = {.struct_size = sizeof leaky, .output_count = 1, .infer = infer, .lower = lower};
 *     mx2onnx_set_custom_operator(m, "my_leaky", &leaky, NULL, NULL);  // op_type="my_leaky"
 *
 * A mx2onnx_node is valid only during the call that received it. infer may be called several times; both are called again, with
 * the other opset, if MX2ONNX_OPSET_AUTO finds that the model needs a newer one. */

/* A node of the MXNet graph whose operator has a handler. */
typedef struct mx2onnx_node mx2onnx_node;

/* Returns MX2ONNX_OK, or anything else to reject the node; mx2onnx_node_fail records the reason. A node is also rejected if a function
 * that was called for it failed, whatever the handler returns. For the caller of the library a rejected node is UNSUPPORTED, or SHAPE
 * if infer returned that, or OUT_OF_MEMORY if infer or lower returned that. */
typedef mx2onnx_status (MX2ONNX_CALL *mx2onnx_custom_fn)(mx2onnx_node *node, void *user);
/* Returns the number of outputs of this node, 1 to 65536; 0 rejects the node, and mx2onnx_node_fail records the reason. Only its
 * name, its attributes and the names of its inputs are known yet. */
typedef size_t (MX2ONNX_CALL *mx2onnx_outputs_fn)(mx2onnx_node *node, void *user);

/* How nodes of an operator are converted. */
typedef struct mx2onnx_handler {
    size_t struct_size;               /* set by the caller to sizeof(mx2onnx_handler) */
    size_t output_count;              /* the number of outputs of every such node, 1 to 65536 */
    int32_t overrides;                /* nonzero: for an operator that the library knows, too */
    mx2onnx_custom_fn infer;          /* the types and shapes of the outputs */
    mx2onnx_custom_fn lower;          /* writes the node; may be NULL with MX2ONNX_TEXT_UNKNOWN_DOMAIN */
    mx2onnx_outputs_fn count_outputs; /* NULL, or the number of outputs of a node, in place of `output_count` */
} mx2onnx_handler;

/* Registers a handler for nodes of the operator `name`; nodes that have an attribute op_type, as those of Custom do, are found by its
 * value instead. A second handler for the same name replaces the first; NULL removes it, and NULL for both the name and the handler
 * removes all. A handler for an operator that the library knows is an error of the inference, INVALID_ARGUMENT, unless it overrides
 * the library. INVALID_ARGUMENT, OUT_OF_MEMORY. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_set_custom_operator(mx2onnx_model *m, const char *name,
        const mx2onnx_handler *handler, void *user, mx2onnx_release_fn release);

/* The name of the node in the MXNet file. This and the other functions that only look at a node may be called in every function of a
 * handler; past the end of a list they return NULL, -1, 0 or MX2ONNX_DTYPE_UNKNOWN. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_name(const mx2onnx_node *n);
/* The name under which the handler is registered. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_operator(const mx2onnx_node *n);
/* The opset that is being written. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_node_opset(const mx2onnx_node *n);
/* The model's MX2ONNX_TEXT_UNKNOWN_DOMAIN; NULL if none is set. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_domain(const mx2onnx_node *n);

/* The text of an attribute as it is in the file; NULL if there is none. It searches linearly: to read many attributes, use
 * mx2onnx_node_attribute_key and _value. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_attribute(const mx2onnx_node *n, const char *key);
/* The number of attributes, each key once, in the order of the file, without MXNet's internal ones ("__shape__"). */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_node_attribute_count(const mx2onnx_node *n);
/* The key of attribute i. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_attribute_key(const mx2onnx_node *n, size_t i);
/* The text of attribute i, as it is in the file. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_attribute_value(const mx2onnx_node *n, size_t i);

/* The number of the node's outputs, as its handler states it. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_node_output_count(const mx2onnx_node *n);
/* The number of the node's inputs. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_node_input_count(const mx2onnx_node *n);
/* The name, in the MXNet file, of the variable or of the node that the input comes from. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_node_input_name(const mx2onnx_node *n, size_t i);
/* The element type of the input; MX2ONNX_DTYPE_UNKNOWN while it is not known. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_node_input_dtype(const mx2onnx_node *n, size_t i);
/* The rank of the input; -1 while it is not known. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_node_input_rank(const mx2onnx_node *n, size_t i);
/* The size of the input's dim `axis`; -1 if it is dynamic or not known. */
MX2ONNX_API int64_t MX2ONNX_CALL mx2onnx_node_input_dim(const mx2onnx_node *n, size_t i, size_t axis);
/* The element type in which the parameter file holds the input; MX2ONNX_DTYPE_UNKNOWN if the input is not a parameter. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_node_input_stored_dtype(const mx2onnx_node *n, size_t i);
/* The number of bytes of an input that is a parameter; 0 for any other input. */
MX2ONNX_API uint64_t MX2ONNX_CALL mx2onnx_node_input_size(const mx2onnx_node *n, size_t i);
/* Copies `size` of the parameter's bytes (dense, row-major, little-endian, of mx2onnx_node_input_stored_dtype), from byte `offset` on,
 * to `out`. INVALID_ARGUMENT if there are not so many, or if the input is not a parameter; IO. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_input_read(mx2onnx_node *n, size_t i, uint64_t offset,
        void *out, size_t size);

/* Records an error with this message for the node and returns UNSUPPORTED, for infer and lower to return; INVALID_ARGUMENT if
 * the node is NULL. After it count_outputs returns 0. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_fail(mx2onnx_node *n, const char *message);

/* In infer: gives an output the type and the shape of an input. INVALID_ARGUMENT; SHAPE if they contradict what is known. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_set_output_like(mx2onnx_node *n, size_t output,
        size_t input);
/* In infer: sets the type and the shape of an output. A dim of -1 is dynamic and unrelated to any other unless
 * mx2onnx_node_set_output_dim makes it equal to an input's. INVALID_ARGUMENT; SHAPE if they contradict what is known. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_set_output(mx2onnx_node *n, size_t output,
        mx2onnx_dtype dtype, int32_t rank, const int64_t *dims);
/* In infer: makes dim `axis` of an output, whose shape is set, equal to dim `input_axis` of an input. INVALID_ARGUMENT; SHAPE if they
 * are known to differ. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_set_output_dim(mx2onnx_node *n, size_t output,
        size_t axis, size_t input, size_t input_axis);

/* A value of the ONNX graph, as a number; 0 is an omitted input. It is valid in the call of lower that got it. */
typedef int32_t mx2onnx_value;
/* In lower: the value of an input of the MXNet node; 0 past the end. */
MX2ONNX_API mx2onnx_value MX2ONNX_CALL mx2onnx_node_input_value(const mx2onnx_node *n, size_t i);
/* In lower: adds a constant, whose number is then in *value. The array is copied. INVALID_ARGUMENT, also if its `size` is not that of
 * the shape and type; UNSUPPORTED; OUT_OF_MEMORY. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_add_constant(mx2onnx_node *n, const mx2onnx_array *array,
        mx2onnx_value *value);

/* An ONNX node to be added. */
typedef struct mx2onnx_onnx_node {
    size_t struct_size;   /* set by the caller to sizeof(mx2onnx_onnx_node) */
    const char *op_type;  /* its operator */
    const char *domain;   /* the operator's domain; NULL, "" or "ai.onnx" for ONNX's own */
    const char *attributes; /* a JSON object of numbers, strings and lists of them; NULL if there are none */
    size_t input_count;   /* the number of its inputs */
    const mx2onnx_value *inputs; /* its inputs; 0 for one that is omitted */
    size_t output_count;  /* the number of its outputs, at least 1 */
} mx2onnx_onnx_node;

/* In lower: adds an ONNX node and stores its outputs, `output_count` of them, in `outputs`. An operator of ONNX's own has its newest
 * form, which the library converts to the form of the opset. Any other domain is imported as version 1, or as
 * mx2onnx_set_domain_version has set it. A number among the attributes is a float if it has a decimal point, or if the attribute of
 * ONNX's operator is one; an element type (Cast's "to") is given by its ONNX number. INVALID_ARGUMENT, also for more inputs or outputs
 * than ONNX's operator has; UNSUPPORTED if the opset has no form of it; OUT_OF_MEMORY. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_add(mx2onnx_node *n, const mx2onnx_onnx_node *node,
        mx2onnx_value *outputs);
/* In lower: sets the value of an output of the MXNet node. INVALID_ARGUMENT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_node_set_result(mx2onnx_node *n, size_t output,
        mx2onnx_value value);

/* ---------------------------------------------------------------- look */

/* Runs inference with the current options, so that the functions below know shapes and types. Reports every operator that
 * cannot be converted. The functions below also work without it, with the information in the files; the lists of inputs, variables,
 * outputs and operators are empty if there is no symbol, or if an output that was chosen before the load is not in it.
 * INVALID_ARGUMENT without a symbol; NOT_FOUND, UNSUPPORTED, SHAPE, MISSING_PARAMETER, FORMAT. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_infer(mx2onnx_model *m);

/* The number of the model's inputs: the variables without a value that are used at inference time, in the order of the symbol.
 * Weights are not among them unless their shape was set. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_input_count(mx2onnx_model *m);
/* The name of an input in the MXNet file, before and after the inference, whatever mx2onnx_rename calls it: the name that the functions
 * which take an `input` need. Its name in the ONNX file is in mx2onnx_report_json. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_input_name(mx2onnx_model *m, size_t i);
/* The element type of an input; MX2ONNX_DTYPE_UNKNOWN while it is not known. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_input_dtype(mx2onnx_model *m, size_t i);
/* The rank of an input; -1 while it is not known. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_input_rank(mx2onnx_model *m, size_t i);
/* The size of an input's dim `axis`; -1 if it is dynamic or not known. */
MX2ONNX_API int64_t MX2ONNX_CALL mx2onnx_input_dim(mx2onnx_model *m, size_t i, size_t axis);
/* The name ("batch") or the expression ("floor((h + 1)/2)") of an input's dim that is dynamic; NULL if its size is known, or
 * nothing is known of it. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_input_dim_name(mx2onnx_model *m, size_t i, size_t axis);

/* What a variable without a value is.
 *   INPUT   an input of the model: see mx2onnx_input_count.
 *   WEIGHT  a weight that is in no parameter file. An export fails unless it is loaded, or becomes an input because its shape is
 *           set.
 *   UNUSED  not used at inference time: a label. */
typedef int32_t mx2onnx_variable;
enum mx2onnx_variable_values { MX2ONNX_VARIABLE_INPUT = 0, MX2ONNX_VARIABLE_WEIGHT = 1, MX2ONNX_VARIABLE_UNUSED = 2 };
/* The number of the symbol's variables that have no value, in the order of MXNet's list_inputs(). */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_variable_count(mx2onnx_model *m);
/* The name of such a variable in the MXNet file. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_variable_name(mx2onnx_model *m, size_t i);
/* What such a variable is; MX2ONNX_VARIABLE_UNUSED past the end. */
MX2ONNX_API mx2onnx_variable MX2ONNX_CALL mx2onnx_variable_kind(mx2onnx_model *m, size_t i);

/* The number of the model's outputs, in the order of the symbol or of mx2onnx_add_output. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_output_count(mx2onnx_model *m);
/* The name that an output will have in the ONNX file. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_output_name(mx2onnx_model *m, size_t i);
/* The element type of an output; MX2ONNX_DTYPE_UNKNOWN while it is not known. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_output_dtype(mx2onnx_model *m, size_t i);
/* The rank of an output; -1 while it is not known. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_output_rank(mx2onnx_model *m, size_t i);
/* The size of an output's dim `axis`; -1 if it is dynamic or not known. */
MX2ONNX_API int64_t MX2ONNX_CALL mx2onnx_output_dim(mx2onnx_model *m, size_t i, size_t axis);
/* The name or the expression of an output's dim, as mx2onnx_input_dim_name returns those of an input. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_output_dim_name(mx2onnx_model *m, size_t i, size_t axis);

/* The number of arrays in the parameter files and set by mx2onnx_set_param, in the order of loading. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_param_count(const mx2onnx_model *m);
/* The name of an array, without "arg:" or "aux:". */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_param_name(const mx2onnx_model *m, size_t i);
/* The element type in which an array is stored. */
MX2ONNX_API mx2onnx_dtype MX2ONNX_CALL mx2onnx_param_dtype(const mx2onnx_model *m, size_t i);
/* The rank of an array; -1 past the end. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_param_rank(const mx2onnx_model *m, size_t i);
/* The dims of an array, mx2onnx_param_rank of them. */
MX2ONNX_API const int64_t *MX2ONNX_CALL mx2onnx_param_dims(const mx2onnx_model *m, size_t i);
/* The number of bytes of an array, dense. */
MX2ONNX_API uint64_t MX2ONNX_CALL mx2onnx_param_size(const mx2onnx_model *m, size_t i);
/* Nonzero if the graph uses the array. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_param_used(mx2onnx_model *m, size_t i);
/* Copies `size` of the array's bytes (mx2onnx_param_size in all, dense, little-endian), from byte `offset` on, to `out`.
 * INVALID_ARGUMENT if there are not so many; IO. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_param_read(mx2onnx_model *m, size_t i, uint64_t offset,
        void *out, size_t size);

/* The number of different operators in the graph, the most frequent first. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_operator_count(mx2onnx_model *m);
/* The MXNet name of an operator in the graph. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_operator_name(mx2onnx_model *m, size_t i);
/* The number of nodes of an operator. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_operator_node_count(mx2onnx_model *m, size_t i);
/* Nonzero if the library converts the operator; some attribute values may still be rejected, see
 * mx2onnx_known_operator_refuses. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_operator_supported(mx2onnx_model *m, size_t i);

/* The number of operators that the library knows, in no particular order. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_known_operator_count(void);
/* The canonical MXNet name of an operator that the library knows. Static string; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_known_operator_name(size_t i);
/* The other names of a known operator, separated by spaces; "" if there are none. Static string; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_known_operator_aliases(size_t i);
/* The first opset in which a known operator can be written; 0 past the end. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_known_operator_opset(size_t i);
/* How far a known operator is converted: "full"; "partial" (some nodes are an error, mx2onnx_known_operator_refuses); "differs"
 * (results may differ from MXNet's, mx2onnx_known_operator_differs); "random" (values are random, and differ from MXNet's);
 * "training only" (left out of the graph). The first of "training only", "partial", "random", "differs" and "full" that is true.
 * Static string; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_known_operator_status(size_t i);
/* Which nodes of a known operator are not converted, and result in an error: one line for each kind, "CONDITION: REASON."; "" if
 * all are converted. Static string; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_known_operator_refuses(size_t i);
/* Where the results of a known operator may differ from MXNet's, and why: one line for each case; "" if nowhere. Static string;
 * NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_known_operator_differs(size_t i);

/* ---------------------------------------------------------------- export */

/* Writes the ONNX model and, if it has external data, the side file `path`.data (MX2ONNX_TEXT_SIDE_FILE). Each is written to a
 * temporary file in the same folder, which is then renamed: a file is either complete or untouched. An export that fails or is
 * cancelled leaves the old files as they were and removes what it wrote; should the system refuse even that, the diagnostics name
 * what is left. The folder is the one that had this path when the export began to write, even if it is renamed meanwhile.
 *
 * A process that is killed leaves `.mx2onnx-PID-N.tmp`, which may be deleted. If it is killed while it replaces a model that has
 * a side file, between the renames, there is a model without its side file, which cannot be loaded, or (where the file system has
 * no hard links) no model: never one with the side file of another. To get the old files back, rename `.mx2onnx-PID-N.data.old` to
 * `path`.data and, if it exists, `.mx2onnx-PID-N.model.old` to `path`. A program that opens the model before an export
 * and its side file afterwards gets files that do not match. After a power failure all of this holds with MX2ONNX_OPTION_FSYNC
 * only; mx2onnx_check_external_data recognises files that do not belong together.
 *
 * Where the net normalises an input itself, a note and the model's metadata say so: the key "input:data" has a text that ends in what
 * is computed, "(x - 127.5) * 0.0078125". Statuses: those of mx2onnx_infer, IO, TOO_LARGE. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_export_file(mx2onnx_model *m, const char *path);

/* Writes the ONNX model to memory, which the caller frees with mx2onnx_memory_free. Statuses: those of mx2onnx_infer, IO
 * if a parameter file cannot be read any more, TOO_LARGE (above 2 GiB), OUT_OF_MEMORY. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_export_memory(mx2onnx_model *m, void **data, size_t *size);

/* Receives the next `size` bytes of the model; a nonzero result ends the export with IO. */
typedef int32_t (MX2ONNX_CALL *mx2onnx_write_fn)(const void *data, size_t size, void *user);
/* Passes the ONNX model to `fn` piece by piece, in order. `release` is called with `user` before the call returns. Statuses as for
 * mx2onnx_export_memory. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_export_callback(mx2onnx_model *m, mx2onnx_write_fn fn,
        void *user, mx2onnx_release_fn release);

/* Checks the files that the ONNX model at `path` refers to (the external data of its initializers): each must be in the model's
 * folder, as long as the model needs, and unchanged if the model records its checksum (MX2ONNX_OPTION_FULL_CHECKSUM). Every such
 * file gets a note, with the file as `name`. Neither uses nor changes what is loaded in `m`. NOT_FOUND: the model or a file does
 * not exist. IO. FORMAT: a file is too short, has a different checksum, or is named outside the folder, where nothing is read;
 * or the model is not ONNX. INVALID_ARGUMENT. All files are checked before the call returns. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_check_external_data(mx2onnx_model *m, const char *path);

/* ---------------------------------------------------------------- report */

/* An error, a warning or a note. */
typedef struct mx2onnx_diagnostic {
    size_t struct_size;    /* the caller sets sizeof(mx2onnx_diagnostic) before each call; on return: the number of bytes written */
    mx2onnx_severity severity; /* an error, a warning or a note */
    mx2onnx_status status; /* MX2ONNX_OK for a warning or a note */
    const char *node;      /* the name of the MXNet node; here and below "" if it does not apply */
    const char *op;        /* the operator */
    const char *attribute; /* the operator's attribute */
    const char *name;      /* the input, output, parameter or file concerned, instead of a node */
    const char *message;   /* what is wrong */
    const char *advice;    /* how to fix it; names functions of this header */
} mx2onnx_diagnostic;

/* The number of diagnostics of the model in its current state: the warnings and notes of its loads, then those of the last inference or
 * export, as long as no change of an option outdates them, and then those of the last call if it failed. So the list has no
 * error after a successful load; after a failed load, inference or export it has all errors of the step that failed (reading
 * attributes and lowering continue after an operator that they cannot convert); after a setter, its own error or none. Of more
 * than 1000 the first are kept. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_diagnostic_count(const mx2onnx_model *m);
/* Fills the members of *out that are whole in its first struct_size bytes: those that this library does not know are zero. Its texts
 * belong to the model. INVALID_ARGUMENT, also past the end. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_diagnostic_get(const mx2onnx_model *m, size_t i,
        mx2onnx_diagnostic *out);

/* The first error of the last call as a single string, "node 'pool3' (Pooling): ...; use ...", which says how many more there
 * are; "" if it did not fail. If m is NULL, or in use when another call was made on it, a text that says so. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_error(const mx2onnx_model *m);

/* The opset of the last export; 0 before the first one and after one that failed. */
MX2ONNX_API int32_t MX2ONNX_CALL mx2onnx_written_opset(const mx2onnx_model *m);
/* The number of nodes in the last export; 0 before the first one and after one that failed. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_written_node_count(const mx2onnx_model *m);
/* The number of bytes of the last export, with its side file; 0 before the first one and after one that failed. */
MX2ONNX_API uint64_t MX2ONNX_CALL mx2onnx_written_size(const mx2onnx_model *m);

/* The number of files that belong to the last export to a file: the model, its side file, and the parameter files that it refers to.
 * 0 before the first one and after one that failed. */
MX2ONNX_API size_t MX2ONNX_CALL mx2onnx_written_file_count(const mx2onnx_model *m);
/* The name of such a file, without a folder; NULL past the end. */
MX2ONNX_API const char *MX2ONNX_CALL mx2onnx_written_file_name(const mx2onnx_model *m, size_t i);

/* Everything known about the model and the last export (inputs, outputs, parameters, operators, files and nodes written,
 * diagnostics, those of a call that failed too) as JSON, in *out. lib/schema/report.json describes each member, as a JSON Schema; what
 * it describes stays as it is as long as the member "schema" is 1, but members may be added. INVALID_ARGUMENT, OUT_OF_MEMORY, TOO_LARGE,
 * CANCELLED. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_report_json(mx2onnx_model *m, const char **out);

/* A graph of the model. */
typedef int32_t mx2onnx_graph;
enum mx2onnx_graph_values {
    MX2ONNX_GRAPH_MXNET = 0, /* MXNet's, as it is converted: without what is not used at inference time, with preprocessing */
    MX2ONNX_GRAPH_ONNX = 1   /* the one that an export with the current options would write */
};

/* A graph as text, one node per line, with the type and dims of every value. For people: its form may change in any version; programs
 * read mx2onnx_graph_json. If a log is set (mx2onnx_set_log), the ONNX graph after each pass is logged with the severity DEBUG.
 * The MXNet graph needs no inference: if that is not possible, what is not known is "?", the call succeeds, and mx2onnx_infer says why.
 * Statuses: those of mx2onnx_infer, INVALID_ARGUMENT, TOO_LARGE; IO if a parameter file cannot be read any more; for the MXNet graph only
 * INVALID_ARGUMENT, also without a symbol, NOT_FOUND, FORMAT and TOO_LARGE. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_graph_text(mx2onnx_model *m, mx2onnx_graph graph,
        const char **out);
/* A graph as JSON: inputs, outputs, parameters and nodes, with the type and dims of every value, the attributes of the nodes, bodies of
 * control flow, and for each ONNX node the MXNet node that it comes from. lib/schema/graph.json describes each member, as a JSON Schema;
 * the promise is that of mx2onnx_report_json. Where the MXNet graph cannot be inferred, "inferred" is false, and what is not known is null.
 * Statuses: those of mx2onnx_graph_text. */
MX2ONNX_NODISCARD MX2ONNX_API mx2onnx_status MX2ONNX_CALL mx2onnx_graph_json(mx2onnx_model *m, mx2onnx_graph graph,
        const char **out);

#ifdef __cplusplus
}
#endif
#endif
