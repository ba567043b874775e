/* Suggestions for misspelt names. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 100 };

static int lower_case(char c)
{
    return tolower((unsigned char)c);
}

/* Levenshtein distance, ignoring case; names over MAX_NAME are far from everything. */
static int distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    int row[MAX_NAME + 1];
    if (n > MAX_NAME || m > MAX_NAME) {
        return MAX_NAME;
    }
    for (size_t j = 0; j <= m; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            const int change = diagonal + (lower_case(a[i - 1]) != lower_case(b[j - 1]));
            diagonal = row[j];
            const int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < step ? change : step;
        }
    }
    return row[m];
}

static bool begins(const char *text, const char *part)
{
    while (*part && lower_case(*text) == lower_case(*part)) {
        text++;
        part++;
    }
    return !*part;
}

static bool contains(const char *text, const char *part)
{
    while (*text && !begins(text, part)) {
        text++;
    }
    return *text;
}

/* How far a known name is from what was typed: 0 if it begins with it, 1 if it contains it, else how many characters differ. */
static int far_from(const char *known, const char *name)
{
    const bool is_part = strlen(name) >= 3 && contains(known, name);
    const int d = distance(name, known);
    return !is_part || d == 0 ? d : begins(known, name) ? 0 : 1;
}

size_t cli_nearest(const char *name, size_t count, const char *(*get)(size_t i), const char *found[CLI_NEAR])
{
    const size_t length = strlen(name);
    const int limit = length < MAX_NAME ? (int)(length + 2) / 3 : 0;
    int distances[CLI_NEAR];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const char *known = get(i);
        const int d = known ? far_from(known, name) : MAX_NAME;
        if (d > limit) {
            continue;
        }
        size_t at = n;
        while (at > 0 && (distances[at - 1] > d || (distances[at - 1] == d && strcmp(found[at - 1], known) > 0))) {
            at--;
        }
        if (at == CLI_NEAR) {
            continue;
        }
        n += n < CLI_NEAR;
        for (size_t k = n - 1; k > at; k--) {
            distances[k] = distances[k - 1];
            found[k] = found[k - 1];
        }
        distances[at] = d;
        found[at] = known;
    }
    return n;
}
