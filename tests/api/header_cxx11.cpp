// The public header alone, as strict C++11, linked against the C library.
#include "mx2onnx.h"

static int32_t cancel(const mx2onnx_progress *p, void *user)
{
    static_cast<void>(user);
    return p->done < p->total;
}

int main()
{
    const mx2onnx_progress_fn progress = cancel;
    mx2onnx_diagnostic d;
    d.struct_size = sizeof(d);
    mx2onnx_model *m = nullptr;
    if (mx2onnx_model_new(&m) != MX2ONNX_OK || mx2onnx_set_progress(m, progress, nullptr, nullptr) != MX2ONNX_OK) {
        return 1;
    }
    const int32_t status = mx2onnx_diagnostic_get(m, 0, &d);
    mx2onnx_model_free(m);
    return status == MX2ONNX_OK; /* there is none */
}
