/* Transactions of threads, and writes that do not wait, through the C API. Compiled as C and as C++. */

#define _XOPEN_SOURCE 700

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claims.h"

static int32_t left(entable_table *table) {
    entable_entity *read = NULL;
    int32_t number = -1;
    CHECK(works(entable_table_get_entity(table, DE, ONE, &read)));
    CHECK(works(entable_entity_get_int32(read, ENTABLE_STR("Left"), &number)));
    entable_entity_free(read);
    return number;
}

static void put(entable_table *table, int32_t number) {
    entable_entity *entity = NULL;
    CHECK(works(entable_entity_new(DE, ONE, &entity)));
    CHECK(works(entable_entity_set(entity, ENTABLE_STR("Left"), entable_value_int32(number))));
    CHECK(works(entable_table_upsert_entity(table, entity, ENTABLE_UPDATE_MERGE, NONE, NULL)));
    entable_entity_free(entity);
}

static void a_transaction_reads_its_own_writes(struct objects *o) {
    entable_transaction *transaction = NULL;
    entable_table *inside = NULL;
    put(o->table, 10);
    CHECK(works(entable_store_begin(o->store, &transaction)));
    CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
    put(inside, 9);
    CHECK(left(inside) == 9 && left(o->table) == 10);
    CHECK(works(entable_transaction_commit(transaction)));
    CHECK(left(o->table) == 9);
    CHECK(is_misuse(entable_transaction_commit(transaction), "transaction"));
    CHECK(works(entable_transaction_rollback(transaction)));
    entable_transaction_free(transaction);
    CHECK(is_misuse(entable_table_delete_entity(inside, DE, ONE, NONE), "transaction"));
    entable_table_free(inside);
    put(o->table, 8); /* The turn has been given back. */
}

static void what_is_not_committed_is_not_done(struct objects *o) {
    put(o->table, 10);
    for (int how = 0; how < 2; how++) {
        entable_transaction *transaction = NULL;
        entable_table *inside = NULL, *made = NULL;
        entable_table_names *names = NULL;
        bool exists = true;
        CHECK(works(entable_store_begin(o->store, &transaction)));
        CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
        CHECK(works(entable_transaction_create_table(transaction, ENTABLE_STR("Made"), &made)));
        CHECK(fails(entable_transaction_create_table(transaction, ENTABLE_STR("made"), NULL),
                    ENTABLE_TABLE_ALREADY_EXISTS, NULL));
        CHECK(works(entable_transaction_create_table_if_not_exists(transaction, ENTABLE_STR("Made"), NULL)));
        put(made, 1);
        CHECK(works(entable_table_delete_entity(inside, DE, ONE, NONE)));
        CHECK(works(entable_table_exists(inside, DE, ONE, &exists)) && !exists);
        CHECK(works(entable_transaction_list_tables(transaction, &names)) && entable_table_names_count(names) == 2);
        entable_table_names_free(names);
        if (how == 0) CHECK(works(entable_transaction_rollback(transaction)));
        entable_transaction_free(transaction);
        entable_table_free(inside), entable_table_free(made);
        CHECK(left(o->table) == 10);
        CHECK(works(entable_store_list_tables(o->store, &names)) && entable_table_names_count(names) == 1);
        entable_table_names_free(names);
    }
}

/* All verbs, once each. */
static void a_table_inside_has_the_verbs_of_a_table(struct objects *o) {
    entable_transaction *transaction = NULL;
    entable_table *inside = NULL, *past = NULL;
    entable_entity *found[2] = {NULL, NULL};
    entable_group *group = entable_group_new();
    entable_entities *entities = NULL;
    const entable_entity *next = NULL;
    entable_pages *pages = NULL;
    entable_page *page = NULL;
    entable_query *query = NULL;
    entable_snapshot *snapshot = NULL;
    entable_written written[2];
    uint64_t count = 0;
    CHECK(works(entable_store_snapshot(o->store, &snapshot)));
    CHECK(works(entable_store_begin(o->store, &transaction)));
    CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
    CHECK(same(entable_table_name(inside), "Orders"));
    CHECK(works(entable_table_create_entity(inside, o->entity, &written[0])) && written[0].timestamp_ticks > 0);
    CHECK(fails(entable_table_create_entity(inside, o->entity, NULL), ENTABLE_ENTITY_ALREADY_EXISTS, NULL));
    CHECK(works(entable_table_update_entity(inside, o->entity, ENTABLE_UPDATE_REPLACE,
                                            entable_condition_if_match(entable_str_of(written[0].etag)), NULL)));
    entable_entity *other = NULL;
    CHECK(works(entable_entity_new(DE, ENTABLE_STR("0002"), &other)));
    CHECK(works(entable_group_create_entity(group, other)));
    CHECK(works(entable_table_submit_transaction(inside, group, written, 2)));
    CHECK(works(entable_table_get_entity_select(inside, DE, ONE, NULL, 0, &found[0])));
    entable_entity_free(found[0]);
    const entable_keys keys[2] = {{DE, ONE}, {DE, ENTABLE_STR("no")}};
    CHECK(works(entable_table_get_many(inside, keys, 2, found)) && found[0] && !found[1]);
    entable_entity_free(found[0]);
    CHECK(works(entable_table_count(inside, NULL, &count)) && count == 2);

    CHECK(works(entable_query_new(ENTABLE_STR("PartitionKey eq 'DE'"), &query)));
    CHECK(works(entable_query_set_page_size(query, 1)));
    CHECK(works(entable_table_query_entities(inside, query, &entities)));
    count = 0;
    while (works(entable_entities_next(entities, &next)) && next) count++;
    CHECK(count == 2);
    CHECK(works(entable_query_set_limit(query, 1)));
    CHECK(works(entable_table_query_pages(inside, query, &pages)));
    CHECK(works(entable_pages_next(pages, &page)) && entable_page_count(page) == 1);
    entable_page_free(page);
    CHECK(works(entable_pages_next(pages, &page)) && !page);
    CHECK(works(entable_table_query_page(inside, query, &page)) && entable_page_count(page) == 1);
    entable_page_free(page);
    CHECK(works(entable_table_delete_entities(inside, NULL, &count)) && count == 2);

    const entable_str city = ENTABLE_STR("City");
    entable_index *index = NULL;
    entable_indexes *indexes = NULL;
    CHECK(works(entable_index_new(ENTABLE_STR("ByCity"), &city, 1, &index)));
    CHECK(works(entable_table_create_index(inside, index)));
    CHECK(works(entable_table_list_indexes(inside, &indexes)) && entable_indexes_count(indexes) == 1);
    entable_indexes_free(indexes);
    CHECK(works(entable_table_list_indexes(o->table, &indexes)) && entable_indexes_count(indexes) == 0);
    entable_indexes_free(indexes);
    CHECK(works(entable_table_drop_index(inside, ENTABLE_STR("ByCity"))));
    entable_index_free(index);

    /* What has no meaning inside says so. */
    entable_explain *explain = NULL;
    entable_partition_keys *partition_keys = NULL;
    entable_batch *batch = entable_batch_new();
    CHECK(is_misuse(entable_table_at(inside, snapshot, &past), "table"));
    CHECK(is_misuse(entable_table_explain(inside, NULL, &explain), "table"));
    CHECK(is_misuse(entable_table_partition_keys(inside, &partition_keys), "table"));
    CHECK(is_misuse(entable_table_delete_entities_in_chunks(inside, NULL, 5, &count), "table"));
    CHECK(is_misuse(entable_batch_create_entity(batch, inside, other), "table"));
    CHECK(!past && !explain && !partition_keys && count == 0);

    /* A write outside of it would wait for ever. */
    CHECK(fails(entable_table_create_entity(o->table, o->entity, NULL), ENTABLE_TRANSACTION_OPEN, NULL));
    entable_transaction *second = NULL;
    CHECK(fails(entable_store_begin(o->store, &second), ENTABLE_TRANSACTION_OPEN, NULL) && !second);
    CHECK(fails(entable_store_sync(o->store), ENTABLE_TRANSACTION_OPEN, NULL));
    entable_transaction_free(transaction);
    CHECK(is_misuse(entable_entities_next(entities, &next), "transaction"));
    entable_batch_free(batch), entable_snapshot_free(snapshot), entable_group_free(group);
    entable_entities_free(entities), entable_pages_free(pages), entable_query_free(query);
    entable_entity_free(other), entable_table_free(inside);
}

struct of_another_thread {
    entable_transaction *transaction;
    entable_table *table;
};

static void *use_from_elsewhere(void *context) {
    const struct of_another_thread *it = (const struct of_another_thread *)context;
    entable_table *table = NULL;
    bool exists = true;
    CHECK(is_misuse(entable_table_exists(it->table, DE, ONE, &exists), "transaction"));
    CHECK(is_misuse(entable_transaction_table(it->transaction, ENTABLE_STR("Orders"), &table), "transaction"));
    CHECK(is_misuse(entable_transaction_commit(it->transaction), "transaction"));
    CHECK(is_misuse(entable_transaction_rollback(it->transaction), "transaction"));
    return NULL;
}

static void *begin_and_end(void *context) {
    struct of_another_thread *it = (struct of_another_thread *)context;
    struct objects *o = (struct objects *)it->table;
    it->table = NULL;
    CHECK(works(entable_store_begin(o->store, &it->transaction)));
    CHECK(works(entable_transaction_table(it->transaction, ENTABLE_STR("Orders"), &it->table)));
    put(it->table, 5);
    return NULL;
}

static void *free_it(void *context) {
    entable_transaction_free((entable_transaction *)context);
    return NULL;
}

static void in_another_thread(void *(*job)(void *), void *context) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, job, context) == 0);
    pthread_join(thread, NULL);
}

static void a_transaction_is_its_threads(struct objects *o) {
    struct of_another_thread it = {NULL, NULL};
    put(o->table, 10);
    CHECK(works(entable_store_begin(o->store, &it.transaction)));
    CHECK(works(entable_transaction_table(it.transaction, ENTABLE_STR("Orders"), &it.table)));
    put(it.table, 9);
    in_another_thread(use_from_elsewhere, &it);
    CHECK(works(entable_transaction_commit(it.transaction)) && left(o->table) == 9);
    entable_transaction_free(it.transaction), entable_table_free(it.table);

    /* A thread that ends rolls back. */
    it.table = (entable_table *)o;
    in_another_thread(begin_and_end, &it);
    CHECK(left(o->table) == 9);
    put(o->table, 8);
    CHECK(is_misuse(entable_table_delete_entity(it.table, DE, ONE, NONE), "transaction"));
    entable_transaction_free(it.transaction), entable_table_free(it.table);

    /* Freed elsewhere: rolled back when its thread begins another. */
    CHECK(works(entable_store_begin(o->store, &it.transaction)));
    CHECK(works(entable_transaction_table(it.transaction, ENTABLE_STR("Orders"), &it.table)));
    put(it.table, 7);
    in_another_thread(free_it, it.transaction);
    entable_table_free(it.table);
    CHECK(works(entable_store_begin(o->store, &it.transaction)));
    CHECK(left(o->table) == 8);
    CHECK(works(entable_transaction_commit(it.transaction)));
    entable_transaction_free(it.transaction);
    put(o->table, 7);
}

static void a_closed_store_ends_the_transaction(struct objects *o) {
    entable_transaction *transaction = NULL;
    entable_table *inside = NULL;
    bool exists;
    CHECK(works(entable_store_begin(o->store, &transaction)));
    CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
    put(inside, 1);
    CHECK(works(entable_store_close(o->store)));
    CHECK(fails(entable_table_exists(inside, DE, ONE, &exists), ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_transaction_commit(transaction), ENTABLE_STORE_CLOSED, NULL));
    entable_transaction_free(transaction), entable_table_free(inside);
    CHECK(fails(entable_store_begin(o->store, &transaction), ENTABLE_STORE_CLOSED, NULL));
}

static void a_child_has_no_part_in_it(struct objects *o) {
    entable_transaction *transaction = NULL;
    entable_table *inside = NULL;
    int status = -1;
    put(o->table, 2);
    CHECK(works(entable_store_begin(o->store, &transaction)));
    CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
    put(inside, 1);
    pid_t child = fork();
    if (child == 0) {
        bool exists = false;
        bool is_refused = fails(entable_table_exists(inside, DE, ONE, &exists), ENTABLE_STORE_FORKED, NULL);
        is_refused = fails(entable_transaction_commit(transaction), ENTABLE_STORE_FORKED, NULL) && is_refused;
        entable_transaction_free(transaction);
        _exit(is_refused ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(left(inside) == 1 && works(entable_transaction_commit(transaction)) && left(o->table) == 1);
    entable_transaction_free(transaction), entable_table_free(inside);
}

#define SUBMITTED 200

struct loop {
    pthread_mutex_t lock;
    pthread_cond_t told;
    struct objects *o;
    int done;
    int failed;
    entable_code code;
    int64_t last_ticks;
};

static void tell(void *context, entable_error *error, const entable_written *written) {
    struct loop *loop = (struct loop *)context;
    pthread_mutex_lock(&loop->lock);
    loop->done++;
    if (error) loop->failed++, loop->code = entable_error_code(error);
    if (written) {
        if (written->timestamp_ticks <= loop->last_ticks) loop->failed++;
        loop->last_ticks = written->timestamp_ticks;
    }
    pthread_cond_signal(&loop->told);
    pthread_mutex_unlock(&loop->lock);
    entable_error_free(error);
}

static void await(struct loop *loop, int done) {
    pthread_mutex_lock(&loop->lock);
    while (loop->done < done) pthread_cond_wait(&loop->told, &loop->lock);
    pthread_mutex_unlock(&loop->lock);
}

/* Calls the store from within: reads and submissions work, what would wait for itself is an error. */
static void call_back(void *context, entable_error *error, const entable_written *written) {
    struct loop *loop = (struct loop *)context;
    entable_transaction *transaction = NULL;
    bool exists = false;
    CHECK(!error && written);
    CHECK(works(entable_table_exists(loop->o->table, DE, ENTABLE_STR("B"), &exists)) && exists);
    CHECK(fails(entable_table_delete_entity(loop->o->table, DE, ENTABLE_STR("B"), NONE), ENTABLE_TRANSACTION_OPEN, NULL));
    CHECK(fails(entable_store_begin(loop->o->store, &transaction), ENTABLE_TRANSACTION_OPEN, NULL) && !transaction);
    CHECK(fails(entable_store_sync(loop->o->store), ENTABLE_TRANSACTION_OPEN, NULL));
    CHECK(works(entable_table_submit_delete_entity(loop->o->table, DE, ENTABLE_STR("B"), NONE, tell, loop)));
    pthread_mutex_lock(&loop->lock);
    loop->done++;
    pthread_cond_signal(&loop->told);
    pthread_mutex_unlock(&loop->lock);
}

static void submitted_writes_are_told_in_their_order(struct objects *o) {
    struct loop loop = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0, (entable_code)0, 0};
    entable_entity *entity = NULL;
    uint64_t count = 0;
    loop.o = o;
    for (int i = 0; i < SUBMITTED; i++) {
        char key[16];
        snprintf(key, sizeof key, "%06d", i);
        CHECK(works(entable_entity_new(DE, entable_str_of(key), &entity)));
        CHECK(works(entable_table_submit_create_entity(o->table, entity, tell, &loop)));
        entable_entity_free(entity); /* It was copied. */
    }
    CHECK(works(entable_store_sync(o->store)));
    CHECK(works(entable_table_count(o->table, NULL, &count)) && count == SUBMITTED);
    await(&loop, SUBMITTED);
    CHECK(loop.failed == 0);

    CHECK(works(entable_table_submit_delete_entity(o->table, DE, ENTABLE_STR("no"), NONE, tell, &loop)));
    await(&loop, SUBMITTED + 1);
    CHECK(loop.failed == 1 && loop.code == ENTABLE_RESOURCE_NOT_FOUND);
    CHECK(works(entable_table_submit_update_entity(o->table, o->entity, ENTABLE_UPDATE_MERGE, NONE, tell, &loop)));
    CHECK(works(entable_table_submit_upsert_entity(o->table, o->entity, ENTABLE_UPDATE_MERGE, NONE, tell, &loop)));
    await(&loop, SUBMITTED + 3);
    CHECK(loop.failed == 2); /* There was nothing to update. */

    /* What is wrong by itself is told at once, and only so. */
    CHECK(is_misuse(entable_table_submit_create_entity(o->table, o->entity, NULL, NULL), "completion"));
    CHECK(is_misuse(entable_table_submit_create_entity(o->table, NULL, tell, &loop), "entity"));
    CHECK(is_misuse(entable_table_submit_create_entity(NULL, o->entity, tell, &loop), "table"));
    CHECK(is_misuse(entable_table_submit_update_entity(o->table, o->entity, (entable_update_mode)7, NONE, tell, &loop),
                    "mode"));
    CHECK(loop.done == SUBMITTED + 3);

    CHECK(works(entable_entity_new(DE, ENTABLE_STR("B"), &entity)));
    CHECK(works(entable_table_submit_create_entity(o->table, entity, call_back, &loop)));
    await(&loop, SUBMITTED + 5);
    CHECK(loop.failed == 2);
    entable_entity_free(entity);
}

/* Closes the store, and lets go of the last handles of it, from within. */
static void close_and_free(void *context, entable_error *error, const entable_written *written) {
    struct loop *loop = (struct loop *)context;
    CHECK(!error && written);
    pthread_mutex_lock(&loop->lock); /* Not before the submission has returned. */
    CHECK(works(entable_store_close(loop->o->store)));
    CHECK(fails(entable_store_sync(loop->o->store), ENTABLE_STORE_CLOSED, NULL));
    entable_table_free(loop->o->table);
    entable_store_free(loop->o->store);
    loop->o->table = NULL, loop->o->store = NULL;
    loop->done++;
    pthread_cond_signal(&loop->told);
    pthread_mutex_unlock(&loop->lock);
}

static void a_store_may_go_before_its_completions(struct objects *o) {
    struct loop loop = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0, (entable_code)0, 0};
    struct objects other = begin();
    loop.o = o;
    for (int i = 0; i < SUBMITTED; i++) {
        CHECK(works(entable_table_submit_upsert_entity(o->table, o->entity, ENTABLE_UPDATE_MERGE, NONE, tell, &loop)));
    }
    entable_table_free(o->table), entable_store_free(o->store);
    o->table = NULL, o->store = NULL;
    await(&loop, SUBMITTED);
    CHECK(loop.failed == 0);

    loop.o = &other;
    pthread_mutex_lock(&loop.lock);
    CHECK(works(entable_table_submit_create_entity(other.table, other.entity, close_and_free, &loop)));
    pthread_mutex_unlock(&loop.lock);
    await(&loop, SUBMITTED + 1);
    CHECK(!other.store);
    end(&other);
}

/* Called when all that the library keeps for the thread is gone already. */
static void end_late(void *transaction) {
    entable_table *table = NULL;
    CHECK(is_misuse(entable_transaction_table((entable_transaction *)transaction, ENTABLE_STR("Orders"), &table),
                    "transaction"));
    CHECK(is_misuse(entable_transaction_commit((entable_transaction *)transaction), "transaction"));
    entable_transaction_free((entable_transaction *)transaction);
}

static pthread_key_t held;

static void *hold_until_the_end(void *context) {
    entable_transaction *transaction = NULL;
    CHECK(works(entable_store_begin(((struct objects *)context)->store, &transaction)));
    CHECK(pthread_setspecific(held, transaction) == 0);
    return NULL;
}

static void a_thread_that_ends_lets_go_in_any_order(struct objects *o) {
    CHECK(pthread_key_create(&held, end_late) == 0);
    in_another_thread(hold_until_the_end, o);
    CHECK(pthread_key_delete(held) == 0);
    put(o->table, 1); /* The turn has been given back. */
}

static void do_nothing(int signal) {
    (void)signal;
}

static void *put_many(void *context) {
    for (int32_t i = 0; i < 100; i++) put((entable_table *)context, i);
    return NULL;
}

/* Whatever a signal interrupts goes on behind it. */
static void signals_do_no_harm(struct objects *o) {
    char folder[] = "/tmp/entable-signals-XXXXXX", path[64], copy[64], lock[80];
    struct sigaction action;
    struct itimerval timer = {{0, 200}, {0, 200}};
    const struct itimerval off = {{0, 0}, {0, 0}};
    entable_store *store = NULL;
    entable_table *table = NULL;
    entable_report *report = NULL;
    pthread_t thread;
    (void)o;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/s.ent", folder), snprintf(copy, sizeof copy, "%s/copy.ent", folder);
    memset(&action, 0, sizeof action);
    action.sa_handler = do_nothing; /* Without SA_RESTART. */
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &timer, NULL) == 0);
    CHECK(works(entable_store_open(entable_str_of(path), NULL, &store)));
    CHECK(works(entable_store_create_table(store, ENTABLE_STR("Orders"), &table)));
    CHECK(pthread_create(&thread, NULL, put_many, table) == 0);
    put_many(table);
    CHECK(pthread_join(thread, NULL) == 0 && left(table) == 99);
    CHECK(works(entable_store_backup(store, entable_str_of(copy), NULL, NULL, NULL)));
    CHECK(works(entable_store_compact(store, NULL, NULL, NULL)));
    CHECK(works(entable_verify(entable_str_of(path), NULL, NULL, &report)) && entable_report_is_clean(report));
    CHECK(setitimer(ITIMER_REAL, &off, NULL) == 0); /* The handler stays: one may be on its way. */
    entable_report_free(report), entable_table_free(table), entable_store_free(store);
    snprintf(lock, sizeof lock, "%s-lock", path);
    unlink(path), unlink(lock), unlink(copy);
    CHECK(rmdir(folder) == 0);
}

/* What a consumer has done is durable with its advance, or neither is. */
static void a_consumer_advances_in_a_transaction(struct objects *o) {
    for (int commits = 0; commits < 2; commits++) {
        entable_transaction *transaction = NULL;
        entable_table *inside = NULL, *copies = NULL;
        entable_consumer *consumer = NULL, *outside = NULL;
        entable_change_page *page = NULL;
        entable_feed_info *info = NULL;
        entable_feed_state state;
        CHECK(works(entable_table_set_feed(o->table, NULL)));
        CHECK(works(entable_table_create_consumer(o->table, ENTABLE_STR("c"), ENTABLE_FEED_START_BEGINNING, DE, &outside)));
        if (!commits) put(o->table, 1);
        CHECK(works(entable_consumer_read(outside, 10, &page)) && entable_change_page_count(page) == 1);
        entable_change_page_free(page);
        CHECK(works(entable_store_begin(o->store, &transaction)));
        CHECK(works(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &inside)));
        CHECK(works(entable_transaction_create_table(transaction, ENTABLE_STR("Copies"), &copies)));
        CHECK(works(entable_table_consumer(inside, ENTABLE_STR("c"), &consumer)));
        CHECK(is_misuse(entable_consumer_read(consumer, 10, &page), "consumer") && !page);
        CHECK(is_misuse(entable_table_feed(inside, &info), "table") && !info);
        CHECK(fails(entable_consumer_advance(outside, ENTABLE_STR("x")), ENTABLE_INVALID_INPUT, NULL));
        CHECK(works(entable_consumer_read(outside, 10, &page)));
        CHECK(fails(entable_consumer_advance(outside, entable_change_page_position(page)), ENTABLE_TRANSACTION_OPEN, NULL));
        CHECK(works(entable_consumer_advance(consumer, entable_change_page_position(page))));
        if (commits) CHECK(works(entable_transaction_commit(transaction)));
        entable_transaction_free(transaction);
        entable_change_page_free(page);
        CHECK(works(entable_consumer_read(outside, 10, &page)));
        CHECK(entable_change_page_count(page) == (commits ? 0 : 1));
        CHECK(works(entable_table_feed(o->table, &info)) && entable_feed_info_state(info, &state));
        CHECK(state.changes == 1 && state.consumers == 1);
        entable_feed_info_free(info);
        entable_change_page_free(page);
        entable_consumer_free(consumer);
        entable_consumer_free(outside);
        entable_table_free(copies);
        entable_table_free(inside);
    }
}

static void nulls_are_errors(struct objects *o) {
    entable_table *table = NULL;
    entable_table_names *names = NULL;
    CHECK(is_misuse(entable_store_begin(NULL, NULL), "transaction"));
    CHECK(is_misuse(entable_store_begin(o->store, NULL), "transaction"));
    CHECK(is_misuse(entable_transaction_commit(NULL), "transaction"));
    CHECK(is_misuse(entable_transaction_rollback(NULL), "transaction"));
    CHECK(is_misuse(entable_transaction_table(NULL, ENTABLE_STR("T"), &table), "transaction"));
    CHECK(is_misuse(entable_transaction_create_table(NULL, ENTABLE_STR("T"), &table), "transaction"));
    CHECK(is_misuse(entable_transaction_create_table_if_not_exists(NULL, ENTABLE_STR("T"), &table), "transaction"));
    CHECK(is_misuse(entable_transaction_delete_table(NULL, ENTABLE_STR("T")), "transaction"));
    CHECK(is_misuse(entable_transaction_list_tables(NULL, &names), "transaction"));
    CHECK(is_misuse(entable_store_sync(NULL), "store"));
    entable_transaction *transaction = NULL;
    CHECK(works(entable_store_begin(o->store, &transaction)));
    CHECK(is_misuse(entable_transaction_table(transaction, text("\xff", 1), &table), "name"));
    CHECK(is_misuse(entable_transaction_table(transaction, text(NULL, 1), &table), "name"));
    CHECK(is_misuse(entable_transaction_table(transaction, ENTABLE_STR("T"), NULL), "table"));
    CHECK(fails(entable_transaction_table(transaction, ENTABLE_STR("1abc"), &table), ENTABLE_INVALID_RESOURCE_NAME, NULL));
    entable_transaction_free(transaction);
    CHECK(!table && !names);
    entable_transaction_free(NULL);
}

int main(void) {
    static void (*const on_objects[])(struct objects *) = {
        a_transaction_reads_its_own_writes,
        what_is_not_committed_is_not_done,
        a_table_inside_has_the_verbs_of_a_table,
        a_transaction_is_its_threads,
        a_closed_store_ends_the_transaction,
        a_child_has_no_part_in_it,
        submitted_writes_are_told_in_their_order,
        a_store_may_go_before_its_completions,
        a_thread_that_ends_lets_go_in_any_order,
        signals_do_no_harm,
        a_consumer_advances_in_a_transaction,
        nulls_are_errors,
    };
    for (size_t i = 0; i < sizeof on_objects / sizeof *on_objects; i++) {
        struct objects made = begin();
        on_objects[i](&made);
        end(&made);
    }
    printf("transactions of C: %s\n", failures ? "failed" : "hold");
    return failures != 0;
}
