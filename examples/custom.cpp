// The library from C++17: an operator of one's own, a named dim, a model in memory.
//     custom MODEL-symbol.json OUT.onnx [INPUT DIM...]
// A DIM is a size or a name. Nodes Custom(op_type="leaky", slope=...) become LeakyRelu.
#include <mx2onnx.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>

static mx2onnx::Handler leaky()
{
    mx2onnx::Handler handler;
    handler.infer = [](const mx2onnx::Node &n) { n.set_output_like(0, 0); };
    handler.lower = [](const mx2onnx::Node &n) {
        n.set_result(0, n.add("LeakyRelu", {n.input(0)}, "{\"alpha\": " + n.attribute("slope").value_or("0.25") + "}"));
    };
    return handler;
}

static mx2onnx::Dim dim(const std::string &text)
{
    char *end = nullptr;
    const long long size = std::strtoll(text.c_str(), &end, 10);
    return *end == '\0' ? mx2onnx::Dim(size) : mx2onnx::Dim(text);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::cerr << "usage: " << argv[0] << " MODEL-symbol.json OUT.onnx [INPUT DIM...]\n";
        return 2;
    }
    try {
        mx2onnx::Model model(argv[1]);
        model.custom_operator("leaky", 1, leaky());
        if (argc > 3) {
            std::vector<mx2onnx::Dim> dims;
            for (int i = 4; i < argc; i++) {
                dims.push_back(dim(argv[i]));
            }
            model.input_shape(argv[3], dims);
        }
        const mx2onnx::Buffer onnx = model.export_memory(); // or export_file, export_stream
        std::ofstream file(argv[2], std::ios::binary);
        if (!file.write(reinterpret_cast<const char *>(onnx.data()), static_cast<std::streamsize>(onnx.size()))) {
            std::cerr << argv[2] << " cannot be written\n";
            return 1;
        }
        for (const mx2onnx::Diagnostic &d : model.diagnostics()) {
            std::cerr << d.message << '\n';
        }
        std::cout << "wrote " << argv[2] << ": " << onnx.size() << " bytes, " << model.written().nodes << " nodes\n";
    } catch (const mx2onnx::Error &e) {
        std::cerr << mx2onnx::status_name(e.status()) << ": " << e.what() << '\n';
        return 1;
    }
    return 0;
}
