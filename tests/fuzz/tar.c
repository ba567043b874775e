/* Any bytes as a tar, compressed or not: the members are in the data, one after the other. */
#include "fuzz.h"
#include "read/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mx_diags diags = {0};
    struct mx_source *source;
    struct mx_archive tar;
    if (mx_source_open_memory(&source, data, size, false) == MX_OK) {
        if (mx_tar_open(&tar, source, &diags, "fuzz") == MX_OK) {
            uint64_t at = 0;
            for (size_t i = 0; i < tar.count; i++) {
                fuzz_expect(tar.members[i].name && tar.members[i].offset == at);
                at += tar.members[i].size;
            }
            fuzz_expect(at == mx_source_size(tar.source));
            mx_archive_close(&tar);
            mx_source_close(tar.source);
        } else {
            fuzz_expect(diags.errors > 0);
        }
        mx_source_close(source);
    }
    mx_diags_free(&diags);
    return 0;
}
