/* Preloaded into a program: every file system is of the kind whose number is in ENTABLE_STATFS. */
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

int statfs(const char *path, struct statfs *found) {
    const char *kind = getenv("ENTABLE_STATFS");
    (void)path;
    memset(found, 0, sizeof *found);
    found->f_type = kind ? strtol(kind, NULL, 16) : 0;
    return 0;
}
