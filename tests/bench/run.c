/* run COMMAND...: runs it, its standard output thrown away, and prints its wall seconds, its processor seconds and its peak
 * resident KiB, file mappings included. A separate small program, because the kernel counts to a new process what was
 * resident in the one that started it: that would be Python's. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    const double start = now();
    const pid_t child = fork();
    if (child < 0) {
        return 2;
    }
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) {
            execvp(argv[1], argv + 1);
        }
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return 1;
    }
    printf("%.6f %.6f %ld\n", now() - start, seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss);
    return 0;
}
