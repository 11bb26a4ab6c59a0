/* The published patterns as a program uses them: what a change reads, writes, leaves to do, and what is read back. The
 * vectors show what each writes. */

#include "claims.h"

static entable_entity *order(entable_str row_key, entable_str city) {
    entable_entity *row = NULL;
    CHECK(works(entable_entity_new(DE, row_key, &row)));
    CHECK(works(entable_entity_set(row, ENTABLE_STR("City"), entable_value_string(city))));
    return row;
}

static entable_pattern_definition defined(entable_pattern_kind kind, const entable_pattern_field *field) {
    entable_pattern_definition definition;
    memset(&definition, 0, sizeof definition);
    definition.kind = kind;
    definition.table = ENTABLE_STR("Orders");
    definition.fields = field;
    definition.fields_count = field ? 1 : 0;
    return definition;
}

static entable_pattern *made(const entable_pattern_definition *definition) {
    entable_pattern *pattern = NULL;
    CHECK(works(entable_pattern_new(definition, &pattern)));
    return pattern;
}

/* Writes row and copies in one transaction. */
static void apply(struct objects *o, const entable_changes *changes) {
    entable_batch *batch = entable_batch_new();
    CHECK(works(entable_batch_add_changes(batch, o->store, changes)));
    CHECK(works(entable_store_submit_batch(o->store, batch, NULL, 0)));
    entable_batch_free(batch);
}

static uint64_t found(struct objects *o, const entable_pattern *pattern, entable_lookup_kind kind, entable_value value) {
    entable_lookup *lookup = NULL;
    entable_query *query = NULL;
    uint64_t count = 99;
    CHECK(works(entable_pattern_lookup(pattern, kind, DE, &value, 1, &lookup)));
    CHECK(same(entable_lookup_table(lookup), "Orders"));
    CHECK(works(entable_lookup_query(lookup, &query)));
    CHECK(works(entable_table_count(o->table, query, &count)));
    entable_query_free(query), entable_lookup_free(lookup);
    return count;
}

static void copies_go_with_their_row(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_SECONDARY_INDEX, city);
    definition.prefix = ENTABLE_STR("city_");
    entable_pattern *pattern = made(&definition);
    entable_entity *berlin = order(ONE, ENTABLE_STR("Berlin")), *bonn = order(ONE, ENTABLE_STR("Bonn"));
    const entable_value in_berlin = entable_value_string(ENTABLE_STR("Berlin"));
    const entable_value in_bonn = entable_value_string(ENTABLE_STR("Bonn"));
    const entable_entity *seen[1];
    entable_changes *changes = NULL;
    CHECK(works(entable_pattern_changes(pattern, NULL, berlin, NULL, 0, &changes)));
    apply(o, changes);
    CHECK(found(o, pattern, ENTABLE_LOOKUP_FIND, in_berlin) == 1);
    entable_changes_free(changes);
    /* Someone has written the row alone; the copies are brought to it. */
    seen[0] = berlin;
    CHECK(works(entable_table_upsert_entity(o->table, bonn, ENTABLE_UPDATE_REPLACE, NONE, NULL)));
    CHECK(works(entable_pattern_reconcile(pattern, seen, 1, bonn, NULL, 0, &changes)));
    for (size_t step = 0; step < entable_changes_count(changes); step++) {
        entable_group *group = NULL;
        CHECK(works(entable_changes_group(changes, step, &group)));
        CHECK(works(entable_table_submit_transaction(o->table, group, NULL, 0)));
        entable_group_free(group);
    }
    CHECK(found(o, pattern, ENTABLE_LOOKUP_FIND, in_berlin) == 0);
    CHECK(found(o, pattern, ENTABLE_LOOKUP_FIND, in_bonn) == 1);
    entable_changes_free(changes);
    entable_entity_free(berlin), entable_entity_free(bonn), entable_pattern_free(pattern);
}

/* A step that may have been done is asked what is left of it. */
static void a_step_that_is_done_has_nothing_left(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_SECONDARY_INDEX, city);
    definition.prefix = ENTABLE_STR("city_");
    entable_pattern *pattern = made(&definition);
    entable_entity *row = order(ONE, ENTABLE_STR("Berlin"));
    entable_changes *changes = NULL;
    entable_key_list *keys = NULL;
    entable_group *all = NULL, *left = NULL;
    CHECK(works(entable_pattern_changes(pattern, NULL, row, NULL, 0, &changes)));
    CHECK(entable_changes_count(changes) == 1 && works(entable_changes_keys(changes, 0, &keys)));
    const size_t count = entable_key_list_count(keys);
    entable_entity *stored[2] = {NULL, NULL};
    CHECK(count == 2 && works(entable_changes_group(changes, 0, &all)) && entable_group_count(all) == 2);
    CHECK(works(entable_changes_remaining(changes, 0, (const entable_entity *const *)stored, count, &left)));
    CHECK(entable_group_count(left) == 2);
    entable_group_free(left);
    apply(o, changes);
    CHECK(works(entable_table_get_many(o->table, entable_key_list_data(keys), count, stored)));
    CHECK(works(entable_changes_remaining(changes, 0, (const entable_entity *const *)stored, count, &left)));
    CHECK(entable_group_count(left) == 0);
    entable_group_free(left);
    CHECK(is_misuse(entable_changes_remaining(changes, 7, NULL, 0, &left), "step") && !left);
    CHECK(!entable_changes_accepts(changes, 0, NULL) && !entable_changes_accepts(NULL, 0, NULL));
    for (size_t i = 0; i < count; i++) entable_entity_free(stored[i]);
    entable_group_free(all), entable_key_list_free(keys);
    entable_changes_free(changes), entable_entity_free(row), entable_pattern_free(pattern);
}

static void counts_are_read_before_they_change(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_DISTINCT_LIST, city);
    definition.prefix = ENTABLE_STR("list_");
    entable_pattern *pattern = made(&definition);
    for (int i = 0; i < 2; i++) {
        entable_entity *row = order(i ? ENTABLE_STR("0002") : ONE, ENTABLE_STR("Berlin"));
        entable_lookup *lookup = NULL, *past = NULL;
        entable_keys keys;
        entable_entity *stored = NULL;
        entable_changes *changes = NULL;
        CHECK(works(entable_pattern_read(pattern, NULL, row, 0, &lookup)) && entable_lookup_keys(lookup, &keys));
        CHECK(works(entable_pattern_read(pattern, NULL, row, 1, &past)) && !past);
        CHECK(works(entable_table_get_many(o->table, &keys, 1, &stored)) && (stored != NULL) == (i == 1));
        CHECK(works(entable_pattern_changes(pattern, NULL, row, (const entable_entity *const *)&stored, stored ? 1 : 0,
                                            &changes)));
        apply(o, changes);
        entable_changes_free(changes), entable_entity_free(stored), entable_lookup_free(lookup);
        entable_entity_free(row);
    }
    entable_value berlin = entable_value_string(ENTABLE_STR("Berlin")), value, number;
    entable_lookup *lookup = NULL;
    entable_keys keys;
    entable_entity *stored = NULL;
    entable_value_pairs *pairs = NULL;
    CHECK(works(entable_pattern_lookup(pattern, ENTABLE_LOOKUP_FIND, DE, &berlin, 1, &lookup)));
    CHECK(entable_lookup_keys(lookup, &keys) && works(entable_table_get_many(o->table, &keys, 1, &stored)));
    CHECK(works(entable_pattern_values(pattern, (const entable_entity *const *)&stored, 1, &pairs)));
    CHECK(entable_value_pairs_count(pairs) == 1 && entable_value_pairs_at(pairs, 0, &value, &number));
    CHECK(same(value.as.string, "Berlin") && number.as.int64 == 2 && !entable_value_pairs_at(pairs, 1, NULL, NULL));
    entable_value_pairs_free(pairs), entable_entity_free(stored), entable_lookup_free(lookup);
    entable_pattern_free(pattern);
}

static void a_series_keeps_what_is_recorded(struct objects *o) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_DATA_SERIES, NULL);
    definition.period = ENTABLE_PERIOD_DAY;
    entable_pattern *pattern = made(&definition);
    const int64_t hour = INT64_C(36000000000), day = INT64_C(638000064000000000);
    entable_value time = entable_value_datetime(day), at, value;
    entable_lookup *lookup = NULL;
    entable_keys keys;
    entable_entity *stored = NULL;
    entable_value_pairs *pairs = NULL;
    for (int i = 0; i < 3; i++) {
        entable_changes *changes = NULL;
        CHECK(works(entable_pattern_record(pattern, DE, day + i * hour, entable_value_double(i + 0.5), &changes)));
        apply(o, changes);
        entable_changes_free(changes);
    }
    CHECK(works(entable_pattern_lookup(pattern, ENTABLE_LOOKUP_FIND, DE, &time, 1, &lookup)));
    CHECK(entable_lookup_keys(lookup, &keys) && works(entable_table_get_many(o->table, &keys, 1, &stored)));
    CHECK(works(entable_pattern_values(pattern, (const entable_entity *const *)&stored, 1, &pairs)));
    CHECK(entable_value_pairs_count(pairs) == 3 && entable_value_pairs_at(pairs, 2, &at, &value));
    CHECK(at.as.ticks == day + 2 * hour && value.type == ENTABLE_TYPE_DOUBLE && value.as.number == 2.5);
    entable_value_pairs_free(pairs), entable_entity_free(stored), entable_lookup_free(lookup);
    entable_pattern_free(pattern);
}

/* A value that is taken out again; the entity's ETag is the condition. */
static void a_series_lets_a_value_go(struct objects *o) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_DATA_SERIES, NULL);
    definition.period = ENTABLE_PERIOD_DAY;
    entable_pattern *pattern = made(&definition);
    const int64_t hour = INT64_C(36000000000), day = INT64_C(638000064000000000);
    entable_changes *changes = NULL;
    entable_entity *entity = NULL;
    entable_page *page = NULL;
    for (int i = 0; i < 2; i++) {
        CHECK(works(entable_pattern_record(pattern, DE, day + i * hour, entable_value_double(i + 0.5), &changes)));
        apply(o, changes);
        entable_changes_free(changes);
    }
    CHECK(works(entable_table_query_page(o->table, NULL, &page)) && entable_page_count(page) == 1);
    const entable_entity *stored = entable_page_entity(page, 0);
    CHECK(entable_entity_count(stored) == 2);
    CHECK(fails(entable_pattern_remove(pattern, stored, day + 24 * hour, &changes), ENTABLE_INVALID_INPUT, "RowKey"));
    CHECK(!changes && works(entable_pattern_remove(pattern, stored, day + 5 * hour, &changes)));
    CHECK(entable_changes_count(changes) == 0);
    entable_changes_free(changes);
    CHECK(works(entable_pattern_remove(pattern, stored, day, &changes)));
    apply(o, changes);
    CHECK(works(entable_table_get_entity(o->table, DE, entable_entity_row_key(stored), &entity)));
    CHECK(entable_entity_count(entity) == 1);
    entable_entity_free(entity), entable_changes_free(changes), entable_page_free(page), entable_pattern_free(pattern);
}

static void a_wide_row_is_split_and_joined(struct objects *o) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_WIDE_ENTITY, NULL);
    entable_pattern *pattern = made(&definition);
    entable_entity *row = order(ONE, ENTABLE_STR("Berlin")), *joined = NULL;
    entable_changes *changes = NULL;
    entable_page *page = NULL;
    const entable_entity *parts[4];
    for (int i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "P%03d", i);
        CHECK(works(entable_entity_set(row, entable_str_of(name), entable_value_int32(i))));
    }
    CHECK(works(entable_pattern_changes(pattern, NULL, row, NULL, 0, &changes)));
    apply(o, changes);
    CHECK(works(entable_table_query_page(o->table, NULL, &page)));
    const size_t count = entable_page_count(page);
    CHECK(count > 1 && count <= 4);
    for (size_t i = 0; i < count && i < 4; i++) parts[i] = entable_page_entity(page, i);
    CHECK(works(entable_pattern_join(pattern, parts, count, &joined)) && entable_entity_count(joined) == 301);
    entable_entity_free(joined);
    CHECK(fails(entable_pattern_join(pattern, parts + 1, count - 1, &joined), ENTABLE_INVALID_INPUT, NULL) && !joined);
    CHECK(works(entable_pattern_join(pattern, NULL, 0, &joined)) && !joined);
    entable_page_free(page), entable_changes_free(changes), entable_entity_free(row), entable_pattern_free(pattern);
}

static void changes_of_two_patterns_are_one(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition copies = defined(ENTABLE_PATTERN_SECONDARY_INDEX, city);
    entable_pattern_definition guards = defined(ENTABLE_PATTERN_UNIQUE_GUARD, city);
    copies.prefix = ENTABLE_STR("city_"), guards.prefix = ENTABLE_STR("guard_");
    entable_pattern *index = made(&copies), *guard = made(&guards);
    entable_entity *row = order(ONE, ENTABLE_STR("Berlin"));
    entable_changes *first = NULL, *second = NULL, *both = NULL;
    uint64_t count = 0;
    CHECK(works(entable_pattern_changes(index, NULL, row, NULL, 0, &first)));
    CHECK(works(entable_pattern_changes(guard, NULL, row, NULL, 0, &second)));
    CHECK(works(entable_changes_join(first, second, &both)));
    apply(o, both);
    CHECK(works(entable_table_count(o->table, NULL, &count)) && count == 3);
    entable_changes_free(both), entable_changes_free(second), entable_changes_free(first);
    entable_entity_free(row), entable_pattern_free(guard), entable_pattern_free(index);
}

static void a_row_has_the_key_that_its_pattern_makes(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_COMPOUND_KEY, city);
    entable_pattern *pattern = made(&definition);
    entable_entity *row = order(ENTABLE_STR(""), text("Berlin, Mitte", 6)), *keyed = NULL;
    CHECK(works(entable_pattern_row_of(pattern, row, &keyed)));
    CHECK(same(entable_entity_row_key(keyed), "Berlin"));
    CHECK(works(entable_table_create_entity(o->table, keyed, NULL)));
    entable_entity_free(keyed), entable_entity_free(row), entable_pattern_free(pattern);
}

/* Counts that nobody kept are made anew from the rows. */
static void counts_are_made_anew(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_DISTINCT_LIST, city);
    definition.prefix = ENTABLE_STR("list_");
    entable_pattern *pattern = made(&definition);
    entable_entity *rows[3] = {order(ONE, ENTABLE_STR("Berlin")), order(ENTABLE_STR("0002"), ENTABLE_STR("Berlin")),
                               order(ENTABLE_STR("0003"), ENTABLE_STR("Bonn"))};
    const entable_entity *const *all = (const entable_entity *const *)rows;
    entable_changes *changes = NULL;
    entable_entity *count = NULL;
    int64_t number = 0;
    CHECK(works(entable_pattern_rebuild(pattern, DE, all, 3, NULL, 0, &changes)));
    apply(o, changes);
    entable_changes_free(changes);
    CHECK(works(entable_table_get_entity(o->table, DE, ENTABLE_STR("list_Berlin"), &count)));
    CHECK(works(entable_entity_get_int64(count, ENTABLE_STR("Count"), &number)) && number == 2);
    /* One row less, and a count that is of another partition. */
    const entable_entity *const *counts = (const entable_entity *const *)&count;
    CHECK(works(entable_pattern_rebuild(pattern, DE, all, 1, counts, 1, &changes)));
    CHECK(entable_changes_count(changes) == 1);
    entable_changes_free(changes);
    CHECK(fails(entable_pattern_rebuild(pattern, ENTABLE_STR("FR"), all, 1, counts, 1, &changes), ENTABLE_INVALID_INPUT,
                NULL));
    CHECK(!changes);
    for (int i = 0; i < 3; i++) entable_entity_free(rows[i]);
    entable_entity_free(count), entable_pattern_free(pattern);
}

static void lists_tell_their_ids_and_value(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition definition = defined(ENTABLE_PATTERN_INDEX_ENTITIES, city);
    definition.prefix = ENTABLE_STR("list_");
    entable_pattern *pattern = made(&definition);
    entable_entity *row = order(ONE, ENTABLE_STR("Berlin")), *list = NULL;
    entable_changes *changes = NULL;
    entable_texts *ids = NULL;
    entable_str value;
    CHECK(works(entable_pattern_changes(pattern, NULL, row, NULL, 0, &changes)));
    apply(o, changes);
    CHECK(works(entable_table_get_entity(o->table, DE, ENTABLE_STR("list_Berlin"), &list)));
    CHECK(works(entable_pattern_ids(pattern, (const entable_entity *const *)&list, 1, &ids)));
    CHECK(entable_texts_count(ids) == 1 && same(entable_texts_at(ids, 0), "0001"));
    CHECK(works(entable_pattern_value_of(pattern, list, &value)) && same(value, "Berlin"));
    CHECK(works(entable_pattern_value_of(pattern, row, &value)) && !value.data);
    entable_texts_free(ids), entable_entity_free(list), entable_changes_free(changes), entable_entity_free(row);
    entable_pattern_free(pattern);
}

static void keys_are_made_and_taken_apart(struct objects *o, const entable_pattern_field *city) {
    entable_pattern_definition compound = defined(ENTABLE_PATTERN_COMPOUND_KEY, NULL);
    entable_pattern_definition entries = defined(ENTABLE_PATTERN_INDEX_TABLE, city);
    const entable_pattern_field fields[2] = {*city, {ENTABLE_STR("Year"), ENTABLE_FIELD_PLAIN, 4, {NULL, 0}}};
    entable_pattern *pattern = NULL;
    entable_texts *parts = NULL;
    entable_text *made_text = NULL;
    (void)o;
    compound.fields = fields, compound.fields_count = 2, compound.prefix = ENTABLE_STR("id_");
    pattern = made(&compound);
    CHECK(works(entable_pattern_parts(pattern, ENTABLE_STR("id_Bonn_0987"), &parts)) && entable_texts_count(parts) == 2);
    CHECK(same(entable_texts_at(parts, 0), "Bonn") && same(entable_texts_at(parts, 1), "0987"));
    entable_texts_free(parts);
    CHECK(fails(entable_pattern_parts(pattern, ENTABLE_STR("Bonn"), &parts), ENTABLE_INVALID_INPUT, NULL) && !parts);
    CHECK(is_misuse(entable_pattern_shard_key(pattern, ONE, &made_text), "pattern") && !made_text);
    entable_pattern_free(pattern);

    entries.kept_in = ENTABLE_STR("ByCity"), entries.shards = 16;
    pattern = made(&entries);
    CHECK(works(entable_pattern_shard_key(pattern, ONE, &made_text)) && entable_text_view(made_text).length == 2);
    entable_text_free(made_text);
    CHECK(is_misuse(entable_pattern_parts(pattern, ONE, &parts), "pattern") && !parts);
    CHECK(is_misuse(entable_pattern_ids(pattern, NULL, 0, &parts), "pattern") && !parts);
    entable_pattern_free(pattern);

    CHECK(works(entable_pattern_field_text(&fields[1], entable_value_int32(987), &made_text)));
    CHECK(same(entable_text_view(made_text), "0987"));
    entable_text_free(made_text);
    CHECK(is_misuse(entable_pattern_field_text(&fields[1], entable_value_double(0.5), &made_text), "Year") && !made_text);
}

int main(void) {
    static const entable_pattern_field city = {{"City", 4}, ENTABLE_FIELD_PLAIN, 0, {NULL, 0}};
    static void (*const of_city[])(struct objects *, const entable_pattern_field *) = {
        copies_go_with_their_row,        a_step_that_is_done_has_nothing_left,     counts_are_read_before_they_change,
        changes_of_two_patterns_are_one, a_row_has_the_key_that_its_pattern_makes, counts_are_made_anew,
        lists_tell_their_ids_and_value,  keys_are_made_and_taken_apart,
    };
    static void (*const of_none[])(struct objects *) = {
        a_series_keeps_what_is_recorded,
        a_series_lets_a_value_go,
        a_wide_row_is_split_and_joined,
    };
    for (size_t i = 0; i < sizeof of_city / sizeof *of_city; i++) {
        struct objects objects = begin();
        of_city[i](&objects, &city);
        end(&objects);
    }
    for (size_t i = 0; i < sizeof of_none / sizeof *of_none; i++) {
        struct objects objects = begin();
        of_none[i](&objects);
        end(&objects);
    }
    printf("patterns of C: %s\n", failures ? "failed" : "hold");
    return failures != 0;
}
