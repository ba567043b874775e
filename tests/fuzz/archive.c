/* Any bytes as a zip: every member is read, and the place of a stored one must be inside the file. */
#include <string.h>

#include "fuzz.h"
#include "read/archive.h"

static void read_members(struct mx_archive *zip, struct mx_source *archive)
{
    for (size_t i = 0; i < zip->count; i++) {
        uint64_t offset;
        struct mx_source *member;
        fuzz_expect(zip->members[i].name != NULL);
        if (mx_zip_stored_at(zip, i, &offset)) {
            fuzz_expect(offset <= mx_source_size(archive));
            fuzz_expect(zip->members[i].size <= mx_source_size(archive) - offset);
        }
        if (mx_zip_read(zip, i, &member) == MX_OK) {
            fuzz_expect(mx_source_size(member) == zip->members[i].size);
            mx_source_close(member);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mx_diags diags = {0};
    struct mx_source *source;
    struct mx_archive zip;
    if (mx_source_open_memory(&source, data, size, false) == MX_OK) {
        if (mx_zip_open(&zip, source, &diags, "fuzz") == MX_OK) {
            read_members(&zip, source);
            mx_archive_close(&zip);
        } else {
            fuzz_expect(diags.errors > 0);
        }
        mx_source_close(source);
    }
    mx_diags_free(&diags);
    return 0;
}
