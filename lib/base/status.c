#include "base/status.h"

const char *mx_status_name(int status)
{
    switch (status) {
#define CASE(code, name, text)                                                                                                             \
    case code: return #name;
        MX2ONNX_STATUS_MAP(CASE)
#undef CASE
    default: return "UNKNOWN";
    }
}

const char *mx_status_text(int status)
{
    switch (status) {
#define CASE(code, name, text)                                                                                                             \
    case code: return text;
        MX2ONNX_STATUS_MAP(CASE)
#undef CASE
    default: return "UNKNOWN";
    }
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *mx_version(void)
{
    return VERSION_TEXT(MX2ONNX_VERSION_MAJOR, MX2ONNX_VERSION_MINOR, MX2ONNX_VERSION_PATCH);
}
