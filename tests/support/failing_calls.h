/* System calls for tests of files: counted, and failing where a test asks for it. Link failing_calls.c into the test program, and let the
 * linker send the library's calls to it (-Wl,--wrap=writev and so on, tests/api/meson.build). */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <stdbool.h>
#include <stddef.h>

enum { FAILING_KILLED = 9 }; /* the status of a process that was killed */

struct failing_calls {
    size_t at, too;    /* the calls that fail, from 1; 0: none */
    size_t kill_at;    /* the call at which the process ends */
    bool for_good;     /* all calls after `at` fail, too */
    bool no_links;     /* the file system does not have hard links */
    bool short_writes; /* a write takes half of what it is given, as it may */
    const char *busy;  /* the file of this name cannot be renamed, replaced or linked */
    size_t made;       /* the calls so far */
    size_t syncs;      /* those of fsync */
    bool failed;       /* one of them failed */
};
extern struct failing_calls failing;

/* Nothing fails from now on, and calls are counted from 0. */
void failing_quiet(void);
/* Counts a call. True, with errno set, if it fails; may end the process. */
bool failing_now(int error);
/* True, with errno set, if one of the names is that of the busy file. */
bool failing_busy(const char *from, const char *to);

#endif
