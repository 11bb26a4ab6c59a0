/* Preloaded into a program: kills it right before the n-th of the calls that change files or folders, or make changes
 * last, n being what ENTABLE_KILL says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static void step(void) {
    static long left = -1;
    if (left < 0) {
        const char *plan = getenv("ENTABLE_KILL");
        left = plan ? atol(plan) : 0;
        if (left <= 0) abort();
    }
    if (--left == 0) kill(getpid(), SIGKILL);
    /* Counted to the end only: it must not begin anew. */
    if (left < 0) left = 1L << 40;
}

/* The function of the same name behind ours. */
static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

#define STEP(type, name, parameters, arguments)   \
    type name parameters {                        \
        static type(*real) parameters;            \
        if (!real) *(void **)&real = next(#name); \
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
        static int (*real)(const char *, int, ...);                    \
        if (!real) *(void **)&real = next(#name);                      \
        va_list rest;                                                  \
        va_start(rest, flags);                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                  \
        step();                                                        \
        return real(path, flags, mode);                                \
    }

OPENS(open)
OPENS(open64)
