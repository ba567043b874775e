/* Graphs for arrays of SageMaker's own algorithms that come without one: k-means and PCA. What their endpoints return is written in
 * SageMaker's documentation: for k-means the closest cluster and the (Euclidean) distance to it, both as float32; for PCA the projection,
 * after the mean is subtracted. */
#include <string.h>

#include "base/str.h"
#include "catalogue/catalogue.h"

/* One matrix without a name, a row for each centre. It may be of anything, so the file's name must say that it is SageMaker's. */
static bool write_kmeans(const struct mx_params *p, const char *label, struct mx_str *out)
{
    const struct mx_param *centres = p->count == 1 ? mx_params_find(p, "0") : NULL;
    if (!centres || centres->ndim != 2 || !label || !mx_starts_with(label, "model_algo")) {
        return false;
    }
    mx_str_printf(out,
                  "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"attrs\": {\"__shape__\": \"(0, %lld)\"}, \"inputs\": []},"
                  "{\"op\": \"null\", \"name\": \"0\", \"inputs\": []},"
                  "{\"op\": \"expand_dims\", \"name\": \"points\", \"attrs\": {\"axis\": \"1\"}, \"inputs\": [[0, 0, 0]]},"
                  "{\"op\": \"expand_dims\", \"name\": \"centres\", \"attrs\": {\"axis\": \"0\"}, \"inputs\": [[1, 0, 0]]},"
                  "{\"op\": \"broadcast_sub\", \"name\": \"differences\", \"inputs\": [[2, 0, 0], [3, 0, 0]]},"
                  "{\"op\": \"norm\", \"name\": \"distances\", \"attrs\": {\"axis\": \"2\"}, \"inputs\": [[4, 0, 0]]},"
                  "{\"op\": \"argmin\", \"name\": \"closest_cluster\", \"attrs\": {\"axis\": \"1\"}, \"inputs\": [[5, 0, 0]]},"
                  "{\"op\": \"min\", \"name\": \"distance_to_cluster\", \"attrs\": {\"axis\": \"1\"}, \"inputs\": [[5, 0, 0]]}],"
                  "\"arg_nodes\": [0, 1], \"heads\": [[6, 0, 0], [7, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}",
                  (long long)centres->dims[1]);
    return true;
}

/* The singular values, the vectors as columns, and the mean, unless it was not to be subtracted. */
static bool write_pca(const struct mx_params *p, struct mx_str *out)
{
    const struct mx_param *mean = mx_params_find(p, "mean"), *v = mx_params_find(p, "v");
    if (p->count != 2 + (size_t)(mean != NULL) || !mx_params_find(p, "s") || !v || v->ndim != 2
        || (mean && (mean->ndim < 1 || mean->ndim > 2 || mean->dims[mean->ndim - 1] != v->dims[0]))) {
        return false;
    }
    mx_str_printf(out,
                  "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"attrs\": {\"__shape__\": \"(0, %lld)\"}, \"inputs\": []},"
                  "{\"op\": \"null\", \"name\": \"v\", \"inputs\": []},",
                  (long long)v->dims[0]);
    mx_str_append(out, mean ? "{\"op\": \"null\", \"name\": \"mean\", \"inputs\": []},"
                              "{\"op\": \"broadcast_sub\", \"name\": \"centred\", \"inputs\": [[0, 0, 0], [2, 0, 0]]},"
                            : "");
    mx_str_printf(out,
                  "{\"op\": \"dot\", \"name\": \"projection\", \"inputs\": [[%d, 0, 0], [1, 0, 0]]}], \"arg_nodes\": [0, 1%s], "
                  "\"heads\": [[%d, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}",
                  mean ? 3 : 0, mean ? ", 2" : "", mean ? 4 : 2);
    return true;
}

const char *mx_arrays_symbol(const struct mx_params *p, const char *label, struct mx_str *out)
{
    if (write_kmeans(p, label, out)) {
        return "holds the centres of SageMaker's k-means, so the outputs are its endpoint's: closest_cluster and distance_to_cluster";
    }
    if (write_pca(p, out)) {
        return "holds SageMaker's PCA, so the output is the projection that its endpoint returns, with the components in the order of the "
               "file, the most important one last";
    }
    return NULL;
}
