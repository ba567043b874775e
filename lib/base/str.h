/* A growing text on the heap. Errors stick: after a failed allocation appends do nothing and `failed` is set. */
#ifndef MX_BASE_STR_H
#define MX_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct mx_str {
    char *text; /* NUL-terminated once something was appended; NULL before */
    size_t length, capacity;
    bool failed;
    struct mx_budget *budget; /* charged for the memory, and asked while the text grows, which fails when the call must end; may be NULL */
};

void mx_str_free(struct mx_str *s);  /* keeps the budget */
void mx_str_clear(struct mx_str *s); /* keeps the memory and the budget */
void mx_str_append(struct mx_str *s, const char *text);
void mx_str_append_bytes(struct mx_str *s, const void *bytes, size_t n);
void mx_str_printf(struct mx_str *s, const char *format, ...) MX_PRINTF(2, 3);
/* Ends the line that began at byte `start`; line breaks within it, which names may contain, become blanks. */
void mx_str_end_line(struct mx_str *s, size_t start);

/* For lists of words separated by single blanks, "data weight bias": the length of the first word, 0 at the end; and the rest of the
 * list. */
size_t mx_word_length(const char *words);
const char *mx_next_word(const char *words);
/* The index of a word in the list; -1 if it is not there. `words` may be NULL. */
int mx_word_index(const char *words, const char *word);

/* The number of letters to change to turn one into the other; names over 64 bytes are far from everything. */
size_t mx_distance(const char *a, const char *b);

bool mx_starts_with(const char *text, const char *prefix);
/* Letters, digits and underscores, not a digit first, and not none. */
bool mx_is_word(const char *text);
/* The number of characters with which both begin, and whether they are equal, where the case of ASCII letters does not count. */
size_t mx_common_but_case(const char *a, const char *b);
bool mx_same_but_case(const char *a, const char *b);
bool mx_ends_with(const char *text, const char *suffix);
bool mx_is_utf8(const char *text);
/* The same, without control characters. */
bool mx_is_plain_text(const char *text);
/* Copies the text to `out`, which has room for four times its length and a NUL, with "\xff" for each byte that is not UTF-8. */
void mx_escape_utf8(const char *text, char *out);

#endif
