/* What stays float32 when a model becomes float16: what MXNet's AMP leaves there (tests/oracle/float32_functions.py), under all
 * names, and NumPy's operator of the same name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
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

/* What stays float32 and the list of MXNet 1 does not name: operators of MXNet 2's list, sums and what is made of them, operators that
 * look for values that are not finite, and forms of an operator that the list names. Draws of random numbers stay, too. */
static const char also[] = " _npi_average _npi_eigh _npi_eigvalsh _npi_lstsq _npi_matrix_rank _npi_matrix_rank_none_tol _npi_pinv "
                           "_npi_pinv_scalar_rcond _npi_polyval _npi_power _npi_qr _npi_solve _npi_std _npi_svd _npi_tensorinv "
                           "_npi_tensorsolve _npi_var _np_cumsum _np_trace digamma masked_log_softmax masked_softmax "
                           "_contrib_ModulatedDeformableConvolution "
                           "_np_all _np_any _np_max _np_min _np_prod _npi_percentile _image_adjust_lighting "
                           "all_finite multi_all_finite _contrib_allclose "
                           "_contrib_ifft _npi_hypot WarpCTC "
                           "_random_pdf_dirichlet _random_pdf_exponential _random_pdf_gamma _random_pdf_generalized_negative_binomial "
                           "_random_pdf_negative_binomial _random_pdf_normal _random_pdf_poisson _random_pdf_uniform ";

/* Whether one of the names separated by blanks, or what follows its "_npi_", is among the words. */
static bool has_one_of(const char *words, const char *names)
{
    char name[100];
    for (const char *w = names ? names : ""; *w; w = mx_next_word(w)) {
        snprintf(name, sizeof name, "%.*s", (int)mx_word_length(w), w);
        if (has_word(words, name) || (strncmp(name, "_npi_", 5) == 0 && has_word(words, name + 5))) {
            return true;
        }
    }
    return false;
}

static void nothing_else_stays_float32(void **state)
{
    static char listed[1 << 14];
    FILE *f = fopen(file, "r");
    (void)state;
    assert_non_null(f);
    const size_t size = fread(listed, 1, sizeof listed - 1, f);
    fclose(f);
    assert_true(size > 0 && size < sizeof listed - 1);
    for (char *c = listed; *c; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    for (size_t i = 0; ops[i]; i++) {
        const struct mx_op *op = ops[i];
        const bool known = has_one_of(listed, op->name) || has_one_of(listed, op->alias) || has_one_of(also, op->name);
        if (op->single && !op->random && !known) {
            fail_msg("%s stays float32 without a reason", op->name);
        }
        if (!op->single && has_word(also, op->name)) {
            fail_msg("%s does not stay float32", op->name);
        }
    }
}

/* Indices, counts, coordinates and boxes, and what is found between such. */
static void positions_stay_float32(void **state)
{
    static const char names[] = " _contrib_MultiBoxDetection _contrib_MultiBoxPrior _contrib_MultiBoxTarget _contrib_MultiProposal "
                                "_contrib_Proposal _contrib_arange_like _contrib_bipartite_matching _contrib_box_decode "
                                "_contrib_box_encode _contrib_box_iou _contrib_box_nms GridGenerator _histogram _npi_bincount "
                                "_npi_interp _ravel_multi_index argmax argmax_channel argmin argsort topk ";
    (void)state;
    for (size_t i = 0; ops[i]; i++) {
        if (ops[i]->positions != has_word(names, ops[i]->name)) {
            fail_msg("%s", ops[i]->name);
        }
    }
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
        cmocka_unit_test(nothing_else_stays_float32),
        cmocka_unit_test(positions_stay_float32),
        cmocka_unit_test(becomes_float16),
    };
    for (size_t i = 0; i < mx_registry_count() && i < MOST - 1; i++) {
        ops[i] = mx_registry_nth(i);
    }
    file = argc > 1 ? argv[1] : "tests/data/recorded/float32_functions.txt";
    return cmocka_run_group_tests_name("float32", tests, NULL, NULL);
}
