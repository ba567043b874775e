#include "base/num.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* Values computed from weights are rounded as MXNet rounds them, to the same bits on every machine. */
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "floats must be computed in their own precision: gcc's -msse2 -mfpmath=sse on x86, -fexcess-precision=fast on s390x"
#endif

/* ---- text to number */

bool mx_scan_int(const char *text, const char **end, int64_t *out)
{
    const char *p = text;
    const bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    if (!mx_is_digit(*p)) {
        return false;
    }
    /* Accumulated below zero, where there is one more number. */
    int64_t value = 0;
    for (; mx_is_digit(*p); p++) {
        const int64_t digit = *p - '0';
        if (value < (INT64_MIN + digit) / 10) {
            return false;
        }
        value = value * 10 - digit;
    }
    if (!negative && value == INT64_MIN) {
        return false;
    }
    *out = negative ? value : -value;
    *end = p;
    return true;
}

bool mx_parse_int(const char *text, int64_t *out)
{
    const char *end;
    int64_t value;
    if (!mx_scan_int(text, &end, &value) || *end) {
        return false;
    }
    *out = value;
    return true;
}

/* What follows the word, if text begins with it in any case; otherwise NULL. */
static const char *after_word(const char *text, const char *word)
{
    for (; *word; text++, word++) {
        const char lower = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (lower != *word) {
            return NULL;
        }
    }
    return text;
}

/* The end of a decimal number without sign, or NULL. */
static const char *after_decimal(const char *p)
{
    const char *digits = p;
    int n = 0;
    for (; mx_is_digit(*p); p++) {
        n = 1;
    }
    if (*p == '.') {
        for (p++; mx_is_digit(*p); p++) {
            n = 1;
        }
    }
    if (!n || (p - digits == 1 && (*p == 'x' || *p == 'X'))) {
        return NULL;
    }
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1;
        exponent += *exponent == '-' || *exponent == '+';
        if (mx_is_digit(*exponent)) {
            for (p = exponent; mx_is_digit(*p); p++) {
            }
        }
    }
    return p;
}

/* The host program may have set a locale whose decimal mark is a comma. */
static bool to_double(const char *text, double *out)
{
#if defined(_WIN32)
    _locale_t c = _create_locale(LC_ALL, "C");
#else
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* allocates nothing for "C" in glibc and musl */
#endif
    if (!c) {
        return false;
    }
#if defined(_WIN32)
    *out = _strtod_l(text, NULL, c);
    _free_locale(c);
#else
    *out = strtod_l(text, NULL, c);
    freelocale(c);
#endif
    return true;
}

bool mx_scan_double(const char *text, const char **end, double *out)
{
    const bool negative = *text == '-';
    const char *p = text + (*text == '-' || *text == '+');
    const char *after = after_word(p, "infinity");
    if (!after) {
        after = after_word(p, "inf");
    }
    double value = HUGE_VAL;
    if (!after) {
        after = after_word(p, "nan");
        value = (double)NAN;
    }
    if (!after) {
        after = after_decimal(p);
        if (!after || !to_double(p, &value) || isinf(value)) {
            return false;
        }
        after += *after == 'f' || *after == 'F';
    }
    *out = negative ? -value : value;
    *end = after;
    return true;
}

bool mx_parse_double(const char *text, double *out)
{
    const char *end;
    double value;
    if (!mx_scan_double(text, &end, &value) || *end) {
        return false;
    }
    *out = value;
    return true;
}

/* ---- number to text */

/* Makes printf's text one with a point for the locale's decimal mark, which may have several bytes. */
static void set_point(char *text)
{
    char *const mark = text + strspn(text, "-0123456789"), *const rest = mark + strcspn(mark, "e0123456789");
    if (rest > mark) {
        *mark = '.';
        memmove(mark + 1, rest, strlen(rest) + 1);
    }
}

/* Like Python's repr, but without ".0" after an integer. */
void mx_format_double(char out[32], double value)
{
    if (isnan(value) || isinf(value)) {
        strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    double back = 0;
    int digits = -1; /* after the first */
    do {
        snprintf(out, 32, "%.*e", ++digits, value);
        set_point(out);
    } while (digits < 16 && !(mx_parse_double(out, &back) && back == value));
    const long exponent = strtol(strchr(out, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 16) {
        snprintf(out, 32, "%.*f", digits > exponent ? digits - (int)exponent : 0, value);
        set_point(out);
    }
}

double mx_shortest_single(double value)
{
    const double size = value < 0 ? -value : value;
    int exponent = 0; /* size is scaled * 10^exponent, 1 <= scaled < 10 */
    double scaled = size;
    if (!(size > 0 && size <= (double)FLT_MAX)) {
        return value;
    }
    for (; scaled >= 10; exponent++) {
        scaled /= 10;
    }
    for (; scaled < 1; exponent--) {
        scaled *= 10;
    }
    for (int digits = 1; digits <= 9; digits++, scaled *= 10) {
        char text[48];
        double found;
        snprintf(text, sizeof text, "%llde%d", (long long)(scaled + 0.5), exponent - digits + 1);
        if (mx_parse_double(text, &found) && (float)found >= (float)size && (float)found <= (float)size) {
            return value < 0 ? -found : found;
        }
    }
    return value;
}

/* ---- arithmetic */

bool mx_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a) : (b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a)) {
        return false;
    }
    *out = a * b;
    return true;
}

bool mx_add_i64(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *out = a + b;
    return true;
}

bool mx_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (b && a > UINT64_MAX / b) {
        return false;
    }
    *out = a * b;
    return true;
}

bool mx_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (a > UINT64_MAX - b) {
        return false;
    }
    *out = a + b;
    return true;
}

int64_t mx_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
void mx_little_endian(void *elements, size_t size, size_t n)
{
    unsigned char *element = elements;
    for (size_t i = 0; size > 1 && i < n; i++, element += size) {
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = element[k];
            element[k] = element[size - 1 - k];
            element[size - 1 - k] = byte;
        }
    }
}
#endif
