/* Numbers: text to number independent of the locale, and arithmetic that cannot overflow unseen. */
#ifndef MX_BASE_NUM_H
#define MX_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool mx_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The whole text must be the number; the caller handles surrounding blanks. If false, *out is unchanged. */
bool mx_parse_int(const char *text, int64_t *out);
bool mx_parse_double(const char *text, double *out);
/* Parses at text and sets *end after the number, for numbers inside tuples. */
bool mx_scan_int(const char *text, const char **end, int64_t *out);
bool mx_scan_double(const char *text, const char **end, double *out);

/* Shortest text that reads back as the same double ("0.1", "1e-05", "nan", "inf"), always with a point as the decimal mark. */
void mx_format_double(char out[32], double value);
/* The double with the fewest decimal digits that rounds to the same float32: 0.1, not 0.10000000149011612. */
double mx_shortest_single(double value);

/* False on overflow, *out untouched. */
bool mx_mul_i64(int64_t a, int64_t b, int64_t *out);
bool mx_add_i64(int64_t a, int64_t b, int64_t *out);
bool mx_mul_u64(uint64_t a, uint64_t b, uint64_t *out);
bool mx_add_u64(uint64_t a, uint64_t b, uint64_t *out);

/* Division that rounds toward minus infinity; b > 0. */
int64_t mx_floor_div(int64_t a, int64_t b);

/* IEEE half and bfloat16 to and from float, round half to even. */
float mx_half_to_float(uint16_t h);
uint16_t mx_float_to_half(float f);
/* Converts many. `clamp`: finite values stay finite (at most 65504), nonzero ones stay nonzero (at least 2^-24). */
void mx_floats_to_halves(const float *in, uint16_t *out, size_t n, bool clamp);
void mx_floats_to_halves_portably(const float *in, uint16_t *out, size_t n, bool clamp); /* for tests: on every processor */
float mx_bfloat16_to_float(uint16_t b);
uint16_t mx_float_to_bfloat16(float f);

/* Elements of `size` bytes from the byte order of files, little-endian, to this machine's, or back. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
void mx_little_endian(void *elements, size_t size, size_t n);
#else
static inline void mx_little_endian(void *elements, size_t size, size_t n)
{
}
#endif

#endif
