/* SPDX-License-Identifier: Apache-2.0
 *
 * libmx2onnx: MXNet models to ONNX, without MXNet.
 *
 *     mx2onnx_model *m;
 *     if (mx2onnx_model_new(&m) == MX2ONNX_OK
 *         && mx2onnx_load(m, "resnet-symbol.json") == MX2ONNX_OK      // finds resnet-0000.params
 *         && mx2onnx_set_input_shape(m, "data", 4, (int64_t[]){1, 3, 224, 224}) == MX2ONNX_OK
 *         && mx2onnx_export_file(m, "resnet.onnx") == MX2ONNX_OK) { ... }
 *     else fprintf(stderr, "%s\n", mx2onnx_error(m));
 *     mx2onnx_model_free(m);
 *
 * The way of a model: new, load, choose, export, look at the report, free. Every setter may be called in any
 * order before the export; a model may be exported several times with other choices.
 *
 * Threads: a model is used by one thread at a time, any thread; different models are independent. The library has no global
 * state, prints nothing, reads no environment variable and does not depend on the locale.
 *
 * Types: indices, counts, axes and sizes of memory are size_t, sizes of files uint64_t, dimensions int64_t. A rank is an
 * int32_t, since -1 says that it is not known. Whatever is chosen from a list is an int32_t with a name of its own, and its
 * constants begin with that name (mx2onnx_dtype, MX2ONNX_DTYPE_INT8). A switch is an int32_t: 0 is off, all else on. Strings
 * are UTF-8 and end in NUL.
 *
 * Errors: functions that can fail return a mx2onnx_status, 0 or a negative number; on an error their outputs are untouched.
 * What went wrong, where, and the way out stand in the model's diagnostics, and mx2onnx_error() is the first error as one
 * text. An error belongs to the call that returned it: every call that returns a status first forgets the errors of the
 * call before it, so that after a call that succeeded there is none. mx2onnx_diagnostic_get alone leaves the list as it is.
 *
 * Returned pointers belong to the model, and all end with it. How long one lives before that:
 *   an error or diagnostic   until the next call that returns a status (mx2onnx_diagnostic_get aside)
 *   a name, dims             until the model is changed: by a load, a setter, an inference or an export
 *   a report, a graph text   until the same function is called again
 *   at a node, in a handler  until the handler returns
 * Strings of functions without a model are static. What is given to a function is copied, unless it says that it borrows.
 *
 * For authors of bindings. All that a language must know to call this header safely:
 *   Calling: every argument is an integer of fixed width or size_t, a pointer, or a function pointer. No variadic function, no
 *     structure by value, no macro that is needed to call; one structure, mx2onnx_diagnostic, which begins with its size.
 *     bindings/api.json holds all of this header for generators.
 *   Callbacks run on the thread that made the call, before that call returns; none is kept for later, and the library has no
 *     threads. The arguments of a callback are only valid until it returns.
 *   Unwinding: nothing may leave a callback but its return: no exception, panic or longjmp may pass through C. Catch it,
 *     keep it, return what stops the call (each type of callback says what), and throw it again when the call is back.
 *   A busy model: while a call is under way, the model refuses every other call that returns a status with
 *     INVALID_ARGUMENT, and has nothing to say to the functions that look at it (0, NULL, -1); mx2onnx_model_free does
 *     nothing. So a callback cannot pull the ground from under the call that called it. Diagnostics, and in a handler
 *     all that takes its mx2onnx_node, work. Other models are free.
 *   Lifetimes: every `user` and every borrowed memory has a `release` function beside it, or NULL. It is called with `user`, once
 *     and in any case, also after an error: when the function or the memory is needed no more, at the latest by
 *     mx2onnx_model_free. It must not call the model. Where memory moves or is collected, copy it into
 *     mx2onnx_memory_new() and give mx2onnx_memory_free as `release`, and the memory itself as `user`.
 *   Functions taken back: NULL as the function ends a log, a progress callback or a handler, and releases its `user`.
 *   Freeing: a model is freed by its owner, once, on any thread; a finalizer may do it when no call is under way.
 *   Versions: within a major version names are added, never changed or removed. mx2onnx_version_number() tells which library
 *     runs, mx2onnx_has_feature() what it was built with. Unknown numbers of a status, a type or a severity may come.
 *
 * All functions are since 0.1.0.
 */
#ifndef MX2ONNX_H
#define MX2ONNX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && !defined(MX2ONNX_STATIC)
#ifdef MX2ONNX_BUILD
#define MX2ONNX_API __declspec(dllexport)
#else
#define MX2ONNX_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define MX2ONNX_API __attribute__((visibility("default")))
#else
#define MX2ONNX_API
#endif

#define MX2ONNX_VERSION_MAJOR 0
#define MX2ONNX_VERSION_MINOR 1
#define MX2ONNX_VERSION_PATCH 0
/* As one number, to compare: 1002003 is 1.2.3. */
#define MX2ONNX_VERSION_NUMBER                                                                    \
    (MX2ONNX_VERSION_MAJOR * 1000000 + MX2ONNX_VERSION_MINOR * 1000 + MX2ONNX_VERSION_PATCH)

/* Oldest and newest operator-set version of the default ONNX domain that can be written, and the default: 17 is
 * read by every current runtime. */
#define MX2ONNX_OPSET_MIN 12
#define MX2ONNX_OPSET_MAX 28
#define MX2ONNX_OPSET_DEFAULT 17
#define MX2ONNX_OPSET_AUTO 0

/* ---------------------------------------------------------------- status */

/* What a call returns. */
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
    X(-10, CANCELLED, "a callback asked to stop")                                                 \
    X(-11, INTERNAL, "an invariant of the library does not hold; please report it")

enum mx2onnx_status_values {
#define MX2ONNX_STATUS_ENUM(code, name, text) MX2ONNX_STATUS_##name = code,
    MX2ONNX_STATUS_MAP(MX2ONNX_STATUS_ENUM)
#undef MX2ONNX_STATUS_ENUM
};

/* The short form of the one that every call is compared with. */
#define MX2ONNX_OK MX2ONNX_STATUS_OK

/* The name ("FORMAT") and a sentence for a status; "UNKNOWN" for any other number. Static strings. */
MX2ONNX_API const char *mx2onnx_status_name(mx2onnx_status status);
MX2ONNX_API const char *mx2onnx_status_text(mx2onnx_status status);

/* "0.1.0": the version of the library that runs, which may differ from MX2ONNX_VERSION_*. Static string. */
MX2ONNX_API const char *mx2onnx_version(void);
/* The same as a number, as MX2ONNX_VERSION_NUMBER counts. */
MX2ONNX_API int32_t mx2onnx_version_number(void);

/* What a library can be built without. */
typedef int32_t mx2onnx_feature;
enum mx2onnx_feature_values {
    MX2ONNX_FEATURE_ZIP = 1, /* .zip, .mar, .model and .npz */
    MX2ONNX_FEATURE_TAR = 2  /* .tar and .tar.gz; libarchive is loaded when the first one is read */
};

/* Nonzero if the library that runs was built with it; 0 also for a number that it does not know. */
MX2ONNX_API int32_t mx2onnx_has_feature(mx2onnx_feature feature);

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

/* "float32" and so on, NumPy's names; "unknown" for any other number. Static string. */
MX2ONNX_API const char *mx2onnx_dtype_name(mx2onnx_dtype dtype);
/* The number for such a name, or MX2ONNX_DTYPE_UNKNOWN. */
MX2ONNX_API mx2onnx_dtype mx2onnx_dtype_from_name(const char *name);

/* ---------------------------------------------------------------- life */

typedef struct mx2onnx_model mx2onnx_model;

/* A new, empty model in *out, owned by the caller. INVALID_ARGUMENT, OUT_OF_MEMORY. */
MX2ONNX_API mx2onnx_status mx2onnx_model_new(mx2onnx_model **out);

/* Frees the model and everything that it owns, and releases what it borrowed; NULL is allowed. Inside a callback of the model it
 * does nothing: the model is in use. */
MX2ONNX_API void mx2onnx_model_free(mx2onnx_model *m);

/* Called once with the `user` that stood beside it, when that is needed no more. It must not call the model. */
typedef void (*mx2onnx_release_fn)(void *user);

/* `size` bytes, aligned for any type, for mx2onnx_memory_free; NULL when memory runs out. A place for copies of what a caller
 * cannot keep still, since mx2onnx_memory_free is a release function:
 *     void *copy = mx2onnx_memory_new(size);
 *     memcpy(copy, data, size);
 *     mx2onnx_load_params_memory(m, copy, size, copy, mx2onnx_memory_free); */
MX2ONNX_API void *mx2onnx_memory_new(size_t size);
/* Also frees what mx2onnx_export_memory gave; NULL is allowed. */
MX2ONNX_API void mx2onnx_memory_free(void *data);

/* ---------------------------------------------------------------- load */

/* Loads a whole model from `path`:
 *   a symbol file (its parameters are looked for beside it: PREFIX-symbol.json -> PREFIX-EEEE.params, highest epoch),
 *   a prefix ("model/resnet-50" or "model/resnet-50-0007"), a folder with one model in it,
 *   or an archive that holds one (.zip, .mar, .model; .tar and .tar.gz where the library was built with libarchive),
 *   parameters alone of a published net (mx2onnx_load_net), as a file or in a folder or an archive.
 * A file of input shapes beside the symbol (SageMaker's model-shapes.json, Model Server's signature.json) gives the shapes
 * that the symbol leaves open, with any batch. A model without parameters is loaded with a note. NOT_FOUND, IO, FORMAT, UNSUPPORTED. */
MX2ONNX_API mx2onnx_status mx2onnx_load(mx2onnx_model *m, const char *path);

/* Reads the bytes [offset, offset + size) into `buffer`; returns 0, or anything else when that cannot be, which ends the call
 * with IO. The same offset gives the same bytes each time, as long as the model lives. */
typedef int32_t (*mx2onnx_read_fn)(uint64_t offset, void *buffer, size_t size, void *user);

/* The same for what is no file: an archive with a model, or a symbol alone, in memory or behind a function that reads `size`
 * bytes piece by piece. Memory and function are borrowed until `release` is called with `user`. */
MX2ONNX_API mx2onnx_status mx2onnx_load_memory(mx2onnx_model *m, const void *data, size_t size, void *user,
                                               mx2onnx_release_fn release);
MX2ONNX_API mx2onnx_status mx2onnx_load_callback(mx2onnx_model *m, uint64_t size, mx2onnx_read_fn read, void *user,
                                                 mx2onnx_release_fn release);

/* Loads the graph from the text of MXNet's Symbol.save(), of any version from 0.7 to 2.0. The file name is free.
 * A symbol may be loaded once per model. Memory is only read during the call. */
MX2ONNX_API mx2onnx_status mx2onnx_load_symbol_file(mx2onnx_model *m, const char *path);
MX2ONNX_API mx2onnx_status mx2onnx_load_symbol_memory(mx2onnx_model *m, const void *data, size_t size);

/* Adds the arrays of a parameter file: an NDArray list of any version, .npz or .npy. May be called several times;
 * of two arrays with one name the later counts. Prefixes "arg:" and "aux:" are dropped. The file is indexed, not
 * loaded: it must stay unchanged until the model is freed, and so must the memory, or what the function reads, until `release` is
 * called with `user`. */
MX2ONNX_API mx2onnx_status mx2onnx_load_params_file(mx2onnx_model *m, const char *path);
MX2ONNX_API mx2onnx_status mx2onnx_load_params_memory(mx2onnx_model *m, const void *data, size_t size, void *user,
                                                      mx2onnx_release_fn release);
MX2ONNX_API mx2onnx_status mx2onnx_load_params_callback(mx2onnx_model *m, uint64_t size, mx2onnx_read_fn read,
                                                        void *user, mx2onnx_release_fn release);

/* Names in the symbol and in the parameter files are the same if they are so without `prefix`: Gluon strips the prefix of a
 * block when it saves ("conv0_weight" for the symbol's "resnet_conv0_weight"), other programs add one ("module.conv0_weight").
 * Of two arrays for a variable that with its full name counts. NULL or "": none. */
MX2ONNX_API mx2onnx_status mx2onnx_set_param_prefix(mx2onnx_model *m, const char *prefix);

/* Gives a value to the variable `name`, in place of a parameter file's or to freeze an input. `data` is row-major,
 * little-endian, `size` bytes, borrowed until `release` is called with `user`. */
MX2ONNX_API mx2onnx_status mx2onnx_set_param(mx2onnx_model *m, const char *name, mx2onnx_dtype dtype, int32_t rank,
                                             const int64_t *dims, const void *data, size_t size, void *user,
                                             mx2onnx_release_fn release);

/* ---------------------------------------------------------------- published nets
 *
 * Parameters alone, as Gluon's save_parameters writes them, can be converted if they are of a net that MXNet, GluonCV or GluonNLP
 * publish: the library has their graphs in a catalogue, as MXNet 1.9.1, GluonCV 0.10.5 and GluonNLP 0.10.0 run them. mx2onnx_load
 * of such a file looks for its net by itself; here are the steps. A net is found by the names and shapes of all arrays, never
 * by the file's name alone; where several fit that compute different things, and the file's name says none of them, that is
 * an error which lists them. A network of one's own needs its symbol: run export() where its Python code is. */

/* What the graph of a net leaves open. Classes and words are found from the shapes of parameters; the side of the square image
 * that a segmentation net was made for and the segments of a video are as published unless they are chosen. */
typedef int32_t mx2onnx_net_size;
enum mx2onnx_net_size_values {
    MX2ONNX_NET_SIZE_CLASSES = 0,
    MX2ONNX_NET_SIZE_CROP = 1,
    MX2ONNX_NET_SIZE_SEGMENTS = 2,
    MX2ONNX_NET_SIZE_VOCABULARY = 3
};
/* For a load that follows: only nets that have this size fit. 0 takes it back. */
MX2ONNX_API mx2onnx_status mx2onnx_set_net_size(mx2onnx_model *m, mx2onnx_net_size which, int64_t value);

/* Makes the graph for the parameters that are loaded: of the net `name` ("resnet50_v1"), or NULL, of the net that they fit. A
 * note says which. NOT_FOUND: there is no net of that name, or none fits; the text names the nearest and how it differs.
 * SHAPE: the parameters are not those of this net. INVALID_ARGUMENT: several fit, or there are no parameters.
 * UNSUPPORTED: the library was built without the catalogue. */
MX2ONNX_API mx2onnx_status mx2onnx_load_net(mx2onnx_model *m, const char *name);

/* A note in the diagnostics for each net that the parameters fit, and no graph: `name` is the net, the message says its sizes.
 * NOT_FOUND as with mx2onnx_load_net. */
MX2ONNX_API mx2onnx_status mx2onnx_identify_net(mx2onnx_model *m);

/* The net that the graph was made of and its sizes, "ssd_512_mobilenet1.0_voc with 7 classes"; NULL if it came from a symbol. It
 * lives as long as the model, or until the next such load. */
MX2ONNX_API const char *mx2onnx_net(const mx2onnx_model *m);

/* Chooses what was published with the net for its inputs, which is never done by itself: the shapes, with any batch; or
 * mean and scale, for images of 0 to 255 in the order RGB. What was chosen for the inputs before is replaced. INVALID_ARGUMENT
 * if there is no net, or nothing was published. */
typedef int32_t mx2onnx_published;
enum mx2onnx_published_values { MX2ONNX_PUBLISHED_SHAPES = 0, MX2ONNX_PUBLISHED_NORMALIZATION = 1 };
MX2ONNX_API mx2onnx_status mx2onnx_use_published(mx2onnx_model *m, mx2onnx_published what);

/* The nets of the catalogue, in the order of names, and what is known of each in a line: sizes, inputs, mean and deviation,
 * source. A name lives as long as the model or its catalogue, a line until the next call of the function. 0 and NULL without
 * the catalogue, and past the end. */
MX2ONNX_API size_t mx2onnx_net_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_net_name(mx2onnx_model *m, size_t i);
MX2ONNX_API const char *mx2onnx_net_text(mx2onnx_model *m, size_t i);

/* Another catalogue than that in the library: a file as lib/catalogue/nets.zip. FORMAT. */
MX2ONNX_API mx2onnx_status mx2onnx_load_catalogue(mx2onnx_model *m, const char *path);

/* ---------------------------------------------------------------- choose */

/* The shape of an input; a dim of -1 is left to inference and becomes dynamic if inference does not find it: axis 0 of the
 * first such input as "batch", others as "INPUT_dimAXIS", and dims that inference proves equal by one name.
 * NOT_FOUND if the graph has no variable of that name. */
MX2ONNX_API mx2onnx_status mx2onnx_set_input_shape(mx2onnx_model *m, const char *input, int32_t rank, const int64_t *dims);

/* Makes dim `axis` of an input dynamic under the name `dim_name` ("batch"); the same name promises the same size.
 * The rank must be known, from mx2onnx_set_input_shape or from the file. NULL makes the dim fixed again. */
MX2ONNX_API mx2onnx_status mx2onnx_set_input_dim_name(mx2onnx_model *m, const char *input, size_t axis, const char *dim_name);

/* The element type of an input; without it, what the file or inference says, else float32. */
MX2ONNX_API mx2onnx_status mx2onnx_set_input_dtype(mx2onnx_model *m, const char *input, mx2onnx_dtype dtype);

/* What a program would do to its data before the net, put into the ONNX model behind an input. Shapes, dim names and the
 * order of channels above and below are those of the net, axis 1 its channels; the ONNX input is what goes through all that
 * is chosen, in this order:
 *   channels_last      nonzero: the input is (n, h, w, c) where the net has (n, c, h, w); likewise of rank 3 and 5
 *   channels_reversed  nonzero: BGR for a net of RGB, and the other way round
 *   mean, scale        (x - mean) * scale, with n values, one a channel, or one for all; 0 of them takes the choice back
 * With mean or scale the input may also be of integers (mx2onnx_set_input_dtype with MX2ONNX_DTYPE_UINT8): they become floats. */
MX2ONNX_API mx2onnx_status mx2onnx_set_input_channels_last(mx2onnx_model *m, const char *input, int32_t on);
MX2ONNX_API mx2onnx_status mx2onnx_set_input_channels_reversed(mx2onnx_model *m, const char *input, int32_t on);
MX2ONNX_API mx2onnx_status mx2onnx_set_input_mean(mx2onnx_model *m, const char *input, size_t n, const double *mean);
MX2ONNX_API mx2onnx_status mx2onnx_set_input_scale(mx2onnx_model *m, const char *input, size_t n, const double *scale);

/* Adds an output by MXNet's name: "fc1_output", "split0_output1", "bn0_mean", a node's name where it has one output,
 * or a variable. The first call replaces the outputs of the file: a cut point. */
MX2ONNX_API mx2onnx_status mx2onnx_add_output(mx2onnx_model *m, const char *name);

/* Calls an input, output or parameter, by the name that it has in the ONNX file, by another one. NOT_FOUND: the model has no such. */
MX2ONNX_API mx2onnx_status mx2onnx_rename(mx2onnx_model *m, const char *from, const char *to);

/* Writes for a program that does not read all of ONNX: "opencv4", "tract" and the others that mx2onnx_target_name lists.
 * What it lacks is written otherwise, for the same numbers; the opset, unless it is chosen, is one that it reads. NULL takes
 * the choice back. NOT_FOUND if there is no such target. */
MX2ONNX_API mx2onnx_status mx2onnx_set_target(mx2onnx_model *m, const char *name);
/* The targets, and a sentence on each. Static strings; NULL past the end. */
MX2ONNX_API size_t mx2onnx_target_count(void);
MX2ONNX_API const char *mx2onnx_target_name(size_t i);
MX2ONNX_API const char *mx2onnx_target_text(size_t i);

/* Nonzero: what Embedding and take (mode="clip") read with is inside the table, says the caller, so nothing brings it there: a
 * node less. Off by default: MXNet reads the first or last row for an index outside, where ONNX counts from the end or
 * fails. */
MX2ONNX_API mx2onnx_status mx2onnx_set_trust_indices(mx2onnx_model *m, int32_t on);

/* The opset to write, MX2ONNX_OPSET_MIN to MX2ONNX_OPSET_MAX; MX2ONNX_OPSET_AUTO (so it is without a call): MX2ONNX_OPSET_DEFAULT,
 * or the newest that the target reads if that is older. */
MX2ONNX_API mx2onnx_status mx2onnx_set_opset(mx2onnx_model *m, int32_t opset);

/* Where the weights go. AUTO: into the model file, or beside it when the file would pass 2 GiB (the limit of
 * protobuf). ALWAYS: into one side file, MODEL.onnx.data, for tensors of at least `threshold` bytes (0: 1024).
 * NEVER: into the model file; TOO_LARGE when that cannot be. Export to memory or a callback has no side file.
 * IN_PLACE: as ALWAYS, but arrays that the model reads as they are in a parameter file stay there, and nothing of them is copied:
 * the model names that file, which belongs to it from then on and must not change. What was computed (transposed, converted, of
 * another type, with a BatchNorm in it: see mx2onnx_set_keep_batch_norm), and what comes from memory, an archive or a compressed
 * or sparse array, goes into MODEL.onnx.data. The parameter file must lie in the model's folder and not be a symbolic link there:
 * INVALID_ARGUMENT otherwise. Arrays begin there at any byte, not at pages or multiples of 64: ONNX Runtime, OpenVINO, tract,
 * OpenCV 5 and onnx read that; OpenCV 4 reads no external data.
 * LINK: the same, and a parameter file that lies elsewhere gets a second name in the model's folder (a hard link, on the same file
 * system; what has the name already stays, and is an error). ONNX Runtime reads that; onnx.load and onnx.checker refuse a file of
 * two names. The report lists the files that belong together. */
typedef int32_t mx2onnx_external;
enum mx2onnx_external_values {
    MX2ONNX_EXTERNAL_AUTO = 0,
    MX2ONNX_EXTERNAL_NEVER = 1,
    MX2ONNX_EXTERNAL_ALWAYS = 2,
    MX2ONNX_EXTERNAL_IN_PLACE = 3,
    MX2ONNX_EXTERNAL_LINK = 4
};
MX2ONNX_API mx2onnx_status mx2onnx_set_external_data(mx2onnx_model *m, mx2onnx_external mode, uint64_t threshold);

/* With IN_PLACE and LINK the model's metadata has the size of each parameter file and a CRC-32, for mx2onnx_check_file: of 256
 * blocks of 1024 bytes, evenly spread from the first byte to the last, which costs about a millisecond. That tells another file, a longer
 * or shorter one, and other weights throughout (another epoch), not a change of a few bytes between two blocks. Nonzero: of
 * all bytes, which is read for it, a second for a GiB or so; then it tells every change but one made on purpose. */
MX2ONNX_API mx2onnx_status mx2onnx_set_full_checksum(mx2onnx_model *m, int32_t on);

/* Nonzero: parameters are also graph inputs with a default, as old exporters wrote them. Off by default, since
 * runtimes cannot fold such weights. */
MX2ONNX_API mx2onnx_status mx2onnx_set_initializers_as_inputs(mx2onnx_model *m, int32_t on);

/* Nonzero: BatchNorm behind a convolution stays a node of its own, and every weight as it is in the parameter file. Off by
 * default: it goes into the weights, which are multiplied while they are written, as runtimes do it when they load a model;
 * and so does a number that multiplies what the convolution reads or gives. float32 models only; never with
 * initializers_as_inputs. */
MX2ONNX_API mx2onnx_status mx2onnx_set_keep_batch_norm(mx2onnx_model *m, int32_t on);

/* Nonzero: the file is flushed to the disk before it gets its name, so that it survives a loss of power. Off by
 * default: it costs more than the export. */
MX2ONNX_API mx2onnx_status mx2onnx_set_fsync(mx2onnx_model *m, int32_t on);

/* Writes a float16 model of a float32 one: half the size. ALL: inputs and outputs too, as far as what reads or makes them is
 * float16 (mx2onnx_input_dtype after mx2onnx_infer tells). INSIDE: they stay as they are, with casts behind and before
 * them. Weights are rounded to the nearest float16 while they are written; what is finite stays finite (65504 at most) and
 * what is not zero stays so (2^-24 at least). Some of the model stays float32, with casts around it: the operators that
 * MXNet's automatic mixed precision keeps there (softmax, norms, sums, exp, ...), boxes and pixel positions, the
 * bodies of control flow, and whatever counts or computes positions, lengths and indices. */
typedef int32_t mx2onnx_float16;
enum mx2onnx_float16_values { MX2ONNX_FLOAT16_OFF = 0, MX2ONNX_FLOAT16_ALL = 1, MX2ONNX_FLOAT16_INSIDE = 2 };
MX2ONNX_API mx2onnx_status mx2onnx_set_float16(mx2onnx_model *m, mx2onnx_float16 mode);

/* For mx2onnx_set_float16: the node `name`, or every node of the operator `name`, stays float32; with 0 for `keep` it becomes
 * float16 although the library would keep it. Of several calls that mean a node the last counts. NOT_FOUND if the graph
 * has no such node and no such operator. */
MX2ONNX_API mx2onnx_status mx2onnx_keep_float32(mx2onnx_model *m, const char *name, int32_t keep);

/* The seed of random operators: each gets `seed` and its position as ONNX's attribute seed, so that a runtime draws the same
 * values at every run. Without it the runtime chooses. The values are never MXNet's. */
MX2ONNX_API mx2onnx_status mx2onnx_set_seed(mx2onnx_model *m, int32_t seed);

/* How much a diagnostic or a line of the log matters. */
typedef int32_t mx2onnx_severity;
enum mx2onnx_severity_values {
    MX2ONNX_SEVERITY_ERROR = 0,
    MX2ONNX_SEVERITY_WARNING = 1,
    MX2ONNX_SEVERITY_NOTE = 2,
    MX2ONNX_SEVERITY_DEBUG = 3 /* in the log only */
};

/* Called for every log line. `fn` NULL ends it. */
typedef void (*mx2onnx_log_fn)(mx2onnx_severity severity, const char *message, void *user);
MX2ONNX_API mx2onnx_status mx2onnx_set_log(mx2onnx_model *m, mx2onnx_log_fn fn, void *user, mx2onnx_release_fn release);

/* Called now and then while a call works. While an export writes, done and total are bytes; before that, and while a model is
 * loaded or looked at, both are 0. A nonzero result ends the call with CANCELLED, within some 10 ms of work: a thousand nodes, 4 MB
 * that are unpacked, 256 KiB of JSON. Only what is freed at the end of a call asks nobody. `fn` NULL ends it. */
typedef int32_t (*mx2onnx_progress_fn)(uint64_t done, uint64_t total, void *user);
MX2ONNX_API mx2onnx_status mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn, void *user,
                                                mx2onnx_release_fn release);

/* What a model may cost, so that a file that nobody vouches for can do no harm. Each limit is a base that may be set, beside a
 * share for each byte of the files that were loaded; no model that was trained meets one. Going over is TOO_LARGE, with the
 * node where that happened. lib/LIMITS.md has the numbers. */
typedef int32_t mx2onnx_limit;
enum mx2onnx_limit_values {
    MX2ONNX_LIMIT_MEMORY = 0,    /* bytes that the graph and its constants take: 64 MiB, 64 a byte, 1024 an ONNX node */
    MX2ONNX_LIMIT_EXPANSION = 1, /* bytes that archives and sparse arrays become: 64 MiB, 64 a byte */
    MX2ONNX_LIMIT_NODES = 2,     /* ONNX nodes: 1,048,576, one a byte */
    MX2ONNX_LIMIT_OUTPUT = 3     /* bytes of an export: 4 GiB, 64 a byte */
};
MX2ONNX_API mx2onnx_status mx2onnx_set_limit(mx2onnx_model *m, mx2onnx_limit which, uint64_t value);
/* The base; 0 for a limit that does not exist. */
MX2ONNX_API uint64_t mx2onnx_get_limit(mx2onnx_model *m, mx2onnx_limit which);

/* ---------------------------------------------------------------- operators of your own
 *
 * MXNet's Custom operator is Python code that no file holds, and plugins have operators that nobody knows. A handler says
 * what such a node gives (infer) and writes it as ONNX (lower):
 *
 *     static mx2onnx_status infer(mx2onnx_node *n, void *user)
 *     {
 *         return mx2onnx_node_set_output_like(n, 0, 0);              // shape and type of input 0
 *     }
 *     static mx2onnx_status lower(mx2onnx_node *n, void *user)
 *     {
 *         mx2onnx_value x = mx2onnx_node_input(n, 0), y;
 *         mx2onnx_status status = mx2onnx_node_add(n, "LeakyRelu", NULL, 1, &x, "{\"alpha\": 0.2}", 1, &y);
 *         return status != MX2ONNX_OK ? status : mx2onnx_node_set_result(n, 0, y);
 *     }
 *     mx2onnx_set_custom_operator(m, "my_leaky", 1, infer, lower, NULL, NULL);  // op_type="my_leaky"
 *
 * A mx2onnx_node lives as long as the call that was given it. infer may be called several times. */

typedef struct mx2onnx_node mx2onnx_node;

/* Returns MX2ONNX_OK, or anything else to refuse the node; mx2onnx_node_fail says why. */
typedef mx2onnx_status (*mx2onnx_custom_fn)(mx2onnx_node *node, void *user);

/* Registers a handler for nodes whose operator, or whose attribute op_type, is `name`, and which have `outputs` outputs. A
 * second handler of one name replaces the first, and `infer` NULL takes it back. An operator that the library knows is not
 * given to a handler. `lower` may be NULL with mx2onnx_set_unknown_domain. */
MX2ONNX_API mx2onnx_status mx2onnx_set_custom_operator(mx2onnx_model *m, const char *name, size_t outputs,
                                                       mx2onnx_custom_fn infer, mx2onnx_custom_fn lower, void *user,
                                                       mx2onnx_release_fn release);

/* The node, in both functions. Past the end of a list the answer is NULL, -1 or MX2ONNX_DTYPE_UNKNOWN. */
MX2ONNX_API const char *mx2onnx_node_name(const mx2onnx_node *n);
/* The name that the handler is registered for. */
MX2ONNX_API const char *mx2onnx_node_operator(const mx2onnx_node *n);
/* The opset that is written, and the domain of mx2onnx_set_unknown_domain or NULL. */
MX2ONNX_API int32_t mx2onnx_node_opset(const mx2onnx_node *n);
MX2ONNX_API const char *mx2onnx_node_domain(const mx2onnx_node *n);

/* An attribute's text as the file has it; NULL if it is absent. Looks through all of them; who wants many takes them by number. */
MX2ONNX_API const char *mx2onnx_node_attribute(const mx2onnx_node *n, const char *key);
/* All of them, each key once, in the file's order; without MXNet's own notes ("__shape__"). */
MX2ONNX_API size_t mx2onnx_node_attribute_count(const mx2onnx_node *n);
MX2ONNX_API const char *mx2onnx_node_attribute_key(const mx2onnx_node *n, size_t i);
MX2ONNX_API const char *mx2onnx_node_attribute_value(const mx2onnx_node *n, size_t i);

/* Its outputs, as many as the handler was registered for, and its inputs. */
MX2ONNX_API size_t mx2onnx_node_output_count(const mx2onnx_node *n);
MX2ONNX_API size_t mx2onnx_node_input_count(const mx2onnx_node *n);
/* The name of the variable or of the node that the input comes from. */
MX2ONNX_API const char *mx2onnx_node_input_name(const mx2onnx_node *n, size_t i);
MX2ONNX_API mx2onnx_dtype mx2onnx_node_input_dtype(const mx2onnx_node *n, size_t i);
MX2ONNX_API int32_t mx2onnx_node_input_rank(const mx2onnx_node *n, size_t i);
/* The size, or -1 where it is dynamic. */
MX2ONNX_API int64_t mx2onnx_node_input_dim(const mx2onnx_node *n, size_t i, size_t axis);
/* An input that is a parameter: its bytes, dense, row-major, little-endian, of the type mx2onnx_node_input_stored_dtype, which is
 * that of the parameter file. 0 bytes and UNKNOWN for any other input. mx2onnx_node_input_read copies all of them. */
MX2ONNX_API mx2onnx_dtype mx2onnx_node_input_stored_dtype(const mx2onnx_node *n, size_t i);
MX2ONNX_API uint64_t mx2onnx_node_input_bytes(const mx2onnx_node *n, size_t i);
MX2ONNX_API mx2onnx_status mx2onnx_node_input_read(mx2onnx_node *n, size_t i, void *out, size_t size);

/* Records an error with this text at the node and returns UNSUPPORTED, for the handler to return. */
MX2ONNX_API mx2onnx_status mx2onnx_node_fail(mx2onnx_node *n, const char *message);

/* In infer. Type and shape of an output: those of an input, or given; a dim of -1 is a size of its own, unless
 * mx2onnx_node_set_output_dim says that it equals an input's. */
MX2ONNX_API mx2onnx_status mx2onnx_node_set_output_like(mx2onnx_node *n, size_t output, size_t input);
MX2ONNX_API mx2onnx_status mx2onnx_node_set_output(mx2onnx_node *n, size_t output, mx2onnx_dtype dtype, int32_t rank,
                                                   const int64_t *dims);
MX2ONNX_API mx2onnx_status mx2onnx_node_set_output_dim(mx2onnx_node *n, size_t output, size_t axis, size_t input,
                                                       size_t input_axis);

/* In lower: a value of the ONNX graph, by its number. 0 stands for an input that is left out. */
typedef int32_t mx2onnx_value;
MX2ONNX_API mx2onnx_value mx2onnx_node_input(const mx2onnx_node *n, size_t i);
/* A constant; the data is copied. */
MX2ONNX_API mx2onnx_status mx2onnx_node_constant(mx2onnx_node *n, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims,
                                                 const void *data, size_t size, mx2onnx_value *value);
/* Adds an ONNX node. domain NULL: one of ONNX's own operators, in its newest form; the form of the opset is written. Any other
 * domain is imported in version 1. Attributes are a JSON object of numbers, texts and lists of them, or NULL; a number with
 * a decimal point is a float, an element type (Cast's "to") is ONNX's number of it. */
MX2ONNX_API mx2onnx_status mx2onnx_node_add(mx2onnx_node *n, const char *op_type, const char *domain, size_t n_inputs,
                                            const mx2onnx_value *inputs, const char *attributes, size_t n_outputs,
                                            mx2onnx_value *outputs);
/* The value of an output of the MXNet node. */
MX2ONNX_API mx2onnx_status mx2onnx_node_set_result(mx2onnx_node *n, size_t output, mx2onnx_value value);

/* Without a handler an operator that nobody knows is an error. With a domain here ("mxnet") it is kept: a node of that domain,
 * version 1, under MXNet's name of the operator, with its attributes as texts, for a runtime that has such operators. Its
 * outputs are those that are read, of the type of its first input and of the shapes that their readers ask for. Where
 * nobody asks, as at the model's output, a handler must say them; its `lower` is NULL then. A note says what was kept.
 * NULL: an error again. */
MX2ONNX_API mx2onnx_status mx2onnx_set_unknown_domain(mx2onnx_model *m, const char *domain);

/* ---------------------------------------------------------------- look */

/* Runs inference with the choices made so far, so that the functions below know shapes and types. Reports every
 * operator that cannot be converted. The look functions work without it too, with
 * what the files say. */
MX2ONNX_API mx2onnx_status mx2onnx_infer(mx2onnx_model *m);

/* The model's inputs: variables without a value that inference mode reads, in the symbol's order. Weights are not
 * among them unless their shape was given. */
MX2ONNX_API size_t mx2onnx_input_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_input_name(mx2onnx_model *m, size_t i);
MX2ONNX_API mx2onnx_dtype mx2onnx_input_dtype(mx2onnx_model *m, size_t i);
/* -1 while the rank is unknown. */
MX2ONNX_API int32_t mx2onnx_input_rank(mx2onnx_model *m, size_t i);
/* The size, or -1 where it is dynamic or unknown; then the name or expression ("batch", "floor((h-1)/2)+1"), or
 * NULL while nothing is known. */
MX2ONNX_API int64_t mx2onnx_input_dim(mx2onnx_model *m, size_t i, size_t axis);
MX2ONNX_API const char *mx2onnx_input_dim_name(mx2onnx_model *m, size_t i, size_t axis);

/* The weights that no parameter file holds. An export fails unless they are loaded, or become inputs because their shape
 * is given. */
MX2ONNX_API size_t mx2onnx_missing_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_missing_name(mx2onnx_model *m, size_t i);

/* The variables of the symbol that have no value, in the order of MXNet's list_inputs(): the inputs, and also labels and
 * weights. */
MX2ONNX_API size_t mx2onnx_unbound_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_unbound_name(mx2onnx_model *m, size_t i);

/* The model's outputs, in the symbol's order; names as they will be in the ONNX file. */
MX2ONNX_API size_t mx2onnx_output_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_output_name(mx2onnx_model *m, size_t i);
MX2ONNX_API mx2onnx_dtype mx2onnx_output_dtype(mx2onnx_model *m, size_t i);
MX2ONNX_API int32_t mx2onnx_output_rank(mx2onnx_model *m, size_t i);
MX2ONNX_API int64_t mx2onnx_output_dim(mx2onnx_model *m, size_t i, size_t axis);
MX2ONNX_API const char *mx2onnx_output_dim_name(mx2onnx_model *m, size_t i, size_t axis);

/* The arrays of the parameter files and of mx2onnx_set_param, in the order of loading. */
MX2ONNX_API size_t mx2onnx_param_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_param_name(mx2onnx_model *m, size_t i);
MX2ONNX_API mx2onnx_dtype mx2onnx_param_dtype(mx2onnx_model *m, size_t i);
MX2ONNX_API int32_t mx2onnx_param_rank(mx2onnx_model *m, size_t i);
MX2ONNX_API const int64_t *mx2onnx_param_dims(mx2onnx_model *m, size_t i);
MX2ONNX_API uint64_t mx2onnx_param_bytes(mx2onnx_model *m, size_t i);
/* Nonzero if the graph reads it. */
MX2ONNX_API int32_t mx2onnx_param_used(mx2onnx_model *m, size_t i);
/* Copies the array's bytes (mx2onnx_param_bytes of them, dense, little-endian) to `out`. */
MX2ONNX_API mx2onnx_status mx2onnx_param_read(mx2onnx_model *m, size_t i, void *out, size_t size);

/* The operators of the graph, each name once, most used first. */
MX2ONNX_API size_t mx2onnx_operator_count(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_operator_name(mx2onnx_model *m, size_t i);
MX2ONNX_API size_t mx2onnx_operator_uses(mx2onnx_model *m, size_t i);
/* Nonzero if the library converts the operator (some attribute values may still be refused, see its limits). */
MX2ONNX_API int32_t mx2onnx_operator_supported(mx2onnx_model *m, size_t i);

/* The operators that the library knows, by MXNet's canonical names, in no particular order. Static strings; NULL or
 * 0 past the end. */
MX2ONNX_API size_t mx2onnx_known_operator_count(void);
MX2ONNX_API const char *mx2onnx_known_operator_name(size_t i);
/* Other names for it, separated by blanks; "" if none. */
MX2ONNX_API const char *mx2onnx_known_operator_aliases(size_t i);
/* The first opset in which it can be written. */
MX2ONNX_API int32_t mx2onnx_known_operator_opset(size_t i);
/* What of it cannot be converted, one sentence a line; "" if nothing. */
MX2ONNX_API const char *mx2onnx_known_operator_limits(size_t i);

/* ---------------------------------------------------------------- export */

/* Writes the ONNX model. The target is whole or untouched: the bytes go to a temporary file beside it that then
 * takes its name. A side file for external data is called `path`.data. An export that fails or is cancelled removes
 * what it wrote; a process that is killed leaves its `.mx2onnx-PID-N.tmp`, which nothing reads. */
MX2ONNX_API mx2onnx_status mx2onnx_export_file(mx2onnx_model *m, const char *path);

/* Writes the ONNX model to memory that the caller frees with mx2onnx_memory_free. */
MX2ONNX_API mx2onnx_status mx2onnx_export_memory(mx2onnx_model *m, void **data, size_t *size);

/* Writes the ONNX model through `fn`, in order; a nonzero result stops the export with IO. */
typedef int32_t (*mx2onnx_write_fn)(const void *data, size_t size, void *user);
MX2ONNX_API mx2onnx_status mx2onnx_export_callback(mx2onnx_model *m, mx2onnx_write_fn fn, void *user);

/* Looks at the files that the ONNX model at `path` names (external data of its initialisers): each is in the model's folder, as long
 * as the model reads, and, where the model has its checksum (mx2onnx_set_full_checksum), unchanged. For each that is so there is a
 * note: `name` is the file. What `m` has loaded does not matter, and stays. NOT_FOUND: the model or a file is not there. IO. FORMAT:
 * a file is too short, has another checksum, or its name leads to another folder, where nothing is looked at; or the model is
 * no ONNX. All files are looked at before the call ends. */
MX2ONNX_API mx2onnx_status mx2onnx_check_file(mx2onnx_model *m, const char *path);

/* ---------------------------------------------------------------- report */

typedef struct mx2onnx_diagnostic {
    size_t struct_size;    /* set by the caller to sizeof(mx2onnx_diagnostic) */
    mx2onnx_severity severity;
    mx2onnx_status status; /* MX2ONNX_OK for a warning or a note */
    const char *node;      /* MXNet's node name, "" if none is meant; so with the others */
    const char *op;        /* the operator */
    const char *attribute; /* the operator's attribute */
    const char *name;      /* the input, output, parameter or file that is meant instead of a node */
    const char *message;   /* what is wrong */
    const char *advice;    /* the way out; a function of this header is called by its name */
} mx2onnx_diagnostic;

/* What there is to say of the model as it stands: the warnings and notes of its loads, then those of the last inference or
 * export, as long as no choice changes what they say; behind them, what the last call said if it failed. So after a load that
 * succeeded the list holds no error; after a failed load, inference or export all errors that it found (lowering
 * goes on behind an operator that it cannot convert); after a setter, its own error or none. At most 1000 are kept. */
MX2ONNX_API size_t mx2onnx_diagnostic_count(const mx2onnx_model *m);
MX2ONNX_API mx2onnx_status mx2onnx_diagnostic_get(const mx2onnx_model *m, size_t i, mx2onnx_diagnostic *out);

/* Why the last call failed, its first error as one text, "node 'pool3' (Pooling): ...; use ..."; "" if it did not fail. m may
 * be NULL. */
MX2ONNX_API const char *mx2onnx_error(const mx2onnx_model *m);

/* The opset, the nodes and the bytes (with those of a side file) of the last export; 0 before one. */
MX2ONNX_API int32_t mx2onnx_written_opset(const mx2onnx_model *m);
MX2ONNX_API size_t mx2onnx_written_nodes(const mx2onnx_model *m);
MX2ONNX_API uint64_t mx2onnx_written_bytes(const mx2onnx_model *m);

/* Everything known about the model and the last export: inputs, outputs, parameters, operators, nodes written,
 * diagnostics; as text for people or as JSON. NULL when memory runs out. */
MX2ONNX_API const char *mx2onnx_report_text(mx2onnx_model *m);
MX2ONNX_API const char *mx2onnx_report_json(mx2onnx_model *m);

/* The ONNX graph as text, a node a line with names, types and dims of every value. Lowers the model with the choices
 * made so far. With a log (mx2onnx_set_log) the graph behind each pass over it is logged as debug. */
MX2ONNX_API mx2onnx_status mx2onnx_graph_text(mx2onnx_model *m, const char **out);
/* The MXNet graph after inference, in the same manner. */
MX2ONNX_API mx2onnx_status mx2onnx_symbol_text(mx2onnx_model *m, const char **out);

#ifdef __cplusplus
}
#endif
#endif
