/* The published patterns through the C API: a part of vectors.c, which has what it calls. */

#ifndef VECTOR_PATTERNS_H
#define VECTOR_PATTERNS_H

static void put_text(struct outcome *outcome, struct text text) {
    outcome->has_texts = true;
    outcome->texts = keep_one_more(outcome->texts, outcome->texts_count, sizeof *outcome->texts);
    outcome->texts[outcome->texts_count++] = text;
}

/* The place of a name in a list that ends with NULL, from 0. */
static uint32_t place_of(const struct text *name, const char *const *names) {
    for (uint32_t i = 0; names[i]; i++) {
        if (is(name, names[i])) return i;
    }
    give_up("no such name", name);
    return 0;
}

static entable_str member_of(const struct step *step, const char *const *names) {
    struct text found = {NULL, 0};
    for (size_t i = 0; names[i]; i++) {
        if (!found.data) found = pattern_member(step, names[i]);
    }
    return str(&found);
}

static entable_pattern *pattern_of(const struct step *step) {
    static const char *const kinds[] = {"SecondaryIndex", "IndexEntities", "IndexTable",  "UniqueGuard", "FoldedKey",
                                        "LogTail",        "DataSeries",    "WideEntity",  "CompoundKey", "DistinctList",
                                        NULL};
    static const char *const forms[] = {"", "folded", "safe", "base64", "newest_first", NULL};
    static const char *const holdings[] = {"normalized", "full", "partial", NULL};
    static const char *const periods[] = {"year", "month", "day", "hour", NULL};
    static const char *const kept_in[] = {"copies", "lists", "entries", "guards", NULL};
    static const char *const partition[] = {"partition", "partition_prefix", NULL};
    static const char *const property[] = {"property", "list_property", NULL};
    const struct text kind = pattern_member(step, "name"), table = pattern_member(step, "table");
    const struct text prefix = pattern_member(step, "prefix"), row_prefix = pattern_member(step, "row_prefix");
    const struct text folded = pattern_member(step, "folded"), separator = pattern_member(step, "separator");
    const struct text holding = pattern_member(step, "holding"), period = pattern_member(step, "period");
    const struct text shards = pattern_member(step, "shards");
    entable_pattern *pattern = NULL;
    entable_pattern_definition definition;
    entable_pattern_field *fields = keep((step->pattern_fields_count + 1) * sizeof *fields);
    entable_str *select = keep((step->pattern_select_count + 1) * sizeof *select);
    memset(&definition, 0, sizeof definition);
    definition.kind = (entable_pattern_kind)(place_of(&kind, kinds) + 1);
    definition.table = str(&table);
    definition.kept_in = member_of(step, kept_in);
    definition.prefix = str(&prefix);
    definition.row_prefix = str(&row_prefix);
    definition.partition = member_of(step, partition);
    definition.property = member_of(step, property);
    definition.folded = str(&folded);
    definition.separator = str(&separator);
    for (size_t i = 0; i < step->pattern_fields_count; i++) {
        const struct pattern_field *field = &step->pattern_fields[i];
        fields[i].name = str(&field->name);
        fields[i].form = (entable_field_form)place_of(&field->form, forms);
        fields[i].padded = (size_t)strtoul(field->padded.data, NULL, 10);
        fields[i].each = str(&field->each);
    }
    definition.fields = fields;
    definition.fields_count = step->pattern_fields_count;
    for (size_t i = 0; i < step->pattern_select_count; i++) select[i] = str(&step->pattern_select[i]);
    if (step->pattern_select) definition.select = select;
    definition.select_count = step->pattern_select_count;
    if (holding.data) definition.holding = (entable_holding)place_of(&holding, holdings);
    if (period.data) definition.period = (entable_period)(place_of(&period, periods) + 1);
    if (shards.data) definition.shards = (uint32_t)strtoul(shards.data, NULL, 10);
    definition.composed = pattern_member(step, "composed").data != NULL;
    definition.by_both_keys = pattern_member(step, "by_both_keys").data != NULL;
    definition.both_orders = pattern_member(step, "both_orders").data != NULL;
    must(entable_pattern_new(&definition, &pattern));
    return pattern;
}

static const entable_entity **stored_of(const struct step *step) {
    const entable_entity **stored = keep((step->stored_count + 1) * sizeof *stored);
    for (size_t i = 0; i < step->stored_count; i++) stored[i] = entity_of(&step->stored[i]);
    return stored;
}

static void free_stored(const struct step *step, const entable_entity **stored) {
    for (size_t i = 0; i < step->stored_count; i++) entable_entity_free((entable_entity *)(uintptr_t)stored[i]);
}

static void add_operations(struct outcome *outcome, const entable_group *group) {
    static const char *const verbs[] = {"", "create_entity", "update_entity", "upsert_entity", "delete_entity"};
    static const char *const modes[] = {"", " merge", " replace"};
    for (size_t i = 0; i < entable_group_count(group); i++) {
        entable_operation operation;
        entable_entity *entity = NULL;
        char verb[32];
        must(entable_group_at(group, i, &operation, &entity));
        snprintf(verb, sizeof verb, "%s%s", verbs[operation.kind], modes[operation.mode]);
        put_text(outcome, keep_text(verb, strlen(verb)));
        add_entity(outcome, entity);
        entable_entity_free(entity);
    }
}

static void pattern_changes(const struct step *step, struct outcome *outcome) {
    entable_pattern *pattern = pattern_of(step);
    const entable_entity **stored = stored_of(step);
    entable_entity *former = step->former ? entity_of(step->former) : NULL;
    entable_entity *new_row = step->new_row ? entity_of(step->new_row) : NULL;
    entable_changes *changes = NULL;
    if (!fails(entable_pattern_changes(pattern, former, new_row, stored, step->stored_count, &changes), outcome)) {
        outcome->has_entities = true;
        for (size_t i = 0; i < entable_changes_count(changes); i++) {
            entable_group *group = NULL;
            put_text(outcome, copy(entable_changes_table(changes, i)));
            if (!fails(entable_changes_group(changes, i, &group), outcome)) add_operations(outcome, group);
            entable_group_free(group);
        }
    }
    entable_changes_free(changes);
    entable_entity_free(new_row);
    entable_entity_free(former);
    free_stored(step, stored);
    entable_pattern_free(pattern);
}

static void pattern_lookup(const struct step *step, struct outcome *outcome) {
    static const char *const calls[] = {"find",     "starting_with", "between", "list",       "latest",
                                        "earliest", "next_value",    "below",   "with_below", NULL};
    const struct text name = pattern_member(step, "name");
    const size_t first = !is(&name, "IndexTable");
    const entable_lookup_kind kind = (entable_lookup_kind)(place_of(&step->call, calls) + 1);
    entable_str partition_key = {NULL, 0};
    entable_pattern *pattern = pattern_of(step);
    entable_lookup *lookup = NULL;
    entable_value *values = keep((step->arguments_count + 1) * sizeof *values);
    char text[32] = "";
    uint64_t limit = 0;
    for (size_t i = 0; i < step->arguments_count; i++) values[i] = value_of(&step->arguments[i]);
    if (first) partition_key = values[0].as.string;
    if (!fails(entable_pattern_lookup(pattern, kind, partition_key, values + first, step->arguments_count - first,
                                      &lookup),
               outcome)) {
        entable_query *query = NULL;
        must(entable_lookup_query(lookup, &query));
        entable_query_free(query);
        if (entable_lookup_limit(lookup, &limit)) snprintf(text, sizeof text, "%llu", (unsigned long long)limit);
        put_text(outcome, copy(entable_lookup_table(lookup)));
        put_text(outcome, copy(entable_lookup_filter(lookup)));
        put_text(outcome, keep_text(text, strlen(text)));
    }
    entable_lookup_free(lookup);
    entable_pattern_free(pattern);
}

static void pattern_rows(const struct step *step, struct outcome *outcome) {
    entable_pattern *pattern = pattern_of(step);
    const entable_entity **stored = stored_of(step);
    entable_str partition_key = {NULL, 0};
    entable_key_list *keys = NULL;
    if (step->arguments_count) partition_key = str(&step->arguments[0].value);
    if (!fails(entable_pattern_rows(pattern, partition_key, stored, step->stored_count, &keys), outcome)) {
        const entable_keys *all = entable_key_list_data(keys);
        for (size_t i = 0; i < entable_key_list_count(keys); i++) {
            put_text(outcome, copy(all[i].partition_key));
            put_text(outcome, copy(all[i].row_key));
        }
        put_text(outcome, keep_text("end", 3));
    }
    entable_key_list_free(keys);
    free_stored(step, stored);
    entable_pattern_free(pattern);
}

#endif
