#include "read/archive.h"

#include "base/budget.h"

void mx_archive_close(struct mx_archive *a)
{
    mx_zip_close(a->zip);
    mx_budget_array_free(a->diags->budget, a->members, a->capacity, sizeof *a->members);
    mx_arena_free(&a->arena);
}

size_t mx_archive_head(struct mx_archive *a, size_t i, void *out, size_t size)
{
    if (a->zip) {
        return mx_zip_head(a, i, out, size);
    }
    const struct mx_member *m = &a->members[i];
    const size_t n = m->size < size ? (size_t)m->size : size;
    return mx_source_read(a->source, m->offset, out, n) == MX_OK ? n : 0;
}

int mx_archive_read(struct mx_archive *a, size_t i, struct mx_source **out)
{
    return a->zip ? mx_zip_read(a, i, out) : mx_source_copy(out, a->source, a->members[i].offset, a->members[i].size);
}

int mx_archive_take(struct mx_archive *a, size_t i, struct mx_source **out)
{
    uint64_t offset = a->members[i].offset;
    if ((a->zip && !mx_zip_stored_at(a, i, &offset)) || !mx_source_narrow(a->source, offset, a->members[i].size)) {
        return mx_archive_read(a, i, out);
    }
    *out = a->source;
    a->source = NULL;
    return MX_OK;
}
