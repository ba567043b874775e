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

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool mx_scan_int(const char *text, const char **end, int64_t *out)
{
    const char *p = text;
    const bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    if (!is_digit(*p)) {
        return false;
    }
    /* Accumulated below zero, where there is one more number. */
    int64_t value = 0;
    for (; is_digit(*p); p++) {
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
    for (; is_digit(*p); p++) {
        n = 1;
    }
    if (*p == '.') {
        for (p++; is_digit(*p); p++) {
            n = 1;
        }
    }
    if (!n || (p - digits == 1 && (*p == 'x' || *p == 'X'))) {
        return NULL;
    }
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1;
        exponent += *exponent == '-' || *exponent == '+';
        if (is_digit(*exponent)) {
            for (p = exponent; is_digit(*p); p++) {
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

/* The digits and the exponent of value >= 0, with `precision` digits; the locale's decimal mark is skipped. */
static int take_digits(double value, int precision, char digits[18], int *exponent)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    int n = 0;
    const char *p = text;
    for (; *p && *p != 'e'; p++) {
        if (is_digit(*p) && n < 17) {
            digits[n++] = *p;
        }
    }
    int64_t e = 0;
    const char *end;
    if (*p != 'e' || !mx_scan_int(p + 1, &end, &e)) {
        return 0;
    }
    *exponent = (int)e;
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    digits[n] = 0;
    return n;
}

/* Like Python's repr, but without ".0" after an integer. */
static void lay_out(char *out, const char *digits, int n, int exponent)
{
    if (exponent < -4 || exponent >= 16) {
        *out++ = digits[0];
        if (n > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, (size_t)n - 1);
            out += n - 1;
        }
        const int e = abs(exponent);
        *out++ = 'e';
        *out++ = exponent < 0 ? '-' : '+';
        if (e >= 100) {
            *out++ = (char)('0' + e / 100);
        }
        *out++ = (char)('0' + e / 10 % 10);
        *out++ = (char)('0' + e % 10);
        *out = 0;
        return;
    }
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > exponent; i--) {
            *out++ = '0';
        }
    }
    for (int i = 0; i < n || i <= exponent; i++) {
        *out++ = i < n ? digits[i] : '0';
        if (i == exponent && i + 1 < n) {
            *out++ = '.';
        }
    }
    *out = 0;
}

void mx_format_double(char out[32], double value)
{
    if (isnan(value)) {
        memcpy(out, "nan", 4);
        return;
    }
    if (signbit(value)) {
        *out++ = '-';
        value = -value;
    }
    if (isinf(value)) {
        memcpy(out, "inf", 4);
        return;
    }
    char digits[18];
    int exponent = 0;
    for (int precision = 1; precision <= 17; precision++) {
        const int n = take_digits(value, precision, digits, &exponent);
        lay_out(out, digits, n, exponent);
        double back;
        if (precision == 17 || (mx_parse_double(out, &back) && back == value)) {
            return;
        }
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
