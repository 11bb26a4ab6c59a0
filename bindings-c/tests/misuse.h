/* What the calls of the misuse suite are given: an object of each type, made anew for each function. misuse.py writes the
 * program that includes this. */

#ifndef MISUSE_H
#define MISUSE_H

#include "claims.h"

#define TEXT ENTABLE_STR("Orders")
#define NO_TEXT ENTABLE_STR("")

static const char *doing = "";

static struct {
    struct objects objects;
    entable_store *store;
    entable_table *table;
    entable_entity *entity, *row, *former, *new_row, *current;
    entable_query *query;
    entable_options *options;
    entable_group *group;
    entable_batch *batch;
    entable_snapshot *snapshot;
    entable_transaction *transaction;
    entable_index *index;
    entable_indexes *indexes;
    entable_entities *entities;
    entable_pages *pages;
    entable_page *page;
    entable_partition_keys *partition_keys;
    entable_table_names *table_names;
    entable_error *error;
    entable_explain *explain;
    entable_report *report;
    entable_stats *stats;
    entable_advice_list *advice_list;
    entable_index_stats_list *index_stats_list;
    entable_text *text;
    entable_texts *texts;
    entable_pattern *pattern;
    entable_lookup *lookup;
    entable_key_list *key_list;
    entable_changes *changes;
    entable_value_pairs *value_pairs;
    entable_relations *relations;
    entable_orphans *orphans;
    entable_join *join;
    entable_feed_info *feed_info;
    entable_change_page *change_page;
    entable_feed_changes *feed_changes;
    entable_consumer *consumer;
    entable_relation relation;
    entable_feed feed;
    entable_str position;
    entable_pattern_definition definition;
    entable_pattern_field field;
    const entable_entity *array[1];
    entable_str strs[1];
    entable_keys keyss[1];
    entable_value values[1];
    entable_guid guid;
    entable_bytes bytes;
    char buffer[1024];
} world;

static void is_named(entable_error *error, const char *argument) {
    if (is_misuse(error, argument)) return;
    fprintf(stderr, "%s: the error should name it\n", doing);
    failures++;
}

static void is_not_named(entable_error *error, const char *argument) {
    if (error && entable_error_code(error) == ENTABLE_INVALID_INPUT && same(entable_error_property(error), argument)) {
        fprintf(stderr, "%s: it is refused, and should not be\n", doing);
        failures++;
    }
    entable_error_free(error);
}

static void is_closed(entable_error *error) {
    if (fails(error, ENTABLE_STORE_CLOSED, NULL)) return;
    fprintf(stderr, "%s: it should be ENTABLE_STORE_CLOSED\n", doing);
    failures++;
}

/* What was in a place for a result before the call is not there after it. */
static void nothing_is_left(const void *place, const char *name) {
    if (place != (const void *)world.buffer) return;
    fprintf(stderr, "%s: %s holds what was there before\n", doing, name);
    failures++;
}

static int64_t clock(void *context) {
    (void)context;
    return entable_datetime_now();
}

static bool stop(void *context) {
    (void)context;
    return false;
}

static void completion(void *context, entable_error *error, const entable_written *written) {
    (void)context, (void)written;
    entable_error_free(error);
}

static void progress(void *context, uint64_t done, uint64_t total) {
    (void)context, (void)done, (void)total;
}

/* A relation of the table with itself, a table of pairs, and a feed with a change and a consumer. */
static void begin_followers(void) {
    const entable_str parent = ENTABLE_STR("Parent"), pairs = ENTABLE_STR("Pairs");
    entable_feed_state state;
    world.relation.name = parent, world.relation.child = TEXT, world.relation.parent = TEXT;
    world.relation.partition_key = ENTABLE_STR("ParentPartition"), world.relation.row_key = ENTABLE_STR("ParentRow");
    CHECK(works(entable_store_create_relation(world.store, &world.relation)));
    CHECK(works(entable_table_relations(world.table, &world.relations)));
    CHECK(works(entable_table_orphans(world.table, parent, 1, &world.orphans)));
    CHECK(works(entable_store_create_join(world.store, pairs, TEXT, TEXT, ENTABLE_ON_DELETE_CASCADE, &world.join)));
    CHECK(works(entable_table_set_feed(world.table, &world.feed)));
    CHECK(works(entable_table_create_consumer(world.table, TEXT, ENTABLE_FEED_START_NOW, NO_TEXT, &world.consumer)));
    CHECK(works(entable_table_feed(world.table, &world.feed_info)));
    CHECK(entable_feed_info_state(world.feed_info, &state));
    world.position = state.begin;
    CHECK(works(entable_table_create_entity(world.table, world.entity, NULL)));
    CHECK(works(entable_table_delete_entity(world.table, DE, ONE, NONE)));
    CHECK(works(entable_table_read_changes(world.table, world.position, 10, &world.change_page)));
    CHECK(entable_change_page_count(world.change_page) == 2);
    CHECK(works(entable_table_changes(world.table, world.position, &world.feed_changes)));
}

static void begin_world(bool in_transaction) {
    static const uint8_t bytes[2] = {1, 2};
    memset(&world, 0, sizeof world);
    doing = "the beginning";
    world.objects = begin();
    world.store = world.objects.store, world.table = world.objects.table;
    world.entity = world.objects.entity, world.query = world.objects.query;
    CHECK(works(entable_entity_set(world.entity, TEXT, entable_value_string(TEXT))));
    world.options = entable_options_new(), world.group = entable_group_new(), world.batch = entable_batch_new();
    world.array[0] = world.entity;
    world.strs[0] = TEXT;
    world.keyss[0].partition_key = DE, world.keyss[0].row_key = ONE;
    world.values[0] = entable_value_string(TEXT);
    world.bytes.data = bytes, world.bytes.length = sizeof bytes;
    world.field.name = TEXT;
    world.definition.kind = ENTABLE_PATTERN_COMPOUND_KEY;
    world.definition.table = TEXT;
    world.definition.fields = &world.field, world.definition.fields_count = 1;
    CHECK(works(entable_index_new(TEXT, world.strs, 1, &world.index)));
    CHECK(works(entable_store_snapshot(world.store, &world.snapshot)));
    CHECK(works(entable_table_list_indexes(world.table, &world.indexes)));
    CHECK(works(entable_table_query_entities(world.table, NULL, &world.entities)));
    CHECK(works(entable_table_query_pages(world.table, NULL, &world.pages)));
    CHECK(works(entable_table_query_page(world.table, NULL, &world.page)));
    CHECK(works(entable_table_partition_keys(world.table, &world.partition_keys)));
    CHECK(works(entable_store_list_tables(world.store, &world.table_names)));
    CHECK(works(entable_table_explain(world.table, world.query, &world.explain)));
    CHECK(works(entable_store_stats(world.store, &world.stats)));
    CHECK(works(entable_store_advise(world.store, &world.advice_list)));
    CHECK(works(entable_table_index_stats(world.table, &world.index_stats_list)));
    CHECK(works(entable_keys_compose(world.strs, 1, &world.text)));
    CHECK(works(entable_keys_split(TEXT, &world.texts)));
    CHECK(works(entable_pattern_new(&world.definition, &world.pattern)));
    CHECK(works(entable_pattern_lookup(world.pattern, ENTABLE_LOOKUP_FIND, DE, world.values, 1, &world.lookup)));
    CHECK(works(entable_pattern_changes(world.pattern, NULL, world.entity, NULL, 0, &world.changes)));
    CHECK(works(entable_changes_keys(world.changes, 0, &world.key_list)));
    begin_followers();
    world.error = entable_table_get_entity(world.table, DE, ENTABLE_STR("none"), &world.row);
    if (in_transaction) CHECK(works(entable_store_begin(world.store, &world.transaction)));
}

static void end_world(void) {
    entable_consumer_free(world.consumer), entable_feed_changes_free(world.feed_changes);
    entable_change_page_free(world.change_page), entable_feed_info_free(world.feed_info), entable_join_free(world.join);
    entable_orphans_free(world.orphans), entable_relations_free(world.relations);
    entable_transaction_free(world.transaction), entable_error_free(world.error), entable_key_list_free(world.key_list);
    entable_changes_free(world.changes), entable_lookup_free(world.lookup), entable_pattern_free(world.pattern);
    entable_texts_free(world.texts), entable_text_free(world.text);
    entable_index_stats_list_free(world.index_stats_list), entable_advice_list_free(world.advice_list);
    entable_stats_free(world.stats), entable_explain_free(world.explain), entable_table_names_free(world.table_names);
    entable_partition_keys_free(world.partition_keys), entable_page_free(world.page), entable_pages_free(world.pages);
    entable_entities_free(world.entities), entable_indexes_free(world.indexes), entable_snapshot_free(world.snapshot);
    entable_index_free(world.index), entable_batch_free(world.batch), entable_group_free(world.group);
    entable_options_free(world.options);
    end(&world.objects);
}

#endif
