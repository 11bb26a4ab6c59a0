/* Change feeds and their consumers through the C API: a part of vectors.c, which has what it calls. */

#ifndef VECTOR_FEEDS_H
#define VECTOR_FEEDS_H

static const char *const contents[] = {"after", "keys", "before_and_after", NULL};

static entable_feed feed_of(const struct step *step) {
    const struct text content = named(step, "feed_content"), kept = named(step, "feed_keep_until_consumed");
    entable_feed feed;
    memset(&feed, 0, sizeof feed);
    if (content.data) feed.content = (entable_feed_content)place_of(&content, contents);
    feed.keep_for_ns = named_number(step, "feed_keep_for_ms") * 1000000;
    feed.keep_changes = named_number(step, "feed_keep_changes");
    feed.keep_until_consumed = kept.data && is(&kept, "true");
    return feed;
}

/* The text of a step's position: of the feed as it is, one that was saved, or as it stands; false if the feed fails. */
static bool find_position(entable_table *table, const struct step *step, struct outcome *outcome, struct text *found) {
    const struct text of_feed = named(step, "position_of_feed"), name = named(step, "saved_position");
    *found = name.data ? saved(&name) : named(step, "position");
    if (of_feed.data) {
        entable_feed_info *info = NULL;
        entable_feed_state state;
        if (fails(entable_table_feed(table, &info), outcome)) return false;
        entable_feed_info_state(info, &state);
        *found = copy(is(&of_feed, "begin") ? state.begin : state.end);
        entable_feed_info_free(info);
    }
    return true;
}

static void tell_feed(const entable_feed_info *info, struct outcome *outcome) {
    entable_feed_state state;
    entable_consumer_state consumer;
    struct text none = {NULL, 0}, consumers = keep_text("", 0);
    entable_feed_info_state(info, &state);
    const entable_feed *settings = &state.settings;
#define TELL(name, value) add_fact(&outcome->feed, &outcome->feed_count, name, value)
    TELL("content", keep_text(contents[settings->content], strlen(contents[settings->content])));
    TELL("keep_for_ms", settings->keep_for_ns ? spelled_integer((int64_t)(settings->keep_for_ns / 1000000)) : none);
    TELL("keep_changes", settings->keep_changes ? spelled_integer((int64_t)settings->keep_changes) : none);
    TELL("keep_until_consumed", settings->keep_until_consumed ? keep_text("true", 4) : keep_text("false", 5));
    TELL("changes", spelled_integer((int64_t)state.changes));
    for (size_t i = 0; entable_feed_info_consumer(info, i, &consumer); i++) {
        char *line = keep(consumers.length + consumer.name.length + 64);
        int length = snprintf(line, consumers.length + consumer.name.length + 64, "%s%.*s %llu %s\n", consumers.data,
                              (int)consumer.name.length, consumer.name.data, (unsigned long long)consumer.changes_behind,
                              consumer.has_missed ? "true" : "false");
        consumers = keep_text(line, (size_t)length);
    }
    TELL("consumers", consumers);
#undef TELL
    outcome->feed_position = copy(state.end);
}

static void add_change(const entable_change *told, struct outcome *outcome) {
    static const char *const kinds[] = {"none", "created", "changed", "deleted"};
    struct change change;
    struct text none = {NULL, 0};
    memset(&change, 0, sizeof change);
#define TELL(name, value) add_fact(&change.facts, &change.facts_count, name, value)
    TELL("commit", spelled_integer((int64_t)told->commit));
    TELL("position", spelled_integer((int64_t)told->position));
    TELL("kind", keep_text(kinds[told->kind], strlen(kinds[told->kind])));
    TELL("partition_key", copy(told->partition_key));
    TELL("row_key", copy(told->row_key));
    TELL("timestamp", spelled_integer(told->timestamp_ticks));
    TELL("former_timestamp", told->former_timestamp_ticks ? spelled_integer(told->former_timestamp_ticks) : none);
    TELL("committed", spelled_integer(told->committed_ticks));
    TELL("etag", copy(told->etag));
    TELL("former_etag", copy(told->former_etag));
#undef TELL
    if (told->entity) {
        change.entity = keep(sizeof *change.entity);
        *change.entity = seen(told->entity);
    }
    if (told->former) {
        change.former = keep(sizeof *change.former);
        *change.former = seen(told->former);
    }
    outcome->has_changes = true;
    outcome->changes = keep_one_more(outcome->changes, outcome->changes_count, sizeof *outcome->changes);
    outcome->changes[outcome->changes_count++] = change;
}

/* Whether the step saves the position behind the change of this number. */
static bool saves_change(const struct step *step, size_t number) {
    return named(step, "save_change").data && named_number(step, "save_change") == number;
}

static void tell_page(const entable_change_page *page, const struct step *step, struct outcome *outcome) {
    entable_change change;
    outcome->has_changes = outcome->has_more = true;
    outcome->more = entable_change_page_has_more(page);
    outcome->feed_position = copy(entable_change_page_position(page));
    for (size_t i = 0; entable_change_page_at(page, i, &change); i++) {
        add_change(&change, outcome);
        if (saves_change(step, i)) outcome->feed_position = copy(change.behind);
    }
    if (outcome->changes_count != entable_change_page_count(page)) give_up("another number of changes", &step->verb);
}

static void read_changes(entable_table *table, const struct step *step, struct outcome *outcome) {
    struct text position;
    entable_change_page *page = NULL;
    if (!find_position(table, step, outcome, &position)) return;
    const size_t most = (size_t)named_number(step, "most");
    if (!fails(entable_table_read_changes(table, str(&position), most, &page), outcome)) tell_page(page, step, outcome);
    entable_change_page_free(page);
}

static void changes(entable_table *table, const struct step *step, struct outcome *outcome) {
    struct text position;
    entable_change change;
    entable_feed_changes *found = NULL;
    if (!find_position(table, step, outcome, &position)) return;
    if (fails(entable_table_changes(table, str(&position), &found), outcome)) return;
    outcome->has_changes = true;
    while (!fails(entable_feed_changes_next(found, &change), outcome) && change.kind != ENTABLE_CHANGE_NONE) {
        if (saves_change(step, outcome->changes_count)) outcome->feed_position = copy(change.behind);
        add_change(&change, outcome);
    }
    entable_feed_changes_free(found);
}

static void wait_for_changes(entable_table *table, const struct step *step, struct outcome *outcome) {
    struct text position;
    if (!find_position(table, step, outcome, &position)) return;
    const uint64_t timeout = named_number(step, "timeout_ms");
    outcome->has_flag =
        !fails(entable_table_wait_for_changes(table, str(&position), timeout, &outcome->flag), outcome);
}

static void feed(entable_table *table, const struct step *step, struct outcome *outcome) {
    entable_feed_info *info = NULL;
    (void)step;
    if (!fails(entable_table_feed(table, &info), outcome)) tell_feed(info, outcome);
    entable_feed_info_free(info);
}

static void change_feed(entable_table *table, const struct step *step, struct outcome *outcome) {
    const entable_feed settings = feed_of(step);
    if (is(&step->verb, "set_feed")) {
        fails(entable_table_set_feed(table, &settings), outcome);
    } else if (is(&step->verb, "drop_feed")) {
        fails(entable_table_drop_feed(table), outcome);
    } else {
        outcome->has_number = !fails(entable_table_trim_feed(table, &outcome->number), outcome);
    }
}

static void create_consumer(entable_table *table, const struct step *step, struct outcome *outcome) {
    const struct text name = named(step, "consumer"), start = named(step, "start");
    struct text position = {NULL, 0};
    entable_feed_start from = is(&start, "now") ? ENTABLE_FEED_START_NOW : ENTABLE_FEED_START_BEGINNING;
    if (is(&start, "at")) {
        from = ENTABLE_FEED_START_AT;
        if (!find_position(table, step, outcome, &position)) return;
    }
    fails(entable_table_create_consumer(table, str(&name), from, str(&position), NULL), outcome);
}

static void on_consumer(entable_table *table, const struct step *step, struct outcome *outcome) {
    const struct text name = named(step, "consumer");
    struct text position = {NULL, 0};
    entable_consumer *consumer = NULL;
    entable_change_page *page = NULL;
    entable_text *text = NULL;
    if (is(&step->verb, "drop_consumer")) {
        fails(entable_table_drop_consumer(table, str(&name)), outcome);
        return;
    }
    must(entable_table_consumer(table, str(&name), &consumer));
    if (is(&step->verb, "consumer_position")) {
        if (!fails(entable_consumer_position(consumer, &text), outcome)) {
            outcome->feed_position = copy(entable_text_view(text));
        }
    } else if (is(&step->verb, "consumer_read")) {
        if (!fails(entable_consumer_read(consumer, (size_t)named_number(step, "most"), &page), outcome)) {
            tell_page(page, step, outcome);
        }
    } else if (is(&step->verb, "consumer_wait")) {
        const uint64_t timeout = named_number(step, "timeout_ms");
        outcome->has_flag = !fails(entable_consumer_wait(consumer, timeout, &outcome->flag), outcome);
    } else if (find_position(table, step, outcome, &position)) {
        fails(is(&step->verb, "consumer_seek") ? entable_consumer_seek(consumer, str(&position))
                                               : entable_consumer_advance(consumer, str(&position)),
              outcome);
    }
    entable_text_free(text);
    entable_change_page_free(page);
    entable_consumer_free(consumer);
}

static const struct {
    const char *name;
    table_verb *run;
} feed_verbs[] = {
    {"set_feed", change_feed},        {"drop_feed", change_feed},    {"trim_feed", change_feed},
    {"feed", feed},                   {"read_changes", read_changes}, {"changes", changes},
    {"wait_for_changes", wait_for_changes}, {"create_consumer", create_consumer}, {"drop_consumer", on_consumer},
    {"consumer_position", on_consumer}, {"consumer_read", on_consumer}, {"consumer_wait", on_consumer},
    {"consumer_advance", on_consumer}, {"consumer_seek", on_consumer},
};

/* False for a verb that is not one of feeds. */
static bool on_feed(struct state *state, const struct step *step, struct outcome *outcome) {
    if (is(&step->verb, "create_table_with_feed")) {
        const entable_feed settings = feed_of(step);
        fails(entable_store_create_table_with_feed(state->store, str(&step->table), &settings, NULL), outcome);
        return true;
    }
    for (size_t i = 0; i < sizeof feed_verbs / sizeof *feed_verbs; i++) {
        entable_table *table = NULL;
        if (!is(&step->verb, feed_verbs[i].name)) continue;
        if (!fails(table_of(state, step, &table), outcome)) feed_verbs[i].run(table, step, outcome);
        entable_table_free(table);
        return true;
    }
    return false;
}

#endif
