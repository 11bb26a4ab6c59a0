/* A telemetry logger: eight threads log readings of their sensors, an event loop learns that they are durable, and the
 * newest readings of one sensor are asked for.
 *
 * The log tail pattern: the RowKey begins with descending ticks, so the newest reading of a partition comes first. */

#define _POSIX_C_SOURCE 200809L

#include <entable.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8
#define READINGS 250

/* Ends the program with what an error says. */
static void check(entable_error *error) {
    if (!error) return;
    fprintf(stderr, "%s (%u): %s\n", entable_error_name(error), entable_error_status(error), entable_error_message(error));
    entable_error_free(error);
    exit(1);
}

/* What the writing thread tells, and the loop waits for. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int durable;
    int failed;
} outcomes = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

/* On the thread that writes, which all writes wait for: note the outcome, and return. */
static void note(void *context, entable_error *error, const entable_written *written) {
    (void)context, (void)written;
    pthread_mutex_lock(&outcomes.lock);
    if (error) outcomes.failed++;
    else outcomes.durable++;
    pthread_cond_signal(&outcomes.changed);
    pthread_mutex_unlock(&outcomes.lock);
    entable_error_free(error); /* ours */
}

struct sensor {
    entable_table *readings; /* shared: any number of threads may use a table */
    int number;
};

static void *log_readings(void *context) {
    const struct sensor *sensor = context;
    char name[16];
    snprintf(name, sizeof name, "sensor-%d", sensor->number);
    for (int i = 0; i < READINGS; i++) {
        const int64_t now = entable_datetime_now();
        entable_text *ticks = NULL, *key = NULL;
        entable_entity *reading = NULL;
        char count[16];
        check(entable_keys_descending_ticks(now, &ticks));
        snprintf(count, sizeof count, "%06d", READINGS - i); /* two readings of one tick keep their order */
        const entable_str parts[] = {entable_text_view(ticks), entable_str_of(count)};
        check(entable_keys_compose(parts, 2, &key));
        check(entable_entity_new(entable_str_of(name), entable_text_view(key), &reading));
        check(entable_entity_set(reading, ENTABLE_STR("At"), entable_value_datetime(now)));
        check(entable_entity_set(reading, ENTABLE_STR("Celsius"), entable_value_double(20.0 + i / 100.0)));
        /* Does not wait for the disk: readings that come meanwhile share a commit. */
        check(entable_table_submit_create_entity(sensor->readings, reading, note, NULL));
        entable_entity_free(reading), entable_text_free(key), entable_text_free(ticks);
    }
    return NULL;
}

int main(int count, char **arguments) {
    const entable_str path = count > 1 ? entable_str_of(arguments[1]) : ENTABLE_STR(":memory:");
    entable_store *store = NULL;
    entable_table *readings = NULL;
    check(entable_store_open(path, NULL, &store));
    check(entable_store_create_table_if_not_exists(store, ENTABLE_STR("Readings"), &readings));
    check(entable_table_delete_entities(readings, NULL, NULL)); /* of an earlier run */

    pthread_t threads[THREADS];
    struct sensor sensors[THREADS];
    for (int i = 0; i < THREADS; i++) {
        sensors[i].readings = readings, sensors[i].number = i;
        if (pthread_create(&threads[i], NULL, log_readings, &sensors[i])) return 1;
    }

    /* An event loop would be woken by `note`; this one waits. */
    pthread_mutex_lock(&outcomes.lock);
    while (outcomes.durable + outcomes.failed < THREADS * READINGS) {
        pthread_cond_wait(&outcomes.changed, &outcomes.lock);
    }
    printf("durable: %d, failed: %d\n", outcomes.durable, outcomes.failed);
    pthread_mutex_unlock(&outcomes.lock);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);

    entable_query *newest = NULL;
    entable_entities *found = NULL;
    const entable_entity *reading = NULL; /* lent by `found` */
    check(entable_query_new(ENTABLE_STR("PartitionKey eq @sensor"), &newest));
    check(entable_query_set_parameter(newest, ENTABLE_STR("sensor"), entable_value_string(ENTABLE_STR("sensor-3"))));
    check(entable_query_set_limit(newest, 3));
    check(entable_table_query_entities(readings, newest, &found));
    for (check(entable_entities_next(found, &reading)); reading; check(entable_entities_next(found, &reading))) {
        double celsius = 0;
        check(entable_entity_get_double(reading, ENTABLE_STR("Celsius"), &celsius));
        printf("newest of sensor-3: %.2f degrees\n", celsius);
    }
    entable_entities_free(found);
    entable_query_free(newest);

    entable_stats *stats = NULL;
    check(entable_store_stats(store, &stats));
    const entable_stats_work work = entable_stats_get_work(stats);
    fprintf(stderr, "%llu commits for %llu groups\n", (unsigned long long)work.commits.samples,
            (unsigned long long)work.commit_groups.sum);
    entable_stats_free(stats);
    entable_table_free(readings);
    entable_store_free(store);
    return outcomes.failed != 0;
}
