/* What every shim that stands before calls of the C library needs. Included first: it asks for the names of GNU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>

/* The function of the same name behind ours. */
static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

/* `real`, within a function of that name. */
#define REAL(type, name, parameters) \
    static type(*real) parameters;   \
    if (!real) *(void **)&real = next(#name)

/* `mode`, within a function that ends in `int flags, ...`: there is one if the file may be made. */
#define MODE                               \
    mode_t mode = 0;                       \
    if (flags & (O_CREAT | O_TMPFILE)) {   \
        va_list list;                      \
        va_start(list, flags);             \
        mode = va_arg(list, mode_t);       \
        va_end(list);                      \
    }
