/* Comparing what steps of feeds and relations give: a part of vector_case.c, which has what it calls. */

#ifndef VECTOR_FOLLOWED_H
#define VECTOR_FOLLOWED_H

static const struct property *fact(const struct property *facts, size_t count, const struct text *name) {
    for (size_t i = 0; i < count; i++) {
        if (same(&facts[i].name, name)) return &facts[i];
    }
    return NULL;
}

/* Each fact that is expected is there, and the same. */
static const char *compare_facts(const struct property *found, size_t found_count, const struct property *expected,
                                 size_t expected_count) {
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < expected_count; i++) {
        const struct property *is_there = fact(found, found_count, &expected[i].name);
        struct text value = expected[i].type == -1 ? saved(&expected[i].value) : expected[i].value;
        if (!is_there) return differs("a fact is not told", &expected[i].name, &expected[i].name);
        wrong = compare_text(expected[i].name.data, &is_there->value, &value);
    }
    return wrong;
}

static const char *compare_state(const struct entity *found, const struct entity *expected) {
    if (!found || !expected) return !found && !expected ? NULL : "an entity of a change is, or is not there";
    return compare_entity(found, expected);
}

static const char *compare_changes(const struct step *step, const struct outcome *outcome) {
    const char *wrong = NULL;
    struct text wanted = spelled_integer((int64_t)step->changes_count);
    wrong = compare_number("number of changes", outcome->has_changes, outcome->changes_count, &wanted);
    for (size_t i = 0; !wrong && i < step->changes_count; i++) {
        const struct change *found = &outcome->changes[i], *expected = &step->changes[i];
        wrong = compare_facts(found->facts, found->facts_count, expected->facts, expected->facts_count);
        if (!wrong && expected->names_entity) wrong = compare_state(found->entity, expected->entity);
        if (!wrong && expected->names_former) wrong = compare_state(found->former, expected->former);
    }
    return wrong;
}

/* How many changes each commit has. */
static const char *compare_commits(const struct step *step, const struct outcome *outcome) {
    const struct text name = keep_text("commit", 6);
    struct text last = {NULL, 0};
    struct text *sizes = NULL;
    size_t count = 0;
    int64_t size = 0;
    if (!outcome->has_changes) return "no changes";
    for (size_t i = 0; i < outcome->changes_count; i++) {
        const struct property *commit = fact(outcome->changes[i].facts, outcome->changes[i].facts_count, &name);
        if (!commit) return "a change without its commit";
        if (i && !same(&commit->value, &last)) {
            *ADD(sizes, count) = spelled_integer(size);
            size = 0;
        }
        last = commit->value;
        size++;
    }
    if (size) *ADD(sizes, count) = spelled_integer(size);
    return compare_list("commits", sizes, count, step->commits, step->commits_count);
}

static const char *compare_followed(const struct step *step, const struct outcome *outcome) {
    const char *wrong = compare_facts(outcome->feed, outcome->feed_count, step->feed, step->feed_count);
    if (!wrong && step->wants_changes) wrong = compare_changes(step, outcome);
    if (!wrong && step->wants_commits) wrong = compare_commits(step, outcome);
    if (!wrong && step->wants_position.data) {
        struct text expected = saved(&step->wants_position);
        wrong = compare_text("position", &outcome->feed_position, &expected);
    }
    return wrong;
}

#endif
