/* Preloaded into a program, it stops it (SIGSTOP) at the moment that STOP_AT names, so that a test looks at it there and sends it what it
 * likes: "writev N", before its N-th writev to a file; "sigaction N", once it has a handler for the signal N; "open PATH". */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* What STOP_AT says after the name of a function; NULL if it is about another one. */
static const char *stop_at(const char *function)
{
    const char *text = getenv("STOP_AT");
    const size_t n = strlen(function);
    return text && strncmp(text, function, n) == 0 && text[n] == ' ' ? text + n + 1 : NULL;
}

/* ISO C has no conversion from an object's pointer to a function's. */
union symbol {
    void *object;
    ssize_t (*writev)(int, const struct iovec *, int);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*openat)(int, const char *, int, ...);
};

static union symbol next(const char *name)
{
    return (union symbol){dlsym(RTLD_NEXT, name)};
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    static int calls;
    const char *number = stop_at("writev");
    struct stat info;
    if (number && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && ++calls == atoi(number)) {
        raise(SIGSTOP);
    }
    return next("writev").writev(fd, parts, n);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    const char *wanted = stop_at("sigaction");
    const int result = next("sigaction").sigaction(number, action, before);
    if (wanted && action && number == atoi(wanted)) {
        raise(SIGSTOP);
    }
    return result;
}

/* The linker knows it as openat64 where offsets have 64 bits by a macro, as openat where they have them anyway. */
int openat64(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    const char *wanted = stop_at("open");
    if (wanted && strcmp(path, wanted) == 0) {
        raise(SIGSTOP);
    }
    return next("openat64").openat(folder, path, flags, mode);
}
