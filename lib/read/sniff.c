#include "read/sniff.h"

#include <string.h>

struct signature {
    const char *bytes;
    size_t size;
    struct mx_sniffed is;
};

#define ROW(bytes, ...) {bytes, sizeof(bytes) - 1, {__VA_ARGS__}}

#define PARAMS                                                                                    \
    "is a parameter file, not a symbol", "give the symbol file (PREFIX-symbol.json) that belongs to it"
#define PICKLE                                                                                    \
    "is a Python pickle, not an MXNet file",                                                      \
        "load it in Python and save the network with HybridBlock.export or Module.save_checkpoint"
#define GZIP                                                                                      \
    "is compressed with gzip",                                                                    \
        "load a .tar.gz as a whole model; unpack another .gz and give what is inside"
#define DJL                                                                                       \
    "holds parameters in the own format of DJL (Deep Java Library), without a graph",             \
        "save the network as an MXNet symbol with its parameters"
#define UTF16 "is UTF-16 text", "save it as UTF-8"

static const struct signature signatures[] = {
    ROW("\x12\x01\0\0\0\0\0\0", MX_FILE_LIST, PARAMS),
    ROW("\xC8\xFA\x93\xF9", MX_FILE_RECORD, PARAMS),
    ROW("\xC9\xFA\x93\xF9", MX_FILE_RECORD, PARAMS),
    ROW("\xCA\xFA\x93\xF9", MX_FILE_RECORD, PARAMS),
    ROW("\x93NUMPY", MX_FILE_NPY, PARAMS),
    ROW("PK\3\4", MX_FILE_ZIP, "is a zip archive", "load it as a whole model"),
    ROW("PK\5\6", MX_FILE_ZIP, "is an empty zip archive", "load another file"),
    ROW("\x1F\x8B", MX_FILE_TAR, GZIP),
    ROW("\x80\2", MX_FILE_OTHER, PICKLE),
    ROW("\x80\3", MX_FILE_OTHER, PICKLE),
    ROW("\x80\4", MX_FILE_OTHER, PICKLE),
    ROW("\x80\5", MX_FILE_OTHER, PICKLE),
    ROW("DJL@", MX_FILE_OTHER, DJL),
    ROW("version https://git-", MX_FILE_OTHER, "is a pointer of Git LFS, not the file itself",
        "fetch the file with 'git lfs pull'"),
    ROW("<", MX_FILE_OTHER, "is a web page or XML, probably the error page of a download",
        "download the file again"),
    ROW("\x89HDF", MX_FILE_OTHER, "is an HDF5 file, which MXNet does not write", "convert the original model"),
    ROW("\0\0\0\0\0\0\1\x12", MX_FILE_OTHER, "is an NDArray list in reversed byte order, which no MXNet reads",
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

/* POSIX and GNU; what tar wrote before 1988 carries no sign. */
static bool is_tar(const unsigned char *head, size_t size)
{
    return size >= 262 && memcmp(head + 257, "ustar", 5) == 0;
}

static struct mx_sniffed match(const unsigned char *head, size_t size)
{
    if (size == 0) {
        return (struct mx_sniffed){MX_FILE_EMPTY, "is empty", "copy or download it again"};
    }
    if (is_json(head, size)) {
        return (struct mx_sniffed){MX_FILE_JSON, "is JSON text, not parameters", "give it as the symbol file"};
    }
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *s = &signatures[i];
        if (s->size <= size && memcmp(head, s->bytes, s->size) == 0) {
            return s->is;
        }
    }
    if (is_tar(head, size)) {
        return (struct mx_sniffed){MX_FILE_TAR, "is a tar archive", "load it as a whole model"};
    }
    return (struct mx_sniffed){MX_FILE_UNKNOWN, "is not a file of MXNet, or its beginning is damaged",
                               "give a symbol (JSON) or a parameter file (.params, .npz)"};
}

int mx_sniff(struct mx_source *source, struct mx_sniffed *out)
{
    unsigned char head[MX_SNIFF_BYTES];
    const uint64_t whole = mx_source_size(source);
    const size_t size = whole < sizeof head ? (size_t)whole : sizeof head;
    if (size > 0) {
        MX_TRY(mx_source_read(source, 0, head, size));
    }
    *out = match(head, size);
    return MX_OK;
}
