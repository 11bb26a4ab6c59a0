/* Runs the conformance vectors through the C API: `vectors FILE`, where FILE is what `vector_lines c` wrote. */

#include "vector_case.h"

#include <entable.h>
#include <stdlib.h>
#include <string.h>

static const char *const missing[] = {NULL};

/* A case that runs. */
struct state {
    entable_store *store;
    entable_mode mode;
    int64_t now;
    /* Snapshots by name: a case has few. */
    struct text names[8];
    entable_snapshot *snapshots[8];
    size_t snapshots_count;
};

static entable_str str(const struct text *text) {
    entable_str view = {text->data, text->length};
    return view;
}

static struct text copy(entable_str text) {
    return keep_text(text.data, text.length);
}

static entable_mode mode_of(const struct text *name) {
    if (is(name, "portable")) return ENTABLE_MODE_PORTABLE;
    if (is(name, "strict")) return ENTABLE_MODE_STRICT;
    if (is(name, "extended")) return ENTABLE_MODE_EXTENDED;
    give_up("no mode", name);
    return 0;
}

static entable_update_mode update_mode_of(const struct text *name) {
    if (is(name, "merge")) return ENTABLE_UPDATE_MERGE;
    if (is(name, "replace")) return ENTABLE_UPDATE_REPLACE;
    give_up("no update mode", name);
    return 0;
}

/* What must not fail. */
static void must(entable_error *error) {
    struct text message = {NULL, 0};
    if (!error) return;
    message.data = (char *)(uintptr_t)entable_error_message(error);
    give_up("the runner failed", &message);
}

/* Values: to the API with their type, and back to their spelling. */

static entable_value value_of(const struct property *property) {
    const struct text *text = &property->value;
    size_t length = 0;
    uint8_t *bytes = NULL;
    entable_guid guid;
    switch (property->type) {
    case ENTABLE_TYPE_INT32:
        return entable_value_int32((int32_t)strtol(text->data, NULL, 10));
    case ENTABLE_TYPE_INT64:
        return entable_value_int64((int64_t)strtoll(text->data, NULL, 10));
    case ENTABLE_TYPE_DOUBLE:
        return entable_value_double(from_spelled_double(text));
    case ENTABLE_TYPE_DATETIME:
        return entable_value_datetime((int64_t)strtoll(text->data, NULL, 10));
    case ENTABLE_TYPE_GUID:
        bytes = from_hexadecimal(text, &length);
        memcpy(guid.bytes, bytes, sizeof guid.bytes);
        return entable_value_guid(guid);
    case ENTABLE_TYPE_BOOLEAN:
        return entable_value_boolean(is(text, "true"));
    case ENTABLE_TYPE_STRING:
        return entable_value_string(str(text));
    case ENTABLE_TYPE_BINARY:
        bytes = from_hexadecimal(text, &length);
        return entable_value_binary(bytes, length);
    }
    give_up("no type", text);
    return entable_value_int32(0);
}

static struct text spelled(entable_value value) {
    switch (value.type) {
    case ENTABLE_TYPE_INT32:
        return spelled_integer(value.as.int32);
    case ENTABLE_TYPE_INT64:
        return spelled_integer(value.as.int64);
    case ENTABLE_TYPE_DOUBLE:
        return spelled_double(value.as.number);
    case ENTABLE_TYPE_DATETIME:
        return spelled_integer(value.as.ticks);
    case ENTABLE_TYPE_GUID:
        return hexadecimal(value.as.guid.bytes, sizeof value.as.guid.bytes);
    case ENTABLE_TYPE_BOOLEAN:
        return value.as.boolean ? keep_text("true", 4) : keep_text("false", 5);
    case ENTABLE_TYPE_STRING:
        return copy(value.as.string);
    case ENTABLE_TYPE_BINARY:
        return hexadecimal(value.as.binary.data, value.as.binary.length);
    }
    give_up("a value without type", NULL);
    return keep_text("", 0);
}

static entable_entity *entity_of(const struct entity *given) {
    entable_entity *entity = NULL;
    must(entable_entity_new(str(&given->partition_key), str(&given->row_key), &entity));
    for (size_t i = 0; i < given->count; i++) {
        must(entable_entity_set(entity, str(&given->properties[i].name), value_of(&given->properties[i])));
    }
    for (size_t i = 0; i < given->added_count; i++) {
        must(entable_entity_add(entity, str(&given->added[i].name), value_of(&given->added[i])));
    }
    for (size_t i = 0; i < given->erased_count; i++) must(entable_entity_erase(entity, str(&given->erased[i])));
    return entity;
}

static struct entity seen(const entable_entity *entity) {
    struct entity result;
    int64_t ticks = 0;
    entable_str name;
    entable_value value;
    memset(&result, 0, sizeof result);
    if (!entity) return result;
    result.partition_key = copy(entable_entity_partition_key(entity));
    result.row_key = copy(entable_entity_row_key(entity));
    result.etag = copy(entable_entity_etag(entity));
    if (entable_entity_timestamp(entity, &ticks)) result.timestamp = spelled_integer(ticks);
    result.properties = keep((entable_entity_count(entity) + 1) * sizeof *result.properties);
    for (size_t i = 0; entable_entity_at(entity, i, &name, &value); i++) {
        struct property *property = &result.properties[result.count++];
        property->name = copy(name);
        property->type = (int)value.type;
        property->value = spelled(value);
        /* By name it is the same value. */
        entable_value again;
        must(entable_entity_get(entity, name, &again));
        if (again.type != value.type) give_up("another value by name", &property->name);
    }
    return result;
}

/* Outcomes */

static const char *const classes[] = {"none",     "Exists",       "NotFound", "Modified",  "Invalid", "TooLarge",
                                      "NotSupported", "Busy",     "Cancelled", "Closed",   "Forked",  "Full",
                                      "NewerFormat",  "Corrupt",  "Io",        "Internal"};

/* Whether a call failed, with all that its error says. */
static bool fails(entable_error *error, struct outcome *outcome) {
    size_t place = 0;
    if (!error) return false;
    const char *name = entable_error_name(error), *message = entable_error_message(error);
    outcome->failed = true;
    outcome->code = keep_text(name, strlen(name));
    outcome->class_name = classes[entable_error_class(error)];
    outcome->message = keep_text(message, strlen(message));
    outcome->property = copy(entable_error_property(error));
    outcome->table = copy(entable_error_table(error));
    outcome->relation = copy(entable_error_relation(error));
    outcome->holder_partition_key = copy(entable_error_holder_partition_key(error));
    outcome->holder_row_key = copy(entable_error_holder_row_key(error));
    outcome->status = entable_error_status(error);
    outcome->has_limit = entable_error_limit(error, &outcome->limit);
    outcome->has_actual = entable_error_actual(error, &outcome->actual);
    outcome->has_position = entable_error_position(error, &place);
    outcome->position = place;
    outcome->has_index = entable_error_index(error, &place);
    outcome->index = place;
    entable_error_free(error);
    return true;
}

static void add_entity(struct outcome *outcome, const entable_entity *entity) {
    outcome->has_entities = true;
    outcome->entities = keep_one_more(outcome->entities, outcome->entities_count, sizeof *outcome->entities);
    outcome->entities[outcome->entities_count++] = seen(entity);
}

static void add_written(struct outcome *outcome, const entable_written *written) {
    struct version version = {{NULL, 0}, written->timestamp_ticks, written->is_found};
    if (written->etag[0]) version.etag = copy(entable_str_of(written->etag));
    outcome->has_written = true;
    outcome->written = keep_one_more(outcome->written, outcome->written_count, sizeof *outcome->written);
    outcome->written[outcome->written_count++] = version;
}

static void add_tables(struct outcome *outcome, entable_table_names *names) {
    outcome->has_tables = true;
    outcome->tables_count = entable_table_names_count(names);
    outcome->tables = keep((outcome->tables_count + 1) * sizeof *outcome->tables);
    for (size_t i = 0; i < outcome->tables_count; i++) outcome->tables[i] = copy(entable_table_names_at(names, i));
    entable_table_names_free(names);
}

/* Arguments */

static entable_snapshot *snapshot_of(const struct state *state, const struct text *name) {
    for (size_t i = 0; i < state->snapshots_count; i++) {
        if (is(&state->names[i], name->data)) return state->snapshots[i];
    }
    give_up("no snapshot", name);
    return NULL;
}

/* The table that a step is about, at its snapshot if it names one. */
static entable_error *table_of(const struct state *state, const struct step *step, entable_table **table) {
    entable_error *error = entable_store_table(state->store, str(&step->table), table);
    if (error || !step->snapshot.data) return error;
    entable_table *now = *table;
    error = entable_table_at(now, snapshot_of(state, &step->snapshot), table);
    entable_table_free(now);
    return error;
}

static entable_error *query_of(const struct step *step, entable_query **query);

/* The query of a condition is freed by who asks for it. */
static entable_condition condition_of(const struct step *step, entable_query **query) {
    struct text etag = step->etag;
    if (step->filter.data) {
        must(query_of(step, query));
        return entable_condition_matches(*query);
    }
    switch (step->condition) {
    case REFERENCE_ABSENT:
        return entable_condition_absent();
    case REFERENCE_SAVED:
        etag = saved(&etag);
        return entable_condition_if_match(str(&etag));
    case REFERENCE_TEXT:
        return entable_condition_if_match(str(&etag));
    case REFERENCE_NONE:
        break;
    }
    return entable_condition_none();
}

static entable_str *names_of(const struct step *step) {
    entable_str *names = keep((step->select_count + 1) * sizeof *names);
    for (size_t i = 0; i < step->select_count; i++) names[i] = str(&step->select[i]);
    return names;
}

static entable_error *query_of(const struct step *step, entable_query **query) {
    entable_error *error = entable_query_new(str(&step->filter), query);
    for (size_t i = 0; !error && i < step->parameters_count; i++) {
        error = entable_query_set_parameter(*query, str(&step->parameters[i].name), value_of(&step->parameters[i]));
    }
    if (!error && step->select) error = entable_query_set_select(*query, names_of(step), step->select_count);
    if (!error && step->has_limit) error = entable_query_set_limit(*query, step->limit);
    if (!error && step->has_page_size) error = entable_query_set_page_size(*query, (size_t)step->page_size);
    if (!error && step->continuation != REFERENCE_NONE) {
        struct text token = step->continuation == REFERENCE_SAVED ? saved(&step->token) : step->token;
        error = entable_query_continue_from(*query, str(&token));
    }
    return error;
}

/* Verbs */

static void on_tables(struct state *state, const struct step *step, struct outcome *outcome) {
    entable_table_names *names = NULL;
    entable_query *query = NULL;
    entable_table *made = NULL;
    entable_str name = str(&step->table);
    if (is(&step->verb, "create_table")) {
        fails(entable_store_create_table(state->store, name, &made), outcome);
    } else if (is(&step->verb, "create_table_if_not_exists")) {
        fails(entable_store_create_table_if_not_exists(state->store, name, &made), outcome);
    } else if (is(&step->verb, "delete_table")) {
        fails(entable_store_delete_table(state->store, name), outcome);
    } else if (is(&step->verb, "query_tables")) {
        if (!fails(query_of(step, &query), outcome) &&
            !fails(entable_store_query_tables(state->store, query, &names), outcome)) {
            add_tables(outcome, names);
        }
    } else if (step->snapshot.data) {
        entable_snapshot *snapshot = snapshot_of(state, &step->snapshot);
        if (!fails(entable_snapshot_list_tables(snapshot, &names), outcome)) add_tables(outcome, names);
    } else if (!fails(entable_store_list_tables(state->store, &names), outcome)) {
        add_tables(outcome, names);
    }
    entable_query_free(query);
    entable_table_free(made);
}

static void write_entity(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_written written;
    entable_error *error;
    entable_query *query = NULL;
    entable_entity *entity = step->entity ? entity_of(step->entity) : NULL;
    const entable_condition condition = condition_of(step, &query);
    memset(&written, 0, sizeof written);
    if (is(&step->verb, "create_entity")) {
        error = entable_table_create_entity(table, entity, &written);
    } else if (is(&step->verb, "update_entity")) {
        error = entable_table_update_entity(table, entity, update_mode_of(&step->mode), condition, &written);
    } else if (is(&step->verb, "upsert_entity")) {
        error = entable_table_upsert_entity(table, entity, update_mode_of(&step->mode), condition, &written);
    } else {
        entable_str partition_key = str(&step->keys->partition_key), row_key = str(&step->keys->row_key);
        const struct keys to = named_keys(step, "to");
        error = is(&step->verb, "move_entity")
                    ? entable_table_move_entity(table, partition_key, row_key, str(&to.partition_key), str(&to.row_key),
                                                condition, &written)
                    : entable_table_delete_entity(table, partition_key, row_key, condition);
    }
    if (!fails(error, outcome)) add_written(outcome, &written);
    entable_query_free(query);
    entable_entity_free(entity);
}

static void create_or_get_entity(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_entity *entity = entity_of(step->entity), *found = NULL;
    if (!fails(entable_table_create_or_get_entity(table, entity, &found, &outcome->flag), outcome)) {
        outcome->has_flag = true;
        add_entity(outcome, found);
    }
    entable_entity_free(found);
    entable_entity_free(entity);
}

static void get_entity(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_entity *entity = NULL;
    entable_str partition_key = str(&step->keys->partition_key), row_key = str(&step->keys->row_key);
    entable_error *error = step->select ? entable_table_get_entity_select(table, partition_key, row_key, names_of(step),
                                                                           step->select_count, &entity)
                                        : entable_table_get_entity(table, partition_key, row_key, &entity);
    if (!fails(error, outcome)) add_entity(outcome, entity);
    entable_entity_free(entity);
}

static void get_many(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_keys *keys = keep((step->keys_count + 1) * sizeof *keys);
    entable_entity **entities = keep((step->keys_count + 1) * sizeof *entities);
    for (size_t i = 0; i < step->keys_count; i++) {
        keys[i].partition_key = str(&step->keys[i].partition_key);
        keys[i].row_key = str(&step->keys[i].row_key);
    }
    if (fails(entable_table_get_many(table, keys, step->keys_count, entities), outcome)) return;
    for (size_t i = 0; i < step->keys_count; i++) {
        add_entity(outcome, entities[i]);
        entable_entity_free(entities[i]);
    }
}

static void exists(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_str partition_key = str(&step->keys->partition_key), row_key = str(&step->keys->row_key);
    outcome->has_flag = !fails(entable_table_exists(table, partition_key, row_key, &outcome->flag), outcome);
}

static void add_page(struct outcome *outcome, const entable_page *page) {
    outcome->has_pages = outcome->has_entities = true;
    outcome->pages = keep_one_more(outcome->pages, outcome->pages_count, sizeof *outcome->pages);
    outcome->pages[outcome->pages_count++] = entable_page_count(page);
    for (size_t i = 0; i < entable_page_count(page); i++) add_entity(outcome, entable_page_entity(page, i));
}

/* The same one by one: as many, and the same keys. */
static void check_iteration(entable_table *table, const entable_query *query, const struct outcome *outcome) {
    entable_entities *entities = NULL;
    const entable_entity *entity = NULL;
    size_t at = 0;
    must(entable_table_query_entities(table, query, &entities));
    for (must(entable_entities_next(entities, &entity)); entity; must(entable_entities_next(entities, &entity)), at++) {
        struct text row_key = copy(entable_entity_row_key(entity));
        if (at >= outcome->entities_count || row_key.length != outcome->entities[at].row_key.length) {
            give_up("other entities one by one, at", &row_key);
        }
    }
    if (at != outcome->entities_count) give_up("fewer entities one by one", NULL);
    entable_entities_free(entities);
}

static void query_entities(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_query *query = NULL;
    entable_pages *pages = NULL;
    entable_page *page = NULL;
    if (!fails(query_of(step, &query), outcome) && !fails(entable_table_query_pages(table, query, &pages), outcome)) {
        outcome->has_pages = outcome->has_entities = true;
        while (!fails(entable_pages_next(pages, &page), outcome) && page) {
            add_page(outcome, page);
            entable_page_free(page);
        }
        if (!outcome->failed) check_iteration(table, query, outcome);
    }
    entable_pages_free(pages);
    entable_query_free(query);
}

static void query_page(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_query *query = NULL;
    entable_page *page = NULL;
    if (!fails(query_of(step, &query), outcome) && !fails(entable_table_query_page(table, query, &page), outcome)) {
        add_page(outcome, page);
        outcome->is_page = true;
        outcome->token = copy(entable_page_continuation_token(page));
    }
    entable_page_free(page);
    entable_query_free(query);
}

/* Adds an operation to a group, or to a batch: the other one is NULL. */
static entable_error *add_operation(entable_group *group, entable_batch *batch, entable_table *table,
                                    const struct step *step) {
    const entable_str none = {NULL, 0};
    const struct keys to = named_keys(step, "to");
    const entable_str partition_key = step->keys ? str(&step->keys->partition_key) : none;
    const entable_str row_key = step->keys ? str(&step->keys->row_key) : none;
    const entable_str new_partition_key = str(&to.partition_key), new_row_key = str(&to.row_key);
    entable_query *query = NULL;
    entable_entity *entity = step->entity ? entity_of(step->entity) : NULL;
    const entable_condition condition = condition_of(step, &query);
    entable_error *error = NULL;
    if (is(&step->verb, "create_entity")) {
        error = group ? entable_group_create_entity(group, entity) : entable_batch_create_entity(batch, table, entity);
    } else if (is(&step->verb, "update_entity")) {
        const entable_update_mode mode = update_mode_of(&step->mode);
        error = group ? entable_group_update_entity(group, entity, mode, condition)
                      : entable_batch_update_entity(batch, table, entity, mode, condition);
    } else if (is(&step->verb, "upsert_entity")) {
        const entable_update_mode mode = update_mode_of(&step->mode);
        error = group ? entable_group_upsert_entity(group, entity, mode, condition)
                      : entable_batch_upsert_entity(batch, table, entity, mode, condition);
    } else if (is(&step->verb, "delete_entity")) {
        error = group ? entable_group_delete_entity(group, partition_key, row_key, condition)
                      : entable_batch_delete_entity(batch, table, partition_key, row_key, condition);
    } else if (is(&step->verb, "create_or_get_entity")) {
        error = group ? entable_group_create_or_get_entity(group, entity)
                      : entable_batch_create_or_get_entity(batch, table, entity);
    } else if (is(&step->verb, "move_entity")) {
        error = group ? entable_group_move_entity(group, partition_key, row_key, new_partition_key, new_row_key, condition)
                      : entable_batch_move_entity(batch, table, partition_key, row_key, new_partition_key, new_row_key,
                                                  condition);
    } else {
        give_up("the form has no operation", &step->verb);
    }
    entable_query_free(query);
    entable_entity_free(entity);
    return error;
}

static void submit_transaction(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_group *group = entable_group_new();
    entable_written *written = keep((step->operations_count + 1) * sizeof *written);
    for (size_t i = 0; i < step->operations_count; i++) {
        if (fails(add_operation(group, NULL, NULL, &step->operations[i]), outcome)) break;
    }
    size_t count = entable_group_count(group);
    if (!outcome->failed && !fails(entable_table_submit_transaction(table, group, written, count), outcome)) {
        outcome->has_written = true;
        for (size_t i = 0; i < count; i++) add_written(outcome, &written[i]);
    }
    entable_group_free(group);
}

static void submit_batch(struct state *state, const struct step *step, struct outcome *outcome) {
    entable_batch *batch = entable_batch_new();
    entable_written *written = keep((step->operations_count + 1) * sizeof *written);
    for (size_t i = 0; i < step->operations_count && !outcome->failed; i++) {
        entable_table *table = NULL;
        if (!fails(table_of(state, &step->operations[i], &table), outcome)) {
            fails(add_operation(NULL, batch, table, &step->operations[i]), outcome);
        }
        entable_table_free(table);
    }
    size_t count = entable_batch_count(batch);
    if (!outcome->failed && !fails(entable_store_submit_batch(state->store, batch, written, count), outcome)) {
        outcome->has_written = true;
        for (size_t i = 0; i < count; i++) add_written(outcome, &written[i]);
    }
    entable_batch_free(batch);
}

static void parse_entity(struct state *state, const struct step *step, struct outcome *outcome) {
    entable_entity *entity = NULL;
    if (!fails(entable_entity_from_json(str(&step->json), state->mode, &entity), outcome)) add_entity(outcome, entity);
    entable_entity_free(entity);
}

static void entity_size(const struct step *step, struct outcome *outcome) {
    entable_entity *entity = entity_of(step->entity);
    outcome->has_number = true;
    outcome->number = entable_entity_size(entity);
    entable_entity_free(entity);
}

static int64_t clock_of(void *now) {
    return *(int64_t *)now;
}

/* Only a store gives an entity its Timestamp: one whose clock stands there. */
static entable_entity *stored_at(int64_t ticks, entable_entity *entity) {
    entable_store *store = NULL;
    entable_table *table = NULL;
    entable_entity *read = NULL;
    entable_options *options = entable_options_new();
    must(entable_options_set_mode(options, ENTABLE_MODE_EXTENDED));
    must(entable_options_set_clock(options, clock_of, &ticks));
    must(entable_store_open(ENTABLE_STR(":memory:"), options, &store));
    must(entable_store_create_table(store, ENTABLE_STR("vectors"), &table));
    must(entable_table_create_entity(table, entity, NULL));
    entable_str partition_key = entable_entity_partition_key(entity), row_key = entable_entity_row_key(entity);
    must(entable_table_get_entity(table, partition_key, row_key, &read));
    entable_entity_free(entity);
    entable_table_free(table);
    entable_store_free(store);
    entable_options_free(options);
    return read;
}

static void format_entity(const struct step *step, struct outcome *outcome) {
    entable_entity *entity = entity_of(step->entity);
    entable_text *json = NULL;
    entable_metadata metadata = ENTABLE_METADATA_MINIMAL;
    if (step->entity->timestamp.data) entity = stored_at(strtoll(step->entity->timestamp.data, NULL, 10), entity);
    if (is(&step->metadata, "none")) {
        metadata = ENTABLE_METADATA_NONE;
    } else if (is(&step->metadata, "full")) {
        metadata = ENTABLE_METADATA_FULL;
    } else if (!is(&step->metadata, "minimal")) {
        give_up("no level of metadata", &step->metadata);
    }
    if (!fails(entable_entity_to_json(entity, metadata, names_of(step), step->select_count, &json), outcome)) {
        outcome->json = copy(entable_text_view(json));
    }
    entable_text_free(json);
    entable_entity_free(entity);
}

static void snapshot(struct state *state, const struct step *step, struct outcome *outcome) {
    size_t at = state->snapshots_count;
    if (at == sizeof state->snapshots / sizeof *state->snapshots) give_up("too many snapshots", &step->save);
    if (fails(entable_store_snapshot(state->store, &state->snapshots[at]), outcome)) return;
    state->names[at] = step->save;
    state->snapshots_count++;
}

/* The toolkit of keys. */

static void add_text(struct outcome *outcome, entable_text *made) {
    outcome->texts = keep_one_more(outcome->texts, outcome->texts_count, sizeof *outcome->texts);
    outcome->texts[outcome->texts_count++] = copy(entable_text_view(made));
    entable_text_free(made);
}

/* A call of the toolkit that gives a text; false if it is none of these. */
static bool makes_text(const struct step *step, const entable_value *given, struct outcome *outcome) {
    entable_str texts[8];
    entable_text *made = NULL, *end = NULL;
    entable_error *error = NULL;
    const struct text *call = &step->call;
    const entable_str text = given[0].as.string;
    const size_t count = step->arguments_count;
    bool has_end = false;
    for (size_t i = 0; i < count && i < 8; i++) texts[i] = given[i].as.string;
    if (is(call, "compose")) error = entable_keys_compose(texts, count, &made);
    else if (is(call, "compose_prefix")) error = entable_keys_compose_prefix(texts, count, &made);
    else if (is(call, "safe")) error = entable_keys_safe(text, &made);
    else if (is(call, "safe_from")) error = entable_keys_safe_from(text, &made);
    else if (is(call, "bytes")) error = entable_keys_bytes(given[0].as.binary, &made);
    else if (is(call, "base64_text")) error = entable_keys_base64_text(text, &made);
    else if (is(call, "text_from_base64")) error = entable_keys_text_from_base64(text, &made);
    else if (is(call, "padded")) error = entable_keys_padded((uint64_t)given[0].as.int32, (size_t)given[1].as.int32, &made);
    else if (is(call, "integer")) {
        const bool is_short = given[0].type == ENTABLE_TYPE_INT32;
        error = entable_keys_integer(is_short ? given[0].as.int32 : given[0].as.int64, &made);
    } else if (is(call, "double")) error = entable_keys_double(given[0].as.number, &made);
    else if (is(call, "ticks")) error = entable_keys_ticks(given[0].as.ticks, &made);
    else if (is(call, "descending_ticks")) error = entable_keys_descending_ticks(given[0].as.ticks, &made);
    else if (is(call, "compact_date")) error = entable_keys_compact_date(given[0].as.ticks, &made);
    else if (is(call, "prefix_filter")) error = entable_keys_prefix_filter(text, given[1].as.string, &made);
    else if (is(call, "fold_case")) error = entable_keys_fold_case(text, &made);
    else if (is(call, "prefix_range")) {
        error = entable_keys_prefix_range(text, &made, &end);
        has_end = true;
    } else return false;
    if (!fails(error, outcome)) {
        outcome->has_texts = true;
        add_text(outcome, made);
        if (has_end) add_text(outcome, end);
    }
    return true;
}

static void key(const struct step *step, struct outcome *outcome) {
    const struct text *call = &step->call;
    entable_value *given = keep((step->arguments_count + 2) * sizeof *given);
    entable_value value = entable_value_int64(0);
    entable_error *error = NULL;
    given[0] = given[1] = entable_value_string(ENTABLE_STR(""));
    for (size_t i = 0; i < step->arguments_count; i++) given[i] = value_of(&step->arguments[i]);
    if (makes_text(step, given, outcome)) return;
    const entable_str text = given[0].as.string;
    if (is(call, "split")) {
        entable_texts *parts = NULL;
        if (fails(entable_keys_split(text, &parts), outcome)) return;
        outcome->has_texts = true;
        outcome->texts_count = entable_texts_count(parts);
        outcome->texts = keep((outcome->texts_count + 1) * sizeof *outcome->texts);
        for (size_t i = 0; i < outcome->texts_count; i++) outcome->texts[i] = copy(entable_texts_at(parts, i));
        entable_texts_free(parts);
        return;
    }
    if (is(call, "integer_from")) error = entable_keys_integer_from(text, &value.as.int64);
    else if (is(call, "double_from")) {
        double number = 0;
        error = entable_keys_double_from(text, &number);
        value = entable_value_double(number);
    } else if (is(call, "ticks_from") || is(call, "descending_ticks_from")) {
        int64_t ticks = 0;
        error = is(call, "ticks_from") ? entable_keys_ticks_from(text, &ticks)
                                       : entable_keys_descending_ticks_from(text, &ticks);
        value = entable_value_datetime(ticks);
    } else if (is(call, "bytes_from")) {
        size_t length = 0;
        uint8_t *bytes = keep(text.length + 1);
        error = entable_keys_bytes_from(text, bytes, text.length, &length);
        value = entable_value_binary(bytes, length);
    } else if (is(call, "shard")) {
        uint32_t shard = 0;
        error = entable_keys_shard(text, (uint32_t)given[1].as.int32, &shard);
        value = entable_value_int64(shard);
    } else give_up("the toolkit has no call", call);
    if (fails(error, outcome)) return;
    outcome->has_value = true;
    outcome->value.type = (int)value.type;
    outcome->value.value = spelled(value);
}

typedef void table_verb(entable_table *, const struct step *, struct outcome *);

#include "vector_patterns.h"

#include "vector_feeds.h"

#include "vector_relations.h"

static const struct {
    const char *name;
    table_verb *run;
} table_verbs[] = {
    {"create_entity", write_entity},   {"update_entity", write_entity},   {"upsert_entity", write_entity},
    {"delete_entity", write_entity},   {"get_entity", get_entity},        {"get_many", get_many},
    {"exists", exists},                {"query_entities", query_entities}, {"query_page", query_page},
    {"submit_transaction", submit_transaction}, {"create_or_get_entity", create_or_get_entity},
    {"move_entity", write_entity},
};

static bool on_table(struct state *state, const struct step *step, struct outcome *outcome) {
    for (size_t i = 0; i < sizeof table_verbs / sizeof *table_verbs; i++) {
        entable_table *table = NULL;
        if (!is(&step->verb, table_verbs[i].name)) continue;
        if (!fails(table_of(state, step, &table), outcome)) table_verbs[i].run(table, step, outcome);
        entable_table_free(table);
        return true;
    }
    return false;
}

static void run(void *context, const struct step *step, struct outcome *outcome) {
    struct state *state = context;
    if (on_table(state, step, outcome) || on_feed(state, step, outcome) || on_relation(state, step, outcome)) return;
    if (is(&step->verb, "submit_batch")) {
        submit_batch(state, step, outcome);
    } else if (is(&step->verb, "parse_entity")) {
        parse_entity(state, step, outcome);
    } else if (is(&step->verb, "format_entity")) {
        format_entity(step, outcome);
    } else if (is(&step->verb, "entity_size")) {
        entity_size(step, outcome);
    } else if (is(&step->verb, "key")) {
        key(step, outcome);
    } else if (is(&step->verb, "pattern_changes")) {
        pattern_changes(step, outcome);
    } else if (is(&step->verb, "pattern_lookup")) {
        pattern_lookup(step, outcome);
    } else if (is(&step->verb, "pattern_rows")) {
        pattern_rows(step, outcome);
    } else if (is(&step->verb, "snapshot")) {
        snapshot(state, step, outcome);
    } else if (is(&step->verb, "set_clock")) {
        state->now = strtoll(step->now.data, NULL, 10);
    } else if (is(&step->verb, "create_table") || is(&step->verb, "create_table_if_not_exists") ||
               is(&step->verb, "delete_table") || is(&step->verb, "list_tables") || is(&step->verb, "query_tables")) {
        on_tables(state, step, outcome);
    } else {
        give_up("the form has no verb", &step->verb);
    }
}

static void *begin(const struct text *mode, const struct text *now) {
    struct state *state = calloc(1, sizeof *state);
    entable_options *options = entable_options_new();
    if (!state) give_up("out of memory", NULL);
    state->mode = mode_of(mode);
    must(entable_options_set_mode(options, state->mode));
    if (now->data) {
        state->now = strtoll(now->data, NULL, 10);
        must(entable_options_set_clock(options, clock_of, &state->now));
    }
    must(entable_store_open(ENTABLE_STR(":memory:"), options, &state->store));
    must(entable_store_create_table(state->store, ENTABLE_STR("vectors"), NULL));
    entable_options_free(options);
    return state;
}

static void end(void *context) {
    struct state *state = context;
    for (size_t i = 0; i < state->snapshots_count; i++) entable_snapshot_free(state->snapshots[i]);
    entable_store_free(state->store);
    free(state);
}

int main(int count, char **arguments) {
    static const struct runner runner = {"c", missing, begin, run, end};
    FILE *lines = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!lines) {
        fprintf(stderr, "usage: vectors FILE, as `vector_lines c` writes it\n");
        return 2;
    }
    int failed = run_vectors(lines, &runner);
    fclose(lines);
    return failed;
}
