/* Indexes, explanations, copies, verification, statistics and keys through the C API. Compiled as C and as C++. */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <unistd.h>

#include "claims.h"

static void put(entable_table *table, const char *partition_key, const char *row_key, const char *city, int32_t age) {
    entable_entity *entity = NULL;
    CHECK(works(entable_entity_new(entable_str_of(partition_key), entable_str_of(row_key), &entity)));
    CHECK(works(entable_entity_set(entity, ENTABLE_STR("City"), entable_value_string(entable_str_of(city)))));
    CHECK(works(entable_entity_set(entity, ENTABLE_STR("Age"), entable_value_int32(age))));
    CHECK(works(entable_table_upsert_entity(table, entity, ENTABLE_UPDATE_REPLACE, NONE, NULL)));
    entable_entity_free(entity);
}

static void people(entable_table *table) {
    put(table, "DE", "1", "Bonn", 30);
    put(table, "DE", "2", "Aachen", 20);
    put(table, "FR", "1", "Bonn", 10);
}

static entable_query *query_of(const char *filter) {
    entable_query *query = NULL;
    CHECK(works(entable_query_new(entable_str_of(filter), &query)));
    return query;
}

static void an_index_is_declared_listed_and_used(struct objects *o) {
    const entable_str properties[] = {ENTABLE_STR("City"), ENTABLE_STR("Age")};
    const entable_str projected[] = {ENTABLE_STR("Name")};
    entable_index *index = NULL;
    entable_indexes *indexes = NULL;
    entable_explain *explain = NULL;
    entable_query *query = query_of("City eq 'Bonn'");
    people(o->table);
    CHECK(works(entable_index_new(ENTABLE_STR("ByCity"), properties, 2, &index)));
    CHECK(works(entable_index_set_projection(index, projected, 1)));
    CHECK(works(entable_index_set_fold_case(index, true)));
    CHECK(entable_index_get_state(index) == ENTABLE_INDEX_DECLARED);
    CHECK(works(entable_table_create_index(o->table, index)));
    CHECK(works(entable_table_create_index_if_not_exists(o->table, index)));
    entable_error *error = entable_table_create_index(o->table, index);
    CHECK(entable_error_code(error) == ENTABLE_INDEX_ALREADY_EXISTS && same(entable_error_index_name(error), "ByCity"));
    entable_error_free(error);

    CHECK(works(entable_table_list_indexes(o->table, &indexes)) && entable_indexes_count(indexes) == 1);
    const entable_index *listed = entable_indexes_at(indexes, 0);
    CHECK(listed && !entable_indexes_at(indexes, 1) && same(entable_index_name(listed), "ByCity"));
    CHECK(same(entable_index_property(listed, 0), "City") && same(entable_index_property(listed, 1), "Age"));
    CHECK(!entable_index_property(listed, 2).data && entable_index_scope(listed) == ENTABLE_SCOPE_TABLE);
    CHECK(entable_index_projection(listed) == ENTABLE_PROJECTION_NAMES);
    CHECK(same(entable_index_projected(listed, 0), "Name") && !entable_index_projected(listed, 1).data);
    CHECK(!entable_index_is_unique(listed) && entable_index_folds_case(listed));
    CHECK(entable_index_get_state(listed) == ENTABLE_INDEX_READY);
    entable_indexes_free(indexes);
    entable_index_free(index);

    CHECK(works(entable_table_drop_index(o->table, ENTABLE_STR("ByCity"))));
    CHECK(fails(entable_table_drop_index(o->table, ENTABLE_STR("ByCity")), ENTABLE_INDEX_NOT_FOUND, NULL));
    CHECK(works(entable_index_new(ENTABLE_STR("ByAge"), &properties[1], 1, &index)));
    CHECK(works(entable_index_set_projection_all(index)));
    CHECK(works(entable_index_set_scope(index, ENTABLE_SCOPE_TABLE)));
    CHECK(works(entable_table_create_index(o->table, index)));
    entable_index_free(index);
    entable_query_free(query);

    /* In the order of the index, both ways. */
    entable_entities *entities = NULL;
    const entable_entity *next = NULL;
    int32_t age = 0;
    query = query_of("");
    CHECK(works(entable_query_set_order_by(query, ENTABLE_STR("Age"))));
    CHECK(works(entable_query_set_descending(query)));
    CHECK(works(entable_table_query_entities(o->table, query, &entities)));
    for (int32_t expected = 30; expected > 0; expected -= 10) {
        CHECK(works(entable_entities_next(entities, &next)) && next);
        CHECK(works(entable_entity_get_int32(next, ENTABLE_STR("Age"), &age)) && age == expected);
    }
    CHECK(works(entable_entities_next(entities, &next)) && !next);
    entable_entities_free(entities);

    CHECK(works(entable_table_explain(o->table, query, &explain)));
    CHECK(same(entable_explain_path(explain), "index scan") && same(entable_explain_index(explain), "ByAge"));
    CHECK(entable_explain_is_covered(explain) && entable_explain_cost(explain).returned == 3);
    CHECK(entable_explain_cost(explain).entries_read >= 3 && entable_explain_text(explain).length > 10);
    entable_explain_free(explain);
    entable_query_free(query);
}

static void an_explanation_is_data(struct objects *o) {
    entable_query *query = query_of("PartitionKey eq 'DE' and Age gt 15.0 and startswith(Cuty, 'B')");
    entable_explain *explain = NULL;
    entable_considered considered;
    people(o->table);
    CHECK(works(entable_table_explain(o->table, query, &explain)));
    CHECK(same(entable_explain_path(explain), "partition scan") && !entable_explain_index(explain).data);
    CHECK(entable_explain_cost(explain).read == 2 && entable_explain_cost(explain).returned == 0);
    CHECK(entable_explain_range(explain, 0).data && !entable_explain_range(explain, 1).data);
    CHECK(entable_explain_residual(explain).data && entable_explain_filter(explain).data);
    CHECK(entable_explain_cloud(explain, 0).data && entable_explain_warning(explain, 0).data);
    CHECK(entable_explain_considered(explain, 0, &considered) && considered.path.data && considered.is_taken);
    CHECK(!entable_explain_considered(explain, 99, &considered) && !considered.path.data);
    entable_explain_free(explain);
    entable_query_free(query);
}

static void a_unique_value_is_there_once(struct objects *o) {
    const entable_str city = ENTABLE_STR("City");
    entable_index *index = NULL;
    entable_entity *entity = NULL;
    CHECK(works(entable_index_new(ENTABLE_STR("OneCity"), &city, 1, &index)));
    CHECK(works(entable_index_set_unique(index, true)));
    people(o->table);
    CHECK(fails(entable_table_create_index(o->table, index), ENTABLE_UNIQUE_INDEX_VIOLATION, NULL));
    CHECK(works(entable_index_set_scope(index, ENTABLE_SCOPE_PARTITION)));
    CHECK(works(entable_table_create_index(o->table, index)));
    CHECK(works(entable_entity_new(DE, ENTABLE_STR("3"), &entity)));
    CHECK(works(entable_entity_set(entity, city, entable_value_string(ENTABLE_STR("Bonn")))));
    entable_error *error = entable_table_create_entity(o->table, entity, NULL);
    CHECK(entable_error_code(error) == ENTABLE_UNIQUE_INDEX_VIOLATION);
    CHECK(same(entable_error_index_name(error), "OneCity") && same(entable_error_row_key(error), "3"));
    CHECK(same(entable_error_holder_partition_key(error), "DE") && same(entable_error_holder_row_key(error), "1"));
    entable_error_free(error);
    entable_entity_free(entity);
    entable_index_free(index);
}

static void many_go_at_once(struct objects *o) {
    entable_query *query = query_of("Age le 20");
    entable_partition_keys *keys = NULL;
    entable_str key;
    uint64_t count = 0;
    people(o->table);
    CHECK(works(entable_table_partition_keys(o->table, &keys)));
    CHECK(works(entable_partition_keys_next(keys, &key)) && same(key, "DE"));
    CHECK(works(entable_partition_keys_next(keys, &key)) && same(key, "FR"));
    CHECK(works(entable_partition_keys_next(keys, &key)) && !key.data);
    entable_partition_keys_free(keys);
    CHECK(works(entable_table_count(o->table, query, &count)) && count == 2);
    CHECK(works(entable_table_delete_entities(o->table, query, &count)) && count == 2);
    people(o->table);
    CHECK(works(entable_table_delete_entities_in_chunks(o->table, query, 1, &count)) && count == 2);
    CHECK(is_misuse(entable_table_delete_entities_in_chunks(o->table, query, 0, NULL), NULL));
    CHECK(works(entable_table_delete_entities(o->table, NULL, NULL)));
    CHECK(works(entable_table_count(o->table, NULL, &count)) && count == 0);
    entable_query_free(query);
}

static void count_calls(void *context, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    ++*(int *)context;
}

/* The path of a file in the folder of this run, and nothing there. */
static entable_str file(char *buffer, size_t size, const char *folder, const char *name) {
    snprintf(buffer, size, "%s/%s", folder, name);
    unlink(buffer);
    return entable_str_of(buffer);
}

static void copies_are_stores(struct objects *o) {
    char folder[] = "/tmp/entable-upkeep-XXXXXX", paths[3][64], lock[256];
    entable_store *store = NULL, *copy = NULL;
    entable_table *table = NULL;
    entable_options *options = entable_options_new();
    entable_report *report = NULL;
    entable_finding finding;
    entable_copied copied;
    int calls = 0;
    uint64_t count = 0;
    (void)o;
    CHECK(mkdtemp(folder) != NULL);
    const entable_str first = file(paths[0], sizeof paths[0], folder, "first.ent");
    const entable_str second = file(paths[1], sizeof paths[1], folder, "second.ent");
    const entable_str third = file(paths[2], sizeof paths[2], folder, "third.ent");
    CHECK(works(entable_store_open(first, NULL, &store)));
    CHECK(works(entable_store_create_table(store, ENTABLE_STR("People"), &table)));
    people(table);
    CHECK(works(entable_store_backup(store, second, count_calls, &calls, &copied)));
    CHECK(calls >= 2 && copied.records > 0 && copied.bytes_after > 0 && copied.bytes_before > 0);
    CHECK(fails(entable_store_backup(store, second, NULL, NULL, NULL), ENTABLE_FILE_EXISTS, NULL));
    CHECK(works(entable_store_compact_into(store, third, NULL, NULL, NULL)));
    CHECK(works(entable_store_compact(store, count_calls, &calls, &copied)));
    people(table);

    CHECK(works(entable_verify(second, count_calls, &calls, &report)) && entable_report_is_clean(report));
    CHECK(entable_report_get_counts(report).tables == 1 && entable_report_get_counts(report).entities == 3);
    CHECK(!entable_report_finding(report, 0, &finding) && entable_report_text(report).length > 0);
    entable_report_free(report);
    CHECK(fails(entable_verify(ENTABLE_STR("/tmp/entable-no-such-store"), NULL, NULL, &report), ENTABLE_STORE_NOT_FOUND,
                NULL));
    CHECK(!report);

    CHECK(works(entable_options_set_check(options, true)));
    CHECK(works(entable_options_set_immutable(options, true)));
    CHECK(works(entable_store_open(second, options, &copy)));
    entable_table_free(table);
    CHECK(works(entable_store_table(copy, ENTABLE_STR("People"), &table)));
    CHECK(works(entable_table_count(table, NULL, &count)) && count == 3);
    CHECK(fails(entable_table_delete_entities(table, NULL, NULL), ENTABLE_STORE_READ_ONLY, NULL));
    entable_table_free(table);
    entable_store_free(copy);

    /* A byte of an entity that is another one. */
    FILE *bytes = fopen(paths[2], "r+b");
    long at = 0;
    CHECK(bytes != NULL);
    for (char window[6] = ""; fread(window, 1, 6, bytes) == 6; fseek(bytes, ++at, SEEK_SET)) {
        if (memcmp(window, "Aachen", 6) == 0) break;
    }
    fseek(bytes, at, SEEK_SET), fputc('E', bytes), fclose(bytes);
    CHECK(works(entable_verify(third, NULL, NULL, &report)) && !entable_report_is_clean(report));
    CHECK(entable_report_get_counts(report).damages == 1 && entable_report_finding(report, 0, &finding));
    CHECK(finding.is_damage && finding.has_page && same(finding.kind, "row") && finding.sentence.data);
    CHECK(same(finding.table, "People") && same(finding.partition_key, "DE") && same(finding.row_key, "2"));
    entable_report_free(report);
    CHECK(works(entable_options_set_immutable(options, false)));
    CHECK(fails(entable_store_open(third, options, &copy), ENTABLE_DAMAGED, NULL) && !copy);
    entable_options_free(options);
    entable_store_free(store);
    for (size_t i = 0; i < 3; i++) {
        snprintf(lock, sizeof lock, "%s-lock", paths[i]);
        unlink(paths[i]), unlink(lock);
    }
    CHECK(rmdir(folder) == 0);
}

static void a_store_tells_of_itself(struct objects *o) {
    entable_stats *stats = NULL;
    entable_snapshot *snapshot = NULL;
    entable_database_stats database;
    entable_query_kind kind;
    entable_page *page = NULL;
    bool has_rows = false;
    people(o->table);
    CHECK(works(entable_table_query_page(o->table, NULL, &page)));
    entable_page_free(page);
    CHECK(works(entable_store_snapshot(o->store, &snapshot)));
    CHECK(works(entable_store_stats(o->store, &stats)));
    const entable_stats_work work = entable_stats_get_work(stats);
    CHECK(work.commits.samples == 4 && work.commits.max_ns >= work.commits.p50_ns && work.commit_groups.sum == 4);
    const entable_stats_file in_file = entable_stats_get_file(stats);
    CHECK(in_file.page_bytes == 4096 && in_file.used_pages > 0 && in_file.held_readers == 1);
    CHECK(in_file.reader_slots > 0 && in_file.reader_slots_used > 0);
    for (size_t i = 0; entable_stats_database(stats, i, &database); i++) {
        if (same(database.name, "rows")) has_rows = database.records == 3;
    }
    CHECK(has_rows);
    CHECK(entable_stats_query_kind(stats, 0, &kind) && same(kind.path, "table scan") && kind.pages == 1);
    CHECK(!entable_stats_query_kind(stats, 1, NULL) && !entable_stats_busy_partition(stats, 99, NULL));
    CHECK(entable_stats_text(stats).length > 100);
    entable_stats_free(stats);
    entable_snapshot_free(snapshot);
}

static void indexes_and_queries_are_judged(struct objects *o) {
    const entable_str city = ENTABLE_STR("City");
    const char *const names[] = {"ByCity", "Again"};
    entable_index_stats_list *held = NULL;
    entable_advice_list *list = NULL;
    entable_index_stats stats;
    entable_advice advice;
    people(o->table);
    for (size_t i = 0; i < 2; i++) {
        entable_index *index = NULL;
        CHECK(works(entable_index_new(entable_str_of(names[i]), &city, 1, &index)));
        CHECK(works(entable_table_create_index(o->table, index)));
        entable_index_free(index);
    }
    CHECK(works(entable_table_index_stats(o->table, &held)) && entable_index_stats_list_at(held, 0, &stats));
    CHECK(stats.entries == 3 && stats.distinct_values == 2 && stats.missing == 0 && stats.bytes > 0);
    CHECK(entable_index_stats_list_at(held, 1, NULL) && !entable_index_stats_list_at(held, 2, &stats));
    entable_index_stats_list_free(held);
    CHECK(works(entable_table_advise(o->table, &list)) && entable_advice_list_at(list, 0, &advice));
    CHECK(advice.kind == ENTABLE_ADVICE_REDUNDANT && same(advice.table, "Orders") && advice.index.data);
    CHECK(!advice.filter.data && advice.reason.length > 0 && advice.call.length > 0);
    entable_advice_list_free(list);
    CHECK(works(entable_store_advise(o->store, &list)) && entable_advice_list_at(list, 0, NULL));
    entable_advice_list_free(list);
    CHECK(is_misuse(entable_table_advise(NULL, &list), "table") && !list);
    CHECK(is_misuse(entable_store_advise(o->store, NULL), "advice"));
    CHECK(is_misuse(entable_table_index_stats(NULL, &held), "table") && !held);
    CHECK(!entable_advice_list_at(NULL, 0, &advice) && !advice.table.data);
}

static void a_file_has_a_largest_size(struct objects *o) {
    entable_options *options = entable_options_new();
    entable_store *store = NULL;
    entable_table *table = NULL;
    entable_entity *entity = NULL;
    entable_error *error = NULL;
    char key[16];
    static uint8_t bytes[60000];
    (void)o;
    CHECK(is_misuse(entable_options_set_max_size(NULL, 0), "options"));
    CHECK(works(entable_options_set_max_size(options, 1 << 20)));
    CHECK(works(entable_store_open(ENTABLE_STR(":memory:"), options, &store)));
    CHECK(works(entable_store_create_table(store, ENTABLE_STR("Orders"), &table)));
    for (int i = 0; !error && i < 100; i++) {
        snprintf(key, sizeof key, "%04d", i);
        CHECK(works(entable_entity_new(DE, entable_str_of(key), &entity)));
        CHECK(works(entable_entity_set(entity, ENTABLE_STR("B"), entable_value_binary(bytes, sizeof bytes))));
        error = entable_table_create_entity(table, entity, NULL);
        entable_entity_free(entity);
    }
    CHECK(entable_error_class(error) == ENTABLE_CLASS_FULL);
    CHECK(fails(error, ENTABLE_QUOTA_EXCEEDED, NULL));
    CHECK(works(entable_table_delete_entities(table, NULL, NULL)));
    entable_table_free(table), entable_store_free(store), entable_options_free(options);
}

/* Whether a call made this text. Frees both. */
static bool makes(entable_error *error, entable_text *made, const char *expected) {
    const bool as_expected = works(error) && same(entable_text_view(made), expected);
    if (!as_expected && made) fprintf(stderr, "got: %s\n", entable_text_view(made).data);
    entable_text_free(made);
    return as_expected;
}

static void keys_have_their_published_forms(struct objects *o) {
    const entable_str parts[] = {ENTABLE_STR("Redmond"), ENTABLE_STR("Smith")};
    const uint8_t bytes[] = {0, 255};
    entable_bytes two;
    entable_text *key = NULL, *end = NULL;
    entable_texts *split = NULL;
    uint8_t room[2] = {7, 7};
    size_t length = 0;
    int64_t number = 0;
    double real = 0;
    uint32_t shard = 99;
    (void)o;
    two.data = bytes, two.length = 2;
    entable_error *error = entable_keys_compose(parts, 2, &key);
    CHECK(makes(error, key, "Redmond !Smith"));
    CHECK(works(entable_keys_split(ENTABLE_STR("Redmond !Smith"), &split)) && entable_texts_count(split) == 2);
    CHECK(same(entable_texts_at(split, 1), "Smith") && !entable_texts_at(split, 2).data);
    entable_texts_free(split);
    error = entable_keys_compose_prefix(parts, 1, &key);
    CHECK(makes(error, key, "Redmond !"));
    error = entable_keys_safe(ENTABLE_STR("MyDomain\\jbloggs"), &key);
    CHECK(makes(error, key, "MyDomain[1jbloggs"));
    error = entable_keys_safe_from(ENTABLE_STR("MyDomain[1jbloggs"), &key);
    CHECK(makes(error, key, "MyDomain\\jbloggs"));
    error = entable_keys_bytes(two, &key);
    CHECK(makes(error, key, "00ff"));
    CHECK(works(entable_keys_bytes_from(ENTABLE_STR("00ff"), room, 2, &length)) && length == 2 && room[1] == 255);
    CHECK(is_misuse(entable_keys_bytes_from(ENTABLE_STR("00ff"), room, 1, &length), "size") && length == 0);
    error = entable_keys_base64_text(ENTABLE_STR("MyDomain\\jbloggs"), &key);
    CHECK(makes(error, key, "TXlEb21haW5camJsb2dncw=="));
    error = entable_keys_text_from_base64(ENTABLE_STR("TXlEb21haW5camJsb2dncw=="), &key);
    CHECK(makes(error, key, "MyDomain\\jbloggs"));
    error = entable_keys_padded(223, 6, &key);
    CHECK(makes(error, key, "000223"));
    error = entable_keys_integer(42, &key);
    CHECK(makes(error, key, "0000000000000000042"));
    CHECK(works(entable_keys_integer_from(ENTABLE_STR("0000000000000000042"), &number)) && number == 42);
    error = entable_keys_double(9.0, &key);
    CHECK(makes(error, key, "c022000000000000"));
    CHECK(works(entable_keys_double_from(ENTABLE_STR("c022000000000000"), &real)) && real == 9.0);
    CHECK(is_misuse(entable_keys_double(NAN, &key), NULL) && !key);
    error = entable_keys_ticks(INT64_C(639317232000000000), &key);
    CHECK(makes(error, key, "0639317232000000000"));
    CHECK(works(entable_keys_ticks_from(ENTABLE_STR("0639317232000000000"), &number)));
    CHECK(number == INT64_C(639317232000000000));
    error = entable_keys_descending_ticks(INT64_C(3155378975999999999), &key);
    CHECK(makes(error, key, "0000000000000000000"));
    CHECK(works(entable_keys_descending_ticks_from(ENTABLE_STR("0000000000000000000"), &number)));
    CHECK(number == INT64_C(3155378975999999999));
    error = entable_keys_compact_date(INT64_C(639317232000000000), &key);
    CHECK(makes(error, key, "20261201120000"));
    CHECK(is_misuse(entable_keys_ticks(-1, &key), "ticks"));
    CHECK(works(entable_keys_prefix_range(ENTABLE_STR("Id_"), &key, &end)) && same(entable_text_view(end), "Id`"));
    entable_text_free(end);
    CHECK(makes(NULL, key, "Id_"));
    error = entable_keys_prefix_filter(ENTABLE_STR("RowKey"), ENTABLE_STR("empid_"), &key);
    CHECK(makes(error, key, "RowKey ge 'empid_' and RowKey lt 'empid`'"));
    error = entable_keys_fold_case(ENTABLE_STR("JBloggs"), &key);
    CHECK(makes(error, key, "jbloggs"));
    CHECK(works(entable_keys_shard(ENTABLE_STR("customer 17"), 16, &shard)) && shard < 16);
    CHECK(is_misuse(entable_keys_shard(ENTABLE_STR("a"), 0, &shard), NULL) && shard == 0);
}

static void nulls_and_foreign_numbers_are_errors(struct objects *o) {
    entable_index *index = NULL;
    entable_indexes *indexes = NULL;
    entable_explain *explain = NULL;
    entable_stats *stats = NULL;
    entable_report *report = NULL;
    entable_text *key = NULL;
    entable_partition_keys *keys = NULL;
    entable_str name;
    const entable_str city = ENTABLE_STR("City");
    CHECK(is_misuse(entable_index_new(text("\xff", 1), &city, 1, &index), "name"));
    CHECK(is_misuse(entable_index_new(city, NULL, 1, &index), "properties"));
    CHECK(is_misuse(entable_index_new(city, &city, 1, NULL), "index"));
    CHECK(!index && works(entable_index_new(city, &city, 1, &index)));
    CHECK(is_misuse(entable_index_set_scope(index, (entable_scope)2), "scope"));
    CHECK(is_misuse(entable_index_set_scope(NULL, ENTABLE_SCOPE_TABLE), "index"));
    CHECK(is_misuse(entable_index_set_unique(NULL, true), "index"));
    CHECK(is_misuse(entable_index_set_fold_case(NULL, true), "index"));
    CHECK(is_misuse(entable_index_set_projection_all(NULL), "index"));
    CHECK(is_misuse(entable_index_set_projection(index, NULL, 2), "names"));
    CHECK(is_misuse(entable_table_create_index(NULL, index), "table"));
    CHECK(is_misuse(entable_table_create_index(o->table, NULL), "index"));
    CHECK(is_misuse(entable_table_create_index_if_not_exists(o->table, NULL), "index"));
    CHECK(is_misuse(entable_table_drop_index(NULL, city), "table"));
    CHECK(is_misuse(entable_table_list_indexes(NULL, &indexes), "table"));
    CHECK(is_misuse(entable_table_explain(NULL, NULL, &explain), "table"));
    CHECK(is_misuse(entable_table_explain(o->table, NULL, NULL), "explain"));
    CHECK(is_misuse(entable_table_delete_entities(NULL, NULL, NULL), "table"));
    CHECK(is_misuse(entable_table_partition_keys(NULL, &keys), "table"));
    CHECK(is_misuse(entable_partition_keys_next(NULL, &name), "partition_keys"));
    CHECK(is_misuse(entable_query_set_order_by(NULL, city), "query"));
    CHECK(is_misuse(entable_options_set_check(NULL, true), "options"));
    CHECK(is_misuse(entable_options_set_immutable(NULL, true), "options"));
    CHECK(is_misuse(entable_store_stats(NULL, &stats), "store"));
    CHECK(is_misuse(entable_store_backup(NULL, city, NULL, NULL, NULL), "store"));
    CHECK(is_misuse(entable_store_compact(NULL, NULL, NULL, NULL), "store"));
    CHECK(is_misuse(entable_store_compact_into(o->store, text("\xff", 1), NULL, NULL, NULL), "path"));
    CHECK(is_misuse(entable_verify(text(NULL, 3), NULL, NULL, &report), "path"));
    CHECK(is_misuse(entable_keys_compose(NULL, 2, &key), "parts"));
    CHECK(is_misuse(entable_keys_safe(city, NULL), "key"));
    CHECK(!indexes && !explain && !stats && !report && !key && !keys);
    CHECK(!entable_index_name(NULL).data && entable_indexes_count(NULL) == 0 && !entable_indexes_at(NULL, 0));
    CHECK(!entable_explain_text(NULL).data && entable_explain_cost(NULL).read == 0 && !entable_stats_text(NULL).data);
    CHECK(entable_stats_get_work(NULL).commits.samples == 0 && !entable_report_is_clean(NULL));
    CHECK(works(entable_store_close(o->store)));
    CHECK(fails(entable_store_stats(o->store, &stats), ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_store_backup(o->store, city, NULL, NULL, NULL), ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_table_create_index(o->table, index), ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_store_sync(o->store), ENTABLE_STORE_CLOSED, NULL));
    entable_index_free(index), entable_index_free(NULL), entable_indexes_free(NULL), entable_explain_free(NULL);
    entable_stats_free(NULL), entable_report_free(NULL), entable_texts_free(NULL), entable_partition_keys_free(NULL);
}

int main(void) {
    static void (*const on_objects[])(struct objects *) = {
        an_index_is_declared_listed_and_used,
        an_explanation_is_data,
        a_unique_value_is_there_once,
        many_go_at_once,
        copies_are_stores,
        a_store_tells_of_itself,
        indexes_and_queries_are_judged,
        a_file_has_a_largest_size,
        keys_have_their_published_forms,
        nulls_and_foreign_numbers_are_errors,
    };
    for (size_t i = 0; i < sizeof on_objects / sizeof *on_objects; i++) {
        struct objects made = begin();
        on_objects[i](&made);
        end(&made);
    }
    printf("upkeep of C: %s\n", failures ? "failed" : "holds");
    return failures != 0;
}
