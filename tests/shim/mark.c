/* Preloaded into a program that will be killed: says at each moment whether the program is between the first write
 * and the last sync of a commit, in a byte of the file that ENTABLE_MARK names. The byte outlives the program.
 *
 * A commit's first write is the first to the data file, ENTABLE_MARK_DATA; its last sync is that of the meta page,
 * which goes through a descriptor that syncs as it writes. */
#include "calls.h"
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic(char) unused, *mark = &unused;

__attribute__((constructor)) static void map_mark(void) {
    const char *path = getenv("ENTABLE_MARK");
    if (!path) abort();
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) abort();
    void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) abort();
    syscall(SYS_close, fd);
    mark = map;
    *mark = 0;
}

static int is_data(int fd) {
    static const char *path;
    struct stat of_fd, of_path;
    int error = errno;
    if (!path && !(path = getenv("ENTABLE_MARK_DATA"))) abort();
    int is = fstat(fd, &of_fd) == 0 && stat(path, &of_path) == 0 && of_fd.st_ino == of_path.st_ino &&
             of_fd.st_dev == of_path.st_dev;
    errno = error;
    return is;
}

#define WRITES(name, parameters, arguments)                                             \
    ssize_t name parameters {                                                           \
        REAL(ssize_t, name, parameters);                                                \
        int is_ours = is_data(fd);                                                      \
        if (is_ours) *mark = 1;                                                         \
        ssize_t bytes = real arguments;                                                 \
        if (is_ours && (syscall(SYS_fcntl, fd, F_GETFL) & O_DSYNC)) *mark = 0;          \
        return bytes;                                                                   \
    }

WRITES(pwrite, (int fd, const void *from, size_t count, off_t at), (fd, from, count, at))
WRITES(pwrite64, (int fd, const void *from, size_t count, off64_t at), (fd, from, count, at))
WRITES(writev, (int fd, const struct iovec *from, int count), (fd, from, count))
WRITES(pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
WRITES(pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at))
