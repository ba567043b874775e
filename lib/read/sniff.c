#include "read/sniff.h"

#include <string.h>

struct signature {
    const char *bytes;
    size_t size;
    struct mx_sniffed is;
};

#define ROW(bytes, ...)                                                                                                                    \
    {                                                                                                                                      \
        bytes, sizeof(bytes) - 1,                                                                                                          \
        {                                                                                                                                  \
            __VA_ARGS__                                                                                                                    \
        }                                                                                                                                  \
    }

#define PARAMS "is a parameter file, not a symbol", "give the symbol file (PREFIX-symbol.json) that belongs to it"
#define PICKLE                                                                                                                             \
    "is a Python pickle, not an MXNet file",                                                                                               \
        "if it is PyTorch's, export it to ONNX with torch.onnx.export; else load it in Python and save the network with "                  \
        "HybridBlock.export or Module.save_checkpoint"
#define GZIP                                                                                                                               \
    "is compressed with gzip",                                                                                                             \
        "if it is a .tar.gz, load it as a whole model, without other files; otherwise unpack it and give its contents"
#define DJL                                                                                                                                \
    "holds parameters in DJL's own format (Deep Java Library), without a graph", "save the network as an MXNet symbol with its parameters"
#define COMPRESSED(with) "is compressed with " with, "unpack it and give its contents"
#define ENGINE "is an engine of TensorRT, which holds no graph", "convert the MXNet model that it was made from"
#define UTF16 "is UTF-16 text", "save it as UTF-8"

static const struct signature signatures[] = {
    ROW("\x12\x01\0\0\0\0\0\0", MX_FILE_LIST, PARAMS),
    ROW("\xC8\xFA\x93\xF9", MX_FILE_RECORD, PARAMS),
    ROW("\xC9\xFA\x93\xF9", MX_FILE_RECORD, PARAMS),
    ROW("\xCA\xFA\x93\xF9", MX_FILE_RECORD, PARAMS),
    ROW("\x93NUMPY", MX_FILE_NPY, PARAMS),
    ROW("PK\3\4", MX_FILE_ZIP, "is a zip archive", "load it as a whole model, without other files"),
    ROW("PK\5\6", MX_FILE_ZIP, "is an empty zip archive", "load another file"),
    ROW("\x1F\x8B", MX_FILE_TAR, GZIP),
    ROW("\x80\2", MX_FILE_OTHER, PICKLE),
    ROW("\x80\3", MX_FILE_OTHER, PICKLE),
    ROW("\x80\4", MX_FILE_OTHER, PICKLE),
    ROW("\x80\5", MX_FILE_OTHER, PICKLE),
    ROW("BZh", MX_FILE_OTHER, COMPRESSED("bzip2")),
    ROW("7z\xBC\xAF\x27\x1C", MX_FILE_OTHER, COMPRESSED("7-Zip")),
    ROW("\xFD"
        "7zXZ",
        MX_FILE_OTHER, COMPRESSED("xz")),
    ROW("\x28\xB5\x2F\xFD", MX_FILE_OTHER, COMPRESSED("zstd")),
    ROW("Rar!", MX_FILE_OTHER, COMPRESSED("RAR")),
    ROW("ptrt", MX_FILE_OTHER, ENGINE),
    ROW("ftrt", MX_FILE_OTHER, ENGINE),
    ROW("\xB7\x9C\x04\x05\x4F\x8D\xE5\xF7", MX_FILE_OTHER, "holds parameters of a model that TVM compiled, as SageMaker Neo does",
        "convert the MXNet model that was compiled"),
    ROW("GGUF", MX_FILE_OTHER, "is a GGUF file of llama.cpp, not an MXNet file", "convert the original model"),
    ROW("DJL@", MX_FILE_OTHER, DJL),
    ROW("version https://git-", MX_FILE_OTHER, "is a pointer of Git LFS, not the file itself", "fetch the file with 'git lfs pull'"),
    ROW("<", MX_FILE_OTHER, "is a web page or XML, probably the error page of a download", "download the file again"),
    ROW("\x89HDF", MX_FILE_OTHER, "is an HDF5 file, as Keras writes them, not an MXNet file",
        "export it to ONNX with tf2onnx, or convert the original MXNet model"),
    ROW("\0\0\0\0\0\0\1\x12", MX_FILE_OTHER, "is an NDArray list in reversed byte order, which no version of MXNet reads",
        "make the file again from its source"),
    ROW("\xFF\xFE", MX_FILE_OTHER, UTF16),
    ROW("\xFE\xFF", MX_FILE_OTHER, UTF16),
};

static bool is_json(const unsigned char *head, size_t size)
{
    size_t i = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < size && (head[i] == ' ' || head[i] == '\t' || head[i] == '\r' || head[i] == '\n')) {
        i++;
    }
    return i < size && head[i] == '{';
}

/* POSIX and GNU; tar files from before 1988 have no signature. */
static bool is_tar(const unsigned char *head, size_t size)
{
    return size >= 262 && memcmp(head + 257, "ustar", 5) == 0;
}

/* ---- formats recognised by their structure: protobuf, zip, offsets */

#define ONNX "is an ONNX model already", "it needs no conversion; mx2onnx_check_external_data checks the weight files that it refers to"
#define SAVED_MODEL "is TensorFlow's (a SavedModel or a frozen graph), not an MXNet file", "export it to ONNX with tf2onnx"
#define TFLITE "is a TensorFlow Lite model, not an MXNet file", "export it to ONNX with tf2onnx --tflite"
#define TORCH "is a PyTorch file, not an MXNet file", "load it in Python and export it to ONNX with torch.onnx.export"
#define SAFETENSORS                                                                                                                        \
    "is a safetensors file: weights of another framework, without a graph", "export the model to ONNX from its own framework"

/* ModelProto: ir_version (field 1, a number), then another field that can come second in such a file. */
static bool is_onnx(const unsigned char *head, size_t size)
{
    return size >= 4 && head[0] == 0x08 && head[1] > 0 && head[1] < 64
           && (head[2] == 0x12 || head[2] == 0x1A || head[2] == 0x22 || head[2] == 0x3A || head[2] == 0x42);
}

/* SavedModel: saved_model_schema_version = 1, meta_graphs (field 2), whose first field is a message. An ONNX model with IR version 1
 * has the text of producer_name there. */
static bool is_saved_model(const unsigned char *head, size_t size)
{
    size_t i = 3;
    if (size < 16 || memcmp(head, "\x08\x01\x12", 3) != 0) {
        return false;
    }
    while (i < 12 && (head[i] & 0x80)) {
        i++;
    }
    return head[i + 1] == 0x0A;
}

/* GraphDef: node (field 1) { name (1): text, op (2): text that begins with a capital letter }. */
static bool is_graph_def(const unsigned char *head, size_t size)
{
    size_t i = 1;
    if (size < 16 || head[0] != 0x0A) {
        return false;
    }
    while (i < 5 && (head[i] & 0x80)) {
        i++;
    }
    const size_t name = i + 2, op = name + 1 + head[name];
    return head[i + 1] == 0x0A && op + 2 < size && head[op] == 0x12 && head[op + 2] >= 'A' && head[op + 2] <= 'Z';
}

/* torch.save's zip: the first member is in a folder and is called data.pkl (or .format_version, recently); TorchScript's begins with an
 * array. */
static bool is_torch_zip(const unsigned char *head, size_t size)
{
    static const char *const names[] = {"/data.pkl", "/.format_version", "/constants.pkl", "/data/0"};
    const size_t length = size >= 30 && memcmp(head, "PK\3\4", 4) == 0 ? (size_t)(head[26] | head[27] << 8) : 0;
    for (size_t i = 0; length > 0 && 30 + length <= size && i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (length > n && memcmp(head + 30 + length - n, names[i], n) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_tflite(const unsigned char *head, size_t size)
{
    return size >= 8 && memcmp(head + 4, "TFL3", 4) == 0;
}

/* The length of a JSON header in 8 bytes, then the header. */
static bool is_safetensors(const unsigned char *head, size_t size)
{
    return size >= 10 && memcmp(head + 4, "\0\0\0\0{\"", 6) == 0;
}

static const struct structure {
    bool (*is)(const unsigned char *head, size_t size);
    struct mx_sniffed what;
} structures[] = {
    {is_torch_zip, {MX_FILE_OTHER, TORCH}}, {is_saved_model, {MX_FILE_OTHER, SAVED_MODEL}}, {is_graph_def, {MX_FILE_OTHER, SAVED_MODEL}},
    {is_onnx, {MX_FILE_OTHER, ONNX}},       {is_tflite, {MX_FILE_OTHER, TFLITE}},           {is_safetensors, {MX_FILE_OTHER, SAFETENSORS}},
};

static struct mx_sniffed match(const unsigned char *head, size_t size)
{
    if (size == 0) {
        return (struct mx_sniffed){MX_FILE_EMPTY, "is empty", "copy or download it again"};
    }
    if (is_json(head, size)) {
        return (struct mx_sniffed){MX_FILE_JSON, "is JSON text, not parameters", "give it as the symbol file, and only one such file"};
    }
    if (is_tar(head, size)) { /* it begins with a file name, which can be anything */
        return (struct mx_sniffed){MX_FILE_TAR, "is a tar archive", "load it as a whole model, without other files"};
    }
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        if (structures[i].is(head, size)) {
            return structures[i].what;
        }
    }
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *s = &signatures[i];
        if (s->size <= size && memcmp(head, s->bytes, s->size) == 0) {
            return s->is;
        }
    }
    return (struct mx_sniffed){MX_FILE_UNKNOWN, "is not an MXNet file, or its beginning is damaged",
                               "give a symbol (JSON) or a parameter file (.params, .npz)"};
}

int mx_sniff(struct mx_source *source, const char *label, struct mx_sniffed *out, struct mx_diags *diags)
{
    unsigned char head[MX_SNIFF_BYTES];
    const uint64_t whole = mx_source_size(source);
    const size_t size = whole < sizeof head ? (size_t)whole : sizeof head;
    if (size > 0 && mx_source_read(source, 0, head, size) != MX_OK) {
        return mx_fail(diags, MX_IO, mx_named(label), MX_SUBJECT "cannot be read%s", mx_source_why(source));
    }
    *out = match(head, size);
    return MX_OK;
}
