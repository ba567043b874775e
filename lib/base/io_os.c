/* Files on POSIX systems. */
#include "base/io_os.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22 /* Linux 5.14; older kernels refuse it with EINVAL */
#endif

enum {
    /* One system call moves at most this much (Linux: 0x7ffff000 bytes). */
    MAX_CALL = 1 << 30,
    /* Writes go to the kernel in pieces that end at multiples of this. Linux allocates page cache for a write in folios as large as its
     * aligned part: larger pieces cost up to three times the processor time when free memory is fragmented, smaller or unaligned ones up
     * to half as much again. tests/bench/README.md has the figures. */
    WRITE_CALL = 32 << 10,
};

static const char *text_of(int error)
{
    static const struct {
        int error;
        const char *text;
    } texts[] = {
        {ENOENT, "no such file or folder"},
        {ENOTDIR, "a part of the path is not a folder"},
        {EACCES, "permission denied"},
        {EPERM, "not permitted"},
        {EISDIR, "it is a folder"},
        {EROFS, "the file system is read-only"},
        {ENOSPC, "no space left on the device"},
        {EDQUOT, "the disk quota is used up"},
        {EFBIG, "the file is larger than the system allows"},
        {EPIPE, "the reader closed the pipe"},
        {EMFILE, "too many open files"},
        {ENFILE, "too many open files in the system"},
        {ENAMETOOLONG, "the name is too long"},
        {ELOOP, "too many symbolic links"},
        {EEXIST, "a file of that name exists"},
        {EXDEV, "source and target are on different file systems"},
        {EMLINK, "the file already has as many hard links as its file system allows"},
        {ETXTBSY, "the file is a running program"},
        {ENXIO, "no device, or no process reads the pipe"},
        {ENODEV, "no such device"},
        {EBUSY, "the file is in use"},
        {ENOMEM, "the system has no memory left"},
        {EFAULT, "the file to copy from was shortened"},
        {EIO, "the device reports an error"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].error == error) {
            return texts[i].text;
        }
    }
    return "the system reports an error";
}

static int status_of(int error)
{
    return error == ENOENT || error == ENOTDIR ? MX_NOT_FOUND : MX_IO;
}

static int open_in(int folder, const char *name, int flags, mode_t mode)
{
    int fd;
    do {
        fd = openat(folder, name, flags | O_CLOEXEC | O_NOCTTY, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* ---- reading */

int mx_os_open_read(const char *path, int *fd, uint64_t *size, const char **reason)
{
    /* O_NONBLOCK: otherwise a FIFO without a writer would block here, before it can be refused. */
    const int opened = open_in(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
    if (opened < 0) {
        *reason = text_of(errno);
        return status_of(errno);
    }
    struct stat st;
    if (fstat(opened, &st) != 0) {
        *reason = text_of(errno);
    } else if (S_ISDIR(st.st_mode)) {
        *reason = text_of(EISDIR);
    } else if (!S_ISREG(st.st_mode) || st.st_size < 0) {
        *reason = "it is not a regular file";
    } else {
        *fd = opened;
        *size = (uint64_t)st.st_size;
        return MX_OK;
    }
    close(opened);
    return MX_IO;
}

ptrdiff_t mx_os_read(int fd, uint64_t offset, void *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const size_t want = size - done < MAX_CALL ? size - done : MAX_CALL;
        const ssize_t n = pread(fd, (char *)out + done, want, (off_t)(offset + done));
        if (n == 0) {
            break;
        }
        if (n > 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return (ptrdiff_t)done;
}

void mx_os_close(int fd)
{
    close(fd);
}

/* ---- which file */

static int take_id(int result, const struct stat *st, struct mx_file_id *id)
{
    if (result != 0) {
        return MX_IO;
    }
#if defined(__APPLE__)
    const struct timespec changed = st->st_mtimespec;
#else
    const struct timespec changed = st->st_mtim;
#endif
    *id = (struct mx_file_id){(uint64_t)st->st_dev,    (uint64_t)st->st_ino,     (uint64_t)st->st_size,
                              (int64_t)changed.tv_sec, (int64_t)changed.tv_nsec, (uint64_t)st->st_nlink};
    return MX_OK;
}

int mx_os_id(int fd, struct mx_file_id *id)
{
    struct stat st;
    return take_id(fstat(fd, &st), &st, id);
}

int mx_os_id_of(const char *path, struct mx_file_id *id)
{
    struct stat st;
    return take_id(stat(path, &st), &st, id);
}

bool mx_os_is_separator(char c)
{
    return c == '/';
}

/* ---- mapping */

/* Faults the pages in with one call, several times cheaper than one by one. It also reports pages that the file does not have, where a
 * later access would be a SIGBUS. */
static bool populate(void *map, size_t size)
{
#if defined(MADV_POPULATE_READ)
    int result;
    do {
        result = madvise(map, size, MADV_POPULATE_READ);
    } while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL;
#else
    return true;
#endif
}

const void *mx_os_map(int fd, uint64_t offset, size_t size, void **map, size_t *map_size)
{
    const uint64_t start = offset - offset % (uint64_t)sysconf(_SC_PAGESIZE);
    const size_t before = (size_t)(offset - start);
    void *p = mmap(NULL, size + before, PROT_READ, MAP_PRIVATE, fd, (off_t)start);
    if (p == MAP_FAILED) {
        return NULL;
    }
    if (!populate(p, size + before)) {
        munmap(p, size + before);
        return NULL;
    }
    *map = p;
    *map_size = size + before;
    return (const char *)p + before;
}

void mx_os_unmap(void *map, size_t map_size)
{
    munmap(map, map_size);
}

/* ---- writing */

enum mx_os_file mx_os_look(const char *path, unsigned *mode)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return MX_OS_NOTHING;
    }
    *mode = (unsigned)st.st_mode & 0777u;
    return S_ISREG(st.st_mode) ? MX_OS_REGULAR : S_ISDIR(st.st_mode) ? MX_OS_FOLDER : MX_OS_SPECIAL;
}

bool mx_os_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

int mx_os_follow(const char *path, char **target)
{
    *target = NULL;
    if (!mx_os_is_link(path)) {
        return MX_OK;
    }
    char *found = mx_calloc(PATH_MAX, 1);
    MX_TRY_ALLOC(found);
    if (realpath(path, found)) {
        *target = found;
    } else {
        mx_free(found);
    }
    return MX_OK;
}

/* tmpfile() does not read the environment. */
int mx_os_create_temporary(const char **reason)
{
    FILE *f = tmpfile();
    const int fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, 0) : -1;
    if (fd < 0) {
        *reason = text_of(errno);
    }
    if (f) {
        fclose(f);
    }
    return fd;
}

int mx_os_open_special(const char *path, const char **reason)
{
    const int fd = open_in(AT_FDCWD, path, O_WRONLY, 0);
    if (fd < 0) {
        *reason = text_of(errno);
    }
    return fd;
}

/* Consumes a signal that the write made pending. */
static void take(int number)
{
    sigset_t pending, one;
    sigemptyset(&one);
    sigaddset(&one, number);
    if (sigpending(&pending) == 0 && sigismember(&pending, number)) {
#if defined(__APPLE__)
        int taken;
        sigwait(&one, &taken);
#else
        const struct timespec now = {0, 0};
        while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR) {
        }
#endif
    }
}

/* The two ranges still to be written. */
struct left {
    const char *p[2];
    size_t size[2];
    uint64_t at; /* in the file */
};

static int next_parts(const struct left *l, struct iovec parts[2])
{
    size_t room = WRITE_CALL - (size_t)(l->at % WRITE_CALL);
    int n = 0;
    for (int i = 0; i < 2; i++) {
        const size_t size = l->size[i] < room ? l->size[i] : room;
        if (size > 0) {
            /* writev takes pointers to non-const data; it only reads. */
            union {
                const void *in;
                void *out;
            } base = {.in = l->p[i]};
            parts[n++] = (struct iovec){base.out, size};
            room -= size;
        }
    }
    return n;
}

static void advance(struct left *l, size_t done)
{
    l->at += done;
    for (int i = 0; i < 2; i++) {
        const size_t step = done < l->size[i] ? done : l->size[i];
        l->p[i] = step ? l->p[i] + step : l->p[i];
        l->size[i] -= step;
        done -= step;
    }
}

/* 0 or the error. */
static int write_all(int fd, struct left *l, const char **reason)
{
    while (l->size[0] + l->size[1] > 0) {
        struct iovec parts[2];
        const int n = next_parts(l, parts);
        const ssize_t done = writev(fd, parts, n);
        if (done > 0) {
            advance(l, (size_t)done);
        } else if (done == 0) {
            *reason = "the device takes no more bytes";
            return EIO;
        } else if (errno != EINTR) {
            const int error = errno;
            *reason = text_of(error);
            return error;
        }
    }
    return 0;
}

bool mx_os_write(int fd, uint64_t at, struct mx_span first, struct mx_span second, const char **reason)
{
    struct left l = {.p = {first.data, second.data}, .size = {first.size, second.size}, .at = at};
    sigset_t set, before, old;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    sigemptyset(&before);
    sigpending(&before);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    const int error = write_all(fd, &l, reason);
    const int number = error == EPIPE ? SIGPIPE : SIGXFSZ;
    if ((error == EPIPE || error == EFBIG) && !sigismember(&before, number)) {
        take(number);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error == 0;
}

void mx_os_expect(int fd, uint64_t size)
{
#ifdef __linux__
    struct rlimit most; /* writing beyond it would raise a signal */
    if (size <= INT64_MAX && getrlimit(RLIMIT_FSIZE, &most) == 0 && size <= most.rlim_cur) {
        (void)fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
    }
#else
    (void)fd, (void)size;
#endif
}

bool mx_os_finish(int fd, bool sync, const char **reason)
{
    int error = 0;
    while (sync && fsync(fd) != 0) {
        if (errno != EINTR) {
            /* A pipe or a device cannot be flushed. */
            error = errno == EINVAL || errno == ENOTSUP ? 0 : errno;
            break;
        }
    }
    /* After EINTR the descriptor is gone on Linux; closing it again might close another thread's. */
    if (close(fd) != 0 && errno != EINTR && error == 0) {
        error = errno;
    }
    if (error) {
        *reason = text_of(error);
    }
    return error == 0;
}

bool mx_os_link(const char *from, const char *name, const char **reason)
{
    if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0) {
        *reason = text_of(errno);
        return false;
    }
    return true;
}

/* ---- the folder of a file */

struct mx_os_folder {
    int fd;
};

/* A folder need not be readable for names to be found in it. */
#if defined(O_PATH)
#define TO_FIND O_PATH
#elif defined(O_SEARCH)
#define TO_FIND O_SEARCH
#else
#define TO_FIND O_RDONLY
#endif

struct mx_os_folder *mx_os_open_folder(const char *path, const char **name, int *status, const char **reason)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    struct mx_os_folder *f = mx_calloc(1, sizeof *f);
    char *text = mx_calloc(length + 2, 1);
    *status = MX_OUT_OF_MEMORY;
    *reason = "out of memory";
    if (f && text) {
        memcpy(text, path, length);
        text[length] = '.';
        f->fd = open_in(AT_FDCWD, text, TO_FIND | O_DIRECTORY, 0);
        *status = f->fd >= 0 ? MX_OK : status_of(errno);
        *reason = text_of(errno);
    }
    mx_free(text);
    if (*status != MX_OK) {
        mx_free(f);
        return NULL;
    }
    *name = path + length;
    return f;
}

void mx_os_close_folder(struct mx_os_folder *f)
{
    if (f) {
        close(f->fd);
        mx_free(f);
    }
}

enum mx_os_file mx_os_look_in(struct mx_os_folder *f, const char *name)
{
    struct stat st;
    return fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ? MX_OS_NOTHING : S_ISDIR(st.st_mode) ? MX_OS_FOLDER : MX_OS_REGULAR;
}

unsigned long mx_os_process(void)
{
    return (unsigned long)getpid();
}

int mx_os_create_in(struct mx_os_folder *f, const char *name, unsigned mode, int *status, const char **reason)
{
    const int fd = open_in(f->fd, name, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (fd < 0) {
        *status = status_of(errno);
        *reason = text_of(errno);
        return errno == EEXIST ? MX_OS_EXISTS : -1;
    }
    if (mode) {
        (void)!fchmod(fd, (mode_t)mode); /* a file system without modes is not an error */
    }
    return fd;
}

bool mx_os_rename_in(struct mx_os_folder *f, const char *from, const char *to, bool sync, const char **reason)
{
    if (renameat(f->fd, from, f->fd, to) != 0) {
        *reason = text_of(errno);
        return false;
    }
    const int fd = sync ? open_in(f->fd, ".", O_RDONLY, 0) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    return true;
}

bool mx_os_link_in(struct mx_os_folder *f, const char *from, const char *to)
{
    return linkat(f->fd, from, f->fd, to, 0) == 0;
}

bool mx_os_remove_in(struct mx_os_folder *f, const char *name)
{
    return unlinkat(f->fd, name, 0) == 0;
}

/* ---- folders */

int mx_os_list(const char *path, int (*add)(const char *name, void *user), void *user)
{
    DIR *folder = opendir(path[0] ? path : ".");
    if (!folder) {
        return MX_IO;
    }
    int status = MX_OK;
    for (struct dirent *e = readdir(folder); e && status == MX_OK; e = readdir(folder)) {
        status = add(e->d_name, user);
    }
    closedir(folder);
    return status;
}

/* ---- libraries */

void *mx_os_open_library(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

bool mx_os_find_function(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, size); /* ISO C has no cast for this */
    return found;
}

void mx_os_close_library(void *library)
{
    dlclose(library);
}
