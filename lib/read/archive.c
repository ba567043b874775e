#include "read/archive.h"

#include <string.h>

int mx_archive_open_zip(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label)
{
    *out = (struct mx_archive){.source = source};
    const int status = mx_zip_open(&out->zip, source, diags, label);
    if (status != MX_OK) {
        mx_archive_close(out);
    }
    return status;
}

int mx_archive_open_tar(struct mx_archive *out, struct mx_source *source, struct mx_arena *arena, struct mx_diags *diags, const char *label)
{
    *out = (struct mx_archive){0};
    const int status = mx_tar_read(&out->tar, source, arena, diags, label);
    mx_source_close(source);
    return status;
}

void mx_archive_close(struct mx_archive *a)
{
    mx_zip_close(a->zip);
    mx_source_close(a->source);
    mx_tar_close(&a->tar);
    *a = (struct mx_archive){0};
}

size_t mx_archive_count(const struct mx_archive *a)
{
    return a->zip ? mx_zip_count(a->zip) : a->tar.count;
}

const char *mx_archive_name(const struct mx_archive *a, size_t i)
{
    return a->zip ? mx_zip_name(a->zip, i) : a->tar.members[i].name;
}

uint64_t mx_archive_size(const struct mx_archive *a, size_t i)
{
    return a->zip ? mx_zip_size(a->zip, i) : a->tar.members[i].size;
}

size_t mx_archive_head(struct mx_archive *a, size_t i, void *out, size_t size)
{
    if (a->zip) {
        return mx_zip_head(a->zip, i, out, size);
    }
    const struct mx_tar_member *m = &a->tar.members[i];
    const size_t n = m->size < size ? (size_t)m->size : size;
    return mx_source_read(a->tar.data, m->offset, out, n) == MX_OK ? n : 0;
}

bool mx_archive_is_zip(struct mx_archive *a, size_t i)
{
    char head[4];
    return !a->zip && mx_archive_head(a, i, head, sizeof head) == sizeof head && memcmp(head, "PK\3\4", sizeof head) == 0;
}

int mx_archive_read(struct mx_archive *a, size_t i, struct mx_source **out)
{
    if (a->zip) {
        return mx_zip_read(a->zip, i, out);
    }
    return mx_source_copy(out, a->tar.data, a->tar.members[i].offset, a->tar.members[i].size);
}

int mx_archive_take(struct mx_archive *a, size_t i, struct mx_source **out)
{
    struct mx_source **whole = a->zip ? &a->source : &a->tar.data;
    uint64_t offset = a->zip ? 0 : a->tar.members[i].offset;
    if ((a->zip && !mx_zip_stored_at(a->zip, i, &offset)) || !mx_source_narrow(*whole, offset, mx_archive_size(a, i))) {
        return mx_archive_read(a, i, out);
    }
    *out = *whole;
    *whole = NULL;
    return MX_OK;
}
