/* Reading the lines of feeds and relations: a part of vector_case.c, which has what it calls. */

#ifndef VECTOR_FOLLOW_H
#define VECTOR_FOLLOW_H

struct text named(const struct step *step, const char *name) {
    struct text none = {NULL, 0};
    for (size_t i = 0; i < step->named_count; i++) {
        if (is(&step->named[i].name, name)) return step->named[i].value;
    }
    return none;
}

uint64_t named_number(const struct step *step, const char *name) {
    struct text text = named(step, name);
    return text.data ? number(&text) : 0;
}

struct keys named_keys(const struct step *step, const char *name) {
    char member[64];
    struct keys keys;
    snprintf(member, sizeof member, "%s_partition_key", name);
    keys.partition_key = named(step, member);
    snprintf(member, sizeof member, "%s_row_key", name);
    keys.row_key = named(step, member);
    return keys;
}

void add_fact(struct property **facts, size_t *count, const char *name, struct text value) {
    struct property *fact = ADD(*facts, *count);
    memset(fact, 0, sizeof *fact);
    fact->name = keep_text(name, strlen(name));
    fact->value = value;
}

/* A name, and a value that may be none. */
static struct property read_fact(const struct line *line) {
    struct property fact;
    memset(&fact, 0, sizeof fact);
    fact.name = field(line, 0);
    if (line->count > 1) fact.value = field(line, 1);
    return fact;
}

static bool read_followed(const struct line *line, struct place *at) {
    const struct text *word = &line->word;
    struct step *step = at->step;
    struct change *change = step->changes_count ? &step->changes[step->changes_count - 1] : NULL;
    if (is(word, "with")) {
        *ADD(at->call->named, at->call->named_count) = read_fact(line);
    } else if (is(word, "want_feed")) {
        *ADD(step->feed, step->feed_count) = read_fact(line);
    } else if (is(word, "want_commits")) {
        step->wants_commits = true;
        step->commits = line->fields;
        step->commits_count = line->count;
    } else if (is(word, "want_position")) {
        step->wants_position = field(line, 0);
    } else if (is(word, "want_changes")) {
        step->wants_changes = true;
    } else if (is(word, "want_change")) {
        memset(ADD(step->changes, step->changes_count), 0, sizeof *step->changes);
    } else if (!change) {
        return false;
    } else if (is(word, "change_is")) {
        *ADD(change->facts, change->facts_count) = read_fact(line);
    } else if (is(word, "change_saved")) {
        struct property fact = read_fact(line);
        fact.type = -1; /* the value is what was saved under this name */
        *ADD(change->facts, change->facts_count) = fact;
    } else if (is(word, "change_entity")) {
        change->names_entity = true;
        at->entity = change->entity = read_entity(line, keep(sizeof *change->entity));
    } else if (is(word, "change_former")) {
        change->names_former = true;
        at->entity = change->former = read_entity(line, keep(sizeof *change->former));
    } else if (is(word, "change_without")) {
        struct text which = field(line, 0);
        if (is(&which, "entity")) change->names_entity = true;
        else change->names_former = true;
    } else {
        return false;
    }
    return true;
}

#endif
