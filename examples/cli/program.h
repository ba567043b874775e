/* The command line as a function, for programs that embed it, such as the Python package. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "mx2onnx.h"

#if defined(_WIN32)
#define CLI_EXPORT __declspec(dllexport)
#else
#define CLI_EXPORT __attribute__((visibility("default")))
#endif

/* What an embedding program has and the C program lacks. */
struct mx2onnx_host {
    /* --custom FILE: registers the handlers of a file with a model. On failure the result is not 0, and a text is written to `why`. */
    int (*add_handlers)(mx2onnx_model *m, const char *file, char *why, size_t size);
    const char *runtime; /* the path of ONNX Runtime's library, used without --runtime; NULL: the system finds it */
};

/* Arguments in UTF-8; returns the exit status. `host` may be NULL. Called once in a process. */
CLI_EXPORT int mx2onnx_program(int argc, char **argv, const struct mx2onnx_host *host);

#endif
