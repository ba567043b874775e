/* float16 and bfloat16. Weights are converted to float16 by a loop in plain C, or by the processor's instruction, which is twenty times
 * as fast; both give the same bits. */
#include <math.h>
#include <string.h>

#include "base/num.h"

/* Every processor with AVX2 has F16C; clang 14 has no check for F16C itself. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_F16C 1
#define F16C __attribute__((target("avx2,f16c")))
#else
#define HAS_F16C 0
#endif

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float bits_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

float mx_half_to_float(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    const uint32_t exponent = (h >> 10) & 0x1fu;
    uint32_t fraction = h & 0x3ffu;
    if (exponent == 0x1f) {
        return bits_float(sign | 0x7f800000u | fraction << 13);
    }
    if (exponent) {
        return bits_float(sign | (exponent + 112) << 23 | fraction << 13);
    }
    /* Zero or subnormal: fraction * 2^-24, exact in a float. */
    const float small = (float)fraction * (1.0f / 16777216.0f);
    return bits_float(sign | float_bits(small));
}

/* Works on bits, without branches and with signed comparisons, so that a loop over it can be vectorised. Subnormal halves are rounded
 * by the addition: the last bit of 0.5f has the weight of theirs. */
static inline int32_t half_bits(uint32_t u)
{
    const int32_t magnitude = (int32_t)(u & 0x7fffffffu), odd = magnitude >> 13 & 1;
    const int32_t small = (int32_t)float_bits(bits_float((uint32_t)magnitude) + 0.5f) - 0x3f000000;
    const int32_t normal = (magnitude - (112 << 23) + 0xfff + odd) >> 13;
    const int32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff); /* remains a NaN, whatever bits are cut */
    int32_t half = magnitude < 0x38800000 ? small : normal; /* 2^-14 */
    half = magnitude >= 0x477ff000 ? 0x7c00 : half;         /* 65520 and more round to infinity */
    return magnitude > 0x7f800000 ? nan : half;
}

/* A finite value stays finite, a nonzero value does not become zero. */
static inline int32_t clamp_half(int32_t half, uint32_t u)
{
    const int32_t magnitude = (int32_t)(u & 0x7fffffffu);
    half -= (half == 0x7c00) & (magnitude != 0x7f800000);
    return half + ((half == 0) & (magnitude != 0));
}

static inline uint16_t with_sign(int32_t half, uint32_t u)
{
    return (uint16_t)((uint32_t)half | (u >> 16 & 0x8000u));
}

uint16_t mx_float_to_half(float f)
{
    return with_sign(half_bits(float_bits(f)), float_bits(f));
}

void mx_floats_to_halves_portably(const float *in, uint16_t *out, size_t n, bool clamp)
{
    for (size_t i = 0; !clamp && i < n; i++) {
        const uint32_t u = float_bits(in[i]);
        out[i] = with_sign(half_bits(u), u);
    }
    for (size_t i = 0; clamp && i < n; i++) {
        const uint32_t u = float_bits(in[i]);
        out[i] = with_sign(clamp_half(half_bits(u), u), u);
    }
}

#if HAS_F16C

/* Brings finite nonzero values into the range of halves. */
F16C static __m256 clamp8(__m256 x)
{
    const __m256 most = _mm256_set1_ps(65504), least = _mm256_set1_ps(0x1p-24f);
    const __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.0f)), size = _mm256_xor_ps(x, sign);
    const __m256 inside = _mm256_max_ps(_mm256_min_ps(size, most), least);
    const __m256 finite = _mm256_cmp_ps(size, _mm256_set1_ps(HUGE_VALF), _CMP_LT_OQ);
    const __m256i bits = _mm256_castps_si256(size);
    const __m256 zero = _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, _mm256_setzero_si256()));
    const __m256 clamped = _mm256_blendv_ps(size, inside, _mm256_andnot_ps(zero, finite));
    return _mm256_or_ps(clamped, sign);
}

/* Converts as many as fit in groups of eight. */
F16C static size_t convert_eights(const float *in, uint16_t *out, size_t n, bool clamp)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256 x = _mm256_loadu_ps(in + i);
        const __m128i halves = _mm256_cvtps_ph(clamp ? clamp8(x) : x, _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(out + i), halves);
    }
    return i;
}

void mx_floats_to_halves(const float *in, uint16_t *out, size_t n, bool clamp)
{
    const size_t done = n >= 8 && __builtin_cpu_supports("avx2") ? convert_eights(in, out, n, clamp) : 0;
    mx_floats_to_halves_portably(in + done, out + done, n - done, clamp);
}

#else

void mx_floats_to_halves(const float *in, uint16_t *out, size_t n, bool clamp)
{
    mx_floats_to_halves_portably(in, out, n, clamp);
}

#endif

float mx_bfloat16_to_float(uint16_t b)
{
    return bits_float((uint32_t)b << 16);
}

uint16_t mx_float_to_bfloat16(float f)
{
    const uint32_t u = float_bits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
        return (uint16_t)(u >> 16 | 0x40u);
    }
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16); /* half to even; a carry into the exponent gives the right result */
}
