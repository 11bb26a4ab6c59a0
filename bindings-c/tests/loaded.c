/* The shared library loaded at run time, used by threads, and let go of, some times over: loaded PATH */

#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <entable.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef entable_error *open_function(entable_str, const entable_options *, entable_store **);
typedef entable_error *create_function(entable_store *, entable_str, entable_table **);
typedef void free_function(entable_store *);

struct library {
    open_function *open;
    create_function *create;
    free_function *free;
    bool worked;
};

/* A pointer to a function out of one to an object, as POSIX has it. */
static void find(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    memcpy(place, &found, sizeof found);
}

static void *use(void *context) {
    struct library *library = context;
    entable_store *store = NULL;
    library->worked = !library->open(ENTABLE_STR(":memory:"), NULL, &store) &&
                      !library->create(store, ENTABLE_STR("Orders"), NULL);
    library->free(store);
    return NULL;
}

int main(int count, char **arguments) {
    for (int i = 0; i < 5; i++) {
        struct library library = {NULL, NULL, NULL, false};
        pthread_t thread;
        void *handle = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!handle) return fprintf(stderr, "loaded: %s\n", dlerror()), 1;
        find(handle, "entable_store_open", &library.open);
        find(handle, "entable_store_create_table", &library.create);
        find(handle, "entable_store_free", &library.free);
        if (!library.open || !library.create || !library.free) return 1;
        use(&library);
        if (!library.worked || pthread_create(&thread, NULL, use, &library)) return 1;
        pthread_join(thread, NULL);
        if (!library.worked || dlclose(handle)) return 1;
    }
    printf("loaded: five times\n");
    return 0;
}
