/* Preloaded into a program: kills it right before the n-th of the calls that change files or folders, or make changes
 * last, n being what ENTABLE_KILL says; if ENTABLE_KILL_AFTER is there, so many microseconds after it has come to that
 * call. */
#include "calls.h"
#include <signal.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static void step(void) {
    static long left = -1;
    if (left < 0) {
        const char *plan = getenv("ENTABLE_KILL");
        left = plan ? atol(plan) : 0;
        if (left <= 0) abort();
    }
    if (--left == 0) {
        const char *after = getenv("ENTABLE_KILL_AFTER");
        if (after) usleep((useconds_t)atol(after));
        kill(getpid(), SIGKILL);
    }
    /* Counted to the end only: it must not begin anew. */
    if (left < 0) left = 1L << 40;
}

#define STEP(type, name, parameters, arguments)   \
    type name parameters {                        \
        REAL(type, name, parameters);             \
        step();                                   \
        return real arguments;                    \
    }

STEP(ssize_t, pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
STEP(ssize_t, pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at))
STEP(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count))
STEP(ssize_t, pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
STEP(ssize_t, pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at))
STEP(int, fsync, (int fd), (fd))
STEP(int, fdatasync, (int fd), (fd))
STEP(int, ftruncate, (int fd, off_t length), (fd, length))
STEP(int, ftruncate64, (int fd, off64_t length), (fd, length))
STEP(int, fchmod, (int fd, mode_t mode), (fd, mode))
STEP(int, rename, (const char *from, const char *to), (from, to))
STEP(int, unlink, (const char *path), (path))

#define OPENS(name)                                                    \
    int name(const char *path, int flags, ...) {                       \
        REAL(int, name, (const char *, int, ...));                     \
        MODE                                                           \
        step();                                                        \
        return real(path, flags, mode);                                \
    }

OPENS(open)
OPENS(open64)
