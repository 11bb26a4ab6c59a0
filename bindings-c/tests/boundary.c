/* The boundary of the C API: misuse gives errors that name the argument, results are exact, views are views.
 * Compiled as C and as C++. */

#define _POSIX_C_SOURCE 200809L

#include <entable.h>
#include <entable.h> /* twice does no harm */

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claims.h"

static void nulls_of_stores_are_errors(struct objects *o) {
    entable_store *store = NULL;
    entable_table *table = NULL;
    entable_table_names *names = NULL;
    entable_snapshot *snapshot = NULL;
    entable_str name = ENTABLE_STR("Other");
    CHECK(is_misuse(entable_store_open(ENTABLE_STR(":memory:"), NULL, NULL), "store"));
    CHECK(is_misuse(entable_store_open(text(NULL, 1), NULL, &store), "path"));
    CHECK(is_misuse(entable_store_close(NULL), "store"));
    CHECK(is_misuse(entable_store_table(NULL, name, &table), "store"));
    CHECK(is_misuse(entable_store_table(o->store, name, NULL), "table"));
    CHECK(is_misuse(entable_store_create_table(NULL, name, &table), "store"));
    CHECK(is_misuse(entable_store_create_table_if_not_exists(NULL, name, NULL), "store"));
    CHECK(is_misuse(entable_store_delete_table(NULL, name), "store"));
    CHECK(is_misuse(entable_store_list_tables(NULL, &names), "store"));
    CHECK(is_misuse(entable_store_list_tables(o->store, NULL), "names"));
    CHECK(is_misuse(entable_store_query_tables(NULL, o->query, &names), "store"));
    CHECK(is_misuse(entable_store_submit_batch(NULL, NULL, NULL, 0), "batch"));
    CHECK(is_misuse(entable_store_snapshot(NULL, &snapshot), "store"));
    CHECK(is_misuse(entable_store_snapshot(o->store, NULL), "snapshot"));
    CHECK(is_misuse(entable_table_at(o->table, NULL, &table), "snapshot"));
    CHECK(is_misuse(entable_snapshot_close(NULL), "snapshot"));
    CHECK(is_misuse(entable_snapshot_list_tables(NULL, &names), "snapshot"));
    CHECK(is_misuse(entable_options_set_mode(NULL, ENTABLE_MODE_STRICT), "options"));
    CHECK(is_misuse(entable_options_set_read_only(NULL, true), "options"));
    CHECK(is_misuse(entable_options_set_must_exist(NULL, true), "options"));
    CHECK(is_misuse(entable_options_set_clock(NULL, NULL, NULL), "clock"));
    CHECK(!store && !table && !names && !snapshot);
    CHECK(entable_store_mode(NULL) == ENTABLE_MODE_PORTABLE);
    CHECK(entable_table_names_count(NULL) == 0 && !entable_table_names_at(NULL, 0).data);
}

static void nulls_of_tables_are_errors(struct objects *o) {
    entable_entity *entity = o->entity; /* A place keeps nothing of what was there. */
    entable_entities *entities = NULL;
    entable_pages *pages = NULL;
    entable_page *page = NULL;
    bool exists = true;
    uint64_t count = 7;
    CHECK(is_misuse(entable_table_create_entity(NULL, o->entity, NULL), "table"));
    CHECK(is_misuse(entable_table_create_entity(o->table, NULL, NULL), "entity"));
    CHECK(is_misuse(entable_table_update_entity(NULL, o->entity, ENTABLE_UPDATE_MERGE, NONE, NULL), "table"));
    CHECK(is_misuse(entable_table_update_entity(o->table, NULL, ENTABLE_UPDATE_MERGE, NONE, NULL), "entity"));
    CHECK(is_misuse(entable_table_upsert_entity(NULL, o->entity, ENTABLE_UPDATE_MERGE, NONE, NULL), "table"));
    CHECK(is_misuse(entable_table_upsert_entity(o->table, NULL, ENTABLE_UPDATE_MERGE, NONE, NULL), "entity"));
    CHECK(is_misuse(entable_table_delete_entity(NULL, DE, ONE, NONE), "table"));
    CHECK(is_misuse(entable_table_get_entity(NULL, DE, ONE, &entity), "table"));
    CHECK(!entity);
    CHECK(is_misuse(entable_table_get_entity(o->table, DE, ONE, NULL), "entity"));
    CHECK(is_misuse(entable_table_get_entity_select(o->table, DE, ONE, NULL, 1, &entity), "names"));
    CHECK(is_misuse(entable_table_exists(NULL, DE, ONE, &exists), "table"));
    CHECK(!exists);
    CHECK(is_misuse(entable_table_exists(o->table, DE, ONE, NULL), "exists"));
    CHECK(is_misuse(entable_table_get_many(o->table, NULL, 1, &entity), "keys"));
    CHECK(is_misuse(entable_table_get_many(o->table, NULL, 1, NULL), "entities"));
    CHECK(is_misuse(entable_table_query_entities(NULL, o->query, &entities), "table"));
    CHECK(is_misuse(entable_table_query_entities(o->table, o->query, NULL), "entities"));
    CHECK(is_misuse(entable_table_query_pages(NULL, o->query, &pages), "table"));
    CHECK(is_misuse(entable_table_query_pages(o->table, o->query, NULL), "pages"));
    CHECK(is_misuse(entable_table_query_page(NULL, o->query, &page), "table"));
    CHECK(is_misuse(entable_table_query_page(o->table, o->query, NULL), "page"));
    CHECK(is_misuse(entable_table_count(NULL, o->query, &count), "table"));
    CHECK(count == 0);
    CHECK(is_misuse(entable_table_submit_transaction(o->table, NULL, NULL, 0), "group"));
    CHECK(is_misuse(entable_entities_next(NULL, NULL), "entity"));
    CHECK(is_misuse(entable_pages_next(NULL, &page), "pages"));
    CHECK(!entities && !pages && !page);
    CHECK(!entable_table_name(NULL).data && entable_page_count(NULL) == 0 && !entable_page_entity(NULL, 0));
    CHECK(!entable_page_continuation_token(NULL).data);
}

static void nulls_of_values_are_errors(struct objects *o) {
    entable_guid zero = {{0}};
    entable_entity *entity = NULL;
    entable_value value;
    entable_text *json = NULL;
    int64_t ticks = 0;
    CHECK(is_misuse(entable_entity_new(DE, ONE, NULL), "entity"));
    CHECK(is_misuse(entable_entity_new(text(NULL, 2), ONE, &entity), "partition_key"));
    CHECK(is_misuse(entable_entity_clone(NULL, &entity), "entity"));
    CHECK(is_misuse(entable_entity_set(NULL, ENTABLE_STR("A"), entable_value_int32(1)), "entity"));
    CHECK(is_misuse(entable_entity_remove(NULL, ENTABLE_STR("A")), "entity"));
    CHECK(is_misuse(entable_entity_get(NULL, ENTABLE_STR("A"), &value), "entity"));
    CHECK(value.type == ENTABLE_TYPE_NONE);
    CHECK(is_misuse(entable_entity_get(o->entity, ENTABLE_STR("A"), NULL), "value"));
    CHECK(is_misuse(entable_entity_get_int64(o->entity, ENTABLE_STR("A"), NULL), "value"));
    CHECK(is_misuse(entable_entity_from_json(ENTABLE_STR("{}"), ENTABLE_MODE_PORTABLE, NULL), "entity"));
    CHECK(is_misuse(entable_entity_to_json(NULL, ENTABLE_METADATA_FULL, NULL, 0, &json), "entity"));
    CHECK(is_misuse(entable_query_new(ENTABLE_STR(""), NULL), "query"));
    CHECK(is_misuse(entable_query_set_parameter(NULL, ENTABLE_STR("a"), entable_value_int32(1)), "query"));
    CHECK(is_misuse(entable_query_set_select(o->query, NULL, 3), "names"));
    CHECK(is_misuse(entable_query_set_limit(NULL, 1), "query"));
    CHECK(is_misuse(entable_query_set_page_size(NULL, 1), "query"));
    CHECK(is_misuse(entable_query_set_descending(NULL), "query"));
    CHECK(is_misuse(entable_group_create_entity(NULL, o->entity), "group"));
    CHECK(is_misuse(entable_batch_create_entity(NULL, o->table, o->entity), "batch"));
    CHECK(is_misuse(entable_guid_parse(ENTABLE_STR(""), NULL), "guid"));
    CHECK(is_misuse(entable_guid_format(zero, NULL, 40), "buffer"));
    CHECK(is_misuse(entable_datetime_parse(ENTABLE_STR(""), ENTABLE_MODE_PORTABLE, NULL), "ticks"));
    CHECK(!entity && !json && ticks == 0);
    CHECK(entable_entity_count(NULL) == 0 && entable_entity_size(NULL) == 0);
    CHECK(!entable_entity_at(NULL, 0, NULL, NULL) && !entable_entity_timestamp(NULL, &ticks));
    CHECK(!entable_entity_etag(NULL).data && !entable_entity_partition_key(NULL).data);
    CHECK(entable_group_count(NULL) == 0 && entable_batch_count(NULL) == 0);
    CHECK(!entable_text_view(NULL).data && !entable_str_of(NULL).data);
}

static void null_is_nothing_to_free(void) {
    entable_error_free(NULL), entable_options_free(NULL), entable_store_free(NULL), entable_table_names_free(NULL);
    entable_table_free(NULL), entable_entity_free(NULL), entable_query_free(NULL), entable_entities_free(NULL);
    entable_pages_free(NULL), entable_page_free(NULL), entable_group_free(NULL), entable_batch_free(NULL);
    entable_snapshot_free(NULL), entable_text_free(NULL);
    CHECK(entable_error_code(NULL) == 0 && entable_error_status(NULL) == 0);
    CHECK(entable_error_class(NULL) == ENTABLE_CLASS_NONE);
    CHECK(entable_error_name(NULL)[0] == 0 && entable_error_message(NULL)[0] == 0);
    CHECK(!entable_error_property(NULL).data && !entable_error_index(NULL, NULL));
}

static void text_must_be_utf8(struct objects *o) {
    entable_value string = entable_value_string(text("a\xff", 2));
    entable_value binary = entable_value_binary(NULL, 1);
    entable_table *table = NULL;
    CHECK(is_misuse(entable_store_table(o->store, text("\xc3", 1), &table), "name"));
    CHECK(is_misuse(entable_table_delete_entity(o->table, DE, text("\xed\xa0\x80", 3), NONE), "row_key"));
    CHECK(is_misuse(entable_entity_set(o->entity, ENTABLE_STR("S"), string), "S"));
    CHECK(is_misuse(entable_entity_set(o->entity, text("\x80", 1), string), "name"));
    CHECK(is_misuse(entable_entity_set(o->entity, ENTABLE_STR("B"), binary), "B"));
    CHECK(is_misuse(entable_entity_set(o->entity, text("A", SIZE_MAX), string), "name"));
    CHECK(entable_entity_count(o->entity) == 0);
}

static void numbers_of_no_enum_are_errors(struct objects *o) {
    entable_options *options = entable_options_new();
    entable_value value = entable_value_int32(1);
    entable_condition condition = entable_condition_any();
    entable_text *json = NULL;
    int64_t ticks;
    value.type = (entable_type)9;
    condition.kind = (entable_condition_kind)4;
    CHECK(is_misuse(entable_options_set_mode(options, (entable_mode)3), "mode"));
    CHECK(is_misuse(entable_query_set_mode(o->query, (entable_mode)~0u), "mode"));
    CHECK(is_misuse(entable_datetime_parse(ENTABLE_STR("2020-01-01T00:00:00Z"), (entable_mode)7, &ticks), "mode"));
    CHECK(is_misuse(entable_entity_set(o->entity, ENTABLE_STR("A"), value), "A"));
    value.type = ENTABLE_TYPE_NONE;
    CHECK(is_misuse(entable_entity_set(o->entity, ENTABLE_STR("A"), value), "A"));
    CHECK(is_misuse(entable_table_update_entity(o->table, o->entity, (entable_update_mode)0, NONE, NULL), "mode"));
    CHECK(is_misuse(entable_table_delete_entity(o->table, DE, ONE, condition), "condition"));
    CHECK(is_misuse(entable_entity_to_json(o->entity, (entable_metadata)3, NULL, 0, &json), "metadata"));
    entable_options_free(options);
}

static void a_closed_store_says_so(struct objects *o) {
    entable_entity *entity = NULL;
    entable_entities *entities = NULL;
    entable_snapshot *snapshot = NULL;
    const entable_entity *next = o->entity;
    CHECK(works(entable_table_create_entity(o->table, o->entity, NULL)));
    CHECK(works(entable_table_query_entities(o->table, NULL, &entities)));
    CHECK(works(entable_store_close(o->store)));
    CHECK(works(entable_store_close(o->store)));
    CHECK(fails(entable_table_get_entity(o->table, DE, ONE, &entity), ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_table_upsert_entity(o->table, o->entity, ENTABLE_UPDATE_MERGE, NONE, NULL),
                ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_entities_next(entities, &next), ENTABLE_STORE_CLOSED, NULL));
    CHECK(!next);
    CHECK(works(entable_entities_next(entities, &next)) && !next);
    CHECK(fails(entable_store_create_table(o->store, ENTABLE_STR("More"), NULL), ENTABLE_STORE_CLOSED, NULL));
    CHECK(fails(entable_store_snapshot(o->store, &snapshot), ENTABLE_STORE_CLOSED, NULL));
    entable_entities_free(entities);
}

/* A table outlives its store's handle. */
static void handles_are_freed_in_any_order(struct objects *o) {
    entable_store_free(o->store);
    o->store = NULL;
    CHECK(works(entable_table_create_entity(o->table, o->entity, NULL)));
}

struct limit {
    const char *name;
    entable_value value;
};

static bool equal(entable_value a, entable_value b) {
    if (a.type != b.type) return false;
    switch (a.type) {
    case ENTABLE_TYPE_INT32: return a.as.int32 == b.as.int32;
    case ENTABLE_TYPE_INT64: return a.as.int64 == b.as.int64;
    case ENTABLE_TYPE_DOUBLE: return memcmp(&a.as.number, &b.as.number, sizeof(double)) == 0;
    case ENTABLE_TYPE_DATETIME: return a.as.ticks == b.as.ticks;
    case ENTABLE_TYPE_GUID: return memcmp(a.as.guid.bytes, b.as.guid.bytes, 16) == 0;
    case ENTABLE_TYPE_BOOLEAN: return a.as.boolean == b.as.boolean;
    case ENTABLE_TYPE_STRING:
        return a.as.string.length == b.as.string.length &&
               memcmp(a.as.string.data, b.as.string.data, a.as.string.length) == 0;
    case ENTABLE_TYPE_BINARY:
        return a.as.binary.length == b.as.binary.length &&
               (!a.as.binary.length || memcmp(a.as.binary.data, b.as.binary.data, a.as.binary.length) == 0);
    default: return false;
    }
}

static void every_type_comes_back_exactly(struct objects *o) {
    static char long_string[32768];
    static uint8_t long_binary[65536];
    entable_guid zero, ones;
    memset(long_string, 'x', sizeof long_string);
    for (size_t i = 0; i < sizeof long_binary; i++) long_binary[i] = (uint8_t)i;
    memset(&zero, 0, sizeof zero);
    memset(&ones, 255, sizeof ones);
    const struct limit limits[] = {
        {"I1", entable_value_int32(INT32_MIN)},
        {"I2", entable_value_int32(INT32_MAX)},
        {"L1", entable_value_int64(INT64_MIN)},
        {"L2", entable_value_int64(INT64_MAX)},
        {"L3", entable_value_int64(5)},
        {"D1", entable_value_double(-0.0)},
        {"D2", entable_value_double(DBL_MAX)},
        {"D3", entable_value_double(4.9406564584124654e-324)},
        {"D4", entable_value_double(-INFINITY)},
        {"D5", entable_value_double(5.0)},
        {"D6", entable_value_double(0.1)},
        {"T1", entable_value_datetime(INT64_C(504911232000000000))},
        {"T2", entable_value_datetime(INT64_C(3155378975999999999))},
        {"T3", entable_value_datetime(INT64_C(621355968000000001))},
        {"G1", entable_value_guid(zero)},
        {"G2", entable_value_guid(ones)},
        {"B1", entable_value_boolean(true)},
        {"B2", entable_value_boolean(false)},
        {"S1", entable_value_string(ENTABLE_STR(""))},
        {"S2", entable_value_string(text("a\0b\xf0\x9f\x98\x80", 7))},
        {"S3", entable_value_string(text(long_string, sizeof long_string))},
        {"X1", entable_value_binary(NULL, 0)},
        {"X2", entable_value_binary(long_binary, sizeof long_binary)},
    };
    const size_t count = sizeof limits / sizeof *limits;
    entable_entity *read = NULL;
    for (size_t i = 0; i < count; i++) {
        CHECK(works(entable_entity_set(o->entity, entable_str_of(limits[i].name), limits[i].value)));
    }
    CHECK(works(entable_table_create_entity(o->table, o->entity, NULL)));
    CHECK(works(entable_table_get_entity(o->table, DE, ONE, &read)));
    CHECK(entable_entity_count(read) == count);
    for (size_t i = 0; i < count; i++) {
        entable_str name;
        entable_value by_index, by_name;
        CHECK(entable_entity_at(read, i, &name, &by_index) && same(name, limits[i].name));
        CHECK(works(entable_entity_get(read, name, &by_name)));
        CHECK(equal(by_index, limits[i].value) && equal(by_name, limits[i].value));
        /* Views of the entity, not copies. */
        if (by_name.type == ENTABLE_TYPE_STRING) CHECK(by_name.as.string.data == by_index.as.string.data);
        if (by_name.type == ENTABLE_TYPE_BINARY) CHECK(by_name.as.binary.data == by_index.as.binary.data);
    }
    CHECK(!entable_entity_at(read, count, NULL, NULL));
    entable_entity_free(read);
}

static void getters_take_their_type_alone(struct objects *o) {
    int32_t int32 = 1;
    int64_t int64 = 1;
    double number = 1;
    bool boolean = true;
    entable_str string;
    entable_bytes binary;
    entable_guid guid;
    CHECK(works(entable_entity_set(o->entity, ENTABLE_STR("I"), entable_value_int32(5))));
    CHECK(works(entable_entity_set(o->entity, ENTABLE_STR("L"), entable_value_int64(INT64_C(1) << 40))));
    CHECK(works(entable_entity_set(o->entity, ENTABLE_STR("S"), entable_value_string(ENTABLE_STR("text")))));
    CHECK(works(entable_entity_get_int32(o->entity, ENTABLE_STR("I"), &int32)) && int32 == 5);
    CHECK(works(entable_entity_get_int64(o->entity, ENTABLE_STR("I"), &int64)) && int64 == 5);
    CHECK(works(entable_entity_get_double(o->entity, ENTABLE_STR("I"), &number)) && number == 5.0);
    CHECK(works(entable_entity_get_int64(o->entity, ENTABLE_STR("L"), &int64)) && int64 == INT64_C(1) << 40);
    CHECK(works(entable_entity_get_string(o->entity, ENTABLE_STR("S"), &string)) && same(string, "text"));
    CHECK(is_misuse(entable_entity_get_int32(o->entity, ENTABLE_STR("L"), &int32), "L"));
    CHECK(int32 == 0);
    CHECK(is_misuse(entable_entity_get_double(o->entity, ENTABLE_STR("L"), &number), "L"));
    CHECK(is_misuse(entable_entity_get_boolean(o->entity, ENTABLE_STR("I"), &boolean), "I"));
    CHECK(is_misuse(entable_entity_get_binary(o->entity, ENTABLE_STR("S"), &binary), "S"));
    CHECK(is_misuse(entable_entity_get_guid(o->entity, ENTABLE_STR("S"), &guid), "S"));
    CHECK(is_misuse(entable_entity_get_datetime(o->entity, ENTABLE_STR("I"), &int64), "I"));
    CHECK(is_misuse(entable_entity_get_string(o->entity, ENTABLE_STR("Missing"), &string), "Missing"));
}

static void errors_have_all_their_fields(struct objects *o) {
    char long_key[1026];
    uint64_t limit = 0, actual = 0;
    size_t position = 0;
    entable_entities *entities = NULL;
    CHECK(works(entable_table_create_entity(o->table, o->entity, NULL)));
    entable_error *error = entable_table_create_entity(o->table, o->entity, NULL);
    CHECK(entable_error_code(error) == ENTABLE_ENTITY_ALREADY_EXISTS && entable_error_status(error) == 409);
    CHECK(entable_error_class(error) == ENTABLE_CLASS_EXISTS);
    CHECK(strcmp(entable_error_name(error), "EntityAlreadyExists") == 0);
    CHECK(same(entable_error_table(error), "Orders"));
    CHECK(same(entable_error_partition_key(error), "DE") && same(entable_error_row_key(error), "0001"));
    CHECK(!entable_error_property(error).data && !entable_error_limit(error, &limit));
    entable_error_free(error);

    memset(long_key, 'k', sizeof long_key);
    error = entable_table_delete_entity(o->table, DE, text(long_key, sizeof long_key), NONE);
    CHECK(entable_error_code(error) == ENTABLE_KEY_VALUE_TOO_LARGE);
    CHECK(entable_error_limit(error, &limit) && entable_error_actual(error, &actual));
    CHECK(limit == 1024 && actual == sizeof long_key && same(entable_error_property(error), "RowKey"));
    entable_error_free(error);

    entable_query *query = NULL;
    CHECK(works(entable_query_new(ENTABLE_STR("Total gt"), &query)));
    error = entable_table_query_entities(o->table, query, &entities);
    CHECK(entable_error_position(error, &position) && position == 8 && !entities);
    entable_error_free(error);
    entable_query_free(query);

    /* A message that quotes a NUL goes on behind it. */
    error = entable_table_delete_entity(o->table, DE, text("a\0b", 3), NONE);
    CHECK(strstr(entable_error_message(error), "'a\\0b'") != NULL);
    entable_error_free(error);
}

static void an_etag_is_a_condition(struct objects *o) {
    entable_written first, second;
    entable_entity *read = NULL;
    CHECK(works(entable_table_create_entity(o->table, o->entity, &first)));
    CHECK(first.timestamp_ticks > 0 && strncmp(first.etag, "W/\"datetime'", 12) == 0);
    entable_condition condition = entable_condition_if_match(entable_str_of(first.etag));
    CHECK(works(entable_table_update_entity(o->table, o->entity, ENTABLE_UPDATE_MERGE, condition, &second)));
    CHECK(second.timestamp_ticks > first.timestamp_ticks);
    CHECK(fails(entable_table_delete_entity(o->table, DE, ONE, condition), ENTABLE_UPDATE_CONDITION_NOT_SATISFIED,
                NULL));
    CHECK(works(entable_table_get_entity(o->table, DE, ONE, &read)));
    CHECK(same(entable_entity_etag(read), second.etag));
    CHECK(works(entable_table_delete_entity(o->table, DE, ONE, entable_condition_if_match(entable_entity_etag(read)))));
    entable_entity_free(read);
}

static int32_t number_of(entable_table *table, entable_str row_key, const char *name) {
    entable_entity *read = NULL;
    int32_t number = -1;
    CHECK(works(entable_table_get_entity(table, DE, row_key, &read)));
    CHECK(works(entable_entity_get_int32(read, entable_str_of(name), &number)));
    entable_entity_free(read);
    return number;
}

static void writes_that_the_service_lacks(struct objects *o) {
    const entable_str two = ENTABLE_STR("0002"), three = ENTABLE_STR("0003");
    entable_entity *found = NULL;
    entable_written written[3];
    bool is_created = false, exists = true;
    CHECK(works(entable_entity_set(o->entity, ENTABLE_STR("Left"), entable_value_int32(1))));
    CHECK(works(entable_entity_set(o->entity, ENTABLE_STR("Note"), entable_value_boolean(true))));
    CHECK(works(entable_table_create_or_get_entity(o->table, o->entity, &found, &is_created)) && is_created);
    entable_entity_free(found);
    CHECK(works(entable_table_create_or_get_entity(o->table, o->entity, &found, &is_created)) && !is_created);
    CHECK(entable_entity_count(found) == 2 && entable_entity_timestamp(found, NULL));
    entable_entity_free(found);

    entable_entity *change = NULL, *copy = NULL;
    CHECK(works(entable_entity_new(DE, ONE, &change)));
    CHECK(works(entable_entity_add(change, ENTABLE_STR("Left"), entable_value_int32(-1))));
    CHECK(works(entable_entity_erase(change, ENTABLE_STR("Note"))));
    CHECK(is_misuse(entable_entity_add(change, ENTABLE_STR("Left"), entable_value_boolean(true)), "number"));
    CHECK(works(entable_entity_clone(change, &copy)));
    CHECK(fails(entable_table_create_entity(o->table, copy, NULL), ENTABLE_INVALID_INPUT, "Left"));
    entable_query *query = NULL;
    CHECK(works(entable_query_new(ENTABLE_STR("Left ge @least"), &query)));
    CHECK(works(entable_query_set_parameter(query, ENTABLE_STR("least"), entable_value_int32(1))));
    entable_condition in_stock = entable_condition_matches(query);
    CHECK(works(entable_table_update_entity(o->table, copy, ENTABLE_UPDATE_MERGE, in_stock, NULL)));
    CHECK(number_of(o->table, ONE, "Left") == 0);
    entable_error *error = entable_table_update_entity(o->table, copy, ENTABLE_UPDATE_MERGE, in_stock, NULL);
    CHECK(entable_error_code(error) == ENTABLE_UPDATE_CONDITION_NOT_SATISFIED);
    CHECK(strstr(entable_error_message(error), "Left ge 1") != NULL);
    entable_error_free(error);
    CHECK(is_misuse(entable_table_delete_entity(o->table, DE, ONE, entable_condition_matches(NULL)), "condition"));

    CHECK(works(entable_table_move_entity(o->table, DE, ONE, DE, two, NONE, &written[0])));
    CHECK(written[0].timestamp_ticks > 0 && !written[0].is_found && number_of(o->table, two, "Left") == 0);
    entable_group *group = entable_group_new();
    CHECK(works(entable_group_move_entity(group, DE, two, DE, three, NONE)));
    CHECK(works(entable_group_create_or_get_entity(group, o->entity)));
    CHECK(works(entable_table_submit_transaction(o->table, group, written, 2)) && !written[1].is_found);
    entable_batch *batch = entable_batch_new();
    CHECK(works(entable_batch_create_or_get_entity(batch, o->table, o->entity)));
    CHECK(works(entable_batch_move_entity(batch, o->table, DE, ONE, ENTABLE_STR("FR"), ONE, NONE)));
    CHECK(works(entable_batch_create_or_get_entity(batch, o->table, o->entity)));
    CHECK(works(entable_store_submit_batch(o->store, batch, written, 3)));
    CHECK(written[0].is_found && !written[1].is_found && !written[2].is_found);
    CHECK(works(entable_table_exists(o->table, DE, two, &exists)) && !exists);
    entable_batch_free(batch);
    entable_group_free(group);
    entable_query_free(query);
    entable_entity_free(copy);
    entable_entity_free(change);
}

static void results_of_a_transaction_need_their_places(struct objects *o) {
    entable_group *group = entable_group_new();
    entable_written written[2];
    bool exists = true;
    size_t index = 9;
    memset(written, 1, sizeof written);
    CHECK(works(entable_group_create_entity(group, o->entity)));
    CHECK(works(entable_group_delete_entity(group, DE, ENTABLE_STR("0002"), NONE)));
    CHECK(is_misuse(entable_table_submit_transaction(o->table, group, written, 1), "count"));
    entable_error *error = entable_table_submit_transaction(o->table, group, written, 2);
    CHECK(entable_error_code(error) == ENTABLE_RESOURCE_NOT_FOUND && entable_error_index(error, &index) && index == 1);
    CHECK(strncmp(entable_error_message(error), "1:", 2) == 0 && written[0].timestamp_ticks == 0);
    entable_error_free(error);
    CHECK(works(entable_table_exists(o->table, DE, ONE, &exists)) && !exists);
    error = entable_group_delete_entity(group, DE, ONE, entable_condition_if_match(ENTABLE_STR("x")));
    CHECK(entable_error_index(error, &index) && index == 2 && entable_group_count(group) == 2);
    entable_error_free(error);
    entable_group_free(group);
}

static void batches_and_snapshots_stay_in_their_store(struct objects *o) {
    struct objects other = begin();
    entable_batch *batch = entable_batch_new();
    CHECK(works(entable_batch_create_entity(batch, other.table, o->entity)));
    CHECK(is_misuse(entable_store_submit_batch(o->store, batch, NULL, 0), NULL));
    CHECK(works(entable_store_submit_batch(other.store, batch, NULL, 0)));
    /* So does a snapshot. */
    entable_snapshot *snapshot = NULL;
    entable_table *past = NULL;
    bool exists = true;
    CHECK(works(entable_store_snapshot(other.store, &snapshot)));
    CHECK(works(entable_table_at(o->table, snapshot, &past)));
    CHECK(is_misuse(entable_table_exists(past, DE, ONE, &exists), NULL) && !exists);
    entable_table_free(past), entable_snapshot_free(snapshot);
    entable_batch_free(batch);
    end(&other);
}

static void entities_are_lent_or_owned(struct objects *o) {
    entable_page *page = NULL;
    entable_entity *copy = NULL;
    CHECK(works(entable_table_create_entity(o->table, o->entity, NULL)));
    CHECK(works(entable_table_query_page(o->table, NULL, &page)));
    CHECK(entable_page_count(page) == 1 && !entable_page_entity(page, 1));
    CHECK(!entable_page_continuation_token(page).data);
    CHECK(works(entable_entity_clone(entable_page_entity(page, 0), &copy)));
    entable_page_free(page);
    CHECK(same(entable_entity_row_key(copy), "0001") && entable_entity_etag(copy).data);
    CHECK(works(entable_entity_remove(copy, ENTABLE_STR("Missing"))));
    entable_entity_free(copy);
}

static void texts_of_guids_and_instants(void) {
    char buffer[ENTABLE_GUID_TEXT_SIZE];
    char time[ENTABLE_DATETIME_TEXT_SIZE];
    const char *const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const char *const last = "9999-12-31T23:59:59.9999999Z";
    entable_guid guid;
    int64_t ticks = 0, seconds = 0;
    uint32_t nanoseconds = 0;
    CHECK(works(entable_guid_parse(ENTABLE_STR("0F8FAD5B-D9CB-469F-A165-70867728950E"), &guid)));
    CHECK(guid.bytes[0] == 0x0f && guid.bytes[15] == 0x0e);
    CHECK(works(entable_guid_format(guid, buffer, sizeof buffer)) && strcmp(buffer, id) == 0);
    CHECK(is_misuse(entable_guid_format(guid, buffer, sizeof buffer - 1), "size"));
    CHECK(works(entable_datetime_parse(entable_str_of(last), ENTABLE_MODE_PORTABLE, &ticks)));
    CHECK(works(entable_datetime_format(ticks, time, sizeof time)) && strcmp(time, last) == 0);
    CHECK(is_misuse(entable_datetime_format(-1, time, sizeof time), "ticks"));
    CHECK(works(entable_datetime_to_unix(ticks, &seconds, &nanoseconds)));
    CHECK(seconds == INT64_C(253402300799) && nanoseconds == 999999900);
    CHECK(entable_datetime_from_unix(seconds, nanoseconds) == ticks);
    for (int64_t tick = INT64_C(621355968000000000) - 1; tick <= INT64_C(621355968000000001); tick++) {
        CHECK(works(entable_datetime_to_unix(tick, &seconds, &nanoseconds)));
        CHECK(entable_datetime_from_unix(seconds, nanoseconds) == tick);
    }
    CHECK(entable_datetime_from_unix(INT64_MIN, 0) == 0);
    CHECK(entable_datetime_from_unix(INT64_MAX, UINT32_MAX) == ticks);
    CHECK(entable_datetime_now() > INT64_C(638000000000000000));
}

static void options_hold(void) {
    entable_options *options = entable_options_new();
    entable_store *store = NULL;
    CHECK(works(entable_options_set_mode(options, ENTABLE_MODE_STRICT)));
    CHECK(works(entable_store_open(ENTABLE_STR(":memory:"), options, &store)));
    CHECK(entable_store_mode(store) == ENTABLE_MODE_STRICT);
    entable_store_free(store);
    CHECK(works(entable_options_set_must_exist(options, true)));
    CHECK(fails(entable_store_open(ENTABLE_STR("./no-such-folder/no-such-store"), options, &store),
                ENTABLE_STORE_NOT_FOUND, NULL));
    CHECK(!store);
    entable_options_free(options);
}

#define WRITES 50

static void *write_many(void *context) {
    struct objects *o = (struct objects *)context;
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    static int number;
    for (int i = 0; i < WRITES; i++) {
        char key[16];
        entable_entity *entity = NULL;
        pthread_mutex_lock(&turn);
        snprintf(key, sizeof key, "%06d", number++);
        pthread_mutex_unlock(&turn);
        if (!works(entable_entity_new(DE, entable_str_of(key), &entity))) abort();
        if (!works(entable_table_create_entity(o->table, entity, NULL))) abort();
        entable_entity_free(entity);
    }
    return NULL;
}

static void threads_share_a_table(struct objects *o) {
    pthread_t threads[4];
    uint64_t count = 0;
    for (size_t i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, write_many, o) == 0);
    for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(works(entable_table_count(o->table, NULL, &count)) && count == 4 * WRITES);
}

static void a_child_must_open_the_store_itself(struct objects *o) {
    int status = -1;
    bool exists;
    pid_t child = fork();
    if (child == 0) {
        bool is_refused = fails(entable_table_exists(o->table, DE, ONE, &exists), ENTABLE_STORE_FORKED, NULL);
        _exit(is_refused ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(works(entable_table_exists(o->table, DE, ONE, &exists)));
}

/* A view of an entity may be an argument of the call that changes it. */
static void an_entity_may_be_given_its_own_texts(struct objects *o) {
    entable_str name;
    entable_value value;
    CHECK(works(entable_entity_set(o->entity, ENTABLE_STR("Name"), entable_value_string(ENTABLE_STR("Customer")))));
    CHECK(entable_entity_at(o->entity, 0, &name, &value));
    CHECK(works(entable_entity_set(o->entity, name, value)) && entable_entity_count(o->entity) == 1);
    CHECK(entable_entity_at(o->entity, 0, &name, &value));
    CHECK(works(entable_entity_set(o->entity, value.as.string, value)) && entable_entity_count(o->entity) == 2);
    CHECK(entable_entity_at(o->entity, 0, &name, &value));
    CHECK(works(entable_entity_set(o->entity, name, entable_value_string(name))));
    CHECK(entable_entity_at(o->entity, 0, &name, &value) && same(value.as.string, "Name"));
    CHECK(works(entable_entity_remove(o->entity, name)) && entable_entity_count(o->entity) == 1);
}

int main(void) {
    static void (*const on_objects[])(struct objects *) = {
        nulls_of_stores_are_errors,
        nulls_of_tables_are_errors,
        nulls_of_values_are_errors,
        text_must_be_utf8,
        numbers_of_no_enum_are_errors,
        a_closed_store_says_so,
        handles_are_freed_in_any_order,
        every_type_comes_back_exactly,
        getters_take_their_type_alone,
        errors_have_all_their_fields,
        an_etag_is_a_condition,
        writes_that_the_service_lacks,
        results_of_a_transaction_need_their_places,
        batches_and_snapshots_stay_in_their_store,
        entities_are_lent_or_owned,
        an_entity_may_be_given_its_own_texts,
        threads_share_a_table,
        a_child_must_open_the_store_itself,
    };
    for (size_t i = 0; i < sizeof on_objects / sizeof *on_objects; i++) {
        struct objects made = begin();
        on_objects[i](&made);
        end(&made);
    }
    null_is_nothing_to_free();
    texts_of_guids_and_instants();
    options_hold();
    printf("boundary of C: %s\n", failures ? "failed" : "holds");
    return failures != 0;
}
