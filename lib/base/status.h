/* Status codes and the macros that pass them up. The codes are the public ones, without their prefix. */
#ifndef MX_BASE_STATUS_H
#define MX_BASE_STATUS_H

#include "mx2onnx.h"

enum mx_status {
#define MX_STATUS_ENUM(code, name, text) MX_##name = code,
    MX2ONNX_STATUS_MAP(MX_STATUS_ENUM)
#undef MX_STATUS_ENUM
    /* Inside inference only: too little is known so far; try again after the other nodes. */
    MX_LATER = 1
};

const char *mx_status_name(int status); /* "FORMAT" */
const char *mx_status_text(int status); /* a sentence */
const char *mx_version(void);           /* the library's: "1.0.0" */

#if defined(__GNUC__)
#define MX_MUST_USE __attribute__((warn_unused_result))
#if defined(__MINGW32__) && !defined(__clang__)
#define MX_PRINTF(text, args) __attribute__((__format__(__gnu_printf__, text, args))) /* otherwise it means Microsoft's formats */
#else
#define MX_PRINTF(text, args) __attribute__((__format__(__printf__, text, args)))
#endif
#else
#define MX_MUST_USE
#define MX_PRINTF(text, args)
#endif

/* Returns from the function with the status of `expr` unless it is MX_OK. */
#define MX_TRY(expr)                                                                                                                       \
    do {                                                                                                                                   \
        const int mx_try_status = (expr);                                                                                                  \
        if (mx_try_status != MX_OK) {                                                                                                      \
            return mx_try_status;                                                                                                          \
        }                                                                                                                                  \
    } while (0)

/* Returns MX_OUT_OF_MEMORY unless `pointer` is set. */
#define MX_TRY_ALLOC(pointer)                                                                                                              \
    do {                                                                                                                                   \
        if (!(pointer)) {                                                                                                                  \
            return MX_OUT_OF_MEMORY;                                                                                                       \
        }                                                                                                                                  \
    } while (0)

/* An invariant, which no file can break: aborts a debug build, and is the error INTERNAL in a release. */
#ifdef NDEBUG
#define MX_ASSERT(condition)                                                                                                               \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            return MX_INTERNAL;                                                                                                            \
        }                                                                                                                                  \
    } while (0)
#else
#include <assert.h>
#define MX_ASSERT(condition) assert(condition)
#endif

/* The callbacks as the inside sees them: lib/api puts the caller's arguments together. */
typedef int32_t (*mx_progress_fn)(uint64_t done, uint64_t total, void *user);
typedef void (*mx_log_fn)(int32_t severity, const char *message, void *user);

#endif
