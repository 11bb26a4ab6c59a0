/* Preloaded into a program: lets calls that the store depends on fail, as on a full or broken disk, or without memory.
 *
 * ENTABLE_FAIL is "CALL NUMBER ERRNO TIMES": CALL is one of those below, NUMBER which of these calls fails, from 1, and
 * with TIMES "always" in place of "once" all after it. Number 0 lets none fail.
 *   write  whatever writes at a place of a file, and if ENTABLE_FAIL_UNDER is there, of one in that folder
 *   late   the same, but the first that fails is done all the same
 *   read   pread, likewise
 *   sync   of a file or folder
 *   truncate  ftruncate
 *   open   of a file in ENTABLE_FAIL_UNDER
 *   name   a new name for a file, or one that goes
 *   map    of a file
 *   lock   of a part of a file
 *   allocation  by code between the two addresses, from where the program begins, in ENTABLE_FAIL_CODE
 *
 * At the end it writes to the file ENTABLE_FAIL_SAID how many of these calls there were, and how many failed. */
#include "calls.h"
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char kind[16], word[16];
static int first, error;
static const char *under;
static uintptr_t code_start, code_end;
static int calls, failures;

static int first_object(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

__attribute__((constructor)) static void start(void) {
    const char *plan = getenv("ENTABLE_FAIL"), *code = getenv("ENTABLE_FAIL_CODE");
    if (!plan || sscanf(plan, "%15s %d %d %15s", kind, &first, &error, word) != 4) abort();
    under = getenv("ENTABLE_FAIL_UNDER");
    unsigned long from, to;
    if (code && sscanf(code, "%lx %lx", &from, &to) == 2) {
        uintptr_t base = 0;
        dl_iterate_phdr(first_object, &base);
        code_start = base + from;
        code_end = base + to;
    }
}

__attribute__((destructor)) static void say(void) {
    const char *path = getenv("ENTABLE_FAIL_SAID");
    if (!path) return;
    char line[64];
    int length = snprintf(line, sizeof line, "%d %d\n", calls, failures);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    syscall(SYS_write, fd, line, (size_t)length);
    syscall(SYS_close, fd);
}

static int fails(const char *call) {
    if (strcmp(kind, call) != 0) return 0;
    int number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (first == 0 || number < first || (number > first && strcmp(word, "once") == 0)) return 0;
    __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
    errno = error;
    return 1;
}

#define FAILING_IF(condition, type, failed, call, name, parameters, arguments) \
    type name parameters {                                                     \
        REAL(type, name, parameters);                                          \
        return (condition) && fails(call) ? failed : real arguments;           \
    }
#define FAILING(type, call, name, parameters, arguments) FAILING_IF(1, type, -1, call, name, parameters, arguments)

static int is_under(const char *path) { return under && strncmp(path, under, strlen(under)) == 0; }

static int is_ours(int fd) {
    char link[64], path[PATH_MAX];
    if (!under) return 1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return is_under(path);
}

/* What "late" is said of was done all the same: a synced write whose sync failed. */
static int is_done;
#define WRITING(name, parameters, arguments)                        \
    ssize_t name parameters {                                       \
        REAL(ssize_t, name, parameters);                            \
        if (!is_ours(fd)) return real arguments;                    \
        if (fails("write")) return -1;                              \
        if (!fails("late")) return real arguments;                  \
        if (!__atomic_exchange_n(&is_done, 1, __ATOMIC_RELAXED)) {  \
            if (real arguments < 0) abort();                        \
            errno = error;                                          \
        }                                                           \
        return -1;                                                  \
    }
WRITING(pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
WRITING(pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at))
WRITING(writev, (int fd, const struct iovec *from, int count), (fd, from, count))
WRITING(pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
WRITING(pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at))
FAILING_IF(is_ours(fd), ssize_t, -1, "read", pread, (int fd, void *to, size_t count, off_t at), (fd, to, count, at))
FAILING_IF(is_ours(fd), ssize_t, -1, "read", pread64, (int fd, void *to, size_t count, off64_t at), (fd, to, count, at))
FAILING(int, "sync", fsync, (int fd), (fd))
FAILING(int, "sync", fdatasync, (int fd), (fd))
FAILING(int, "truncate", ftruncate, (int fd, off_t length), (fd, length))
FAILING(int, "truncate", ftruncate64, (int fd, off64_t length), (fd, length))
FAILING(int, "name", rename, (const char *from, const char *to), (from, to))
FAILING(int, "name", link, (const char *from, const char *to), (from, to))
FAILING(int, "name", linkat, (int a, const char *from, int b, const char *to, int how), (a, from, b, to, how))
FAILING(int, "name", unlink, (const char *path), (path))
FAILING_IF(fd >= 0, void *, MAP_FAILED, "map", mmap, (void *at, size_t length, int may, int how, int fd, off_t from),
           (at, length, may, how, fd, from))
FAILING_IF(fd >= 0, void *, MAP_FAILED, "map", mmap64,
           (void *at, size_t length, int may, int how, int fd, off64_t from), (at, length, may, how, fd, from))

#define OPENS(name, parameters, types, arguments)                          \
    int name parameters {                                                  \
        REAL(int, name, types);                                            \
        MODE                                                               \
        return is_under(path) && fails("open") ? -1 : real arguments;      \
    }
OPENS(open, (const char *path, int flags, ...), (const char *, int, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (const char *, int, ...), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), (int, const char *, int, ...), (at, path, flags, mode))

#define LOCKS(name)                                                        \
    int name(int fd, int what, ...) {                                      \
        REAL(int, name, (int, int, ...));                                  \
        va_list list;                                                      \
        va_start(list, what);                                              \
        void *argument = va_arg(list, void *);                             \
        va_end(list);                                                      \
        int is_lock = what == F_SETLK || what == F_SETLKW;                 \
        return is_lock && fails("lock") ? -1 : real(fd, what, argument);   \
    }
LOCKS(fcntl)
LOCKS(fcntl64)

/* The C library may have no name for a call that the program makes by its number. */
long syscall(long number, ...) {
    REAL(long, syscall, (long, ...));
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2 && fails("name")) return -1;
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* glibc's own names for what it allocates with: asking for the functions behind ours would allocate. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static int is_refused(void *caller) {
    uintptr_t at = (uintptr_t)caller;
    return at >= code_start && at < code_end && fails("allocation");
}

void *malloc(size_t size) { return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
char *strdup(const char *text) {
    if (is_refused(__builtin_return_address(0))) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
