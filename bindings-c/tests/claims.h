/* What the tests of the C API share: claims, expected errors, and a store with a table. For one file of a program. */

#ifndef CLAIMS_H
#define CLAIMS_H

#include <entable.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(claim) check((claim), #claim, __FILE__, __LINE__)

static void check(bool holds, const char *claim, const char *file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: %s\n", file, line, claim);
    failures++;
}

static bool same(entable_str text, const char *expected) {
    return text.data && text.length == strlen(expected) && memcmp(text.data, expected, text.length) == 0;
}

/* Whether a call failed with this code and names this property (NULL: none is asked for). Frees the error. */
static bool fails(entable_error *error, entable_code code, const char *property) {
    bool as_expected = error && entable_error_code(error) == code;
    if (as_expected && property) as_expected = same(entable_error_property(error), property);
    if (!as_expected) fprintf(stderr, "got: %s: %s\n", entable_error_name(error), entable_error_message(error));
    entable_error_free(error);
    return as_expected;
}

/* A null, or another wrong argument. */
static bool is_misuse(entable_error *error, const char *argument) {
    return fails(error, ENTABLE_INVALID_INPUT, argument);
}

static bool works(entable_error *error) {
    if (error) fprintf(stderr, "failed: %s: %s\n", entable_error_name(error), entable_error_message(error));
    entable_error_free(error);
    return !error;
}

static entable_str text(const char *data, size_t length) {
    entable_str view;
    view.data = data;
    view.length = length;
    return view;
}

#define DE ENTABLE_STR("DE")
#define ONE ENTABLE_STR("0001")
#define NONE entable_condition_none()

struct objects {
    entable_store *store;
    entable_table *table;
    entable_entity *entity;
    entable_query *query;
};

static struct objects begin(void) {
    struct objects made = {NULL, NULL, NULL, NULL};
    CHECK(works(entable_store_open(ENTABLE_STR(":memory:"), NULL, &made.store)));
    CHECK(works(entable_store_create_table(made.store, ENTABLE_STR("Orders"), &made.table)));
    CHECK(works(entable_entity_new(DE, ONE, &made.entity)));
    CHECK(works(entable_query_new(ENTABLE_STR(""), &made.query)));
    return made;
}

static void end(struct objects *made) {
    entable_query_free(made->query);
    entable_entity_free(made->entity);
    entable_table_free(made->table);
    entable_store_free(made->store);
}

#endif
