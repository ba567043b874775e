/* What stays float32 when a model becomes float16: what MXNet's AMP leaves there (tests/oracle/float32_functions.py), under all
 * names, and NumPy's operator of the same name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "op/op.h"
#include "op/registry.h"

enum { MOST = 4096 };

static const char *file;
static const struct mx_op *ops[MOST]; /* mx_registry_nth counts from the first */

/* These pass numbers on, or are only a comparison or a sigmoid in inference; for a Convolution the attributes do not decide. */
static const char exempt[] = " IdentityAttachKLSparseReg MakeLoss LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput "
                             "SVMOutput make_loss _linalg_extractdiag _linalg_extracttrian _linalg_makediag _linalg_maketrian argsort "
                             "topk _contrib_MultiBoxDetection _contrib_MultiBoxPrior _contrib_MultiBoxTarget _contrib_SyncBatchNorm "
                             "_contrib_count_sketch Convolution ";

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)) != NULL; at++) {
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0)) {
            return true;
        }
    }
    return false;
}

static const struct mx_op *named(const char *name)
{
    for (size_t i = 0; ops[i]; i++) {
        if (strcmp(ops[i]->name, name) == 0 || (ops[i]->alias && has_word(ops[i]->alias, name))) {
            return ops[i];
        }
    }
    return NULL;
}

static void stays_float32(void **state)
{
    char name[100], numpy[120];
    size_t found = 0;
    FILE *f = fopen(file, "r");
    (void)state;
    assert_non_null(f);
    while (fscanf(f, "%99s", name) == 1) {
        snprintf(numpy, sizeof numpy, "_npi_%s", name);
        const struct mx_op *both[] = {named(name), named(numpy)};
        for (int i = 0; i < 2; i++) {
            found += both[i] != NULL;
            if (both[i] && both[i]->single == has_word(exempt, both[i]->name)) {
                fail_msg("%s (%s)", both[i]->name, name);
            }
        }
    }
    fclose(f);
    assert_true(found > 140);
}

/* What computes in float16 in MXNet's AMP as well, or moves numbers. */
static void becomes_float16(void **state)
{
    static const char *const names[] = {"Convolution", "Deconvolution", "FullyConnected", "RNN",       "Activation",
                                        "BatchNorm",   "Concat",        "Pooling",        "Reshape",   "elemwise_add",
                                        "dot",         "batch_dot",     "relu",           "transpose", "Embedding"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(named(names[i]));
        assert_false(named(names[i])->single);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_float32),
        cmocka_unit_test(becomes_float16),
    };
    for (size_t i = 0; i < mx_registry_count() && i < MOST - 1; i++) {
        ops[i] = mx_registry_nth(i);
    }
    file = argc > 1 ? argv[1] : "tests/data/recorded/float32_functions.txt";
    return cmocka_run_group_tests_name("float32", tests, NULL, NULL);
}
