/* operators_print COUNT SEED: models out of the operators' tables (operators.h) as a pack (corpus.py), for operators.py. */
#include <stdio.h>

#include "operators.h"

enum { BYTES = 512 };

int main(int argc, char **argv)
{
    static char made[FUZZ_MADE];
    if (argc != 3) {
        return 2;
    }
    uint64_t state = strtoull(argv[2], NULL, 10);
    fputs("fuzz inputs\n", stdout);
    for (long left = atol(argv[1]); left > 0; left--) {
        uint8_t bytes[BYTES];
        for (size_t i = 0; i < BYTES; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = (uint8_t)(state >> 56);
        }
        struct fuzz_bytes b = {bytes, sizeof bytes};
        const size_t n = fuzz_make(&b, made);
        const uint8_t size[] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
        fwrite(size, 1, sizeof size, stdout);
        fwrite(made, 1, n, stdout);
    }
    return ferror(stdout) != 0;
}
