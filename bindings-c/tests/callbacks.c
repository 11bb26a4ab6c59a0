/* What the functions that a program hands in may call of the library, by a table: nothing waits for itself. Compiled as C
 * and as C++, which can throw out of them. */

#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claims.h"

#ifdef __cplusplus
#include <string>
#endif

/* Where a callback is called from. */
enum place { CLOCK, CLOCK_INSIDE, COUNT, DELETE, CHUNKS, COUNT_INSIDE, COUNT_AT, BACKUP, COMPACT, VERIFY, COMPLETION };

/* What it calls. */
enum act { READ, READ_AT, WRITE, SUBMIT, BEGIN, SYNC, OPEN, CLOSE };

static struct {
    entable_store *store;
    entable_table *table, *at;
    entable_snapshot *snapshot;
    enum act act;
    bool is_armed, was_called;
    entable_code code;
    char folder[64], path[80], copy[80];
} world;

static entable_code code_of(entable_error *error) {
    const entable_code code = entable_error_code(error);
    entable_error_free(error);
    return code;
}

static void forget(void *context, entable_error *error, const entable_written *written) {
    (void)context, (void)written;
    entable_error_free(error);
}

static entable_code act(void) {
    entable_entity *entity = NULL;
    entable_transaction *transaction = NULL;
    entable_store *again = NULL;
    entable_code code = ENTABLE_OK;
    CHECK(works(entable_entity_new(ENTABLE_STR("new"), ONE, &entity)));
    switch (world.act) {
    case READ:
        entable_entity_free(entity);
        code = code_of(entable_table_get_entity(world.table, DE, ONE, &entity));
        break;
    case READ_AT:
        entable_entity_free(entity);
        code = code_of(entable_table_get_entity(world.at, DE, ONE, &entity));
        break;
    case WRITE: code = code_of(entable_table_create_entity(world.table, entity, NULL)); break;
    case SUBMIT: code = code_of(entable_table_submit_create_entity(world.table, entity, forget, NULL)); break;
    case BEGIN: code = code_of(entable_store_begin(world.store, &transaction)); break;
    case SYNC: code = code_of(entable_store_sync(world.store)); break;
    case OPEN: code = code_of(entable_store_open(entable_str_of(world.path), NULL, &again)); break;
    case CLOSE: code = code_of(entable_store_close(world.store)); break;
    }
    entable_store_free(again);
    entable_transaction_free(transaction);
    entable_entity_free(entity);
    return code;
}

/* The first call does it; what that calls in its turn does not. */
static void call_back(void) {
    if (!world.is_armed) return;
    world.is_armed = false, world.was_called = true;
    world.code = act();
}

static int64_t clock_that_calls(void *context) {
    (void)context;
    call_back();
    return entable_datetime_now();
}

static bool stop_that_calls(void *context) {
    (void)context;
    call_back();
    return false;
}

static void progress_that_calls(void *context, uint64_t done, uint64_t total) {
    (void)context, (void)done, (void)total;
    call_back();
}

static void completion_that_calls(void *context, entable_error *error, const entable_written *written) {
    (void)context, (void)written;
    entable_error_free(error);
    call_back();
}

static void fill(void) {
    entable_batch *batch = entable_batch_new();
    for (int i = 0; i < 1000; i++) {
        char key[8];
        entable_entity *entity = NULL;
        snprintf(key, sizeof key, "%04d", i);
        CHECK(works(entable_entity_new(DE, entable_str_of(key), &entity)));
        CHECK(works(entable_entity_set(entity, ENTABLE_STR("N"), entable_value_int32(i))));
        CHECK(works(entable_batch_create_entity(batch, world.table, entity)));
        entable_entity_free(entity);
    }
    CHECK(works(entable_store_submit_batch(world.store, batch, NULL, 0)));
    entable_batch_free(batch);
}

static void open_world(void) {
    entable_options *options = entable_options_new();
    memset(&world, 0, sizeof world);
    strcpy(world.folder, "/tmp/entable-callbacks-XXXXXX");
    CHECK(mkdtemp(world.folder) != NULL);
    snprintf(world.path, sizeof world.path, "%s/s.ent", world.folder);
    snprintf(world.copy, sizeof world.copy, "%s/copy.ent", world.folder);
    CHECK(works(entable_options_set_clock(options, clock_that_calls, NULL)));
    CHECK(works(entable_store_open(entable_str_of(world.path), options, &world.store)));
    CHECK(works(entable_store_create_table(world.store, ENTABLE_STR("Orders"), &world.table)));
    entable_options_free(options);
    fill();
}

static void close_world(void) {
    char lock[128];
    entable_table_free(world.at), entable_snapshot_free(world.snapshot);
    entable_table_free(world.table), entable_store_free(world.store);
    snprintf(lock, sizeof lock, "%s-lock", world.path);
    unlink(world.path), unlink(lock), unlink(world.copy);
    CHECK(rmdir(world.folder) == 0);
}

/* Makes a callback be called from a place, and gives what the call there said. */
static entable_code call_at(enum place place) {
    entable_query *query = NULL;
    entable_transaction *transaction = NULL;
    entable_table *inside = NULL;
    entable_entity *entity = NULL;
    entable_report *report = NULL;
    uint64_t count = 0;
    entable_code code = ENTABLE_OK;
    const entable_str path = entable_str_of(world.path), copy = entable_str_of(world.copy);
    CHECK(works(entable_query_new(ENTABLE_STR("N ge 0"), &query)));
    CHECK(works(entable_query_set_stop(query, stop_that_calls, NULL)));
    CHECK(works(entable_entity_new(ENTABLE_STR("other"), ONE, &entity)));
    if (place == CLOCK_INSIDE || place == COUNT_INSIDE) {
        CHECK(works(entable_store_begin(world.store, &transaction)));
        CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
    }
    /* A compaction needs the store for itself. */
    if (place != COMPACT) {
        CHECK(works(entable_store_snapshot(world.store, &world.snapshot)));
        CHECK(works(entable_table_at(world.table, world.snapshot, &world.at)));
    }
    world.is_armed = true;
    switch (place) {
    case CLOCK: code = code_of(entable_table_create_entity(world.table, entity, NULL)); break;
    case CLOCK_INSIDE: code = code_of(entable_table_create_entity(inside, entity, NULL)); break;
    case COUNT: code = code_of(entable_table_count(world.table, query, &count)); break;
    case DELETE: code = code_of(entable_table_delete_entities(world.table, query, &count)); break;
    case CHUNKS: code = code_of(entable_table_delete_entities_in_chunks(world.table, query, 700, &count)); break;
    case COUNT_INSIDE: code = code_of(entable_table_count(inside, query, &count)); break;
    case COUNT_AT: code = code_of(entable_table_count(world.at, query, &count)); break;
    case BACKUP: code = code_of(entable_store_backup(world.store, copy, progress_that_calls, NULL, NULL)); break;
    case COMPACT: code = code_of(entable_store_compact(world.store, progress_that_calls, NULL, NULL)); break;
    case VERIFY: code = code_of(entable_verify(path, progress_that_calls, NULL, &report)); break;
    case COMPLETION:
        world.is_armed = false; /* Not yet the clock. */
        code = code_of(entable_table_submit_create_entity(world.table, entity, completion_that_calls, &world));
        world.is_armed = true;
        CHECK(works(entable_store_sync(world.store)));
        break;
    }
    world.is_armed = false;
    if (transaction && world.act != CLOSE) CHECK(works(entable_transaction_commit(transaction)));
    entable_report_free(report), entable_entity_free(entity), entable_query_free(query);
    entable_table_free(inside), entable_transaction_free(transaction);
    return code;
}

static void nothing_waits_for_itself(void) {
    const entable_code ok = ENTABLE_OK, open = ENTABLE_TRANSACTION_OPEN, busy = ENTABLE_STORE_BUSY;
    const struct {
        enum place place;
        entable_code codes[CLOSE + 1]; /* Of READ, READ_AT, WRITE, SUBMIT, BEGIN, SYNC, OPEN, CLOSE. */
    } table[] = {
        {CLOCK, {ok, ok, open, open, open, open, ok, ok}},
        {CLOCK_INSIDE, {ok, ok, open, open, open, open, ok, ok}},
        {COUNT, {ok, ok, ok, ok, ok, ok, ok, ok}},
        {DELETE, {ok, ok, open, open, open, open, ok, ok}},
        {CHUNKS, {ok, ok, open, open, open, open, ok, ok}},
        {COUNT_INSIDE, {ok, ok, open, open, open, open, ok, ok}},
        {COUNT_AT, {ok, busy, ok, ok, ok, ok, ok, ok}},
        {BACKUP, {ok, ok, ok, ok, ok, ok, ok, ok}},
        {COMPACT, {busy, ENTABLE_INVALID_INPUT, busy, busy, busy, busy, busy, ok}}, /* No snapshot: a NULL table. */
        {VERIFY, {ok, ok, ok, ok, ok, ok, ok, ok}},
        {COMPLETION, {ok, ok, open, ok, open, open, ok, ok}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int which = READ; which <= CLOSE; which++) {
            open_world();
            world.act = (enum act)which;
            const entable_code code = call_at(table[i].place);
            const bool is_next = table[i].place == CHUNKS && which == CLOSE; /* The next chunk finds it closed. */
            CHECK(world.was_called && code == (is_next ? ENTABLE_STORE_CLOSED : ok));
            if (world.code != table[i].codes[which]) {
                fprintf(stderr, "place %d, act %d: %u\n", (int)table[i].place, which, (unsigned)world.code);
                failures++;
            }
            uint64_t count = 0;
            const entable_code after = code_of(entable_table_count(world.table, NULL, &count));
            CHECK(after == (which == CLOSE ? ENTABLE_STORE_CLOSED : ok));
            CHECK(which != CLOSE || table[i].place == COMPACT
                  || code_of(entable_table_count(world.at, NULL, &count)) == ENTABLE_STORE_CLOSED);
            close_world();
        }
    }
}

static bool stop_after(void *context) {
    return --*(int *)context < 0;
}

static void an_answer_is_given_up(void) {
    struct objects objects = begin();
    world.store = objects.store, world.table = objects.table;
    fill();
    int asked = 2;
    uint64_t count = 1;
    entable_query *query = NULL;
    entable_entities *entities = NULL;
    const entable_entity *entity = NULL;
    CHECK(works(entable_query_new(text("N ge 0 and so on", 6), &query)));
    CHECK(is_misuse(entable_query_set_stop(query, NULL, NULL), "is_over"));
    CHECK(is_misuse(entable_query_set_stop(NULL, stop_after, &asked), "query"));
    CHECK(works(entable_query_set_stop(query, stop_after, &asked)));
    CHECK(fails(entable_table_count(world.table, query, &count), ENTABLE_CANCELLED, NULL) && count == 0 && asked == -1);
    asked = 2;
    CHECK(fails(entable_table_delete_entities(world.table, query, &count), ENTABLE_CANCELLED, NULL) && count == 0);
    CHECK(works(entable_table_count(world.table, NULL, &count)) && count == 1000);
    /* The pages before the one that is given up are there. */
    asked = 2, count = 0;
    CHECK(works(entable_query_set_page_size(query, 300)));
    CHECK(works(entable_table_query_entities(world.table, query, &entities)));
    entable_query_free(query);
    entable_error *error = NULL;
    while (!(error = entable_entities_next(entities, &entity)) && entity) count++;
    CHECK(fails(error, ENTABLE_CANCELLED, NULL) && count > 0 && count % 300 == 0 && !entity);
    CHECK(works(entable_entities_next(entities, &entity)) && !entity);
    entable_entities_free(entities);
    end(&objects);
}

#ifdef __cplusplus
static bool stop_that_throws(void *context) {
    (void)context;
    throw 42;
}

static int64_t clock_that_throws(void *context) {
    (void)context;
    throw 42;
}

/* What leaves a callback ends the process, and says so, instead of unwinding what does not expect it. */
static void an_exception_ends_the_process(void) {
    for (int which = 0; which < 2; which++) {
        int ends[2];
        char said[512];
        CHECK(pipe(ends) == 0);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            entable_options *options = entable_options_new();
            entable_store *store = NULL;
            entable_table *table = NULL;
            entable_entity *entity = NULL;
            entable_query *query = NULL;
            uint64_t count = 0;
            if (which == 1) entable_error_free(entable_options_set_clock(options, clock_that_throws, NULL));
            try {
                entable_error_free(entable_store_open(ENTABLE_STR(":memory:"), options, &store));
                entable_error_free(entable_store_create_table(store, ENTABLE_STR("Orders"), &table));
                entable_error_free(entable_query_new(ENTABLE_STR(""), &query));
                entable_error_free(entable_query_set_stop(query, stop_that_throws, NULL));
                for (int i = 0; i < 1000; i++) {
                    entable_error_free(entable_entity_new(DE, entable_str_of(std::to_string(i).c_str()), &entity));
                    entable_error_free(entable_table_create_entity(table, entity, NULL));
                    entable_entity_free(entity);
                }
                entable_error_free(entable_table_delete_entities(table, query, &count));
            } catch (int) {
                _exit(1);
            }
            _exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        close(ends[1]);
        const ssize_t length = read(ends[0], said, sizeof said - 1);
        said[length > 0 ? length : 0] = 0;
        CHECK(strstr(said, "a callback has thrown") != NULL);
        close(ends[0]);
    }
}
#endif

int main(void) {
    alarm(300); /* What waits for itself would wait for ever. */
    an_answer_is_given_up();
    nothing_waits_for_itself();
#ifdef __cplusplus
    an_exception_ends_the_process();
#endif
    printf("callbacks of C: %s\n", failures ? "failed" : "hold");
    return failures != 0;
}
