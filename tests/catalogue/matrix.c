/* matrix GROUPS: the arrays of each net, as published and with 23 classes, compared with all nets. Each is found to be itself; where
 * several nets fit that compute different things, they are a line of GROUPS, and every line is met. */
#include "catalogue_test.h"

#include <string.h>
#include <time.h>

enum { CLASSES = 23, MAX_GROUPS = 64, LINE = 2048 };
static char groups[MAX_GROUPS][LINE];
static bool met[MAX_GROUPS];
static int n_groups;

static void read_groups(const char *path)
{
    FILE *f = fopen(path, "r");
    while (f && n_groups < MAX_GROUPS && fgets(groups[n_groups], LINE, f)) {
        groups[n_groups][strcspn(groups[n_groups], "\n")] = 0;
        n_groups += groups[n_groups][0] != 0;
    }
    if (!f) {
        fail("cannot be read", path);
    }
    fclose(f);
}

/* ---- what it is found to be */

/* "a b c": the nets, each once. */
static void names_in(const struct mx_candidate *fits, size_t count, char out[LINE])
{
    out[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = fits[i].net->name;
        if (mx_word_index(out, name) < 0 && strlen(out) + strlen(name) + 2 < LINE) {
            strcat(out, out[0] ? " " : "");
            strcat(out, name);
        }
    }
}

static void check_group(const char *names, const char *net)
{
    if (mx_word_index(names, net) < 0) {
        fail(names, net);
    }
    for (int i = 0; i < n_groups; i++) {
        if (strcmp(groups[i], names) == 0) {
            met[i] = true;
            return;
        }
    }
    printf("not ok: %s is taken for one of these, which GROUPS does not have:\n%s\n", net, names);
    if (!getenv("ALL")) { /* to see them all */
        exit(1);
    }
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double check(struct mx_catalogue *c, const struct mx_net *net, const struct mx_sizes *sizes)
{
    struct mx_arena arena = {0}, scratch = {0};
    struct mx_params p = {.arena = &arena, .diags = c->diags};
    struct mx_matcher m;
    struct mx_candidate found;
    char names[LINE];
    make_file(&p, c, net, sizes);
    const double start = seconds();
    if (mx_matcher_init(&m, c, &p, &scratch) != MX_OK) {
        fail("out of memory", net->name);
    }
    const int status = mx_net_find(&m, NULL, NULL, &found);
    const double time = seconds() - start;
    if (status == MX_OK) {
        const bool same =
            c->graphs[found.net->graph].meaning == c->graphs[net->graph].meaning && memcmp(&found.sizes, sizes, sizeof *sizes) == 0;
        if (!same) {
            fail(found.net->name, net->name);
        }
    } else if (status != MX_INVALID_ARGUMENT) {
        fail(mx_diags_first_error(c->diags), net->name);
    } else {
        mx_diags_truncate(c->diags, 0);
        const struct mx_candidate *fits;
        size_t count;
        if (mx_net_identify(&m, &fits, &count) != MX_OK) {
            fail("is not identified", net->name);
        }
        names_in(fits, count, names);
        check_group(names, net->name);
    }
    mx_diags_truncate(c->diags, 0);
    mx_map_free(&p.by_name);
    mx_free(p.items);
    mx_arena_free(&arena);
    mx_arena_free(&scratch);
    return time;
}

int main(int argc, char **argv)
{
    struct mx_diags diags = {0};
    struct mx_catalogue c;
    double slowest = 0;
    if (argc != 2) {
        fail("is missing", "the file of groups");
    }
    read_groups(argv[1]);
    const double start = seconds();
    open_catalogue(&c, &diags);
    const double opened = seconds() - start;
    for (size_t i = 0; i < c.n_nets; i++) {
        struct mx_sizes sizes = c.nets[i].sizes;
        for (int turn = 0; turn < 2; turn++) {
            const double time = check(&c, &c.nets[i], &sizes);
            slowest = time > slowest ? time : slowest;
            if (sizes.of[MX_SIZE_CLASSES] == 0) {
                break;
            }
            sizes.of[MX_SIZE_CLASSES] = CLASSES;
        }
    }
    for (int i = 0; i < n_groups; i++) {
        if (!met[i]) {
            fail("this group is not met", groups[i]);
        }
    }
    printf("%zu nets; opened in %.1f ms, found in %.1f ms at most\n", c.n_nets, opened * 1e3, slowest * 1e3);
    mx_catalogue_close(&c);
    mx_diags_free(&diags);
    return 0;
}
