// SPDX-License-Identifier: Apache-2.0
// Faces as a camera gives them, compared by a converted net of InsightFace.
//
//     face MODEL.onnx < FRAMES
//
// FRAMES: pictures of 112 x 112, a byte each for red, green and blue, one after the other. For each the program prints the cosine
// between its embedding and that of the first: 1 is the same picture, over about 0.3 the same person.
#include <onnxruntime_c_api.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int64_t kShape[] = {1, 112, 112, 3};
using Frame = std::vector<uint8_t>;
using Embedding = std::vector<float>;

const OrtApi *const api = OrtGetApiBase()->GetApi(ORT_API_VERSION);

void check(OrtStatus *status)
{
    if (status) {
        const std::string text = api->GetErrorMessage(status);
        api->ReleaseStatus(status);
        throw std::runtime_error(text);
    }
}

template <class T>
using Owned = std::unique_ptr<T, void (*)(T *)>;

class Net {
  public:
    explicit Net(const char *path)
    {
        OrtEnv *env;
        OrtSession *session;
        OrtMemoryInfo *memory;
        check(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "face", &env));
        env_.reset(env);
        check(api->CreateSession(env, path, nullptr, &session));
        session_.reset(session);
        check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
        memory_.reset(memory);
    }

    // The camera's bytes go in as they are: what the net was trained on is computed in the model.
    Embedding embed(Frame &frame) const
    {
        static const char *const in = "data", *const out = "fc1";
        OrtValue *pixels, *embedding = nullptr;
        check(api->CreateTensorWithDataAsOrtValue(memory_.get(), frame.data(), frame.size(), kShape, 4, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8,
                                                  &pixels));
        const Owned<OrtValue> given(pixels, api->ReleaseValue);
        const OrtValue *const values[] = {pixels};
        check(api->Run(session_.get(), nullptr, &in, values, 1, &out, 1, &embedding));
        const Owned<OrtValue> got(embedding, api->ReleaseValue);
        return numbers(embedding);
    }

  private:
    static Embedding numbers(OrtValue *value)
    {
        OrtTensorTypeAndShapeInfo *info;
        size_t count;
        void *data;
        check(api->GetTensorTypeAndShape(value, &info));
        const Owned<OrtTensorTypeAndShapeInfo> shape(info, api->ReleaseTensorTypeAndShapeInfo);
        check(api->GetTensorShapeElementCount(info, &count));
        check(api->GetTensorMutableData(value, &data));
        return Embedding(static_cast<float *>(data), static_cast<float *>(data) + count);
    }

    Owned<OrtEnv> env_{nullptr, api->ReleaseEnv};
    Owned<OrtSession> session_{nullptr, api->ReleaseSession};
    Owned<OrtMemoryInfo> memory_{nullptr, api->ReleaseMemoryInfo};
};

double cosine(const Embedding &a, const Embedding &b)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < a.size(); i++) {
        ab += double(a[i]) * b[i];
        aa += double(a[i]) * a[i];
        bb += double(b[i]) * b[i];
    }
    return ab / std::sqrt(aa * bb);
}

void run(const char *path)
{
    const Net net(path);
    Frame frame(112 * 112 * 3);
    Embedding first;
    for (int i = 0; std::fread(frame.data(), 1, frame.size(), stdin) == frame.size(); i++) {
        const Embedding now = net.embed(frame);
        if (i == 0) {
            first = now;
        }
        std::printf("frame %d: %.3f\n", i, cosine(first, now));
    }
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        throw std::runtime_error("usage: face MODEL.onnx < FRAMES");
    }
    run(argv[1]);
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "face: %s\n", e.what());
    return 1;
}
