/* Preloaded into a program: logs every call that writes or syncs, in its order, to the file that ENTABLE_COUNT_LOG
 * names. One line a call: its name, the bytes that it wrote (0 for a sync), and the path of the file.
 *
 * The log is written with system calls, so that it does not count itself. */
#include "calls.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* With a file of its own for each call the log would move the descriptors of the program: one, kept. */
static int log_file(void) {
    static int log = -2;
    if (log == -2) {
        const char *path = getenv("ENTABLE_COUNT_LOG");
        log = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }
    return log;
}

static void note(const char *call, ssize_t bytes, int fd) {
    int error = errno;
    char link[64], path[PATH_MAX], line[PATH_MAX + 64];
    ssize_t length = 0;
    if (fd >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        length = readlink(link, path, sizeof path - 1);
    }
    path[length > 0 ? length : 0] = 0;
    int line_bytes = snprintf(line, sizeof line, "%s %zd %s\n", call, bytes, path);
    if (log_file() >= 0) syscall(SYS_write, log_file(), line, (size_t)line_bytes);
    errno = error;
}

#define WRITES(name, parameters, arguments)              \
    ssize_t name parameters {                            \
        REAL(ssize_t, name, parameters);                 \
        ssize_t bytes = real arguments;                  \
        note(#name, bytes, fd);                          \
        return bytes;                                    \
    }

#define SYNCS(name)                                      \
    int name(int fd) {                                   \
        REAL(int, name, (int));                          \
        int result = real(fd);                           \
        note(#name, 0, fd);                              \
        return result;                                   \
    }

WRITES(write, (int fd, const void *from, size_t count), (fd, from, count))
WRITES(pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
WRITES(pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at))
WRITES(writev, (int fd, const struct iovec *from, int count), (fd, from, count))
WRITES(pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
WRITES(pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at))
SYNCS(fsync)
SYNCS(fdatasync)

int msync(void *address, size_t length, int flags) {
    REAL(int, msync, (void *, size_t, int));
    int result = real(address, length, flags);
    note("msync", 0, -1);
    return result;
}
