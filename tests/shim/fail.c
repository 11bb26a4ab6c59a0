/* Preloaded into a program: lets calls that write or sync a file fail, as on a full or broken disk.
 *
 * ENTABLE_FAIL is "CALL NUMBER ERRNO TIMES": CALL is "write" (whatever writes at a place of a file) or "sync", NUMBER
 * which of these calls fails, from 1, and with TIMES "always" in place of "once" all after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails(const char *call) {
    static char kind[16], word[16];
    static int first, error, is_read;
    static int calls;
    if (!is_read) {
        const char *plan = getenv("ENTABLE_FAIL");
        if (!plan || sscanf(plan, "%15s %d %d %15s", kind, &first, &error, word) != 4) abort();
        is_read = 1;
    }
    if (strcmp(kind, call) != 0) return 0;
    calls++;
    if (calls < first || (calls > first && strcmp(word, "once") == 0)) return 0;
    errno = error;
    return 1;
}

/* The function of the same name behind ours. */
static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

#define FAILING(type, call, name, parameters, arguments) \
    type name parameters {                               \
        static type(*real) parameters;                   \
        if (!real) *(void **)&real = next(#name);        \
        return fails(call) ? -1 : real arguments;        \
    }

FAILING(ssize_t, "write", pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
FAILING(ssize_t, "write", pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at))
FAILING(ssize_t, "write", writev, (int fd, const struct iovec *from, int count), (fd, from, count))
FAILING(ssize_t, "write", pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
FAILING(ssize_t, "write", pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at))
FAILING(int, "sync", fsync, (int fd), (fd))
FAILING(int, "sync", fdatasync, (int fd), (fd))
