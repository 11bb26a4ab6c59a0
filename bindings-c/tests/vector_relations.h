/* Relations and tables of pairs through the C API: a part of vectors.c, which has what it calls. */

#ifndef VECTOR_RELATIONS_H
#define VECTOR_RELATIONS_H

static const char *const on_deletes[] = {"refuse", "cascade", NULL};

static entable_on_delete on_delete_of(struct text name) {
    return name.data ? (entable_on_delete)place_of(&name, on_deletes) : ENTABLE_ON_DELETE_REFUSE;
}

static void put_view(struct outcome *outcome, entable_str view) {
    put_text(outcome, copy(view));
}

static void create_relation(struct state *state, const struct step *step, struct outcome *outcome) {
    const struct text name = named(step, "relation_name"), child = named(step, "relation_child");
    const struct text parent = named(step, "relation_parent");
    const struct keys keys = named_keys(step, "relation_keys");
    entable_relation relation;
    relation.name = str(&name), relation.child = str(&child), relation.parent = str(&parent);
    relation.partition_key = str(&keys.partition_key), relation.row_key = str(&keys.row_key);
    relation.on_delete = on_delete_of(named(step, "relation_on_delete"));
    fails(entable_store_create_relation(state->store, &relation), outcome);
}

static void relations(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_relations *found = NULL;
    entable_relation relation;
    (void)step;
    if (fails(entable_table_relations(table, &found), outcome)) return;
    for (size_t i = 0; entable_relations_at(found, i, &relation); i++) {
        put_view(outcome, relation.name);
        put_view(outcome, relation.child);
        put_view(outcome, relation.parent);
        put_view(outcome, relation.partition_key);
        put_view(outcome, relation.row_key);
        put_view(outcome, entable_str_of(on_deletes[relation.on_delete]));
    }
    if (outcome->texts_count != 6 * entable_relations_count(found)) give_up("another number of relations", NULL);
    put_view(outcome, ENTABLE_STR("end"));
    entable_relations_free(found);
}

static void linked(entable_table *table, const struct step *step, struct outcome *outcome) {
    const struct text relation = named(step, "relation");
    const entable_str partition_key = str(&step->keys->partition_key), row_key = str(&step->keys->row_key);
    entable_query *query = NULL;
    entable_pages *pages = NULL;
    entable_page *page = NULL;
    entable_entities *entities = NULL;
    const entable_entity *entity = NULL;
    size_t count = 0;
    if (fails(entable_table_linked_query(table, str(&relation), partition_key, row_key, &query), outcome)) return;
    if (step->has_page_size) must(entable_query_set_page_size(query, (size_t)step->page_size));
    if (!fails(entable_table_query_pages(table, query, &pages), outcome)) {
        outcome->has_pages = outcome->has_entities = true;
        while (!fails(entable_pages_next(pages, &page), outcome) && page) {
            add_page(outcome, page);
            entable_page_free(page);
        }
        /* One by one they are as many. */
        must(entable_table_linked(table, str(&relation), partition_key, row_key, &entities));
        for (must(entable_entities_next(entities, &entity)); entity; must(entable_entities_next(entities, &entity))) count++;
        if (count != outcome->entities_count) give_up("another number of children one by one", &relation);
    }
    entable_entities_free(entities);
    entable_pages_free(pages);
    entable_query_free(query);
}

static void parent_of(entable_table *table, const struct step *step, struct outcome *outcome) {
    const struct text relation = named(step, "relation");
    const entable_str partition_key = str(&step->keys->partition_key), row_key = str(&step->keys->row_key);
    entable_entity *parent = NULL;
    if (!fails(entable_table_parent_of(table, str(&relation), partition_key, row_key, &parent), outcome)) {
        add_entity(outcome, parent);
    }
    entable_entity_free(parent);
}

static void change_link(entable_table *table, const struct step *step, struct outcome *outcome) {
    const struct text relation = named(step, "relation");
    const struct keys parent = named_keys(step, "parent");
    const entable_str partition_key = str(&step->keys->partition_key), row_key = str(&step->keys->row_key);
    if (is(&step->verb, "link")) {
        fails(entable_table_link(table, str(&relation), partition_key, row_key, str(&parent.partition_key),
                                 str(&parent.row_key)),
              outcome);
    } else {
        outcome->has_flag =
            !fails(entable_table_unlink(table, str(&relation), partition_key, row_key, &outcome->flag), outcome);
    }
}

static void orphans(entable_table *table, const struct step *step, struct outcome *outcome) {
    const struct text relation = named(step, "relation"), repair = named(step, "repair");
    entable_orphans *found = NULL;
    entable_orphan orphan;
    if (is(&step->verb, "repair_orphans")) {
        const entable_repair how = is(&repair, "delete") ? ENTABLE_REPAIR_DELETE : ENTABLE_REPAIR_UNLINK;
        outcome->has_number = !fails(entable_table_repair_orphans(table, str(&relation), how, &outcome->number), outcome);
        return;
    }
    const size_t most = (size_t)named_number(step, "most");
    if (fails(entable_table_orphans(table, str(&relation), most, &found), outcome)) return;
    for (size_t i = 0; entable_orphans_at(found, i, &orphan); i++) {
        put_view(outcome, orphan.partition_key);
        put_view(outcome, orphan.row_key);
        put_view(outcome, orphan.target_partition_key);
        put_view(outcome, orphan.target_row_key);
    }
    if (outcome->texts_count != 4 * entable_orphans_count(found)) give_up("another number of orphans", &relation);
    put_view(outcome, ENTABLE_STR("end"));
    entable_orphans_free(found);
}

static void on_pair(entable_join *join, const struct step *step, struct outcome *outcome) {
    const struct keys left = named_keys(step, "left"), right = named_keys(step, "right");
    const entable_str left_partition_key = str(&left.partition_key), left_row_key = str(&left.row_key);
    const entable_str right_partition_key = str(&right.partition_key), right_row_key = str(&right.row_key);
    entable_error *error =
        is(&step->verb, "join_link")
            ? entable_join_link(join, left_partition_key, left_row_key, right_partition_key, right_row_key, &outcome->flag)
        : is(&step->verb, "join_unlink")
            ? entable_join_unlink(join, left_partition_key, left_row_key, right_partition_key, right_row_key,
                                  &outcome->flag)
            : entable_join_is_linked(join, left_partition_key, left_row_key, right_partition_key, right_row_key,
                                     &outcome->flag);
    outcome->has_flag = !fails(error, outcome);
}

static void on_side(entable_join *join, const struct step *step, struct outcome *outcome) {
    const bool asks_right = is(&step->verb, "join_rights");
    const struct keys of = named_keys(step, asks_right ? "left" : "right");
    struct text token = step->continuation == REFERENCE_SAVED ? saved(&step->token) : step->token;
    const size_t size = step->has_page_size ? (size_t)step->page_size : 1000;
    entable_page *page = NULL;
    entable_error *error =
        asks_right ? entable_join_rights(join, str(&of.partition_key), str(&of.row_key), size, str(&token), &page)
                   : entable_join_lefts(join, str(&of.partition_key), str(&of.row_key), size, str(&token), &page);
    if (!fails(error, outcome)) {
        add_page(outcome, page);
        outcome->is_page = true;
        outcome->token = copy(entable_page_continuation_token(page));
    }
    entable_page_free(page);
}

static bool on_join(struct state *state, const struct step *step, struct outcome *outcome) {
    const struct text left = named(step, "left"), right = named(step, "right");
    entable_join *join = NULL;
    if (is(&step->verb, "create_join")) {
        fails(entable_store_create_join(state->store, str(&step->table), str(&left), str(&right),
                                        on_delete_of(named(step, "on_delete")), NULL),
              outcome);
        return true;
    }
    const bool asks_side = is(&step->verb, "join_rights") || is(&step->verb, "join_lefts");
    const bool asks_pair = is(&step->verb, "join_link") || is(&step->verb, "join_unlink") || is(&step->verb, "join_is_linked");
    if (!asks_side && !asks_pair) return false;
    if (!fails(entable_store_join(state->store, str(&step->table), &join), outcome)) {
        asks_side ? on_side(join, step, outcome) : on_pair(join, step, outcome);
    }
    entable_join_free(join);
    return true;
}

static const struct {
    const char *name;
    table_verb *run;
} relation_verbs[] = {
    {"relations", relations}, {"linked", linked},   {"parent_of", parent_of},      {"link", change_link},
    {"unlink", change_link},  {"orphans", orphans}, {"repair_orphans", orphans},
};

/* False for a verb that is not one of relations. */
static bool on_relation(struct state *state, const struct step *step, struct outcome *outcome) {
    const struct text relation = named(step, "relation");
    if (is(&step->verb, "create_relation")) {
        create_relation(state, step, outcome);
        return true;
    }
    if (is(&step->verb, "drop_relation")) {
        fails(entable_store_drop_relation(state->store, str(&step->table), str(&relation)), outcome);
        return true;
    }
    for (size_t i = 0; i < sizeof relation_verbs / sizeof *relation_verbs; i++) {
        entable_table *table = NULL;
        if (!is(&step->verb, relation_verbs[i].name)) continue;
        if (!fails(table_of(state, step, &table), outcome)) relation_verbs[i].run(table, step, outcome);
        entable_table_free(table);
        return true;
    }
    return on_join(state, step, outcome);
}

#endif
