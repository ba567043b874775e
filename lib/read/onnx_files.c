#include "read/onnx_files.h"

#include <string.h>

#include "base/checksum.h"
#include "base/io_os.h"
#include "base/map.h"
#include "base/num.h"
#include "base/str.h"
#include "read/cursor.h"

/* The wire format of protocol buffers; field numbers are those of onnx.proto. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { MODEL_METADATA = 14, TENSOR_EXTERNAL_DATA = 13, PAIR_KEY = 1, PAIR_VALUE = 2 };

/* Where tensors are: which fields of a message are messages that may hold one, or are one. */
enum message { MODEL, TRAINING, FUNCTION, GRAPH, NODE, ATTRIBUTE, SPARSE, TENSOR };
static const struct part {
    enum message of;
    uint64_t number;
    enum message is;
} parts[] = {
    {MODEL, 7, GRAPH},       {MODEL, 20, TRAINING},     {MODEL, 25, FUNCTION}, {TRAINING, 1, GRAPH},    {TRAINING, 2, GRAPH},
    {FUNCTION, 7, NODE},     {FUNCTION, 11, ATTRIBUTE}, {GRAPH, 1, NODE},      {GRAPH, 5, TENSOR},      {GRAPH, 15, SPARSE},
    {NODE, 5, ATTRIBUTE},    {ATTRIBUTE, 5, TENSOR},    {ATTRIBUTE, 6, GRAPH}, {ATTRIBUTE, 10, TENSOR}, {ATTRIBUTE, 11, GRAPH},
    {ATTRIBUTE, 22, SPARSE}, {ATTRIBUTE, 23, SPARSE},   {SPARSE, 1, TENSOR},   {SPARSE, 2, TENSOR},
};
/* As many as protocol buffers read, unless a program asks for more. */
enum { DEEPEST = 100 }; /* limit: depth of nested messages of an ONNX model that is checked */

struct file {
    const char *name;
    const char *checksum; /* as in the model; NULL: it has none */
    uint64_t needed;      /* smallest size that contains every tensor */
    struct file *next;
};

enum { LONGEST = 4096 }; /* limit: bytes of the name of a side file, with its NUL */

struct check {
    struct mx_diags *diags;
    struct mx_cursor cursor;
    char key[LONGEST], value[LONGEST]; /* of the pair read last */
    struct mx_arena arena;
    struct mx_map by_name;
    struct file *first, **end;
    bool has_graph;
};

/* ---- the model */

static int damaged(struct check *c)
{
    return mx_fail(c->diags, MX_FORMAT, mx_named(c->cursor.label),
                   MX_SUBJECT "is damaged or not an ONNX model, so it cannot be checked" MX_HELP "give the .onnx file that was written");
}

static int read_varint(struct check *c, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        unsigned char byte;
        MX_TRY(mx_cursor_read(&c->cursor, &byte, 1));
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return MX_OK;
        }
    }
    return damaged(c);
}

/* Reads the next field of the message that ends at `end`: its number, and where it ends if it consists of bytes; any other field is
 * skipped, and the number is 0. */
static int next(struct check *c, uint64_t end, uint64_t *number, uint64_t *field_end)
{
    uint64_t key, size;
    MX_TRY(mx_tick(c->diags->budget, 64));
    MX_TRY(read_varint(c, &key));
    *number = (key & 7) == BYTES ? key >> 3 : 0;
    if (key >> 3 == 0) { /* no program writes it, and zeros consist of it */
        return damaged(c);
    }
    switch (key & 7) {
    case VARINT: MX_TRY(read_varint(c, &size)); break;
    case FIXED64: MX_TRY(mx_cursor_skip(&c->cursor, 8)); break;
    case FIXED32: MX_TRY(mx_cursor_skip(&c->cursor, 4)); break;
    case BYTES: MX_TRY(read_varint(c, &size)); break;
    default: return damaged(c);
    }
    if (c->cursor.at > end || ((key & 7) == BYTES && size > end - c->cursor.at)) {
        return damaged(c);
    }
    *field_end = *number ? c->cursor.at + size : 0;
    return MX_OK;
}

typedef int field_fn(struct check *c, uint64_t number, uint64_t end, void *user);

/* Calls fn for each field of bytes, and skips what fn has not read. */
static int each_field(struct check *c, uint64_t end, field_fn *fn, void *user)
{
    while (c->cursor.at < end) {
        uint64_t number, field_end;
        MX_TRY(next(c, end, &number, &field_end));
        if (number) {
            MX_TRY(fn(c, number, field_end, user));
            MX_TRY(mx_cursor_skip(&c->cursor, field_end - c->cursor.at));
        }
    }
    return MX_OK;
}

static int read_text(struct check *c, uint64_t number, uint64_t end, void *user)
{
    const uint64_t size = end - c->cursor.at;
    if ((number != PAIR_KEY && number != PAIR_VALUE) || size >= LONGEST) {
        return MX_OK;
    }
    char *text = number == PAIR_KEY ? c->key : c->value;
    text[size] = 0;
    return mx_cursor_read(&c->cursor, text, (size_t)size);
}

static int read_pair(struct check *c, uint64_t end)
{
    *c->key = *c->value = 0;
    return each_field(c, end, read_text, NULL);
}

static int file_of(struct check *c, const char *name, struct file **out)
{
    struct file *f = mx_map_get(&c->by_name, name);
    if (!f) {
        MX_TRY(mx_tick(c->diags->budget, MX_TICK_NODE));
        f = MX_ARENA_NEW(&c->arena, struct file);
        MX_TRY_ALLOC(f);
        f->name = mx_arena_strdup(&c->arena, name);
        MX_TRY_ALLOC(f->name);
        MX_TRY(mx_map_set(&c->by_name, f->name, f));
        *c->end = f;
        c->end = &f->next;
    }
    *out = f;
    return MX_OK;
}

struct range {
    struct file *file;
    int64_t offset, length;
};

static int read_entry(struct check *c, uint64_t number, uint64_t end, void *user)
{
    struct range *range = user;
    if (number != TENSOR_EXTERNAL_DATA) {
        return MX_OK;
    }
    MX_TRY(read_pair(c, end));
    if (strcmp(c->key, "location") == 0) {
        return file_of(c, c->value, &range->file);
    }
    int64_t *size = strcmp(c->key, "offset") == 0 ? &range->offset : strcmp(c->key, "length") == 0 ? &range->length : NULL;
    return !size || (mx_parse_int(c->value, size) && *size >= 0) ? MX_OK : damaged(c);
}

static int read_tensor(struct check *c, uint64_t end)
{
    struct range range = {NULL, 0, 0};
    MX_TRY(each_field(c, end, read_entry, &range));
    if (range.file) {
        const uint64_t needed = (uint64_t)range.offset + (uint64_t)range.length;
        range.file->needed = needed > range.file->needed ? needed : range.file->needed;
    }
    return MX_OK;
}

static int read_metadata(struct check *c, uint64_t end)
{
    struct file *file;
    MX_TRY(read_pair(c, end));
    if (mx_starts_with(c->key, MX_CHECKSUM_KEY)) {
        MX_TRY(file_of(c, c->key + strlen(MX_CHECKSUM_KEY), &file));
        file->checksum = mx_arena_strdup(&c->arena, c->value);
        MX_TRY_ALLOC(file->checksum);
    }
    return MX_OK;
}

struct level {
    enum message message;
    int depth;
};

static int read_field(struct check *c, uint64_t number, uint64_t end, void *user)
{
    const struct level *l = user;
    if (l->message == MODEL && number == MODEL_METADATA) {
        return read_metadata(c, end);
    }
    const struct part *part = parts, *none = parts + sizeof parts / sizeof *parts;
    while (part < none && (part->of != l->message || part->number != number)) {
        part++;
    }
    if (part == none) {
        return MX_OK;
    }
    struct level inner = {part->is, l->depth + 1};
    c->has_graph |= inner.message == GRAPH;
    if (inner.depth > DEEPEST) {
        return mx_fail(c->diags, MX_TOO_LARGE, mx_named(c->cursor.label),
                       MX_SUBJECT "has messages nested more than %d deep, which no program reads", (int)DEEPEST);
    }
    return inner.message == TENSOR ? read_tensor(c, end) : each_field(c, end, read_field, &inner);
}

/* ---- the files */

static int compare(struct check *c, const struct file *f, struct mx_source *source)
{
    const struct mx_where where = {.name = f->name};
    const unsigned long long size = mx_source_size(source);
    char now[MX_CHECKSUM_TEXT];
    if (size < f->needed) {
        return mx_fail(c->diags, MX_FORMAT, where, "the file has %llu bytes, but the model reads up to byte %llu" MX_HELP "copy it again",
                       size, (unsigned long long)f->needed);
    }
    if (!f->checksum) {
        mx_note(c->diags, where, MX_SUBJECT "has the %llu bytes that the model reads (the model records no checksum)", size);
        return MX_OK;
    }
    const int status = mx_checksum(source, mx_checksum_is_full(f->checksum), c->diags->budget, now);
    if (status == MX_IO) {
        return mx_fail(c->diags, MX_IO, where, "the file cannot be read");
    }
    MX_TRY(status);
    if (strcmp(now, f->checksum) != 0) {
        return mx_fail(c->diags, MX_FORMAT, where,
                       "the file was changed after the conversion: its checksum is %s and was %s" MX_HELP
                       "restore the file, or convert the model again",
                       now, f->checksum);
    }
    mx_note(c->diags, where, MX_SUBJECT "is unchanged (%s)", now);
    return MX_OK;
}

static int check_file(struct check *c, const struct file *f, const char *path)
{
    const struct mx_where where = {.name = f->name};
    if (!mx_name_is_plain(f->name)) {
        return mx_fail(c->diags, MX_FORMAT, where,
                       "the name is not a plain file name in the folder of the model, and other paths are not checked");
    }
    struct mx_source *source;
    const char *reason = NULL;
    char *there = mx_arena_printf(&c->arena, "%.*s%s", (int)(mx_path_base(path) - path), path, f->name);
    MX_TRY_ALLOC(there);
    int status = mx_source_open_file(&source, there, &reason);
    if (status != MX_OK) {
        return status == MX_OUT_OF_MEMORY ? status
               : status == MX_NOT_FOUND
                   ? mx_fail(c->diags, status, where, "the file cannot be read: %s" MX_HELP "copy it next to the model", reason)
                   : mx_fail(c->diags, status, where, "the file cannot be read: %s", reason);
    }
    if (mx_os_is_link(there)) {
        mx_warn(c->diags, where,
                "the file is a symbolic link, which onnx.load refuses, and if it leads to another folder ONNX Runtime too");
    }
    status = compare(c, f, source);
    mx_source_close(source);
    return status;
}

static int check_files(struct check *c, const char *path)
{
    enum { WORK = 16 * MX_TICK_NODE }; /* to open a file */
    int first = MX_OK;
    for (const struct file *f = c->first; f; f = f->next) {
        MX_TRY(mx_tick(c->diags->budget, WORK));
        const int status = check_file(c, f, path);
        first = first == MX_OK ? status : first;
        if (status == MX_OUT_OF_MEMORY || status == MX_CANCELLED) {
            return status;
        }
    }
    if (!c->first) {
        mx_note(c->diags, mx_named(c->cursor.label), MX_SUBJECT "contains all its weights");
    }
    return first;
}

static int check(struct check *c, const char *path)
{
    struct level model = {MODEL, 0};
    MX_TRY(each_field(c, c->cursor.end, read_field, &model));
    return c->has_graph ? check_files(c, path) : damaged(c);
}

int mx_onnx_files_check(const char *path, struct mx_diags *diags)
{
    struct mx_source *source;
    const char *reason = NULL;
    int status = mx_source_open_file(&source, path, &reason);
    if (status != MX_OK) {
        return status == MX_OUT_OF_MEMORY ? status
               : status == MX_NOT_FOUND   ? mx_fail(diags, status, mx_named(path), MX_SUBJECT "does not exist" MX_HELP "check the path")
                                          : mx_fail(diags, status, mx_named(path), "the file cannot be read: %s", reason);
    }
    struct check c = {.diags = diags, .arena.budget = diags->budget, .by_name.arena.budget = diags->budget};
    c.end = &c.first;
    c.cursor = (struct mx_cursor){.source = source, .end = mx_source_size(source), .diags = diags, .label = path, .what = "the model"};
    status = check(&c, path);
    mx_map_free(&c.by_name);
    mx_arena_free(&c.arena);
    mx_source_close(source);
    return status;
}
