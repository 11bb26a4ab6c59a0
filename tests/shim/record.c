/* Preloaded into a program: records what a power cut could take or leave. Every write, sync and change of a name in the
 * folder ENTABLE_RECORD_UNDER goes to the file ENTABLE_RECORD_LOG, in its order; so does what the program acknowledges,
 * which it writes to the file ENTABLE_RECORD_ACKS.
 *
 * An event is 40 bytes, all little-endian, and what belongs to it: kind (1 byte, 7 of nothing), number of the file, two
 * numbers, length of what follows. Kinds, with number, numbers and what follows:
 *   W a write begins          file, place, 0, bytes         F a synced write has ended   file, place, bytes
 *   S a sync has ended        file                          T a file gets a length       file, length
 *   C a file is made          file, 0, 0, path              E a folder is synced         0, 0, 0, path
 *   R a file gets a new name  0, 0, 0, path NUL path        U a name goes                0, 0, 0, path
 *   L a file gets one more    0, 0, 0, path NUL path        A an acknowledgement         0, place, 0, bytes
 *
 * One call at a time, of all processes that have the log, so that the order of the events is that of the calls. The log
 * is written with system calls. */
#include "calls.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static const char *under, *acks;
static int log_fd = -1;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("ENTABLE_RECORD_LOG");
    under = getenv("ENTABLE_RECORD_UNDER");
    acks = getenv("ENTABLE_RECORD_ACKS");
    if (!path || !under || !acks) abort();
    log_fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log_fd < 0) abort();
}

struct event {
    char kind, nothing[7];
    uint64_t file, first, second, length;
};

static void put(const void *bytes, size_t count) {
    const char *from = bytes;
    while (count > 0) {
        ssize_t put = syscall(SYS_write, log_fd, from, count);
        if (put <= 0) abort();
        from += put;
        count -= (size_t)put;
    }
}

static void head(char kind, uint64_t file, uint64_t first, uint64_t second, uint64_t length) {
    struct event event = {kind, {0}, file, first, second, length};
    put(&event, sizeof event);
}

static void event(char kind, uint64_t file, uint64_t first, uint64_t second, const void *bytes, uint64_t length) {
    head(kind, file, first, second, length);
    put(bytes, length);
}

static int is_under(const char *path) {
    size_t length = strlen(under);
    return strncmp(path, under, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* The path of a descriptor, in a buffer of PATH_MAX. */
static const char *path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return path;
}

static uint64_t number_of(int fd) {
    struct stat stat;
    if (fstat(fd, &stat) != 0) abort();
    return stat.st_ino;
}

/* The lock of the log is the process's, whose threads the mutex tells apart. */
static void begin(void) {
    pthread_mutex_lock(&one_at_a_time);
    if (syscall(SYS_flock, log_fd, LOCK_EX) != 0) abort();
}

static void end(void) {
    int error = errno;
    if (syscall(SYS_flock, log_fd, LOCK_UN) != 0) abort();
    pthread_mutex_unlock(&one_at_a_time);
    errno = error;
}

/* A process that ends takes its threads with it wherever they are, and steps that follow a drop or a compaction are done
 * in threads that nobody waits for: none of them may be in the middle of an event. */
__attribute__((destructor)) static void stop(void) { begin(); }

static void note_write(int fd, const struct iovec *from, int count, uint64_t at) {
    char path[PATH_MAX];
    path_of(fd, path);
    int is_ack = strcmp(path, acks) == 0;
    if (!is_ack && !is_under(path)) return;
    uint64_t length = 0;
    for (int i = 0; i < count; i++) length += from[i].iov_len;
    head(is_ack ? 'A' : 'W', number_of(fd), at, 0, length);
    for (int i = 0; i < count; i++) put(from[i].iov_base, from[i].iov_len);
}

static void note_written(int fd, uint64_t at, ssize_t bytes) {
    char path[PATH_MAX];
    if (bytes > 0 && is_under(path_of(fd, path)) && (syscall(SYS_fcntl, fd, F_GETFL) & O_DSYNC))
        event('F', number_of(fd), at, (uint64_t)bytes, NULL, 0);
}

#define WRITES(name, parameters, arguments, vector, count_of, place)       \
    ssize_t name parameters {                                              \
        REAL(ssize_t, name, parameters);                                   \
        begin();                                                           \
        uint64_t place_before = (uint64_t)(place);                         \
        note_write(fd, vector, count_of, place_before);                    \
        ssize_t bytes = real arguments;                                    \
        int error = errno;                                                 \
        note_written(fd, place_before, bytes);                             \
        errno = error;                                                     \
        end();                                                             \
        return bytes;                                                      \
    }

#define ONE (&(struct iovec){(void *)from, count})
WRITES(write, (int fd, const void *from, size_t count), (fd, from, count), ONE, 1, lseek(fd, 0, SEEK_CUR))
WRITES(pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at), ONE, 1, at)
WRITES(pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at), ONE, 1, at)
WRITES(writev, (int fd, const struct iovec *from, int count), (fd, from, count), from, count, lseek(fd, 0, SEEK_CUR))
WRITES(pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at), from, count, at)
WRITES(pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at), from, count, at)

#define SYNCS(name)                                                        \
    int name(int fd) {                                                     \
        REAL(int, name, (int));                                            \
        begin();                                                           \
        int result = real(fd);                                             \
        char path[PATH_MAX];                                               \
        struct stat stat;                                                  \
        if (result == 0 && is_under(path_of(fd, path)) && fstat(fd, &stat) == 0) { \
            if (S_ISDIR(stat.st_mode)) event('E', 0, 0, 0, path, strlen(path));    \
            else event('S', stat.st_ino, 0, 0, NULL, 0);                   \
        }                                                                  \
        end();                                                             \
        return result;                                                     \
    }
SYNCS(fsync)
SYNCS(fdatasync)

#define LENGTHENS(name, type)                                              \
    int name(int fd, type length) {                                        \
        REAL(int, name, (int, type));                                      \
        char path[PATH_MAX];                                               \
        begin();                                                           \
        if (is_under(path_of(fd, path))) event('T', number_of(fd), (uint64_t)length, 0, NULL, 0); \
        int result = real(fd, length);                                     \
        end();                                                             \
        return result;                                                     \
    }
LENGTHENS(ftruncate, off_t)
LENGTHENS(ftruncate64, off64_t)

static int note_open(int fd, const char *path, int flags, int was_there) {
    if (fd >= 0 && is_under(path)) {
        if ((flags & O_CREAT) && !was_there) event('C', number_of(fd), 0, 0, path, strlen(path));
        else if (flags & O_TRUNC) event('T', number_of(fd), 0, 0, NULL, 0);
    }
    return fd;
}

#define OPENS(name, parameters, types, arguments)                          \
    int name parameters {                                                  \
        REAL(int, name, types);                                            \
        MODE                                                               \
        begin();                                                           \
        int was_there = access(path, F_OK) == 0;                           \
        int fd = note_open(real arguments, path, flags, was_there);        \
        end();                                                             \
        return fd;                                                         \
    }
OPENS(open, (const char *path, int flags, ...), (const char *, int, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (const char *, int, ...), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), (int, const char *, int, ...), (at, path, flags, mode))
OPENS(openat64, (int at, const char *path, int flags, ...), (int, const char *, int, ...), (at, path, flags, mode))

static void note_names(char kind, const char *from, const char *to) {
    char both[2 * PATH_MAX];
    if (!is_under(from) && !is_under(to)) return;
    int length = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
    event(kind, 0, 0, 0, both, (uint64_t)length);
}

#define NAMES(kind, name, parameters, arguments)                           \
    int name parameters {                                                  \
        REAL(int, name, parameters);                                       \
        begin();                                                           \
        int result = real arguments;                                       \
        if (result == 0) note_names(kind, from, to);                       \
        end();                                                             \
        return result;                                                     \
    }
NAMES('R', rename, (const char *from, const char *to), (from, to))
NAMES('L', link, (const char *from, const char *to), (from, to))
NAMES('R', renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
NAMES('R', renameat2, (int a, const char *from, int b, const char *to, unsigned how), (a, from, b, to, how))
NAMES('L', linkat, (int a, const char *from, int b, const char *to, int how), (a, from, b, to, how))

/* The C library may have no name for a call that the program makes by its number. */
long syscall(long number, ...) {
    REAL(long, syscall, (long, ...));
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (number != SYS_renameat2) return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    begin();
    long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result == 0) note_names('R', (const char *)a[1], (const char *)a[3]);
    end();
    return result;
}

#define UNNAMES(name, parameters, arguments)                               \
    int name parameters {                                                  \
        REAL(int, name, parameters);                                       \
        begin();                                                           \
        int result = real arguments;                                       \
        if (result == 0 && is_under(path)) event('U', 0, 0, 0, path, strlen(path)); \
        end();                                                             \
        return result;                                                     \
    }
UNNAMES(unlink, (const char *path), (path))
UNNAMES(unlinkat, (int at, const char *path, int how), (at, path, how))
