/* Any bytes as a zip: every member is read, and the place of a stored one must be inside the file. */
#include <string.h>

#include "fuzz.h"
#include "read/zip.h"

static void read_members(struct mx_zip *zip, struct mx_source *archive)
{
    for (size_t i = 0; i < mx_zip_count(zip); i++) {
        uint64_t offset;
        struct mx_source *member;
        fuzz_expect(mx_zip_name(zip, i) != NULL);
        if (mx_zip_stored_at(zip, i, &offset)) {
            fuzz_expect(offset <= mx_source_size(archive));
            fuzz_expect(mx_zip_size(zip, i) <= mx_source_size(archive) - offset);
        }
        if (mx_zip_read(zip, i, &member) == MX_OK) {
            fuzz_expect(mx_source_size(member) == mx_zip_size(zip, i));
            mx_source_close(member);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mx_diags diags = {0};
    struct mx_source *source;
    struct mx_zip *zip = NULL;
    if (mx_source_open_memory(&source, data, size, false) == MX_OK) {
        if (mx_zip_open(&zip, source, &diags, "fuzz") == MX_OK) {
            read_members(zip, source);
        } else {
            fuzz_expect(diags.errors > 0);
        }
        mx_zip_close(zip);
        mx_source_close(source);
    }
    mx_diags_free(&diags);
    return 0;
}
