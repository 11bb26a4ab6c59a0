/* A program with an LMDB of its own, whose names are those of the one inside the library. */

#include <entable.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    int mdb_env_create(void **env);

static int calls;

int mdb_env_create(void **env) {
    calls++;
    return env == NULL;
}

int main(void) {
    entable_store *store = NULL;
    entable_error *error = entable_store_open(ENTABLE_STR(":memory:"), NULL, &store);
    bool opened = !error && store && calls == 0;
    entable_error_free(error);
    entable_store_free(store);
    void *none = NULL;
    bool own = mdb_env_create(&none) == 0 && calls == 1;
    printf("an LMDB beside the library's: %s\n", opened && own ? "fine" : "mixed up");
    return !(opened && own);
}
