/* said: what is said of files that fit no net of the catalogue, or several. The arrays are those of published nets, changed; they have
 * names and shapes, and no numbers. */
#include "catalogue_test.h"

#include <math.h>
#include <string.h>

#include "mx2onnx.h"

/* What the file is, and what is asked for. */
struct row {
    const char *nets;   /* "a b": the arrays of both; "=a" with the names that they have in the symbol, "=a my_" with another prefix,
                         * "=a -" without one; "a:7" with 7 classes */
    const char *change; /* "-output.bias +head.weight ~output.weight": without, with, and of another shape */
    const char *name, *label;
    struct mx_sizes wanted;
    int status;
    const char *said; /* the first diagnostic with its advice; for a status of OK the net, and the note if there is one */
};

#define FURTHER "; for another network, call export() in its Python code and load the symbol file"
#define NONE "there is no symbol file, and the parameters match none of the 374 published nets that the library knows"
#define NEAREST "there is no symbol file, and the parameters match no published net: the nearest is "
#define SEVERAL "the parameters match several nets that compute different results: "
#define CHOOSE "; choose one with mx2onnx_load_net"
#define NO_NAME "; give no name, and the library searches for the net that they match"

static const struct row rows[] = {
    /* what fits */
    {"cifar_resnet20_v1", "", NULL, NULL, {{0}}, MX_OK, "cifar_resnet20_v1 with 10 classes"},
    {"cifar_resnet20_v1", "", "CIFAR_ResNet20_v1", NULL, {{10}}, MX_OK, "cifar_resnet20_v1 with 10 classes"},
    {"fastscnn_citys", "", NULL, NULL, {{0, 320}}, MX_OK, "fastscnn_citys with 19 classes, 320 for the crop"},
    {"=cifar_resnet20_v1", "", NULL, NULL, {{0}}, MX_OK, "cifar_resnet20_v1 with 10 classes"},
    {"=cifar_resnet20_v1 my_", "", NULL, NULL, {{0}}, MX_OK, "cifar_resnet20_v1 with 10 classes"},
    {"=cifar_resnet20_v1 -", "", NULL, NULL, {{0}}, MX_OK, "cifar_resnet20_v1 with 10 classes"},
    {"=cifar_resnet20_v1 my_", "+other_weight", NULL, NULL, {{0}}, MX_NOT_FOUND, NONE FURTHER},
    {"=cifar_resnet20_v1 my_",
     "+my_other_weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 1 is not of it ('my_other_weight')" FURTHER},
    /* arrays that are missing, of another shape, or not of it */
    {"cifar_resnet20_v1",
     "-output.bias",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 1 array is missing ('output.bias')" FURTHER},
    {"cifar_resnet20_v1",
     "-output.bias -output.weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 2 arrays are missing ('output.weight')" FURTHER},
    {"cifar_resnet20_v1",
     "+head.weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 1 is not of it ('head.weight')" FURTHER},
    {"cifar_resnet20_v1",
     "+head.weight +head.bias",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 2 are not of it ('head.weight')" FURTHER},
    {"cifar_resnet20_v1",
     "~output.bias",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 1 has another shape ('output.bias' should be (10))" FURTHER},
    {"cifar_resnet20_v1",
     "~output.bias ~output.weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 2 have another shape ('output.weight' should be (?, 64))" FURTHER},
    {"cifar_resnet20_v1",
     "-output.bias ~output.weight +head.weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 1 array is missing ('output.bias'), 1 has another shape ('output.weight' should be (?, 64)), "
             "1 is not of it ('head.weight')" FURTHER},
    /* the scheme of names is that of one of the first four parameters */
    {"=cifar_resnet20_v1",
     "-cifarresnetv10_conv0_weight -cifarresnetv10_batchnorm0_gamma -cifarresnetv10_batchnorm0_beta -cifarresnetv10_batchnorm0_running_mean",
     "cifar_resnet20_v1",
     NULL,
     {{0}},
     MX_SHAPE,
     "the parameters are not those of cifar_resnet20_v1: 107 arrays are missing ('features.0.weight'), 103 are not of it "
     "('cifarresnetv10_batchnorm0_running_var')" NO_NAME},
    {"=cifar_resnet20_v1",
     "-cifarresnetv10_conv0_weight -cifarresnetv10_batchnorm0_gamma -cifarresnetv10_batchnorm0_beta",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "cifar_resnet20_v1, but 3 arrays are missing ('cifarresnetv10_conv0_weight')" FURTHER},
    /* what the graph does not read may be missing, but not be of another shape */
    {"custom_mask_rcnn_fpn", "", NULL, NULL, {{0}}, MX_OK, "custom_mask_rcnn_fpn with 20 classes"},
    {"custom_mask_rcnn_fpn", "-features.P6_conv1_weight", NULL, NULL, {{0}}, MX_OK, "custom_mask_rcnn_fpn with 20 classes"},
    {"custom_mask_rcnn_fpn",
     "~features.P6_conv1_weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "custom_mask_rcnn_fpn, but 1 has another shape ('features.P6_conv1_weight' should be ())" FURTHER},
    /* near is what shares more than it lacks: of ten arrays six, not five */
    {"d2l_lenet",
     "-5.bias -5.weight -6.bias -6.weight",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "d2l_lenet, but 4 arrays are missing ('5.weight')" FURTHER},
    {"d2l_lenet", "-5.bias -5.weight -6.bias -6.weight -7.bias", NULL, NULL, {{0}}, MX_NOT_FOUND, NONE FURTHER},
    {"d2l_lenet",
     "-5.bias -5.weight -6.bias -6.weight -7.bias -7.weight",
     "d2l_lenet",
     NULL,
     {{0}},
     MX_SHAPE,
     "the parameters are not those of d2l_lenet: 6 arrays are missing ('5.weight')" NO_NAME},
    /* of names for the same that of the file's sizes, else that of what was never published, else the first */
    {"yolo3_darknet53_voc", "", NULL, NULL, {{0}}, MX_OK, "yolo3_darknet53_voc with 20 classes"},
    {"yolo3_darknet53_coco", "", NULL, NULL, {{0}}, MX_OK, "yolo3_darknet53_coco with 80 classes"},
    {"yolo3_darknet53_voc:7", "", NULL, NULL, {{0}}, MX_OK, "yolo3_darknet53_custom with 7 classes"},
    {"yolo3_darknet53_voc:1", "", NULL, NULL, {{0}}, MX_OK, "yolo3_darknet53_custom with 1 class"},
    {"yolo3_darknet53_voc:7", "", NULL, "yolo3_darknet53_voc-f5ece5ce.params", {{0}}, MX_OK, "yolo3_darknet53_voc with 7 classes"},
    /* a name */
    {"cifar_resnet20_v1",
     "",
     "cifar_resnet20_v2",
     NULL,
     {{0}},
     MX_SHAPE,
     "the parameters are not those of cifar_resnet20_v2: 101 arrays are missing ('features.0.gamma'), 105 are not of it "
     "('features.0.weight')" NO_NAME},
    {"cifar_resnet20_v1",
     "",
     "cifar_resnet21_v1",
     NULL,
     {{0}},
     MX_NOT_FOUND,
     "the catalogue has no net of this name; the nearest is 'cifar_resnet20_v1'"},
    {"cifar_resnet20_v1",
     "",
     "zzzzzzzz",
     NULL,
     {{0}},
     MX_NOT_FOUND,
     "the catalogue has no net of this name; mx2onnx_catalogue_name lists the nets"},
    {"d2l_lenet", "", "d2l_lxxxx", NULL, {{0}}, MX_NOT_FOUND, "the catalogue has no net of this name; the nearest is 'd2l_lenet'"},
    {"d2l_lenet",
     "",
     "d2l_xxxxx",
     NULL,
     {{0}},
     MX_NOT_FOUND,
     "the catalogue has no net of this name; mx2onnx_catalogue_name lists the nets"},
    /* sizes that were asked for */
    {"cifar_resnet20_v1",
     "",
     NULL,
     NULL,
     {{0, 480}},
     MX_NOT_FOUND,
     "the option 'crop' is 480, which does not apply to cifar_resnet20_v1, the net that the parameters match; omit the option"},
    {"cifar_resnet20_v1",
     "",
     "cifar_resnet20_v1",
     NULL,
     {{0, 0, 3}},
     MX_SHAPE,
     "the option 'segments' is 3, which does not apply to cifar_resnet20_v1, the net that the parameters match; omit the option"},
    {"cifar_resnet20_v1",
     "",
     "cifar_resnet20_v1",
     NULL,
     {{0, 0, 0, 7}},
     MX_SHAPE,
     "the option 'vocabulary' is 7, which does not apply to cifar_resnet20_v1, the net that the parameters match; omit the option"},
    {"cifar_resnet20_v1",
     "",
     "cifar_resnet20_v1",
     NULL,
     {{7}},
     MX_SHAPE,
     "the parameters are not those of cifar_resnet20_v1: 2 have another shape ('output.weight' should be (7, 64))" NO_NAME},
    /* files of something else */
    {"", "+encoder.weight +encoder.bias", NULL, NULL, {{0}}, MX_NOT_FOUND, NONE FURTHER},
    {"",
     "+x",
     NULL,
     "model_algo-1",
     {{0}},
     MX_NOT_FOUND,
     NONE "; load the whole archive of the training job (model.tar.gz), because the symbol may be another file in it"},
    {"",
     "+mean_img",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     "the file holds a mean image (mean_img), which a program subtracts from images before the network; convert the network, and set the "
     "mean of each channel with mx2onnx_set_input_mean, or subtract the image in your program"},
    {"", "+mean_img +x", NULL, NULL, {{0}}, MX_NOT_FOUND, NONE FURTHER},
    {"",
     "+0",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     "the file holds one matrix without a name; if it holds the centres of SageMaker's k-means, name the file model_algo-1"},
    {"", "+0 +1", NULL, NULL, {{0}}, MX_NOT_FOUND, NONE FURTHER},
    {"", "+0 ~0", NULL, NULL, {{0}}, MX_NOT_FOUND, NONE FURTHER},
    /* the nearest of all, which has no negative number of classes */
    {"resnet34_v1", "+head.weight", NULL, NULL, {{0}}, MX_NOT_FOUND, NEAREST "resnet34_v1, but 1 is not of it ('head.weight')" FURTHER},
    {"yolo3_darknet53_voc:-4",
     "",
     NULL,
     NULL,
     {{0}},
     MX_NOT_FOUND,
     NEAREST "yolo3_darknet53_coco, but 6 have another shape ('yolo_outputs.0.prediction.weight' should be (?, 1024, 1, 1))" FURTHER},
    /* several that fit */
    {"center_net_resnet18_v1b_voc",
     "",
     NULL,
     NULL,
     {{0}},
     MX_INVALID_ARGUMENT,
     SEVERAL "center_net_resnet18_v1b_coco with 20 classes (GluonCV 0.10.5); or center_net_resnet18_v1b_voc with 20 classes (GluonCV "
             "0.10.5); they differ first at 'centernet0_centernetdecoder0_topk0', where k is 100 or 40" CHOOSE},
    {"center_net_resnet18_v1b_voc",
     "",
     NULL,
     "center_net_resnet18_v1b_voc-0123abcd.params",
     {{0}},
     MX_OK,
     "center_net_resnet18_v1b_voc with 20 classes; the parameters match 2 published nets, and center_net_resnet18_v1b_voc was chosen by "
     "the file's name"},
    {"center_net_resnet18_v1b_voc",
     "",
     NULL,
     "center_net_resnet18_v1b_coco.params",
     {{0}},
     MX_OK,
     "center_net_resnet18_v1b_coco with 20 classes; the parameters match 2 published nets, and center_net_resnet18_v1b_coco was chosen "
     "by the file's name"},
    {"center_net_resnet18_v1b_voc",
     "",
     NULL,
     "center_net_resnet18_v1b.params",
     {{0}},
     MX_INVALID_ARGUMENT,
     SEVERAL "center_net_resnet18_v1b_coco with 20 classes (GluonCV 0.10.5); or center_net_resnet18_v1b_voc with 20 classes (GluonCV "
             "0.10.5); they differ first at 'centernet0_centernetdecoder0_topk0', where k is 100 or 40" CHOOSE},
    {"center_net_resnet18_v1b_voc",
     "",
     NULL,
     "center_net_resnet18_v1b_voc2.params",
     {{0}},
     MX_INVALID_ARGUMENT,
     SEVERAL "center_net_resnet18_v1b_coco with 20 classes (GluonCV 0.10.5); or center_net_resnet18_v1b_voc with 20 classes (GluonCV "
             "0.10.5); they differ first at 'centernet0_centernetdecoder0_topk0', where k is 100 or 40" CHOOSE},
    /* two nets lack the size: the first is named */
    {"center_net_resnet18_v1b_voc",
     "",
     NULL,
     NULL,
     {{[MX_SIZE_CROP] = 480}},
     MX_NOT_FOUND,
     "the option 'crop' is 480, which does not apply to center_net_resnet18_v1b_coco, the net that the parameters match; omit the option"},
};

static void add_one(struct mx_params *p, const char *name)
{
    static const struct mx_number dims[] = {{.b = 3, .k = 1}, {.b = 4, .k = 1}};
    static const struct mx_net_shape shape = {2, dims};
    add_array(p, name, &shape, &(const struct mx_sizes){{0}});
}

static size_t place_of(const struct mx_params *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->items[i]->name, name) == 0) {
            return i;
        }
    }
    fail("the file has no such array", name);
    return 0;
}

static void change(struct mx_params *p, const char *what)
{
    static const int64_t other[] = {1, 2, 3};
    if (what[0] == '+') {
        add_one(p, what + 1);
        return;
    }
    const size_t i = place_of(p, what + 1);
    if (what[0] == '~') {
        p->items[i]->ndim = 3;
        p->items[i]->dims = other;
        return;
    }
    memmove(&p->items[i], &p->items[i + 1], (p->count - i - 1) * sizeof *p->items);
    p->count--;
}

/* The arrays with their names in the symbol; prefix NULL: their own. */
static void make_named(struct mx_params *p, const struct mx_catalogue *c, const struct mx_net *net, const char *prefix)
{
    struct mx_walk w;
    char name[MX_NAME_MAX], whole[2 * MX_NAME_MAX];
    if (!mx_walk_begin(&w, c, net->graph)) {
        fail("is damaged", net->name);
    }
    for (enum mx_walk_kind kind; (kind = mx_walk_next(&w)) != MX_WALK_END;) {
        if (kind == MX_WALK_PARAM && mx_net_name_text(c, &w.name, prefix ? w.prefix : 0, name)) {
            snprintf(whole, sizeof whole, "%s%s", prefix ? prefix : "", name);
            add_array(p, whole, w.shape, &net->sizes);
        }
    }
}

static void make_arrays(struct mx_params *p, const struct mx_catalogue *c, const struct row *row)
{
    char words[512];
    const char *classes = strchr(row->nets, ':');
    const char *prefix = row->nets[0] == '=' ? strchr(row->nets, ' ') : NULL;
    for (size_t i = 0; i < c->n_nets; i++) {
        const struct mx_net *net = &c->nets[i];
        if (row->nets[0] == '=' && mx_starts_with(row->nets + 1, net->name)) {
            make_named(p, c, net, !prefix ? NULL : strcmp(prefix, " -") == 0 ? "" : prefix + 1);
        } else if (mx_word_index(row->nets, net->name) >= 0) {
            make_file(p, c, net, &net->sizes);
        } else if (classes && mx_starts_with(row->nets, net->name) && row->nets + strlen(net->name) == classes) {
            make_file(p, c, net, &(const struct mx_sizes){{strtol(classes + 1, NULL, 10)}});
        }
    }
    snprintf(words, sizeof words, "%s", row->change);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        change(p, mx_arena_strdup(p->arena, word));
    }
    mx_map_free(&p->by_name);
    for (size_t i = 0; i < p->count; i++) {
        if (mx_map_set(&p->by_name, p->items[i]->name, p->items[i]) != MX_OK) {
            fail("out of memory", row->nets);
        }
    }
}

static bool check(struct mx_catalogue *c, const struct row *row)
{
    struct mx_arena arena = {0}, scratch = {0};
    struct mx_params p = {.arena = &arena, .diags = c->diags};
    struct mx_matcher m;
    struct mx_candidate found;
    struct mx_str said = {0};
    mx_diags_truncate(c->diags, 0);
    make_arrays(&p, c, row);
    if (mx_matcher_init(&m, c, &p, &scratch) != MX_OK) {
        fail("out of memory", row->nets);
    }
    m.wanted = row->wanted;
    if (mx_net_find(&m, NULL, NULL, &found) == MX_OUT_OF_MEMORY || mx_matcher_init(&m, c, &p, &scratch) != MX_OK) { /* of what it leaves */
        fail("out of memory", row->nets);
    }
    mx_diags_truncate(c->diags, 0);
    m.wanted = row->wanted;
    const int status = mx_net_find(&m, row->name, row->label, &found);
    if (status == MX_OK) {
        mx_net_describe(&found, &said);
    }
    for (size_t i = 0; i < c->diags->count; i++) {
        const struct mx_diag *d = &c->diags->items[i];
        mx_str_printf(&said, "%s%s%s%s", said.length > 0 ? "; " : "", d->message, d->advice[0] ? "; " : "", d->advice);
    }
    const bool right = status == row->status && strcmp(said.text ? said.text : "", row->said) == 0;
    if (!right) {
        printf("not ok: %s %s\nexpected (%d): %s\nactual (%d):   %s\n", row->nets, row->change, row->status, row->said, status, said.text);
    }
    mx_str_free(&said);
    mx_map_free(&p.by_name);
    mx_free(p.items);
    mx_arena_free(&arena);
    mx_arena_free(&scratch);
    return right;
}

/* What was published with a net: the shape of its input, and the mean and deviation of images from 0 to 1. */
static bool check_published(const struct mx_catalogue *c)
{
    static const double mean[] = {0.4914, 0.4822, 0.4465}, deviation[] = {0.2023, 0.1994, 0.2010};
    static const float zeros[64 * 64 * 9];
    struct mx_arena arena = {0};
    struct mx_params p = {.arena = &arena, .diags = c->diags};
    mx2onnx_model *m = NULL;
    int32_t rank = 0;
    size_t n_mean = 0, n_scale = 0;
    make_arrays(&p, c, &(const struct row){.nets = "cifar_resnet20_v1", .change = ""});
    bool right = mx2onnx_model_new(&m) == MX2ONNX_OK && mx2onnx_use_published(m, MX2ONNX_PUBLISHED_SHAPES) != MX2ONNX_OK;
    for (size_t i = 0; i < p.count; i++) {
        const struct mx_param *x = p.items[i];
        size_t size = sizeof(float);
        for (int k = 0; k < x->ndim; k++) {
            size *= (size_t)x->dims[k];
        }
        const mx2onnx_array a = {sizeof a, MX2ONNX_DTYPE_FLOAT32, x->ndim, x->dims, zeros, size};
        right = right && size <= sizeof zeros && mx2onnx_set_param(m, x->name, &a, NULL, NULL) == MX2ONNX_OK;
    }
    right = right && mx2onnx_load_net(m, NULL) == MX2ONNX_OK && mx2onnx_use_published(m, MX2ONNX_PUBLISHED_SHAPES) == MX2ONNX_OK
            && mx2onnx_use_published(m, MX2ONNX_PUBLISHED_NORMALIZATION) == MX2ONNX_OK;
    const int64_t *dims = mx2onnx_get_input_shape(m, "data", &rank);
    const double *means = mx2onnx_get_input_mean(m, "data", &n_mean), *scales = mx2onnx_get_input_scale(m, "data", &n_scale);
    right = right && rank == 4 && dims[0] == -1 && dims[1] == 3 && dims[2] == 32 && dims[3] == 32 && n_mean == 3 && n_scale == 3;
    for (int i = 0; right && i < 3; i++) {
        right = fabs(means[i] - 255 * mean[i]) < 1e-9 && fabs(scales[i] - 1 / (255 * deviation[i])) < 1e-9;
    }
    if (!right) {
        printf("not ok: what was published with cifar_resnet20_v1: %s\n", mx2onnx_error(m));
    }
    mx2onnx_model_free(m);
    mx_map_free(&p.by_name);
    mx_free(p.items);
    mx_arena_free(&arena);
    return right;
}

int main(void)
{
    struct mx_diags diags = {0};
    struct mx_catalogue c;
    int wrong = 0;
    open_catalogue(&c, &diags);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wrong += !check(&c, &rows[i]);
    }
    wrong += !check_published(&c);
    mx_catalogue_close(&c);
    mx_diags_free(&diags);
    return wrong > 0;
}
