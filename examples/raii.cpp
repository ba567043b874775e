// The C API from C++11: a class that owns the model, and errors as exceptions.
//     raii MODEL-symbol.json OUT.onnx [INPUT]
// The first dim of INPUT becomes dynamic; its rank must be known.
#include <mx2onnx.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mx2onnx {

class Error : public std::runtime_error {
  public:
    Error(mx2onnx_status status, const char *text) : std::runtime_error(text), status(status)
    {
    }
    const mx2onnx_status status;
};

class Model {
  public:
    explicit Model(const std::string &path) : model_(create())
    {
        check(mx2onnx_load(get(), path.c_str()));
    }

    void setInputShape(const std::string &input, const std::vector<std::int64_t> &dims)
    {
        check(mx2onnx_set_input_shape(get(), input.c_str(), static_cast<std::int32_t>(dims.size()), dims.data()));
    }

    void nameDim(const std::string &input, std::size_t axis, const std::string &name)
    {
        check(mx2onnx_set_input_dim_name(get(), input.c_str(), axis, name.c_str()));
    }

    std::vector<std::string> inputs() const
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < mx2onnx_input_count(get()); i++) {
            names.emplace_back(mx2onnx_input_name(get(), i));
        }
        return names;
    }

    void exportFile(const std::string &path)
    {
        check(mx2onnx_export_file(get(), path.c_str()));
    }

    std::string exportBytes()
    {
        void *data = nullptr;
        std::size_t size = 0;
        check(mx2onnx_export_memory(get(), &data, &size));
        const std::unique_ptr<void, void (*)(void *)> owner(data, mx2onnx_memory_free);
        return std::string(static_cast<const char *>(data), size);
    }

  private:
    mx2onnx_model *get() const
    {
        return model_.get();
    }

    static mx2onnx_model *create()
    {
        mx2onnx_model *m = nullptr;
        const mx2onnx_status status = mx2onnx_model_new(&m);
        if (status != MX2ONNX_OK) {
            throw Error(status, mx2onnx_status_text(status));
        }
        return m;
    }

    void check(mx2onnx_status status) const
    {
        if (status != MX2ONNX_OK) {
            throw Error(status, mx2onnx_error(get()));
        }
    }

    struct Free {
        void operator()(mx2onnx_model *m) const
        {
            mx2onnx_model_free(m);
        }
    };
    std::unique_ptr<mx2onnx_model, Free> model_;
};

} // namespace mx2onnx

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s MODEL-symbol.json OUT.onnx [INPUT]\n", argv[0]);
        return 2;
    }
    try {
        mx2onnx::Model model(argv[1]);
        for (const std::string &name : model.inputs()) {
            std::printf("input %s\n", name.c_str());
        }
        if (argc > 3) {
            model.nameDim(argv[3], 0, "batch");
        }
        model.exportFile(argv[2]);
        std::printf("wrote %s\n", argv[2]);
    } catch (const mx2onnx::Error &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
