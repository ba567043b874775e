/* Distinguishes a file from a later one with the same name. */
#ifndef MX_BASE_CHECKSUM_H
#define MX_BASE_CHECKSUM_H

#include "base/budget.h"
#include "base/io.h"

/* "102400 bytes, crc32 1a2b3c4d", or for a file above MX_SAMPLES * MX_SAMPLE bytes, unless `full`, "... of 256 samples": the CRC-32
 * (zlib's) of MX_SAMPLES consecutive blocks of MX_SAMPLE bytes. Block i begins at byte i * (size - MX_SAMPLE) / (MX_SAMPLES - 1), so that
 * the first and last bytes are included. IO, or the status that ends the call. */
enum { MX_SAMPLES = 256, MX_SAMPLE = 1024, MX_CHECKSUM_TEXT = 64 };
int mx_checksum(struct mx_source *s, bool full, struct mx_budget *budget, char text[MX_CHECKSUM_TEXT]) MX_MUST_USE;
/* A text of the same length, for a file that will have this size. */
void mx_checksum_unknown(uint64_t size, bool full, char text[MX_CHECKSUM_TEXT]);
/* In an ONNX model's metadata: this prefix and the file's name form the key of such a text. */
#define MX_CHECKSUM_KEY "mx2onnx_file:"
/* True if all bytes were included. */
bool mx_checksum_is_full(const char *text);

#endif
