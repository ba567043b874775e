#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"

enum { WORK = 4 }; /* per byte */

void mx_str_free(struct mx_str *s)
{
    mx_budget_array_free(s->budget, s->text, s->capacity, 1);
    *s = (struct mx_str){.budget = s->budget};
}

void mx_str_clear(struct mx_str *s)
{
    s->length = 0;
    s->failed = false;
    if (s->text) {
        s->text[0] = 0;
    }
}

/* Makes room for `more` bytes and the NUL. */
static bool reserve(struct mx_str *s, size_t more)
{
    s->failed = s->failed || mx_tick(s->budget, MX_TICK_ITEM + WORK * (uint64_t)more) != MX_OK;
    if (s->failed || more >= SIZE_MAX / 2 - s->length) {
        s->failed = true;
        return false;
    }
    const size_t need = s->length + more + 1;
    if (need <= s->capacity) {
        return true;
    }
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    if (capacity < need) {
        capacity = need;
    }
    char *text = mx_budget_array(s->budget, s->text, s->capacity, capacity, 1);
    if (!text) {
        s->failed = true;
        return false;
    }
    s->text = text;
    s->capacity = capacity;
    return true;
}

void mx_str_append_bytes(struct mx_str *s, const void *bytes, size_t n)
{
    if (!reserve(s, n)) {
        return;
    }
    if (n) {
        memcpy(s->text + s->length, bytes, n);
    }
    s->length += n;
    s->text[s->length] = 0;
}

void mx_str_append(struct mx_str *s, const char *text)
{
    mx_str_append_bytes(s, text, strlen(text));
}

void mx_str_printf(struct mx_str *s, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) {
        s->failed = true;
    } else if (reserve(s, (size_t)length)) {
        vsnprintf(s->text + s->length, (size_t)length + 1, format, again);
        s->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

size_t mx_word_length(const char *words)
{
    return strcspn(words, " ");
}

const char *mx_next_word(const char *words)
{
    words += mx_word_length(words);
    return words + strspn(words, " ");
}

int mx_word_index(const char *words, const char *word)
{
    const size_t length = strlen(word);
    int i = 0;
    for (const char *w = words; *w; w = mx_next_word(w), i++) {
        if (mx_word_length(w) == length && memcmp(w, word, length) == 0) {
            return i;
        }
    }
    return -1;
}

void mx_str_end_line(struct mx_str *s, size_t start)
{
    for (char *at = s->text ? s->text + start : NULL; at; *at = ' ') {
        at = memchr(at, '\n', (size_t)(s->text + s->length - at));
        if (!at) {
            break;
        }
    }
    mx_str_append(s, "\n");
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

size_t mx_common_but_case(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && lower(a[n]) == lower(b[n])) {
        n++;
    }
    return n;
}

bool mx_same_but_case(const char *a, const char *b)
{
    const size_t n = mx_common_but_case(a, b);
    return a[n] == b[n];
}

bool mx_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool mx_ends_with(const char *text, const char *suffix)
{
    const size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

/* The Levenshtein distance. */
size_t mx_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    const size_t n = strlen(a), m = strlen(b);
    size_t row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t change = diagonal + (a[i - 1] != b[j - 1]);
            const size_t step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < step ? change : step;
        }
    }
    return row[m];
}

/* The length of the character at p, 0 if that is not UTF-8. */
static int character_at(const unsigned char *p)
{
    const int n = *p < 0x80 ? 0 : *p >= 0xC2 && *p < 0xE0 ? 1 : *p >= 0xE0 && *p < 0xF0 ? 2 : *p >= 0xF0 && *p < 0xF5 ? 3 : -1;
    /* overlong forms, surrogates and code points above U+10FFFF are recognised by the second byte */
    const unsigned char low = *p == 0xE0 ? 0xA0 : *p == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = *p == 0xED ? 0x9F : *p == 0xF4 ? 0x8F : 0xBF;
    if (n < 0 || (n > 0 && (p[1] < low || p[1] > high))) {
        return 0;
    }
    for (int i = 2; i <= n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n + 1;
}

bool mx_is_utf8(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    while (*p) {
        const int n = *p < 0x80 ? 1 : character_at(p);
        if (n == 0) {
            return false;
        }
        p += n;
    }
    return true;
}

bool mx_is_plain_text(const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7F) {
            return false;
        }
    }
    return mx_is_utf8(text);
}

void mx_escape_utf8(const char *text, char *out)
{
    static const char digits[] = "0123456789abcdef";
    while (*text) {
        const int n = character_at((const unsigned char *)text);
        const unsigned char byte = (unsigned char)*text;
        if (n == 0) {
            *out++ = '\\';
            *out++ = 'x';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
            text++;
        }
        for (int i = 0; i < n; i++) {
            *out++ = *text++;
        }
    }
    *out = 0;
}

bool mx_is_word(const char *text)
{
    bool is = *text != 0;
    for (const char *p = text; *p; p++) {
        is = is && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || (p > text && *p >= '0' && *p <= '9'));
    }
    return is;
}
