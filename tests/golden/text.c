#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "golden.h"

void *memory(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return p;
}

char *copy_of(const char *s, size_t n)
{
    char *copy = memory(n + 1);
    memcpy(copy, s, n);
    return copy;
}

void text_add(struct text *t, const char *bytes, size_t n)
{
    char *grown = memory(t->length + n + 1);
    if (t->bytes) {
        memcpy(grown, t->bytes, t->length);
    }
    memcpy(grown + t->length, bytes, n);
    free(t->bytes);
    t->bytes = grown;
    t->length += n;
}

void text_format(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = memory((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    text_add(t, text, (size_t)n);
    free(text);
}

char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct text t = {0};
    char block[4096];
    size_t n;
    if (!f) {
        return NULL;
    }
    text_add(&t, "", 0);
    while ((n = fread(block, 1, sizeof block, f)) > 0) {
        text_add(&t, block, n);
    }
    const bool failed = ferror(f) != 0;
    fclose(f);
    if (failed) {
        free(t.bytes);
        return NULL;
    }
    return t.bytes;
}

bool write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    const size_t n = strlen(text);
    const bool ok = f && fwrite(text, 1, n, f) == n;
    return f && fclose(f) == 0 && ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void walk(const char *folder, char ***list, size_t *count)
{
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        struct stat info;
        struct text path = {0};
        const size_t n = strlen(e->d_name);
        if (e->d_name[0] == '.') {
            continue;
        }
        text_format(&path, "%s/%s", folder, e->d_name);
        if (stat(path.bytes, &info) == 0 && S_ISDIR(info.st_mode)) {
            walk(path.bytes, list, count);
        } else if (n > 4 && strcmp(e->d_name + n - 4, ".txt") == 0) {
            char **grown = memory((*count + 1) * sizeof *grown);
            if (*count > 0) {
                memcpy(grown, *list, *count * sizeof *grown);
            }
            free(*list);
            *list = grown;
            grown[(*count)++] = copy_of(path.bytes, path.length);
        }
        free(path.bytes);
    }
    if (d) {
        closedir(d);
    }
}

char **list_files(const char *folder, size_t *count)
{
    char **list = NULL;
    *count = 0;
    walk(folder, &list, count);
    if (*count > 0) {
        qsort(list, *count, sizeof *list, by_name);
    }
    return list;
}
