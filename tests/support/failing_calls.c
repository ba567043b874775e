#include "failing_calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct failing_calls failing;

void failing_quiet(void)
{
    failing = (struct failing_calls){0};
}

bool failing_now(int error)
{
    failing.made++;
    if (failing.kill_at != 0 && failing.made == failing.kill_at) {
        _exit(FAILING_KILLED);
    }
    if (failing.at != 0 && (failing.made == failing.at || failing.made == failing.too || (failing.for_good && failing.made > failing.at))) {
        failing.failed = true;
        errno = error;
        return true;
    }
    return false;
}

bool failing_busy(const char *from, const char *to)
{
    errno = EBUSY;
    return failing.busy && (strcmp(from, failing.busy) == 0 || strcmp(to, failing.busy) == 0);
}

ssize_t __real_writev(int fd, const struct iovec *parts, int n);
ssize_t __wrap_writev(int fd, const struct iovec *parts, int n);
ssize_t __wrap_writev(int fd, const struct iovec *parts, int n)
{
    if (failing_now(ENOSPC)) {
        return -1;
    }
    if (failing.short_writes && parts[0].iov_len > 1) {
        return __real_writev(fd, &(struct iovec){parts[0].iov_base, parts[0].iov_len / 2}, 1);
    }
    return __real_writev(fd, parts, n);
}

/* Some file systems report only here that the disk or the quota is full. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    const bool fails = failing_now(EDQUOT);
    __real_close(fd);
    if (fails) {
        errno = EDQUOT;
    }
    return fails ? -1 : 0;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    failing.syncs++;
    return failing_now(EIO) ? -1 : __real_fsync(fd);
}

int __real_renameat(int a, const char *from, int b, const char *to);
int __wrap_renameat(int a, const char *from, int b, const char *to);
int __wrap_renameat(int a, const char *from, int b, const char *to)
{
    return failing_now(EPERM) || failing_busy(from, to) ? -1 : __real_renameat(a, from, b, to);
}
