/* POSIX functions for the command line. */
#include "cli/cli.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted; /* the signal's number */
static volatile sig_atomic_t stoppable;   /* a file is being written, and cli_interrupted is polled */

static void die(int number)
{
    signal(interrupted, SIG_DFL);
    raise(interrupted);
}

/* If nothing polls, there is no file yet that could be left behind: the process ends after a second. */
static void on_interrupt(int number)
{
    interrupted = number;
    if (!stoppable) {
        alarm(1);
    }
}

void cli_arguments(int *argc, char ***argv)
{
}

void cli_start(void)
{
}

/* An ignored signal (nohup) stays ignored. */
void cli_catch_interrupts(void)
{
    signal(SIGALRM, die);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

bool cli_interrupted(bool writing)
{
    stoppable = writing ? 1 : stoppable;
    return interrupted;
}

void cli_end_interrupted(void)
{
    die(SIGALRM); /* by the signal */
}

bool cli_is_stream(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

size_t cli_width(FILE *out)
{
    struct winsize size;
    if (!isatty(fileno(out))) {
        return 0;
    }
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

void cli_make_binary(FILE *file)
{
}

double cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

uint64_t cli_file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

FILE *cli_open(const char *path)
{
    return fopen(path, "rb");
}

/* A folder, a file (also by a link), or neither. */
static void add_entry(const char *folder, const char *name, void (*each)(const char *name, bool is_folder, void *user), void *user)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    struct stat info;
    if (path) {
        sprintf(path, "%s/%s", folder, name);
    }
    if (path && lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        each(name, true, user);
    } else if (path && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        each(name, false, user);
    }
    free(path);
}

bool cli_each_entry(const char *folder, void (*each)(const char *name, bool is_folder, void *user), void *user)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        return false;
    }
    for (const struct dirent *entry; errno = 0, (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            add_entry(folder, entry->d_name, each, user);
        }
    }
    const int error = errno;
    closedir(dir);
    errno = error;
    return error == 0;
}

bool cli_make_folder(const char *path, bool *made)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return true;
    }
    *made = mkdir(path, 0777) == 0;
    return *made;
}

void cli_remove_folder(const char *path)
{
    rmdir(path);
}

int cli_compare_paths(const char *a, const char *b)
{
#ifdef __APPLE__
    return strcasecmp(a, b);
#else
    return strcmp(a, b);
#endif
}

void *cli_library_symbol(const char *library, const char *name)
{
    static const char *const usual[] = {"libonnxruntime.so.1", "libonnxruntime.so", "libonnxruntime.dylib"};
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    for (size_t i = 0; !library && !handle && i < sizeof usual / sizeof *usual; i++) {
        handle = dlopen(usual[i], RTLD_NOW);
    }
    return handle ? dlsym(handle, name) : NULL;
}

bool cli_is_separator(char c)
{
    return c == '/';
}
