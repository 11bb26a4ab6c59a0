/* Cases of the conformance vectors, as lines that tests/vector_lines.rs writes: read here, compared here. What a language
 * brings is a runner, which does a step through its API and says what came of it.
 *
 * Values have one spelling each, so equal texts are equal values: numbers in decimal, a Double as the 16 hexadecimal
 * digits of its bits or `nan`, a DateTime as ticks, Guid and Binary as hexadecimal digits. */

#ifndef VECTOR_CASE_H
#define VECTOR_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `data` is NULL where there is none; else a NUL follows the text, which may hold others. */
struct text {
    char *data;
    size_t length;
};

/* `type` is the number of the Edm type. */
struct property {
    struct text name;
    int type;
    struct text value;
};

struct entity {
    struct text partition_key;
    struct text row_key;
    struct property *properties;
    size_t count;
    /* What a merge is to add, and to remove. */
    struct property *added;
    size_t added_count;
    struct text *erased;
    size_t erased_count;
    /* Of an expectation: whether the line is there at all. */
    bool names_timestamp;
    bool names_etag;
    bool is_saved_etag;
    struct text timestamp;
    struct text etag;
};

struct keys {
    struct text partition_key;
    struct text row_key;
};

/* A change of a feed: its facts by name, a fact without data is none. Of an expectation those that are asked for; the
 * two entities are compared where `names_` says so, and are NULL for none. */
struct change {
    struct property *facts;
    size_t facts_count;
    bool names_entity, names_former;
    struct entity *entity, *former;
};

/* A property of which a key is made; `each` is without data if the text is one value. */
struct pattern_field {
    struct text name;
    struct text form;
    struct text padded;
    struct text each;
};

enum reference { REFERENCE_NONE, REFERENCE_TEXT, REFERENCE_SAVED, REFERENCE_ABSENT };

/* A step, or an operation of one: a verb, its arguments, and what is expected. */
struct step {
    struct text verb;
    struct text table;
    struct text mode;
    struct text filter;
    struct text json;
    struct text metadata;
    struct text now;
    struct text snapshot;
    struct text save;
    struct entity *entity;
    struct keys *keys;
    size_t keys_count;
    enum reference condition;
    struct text etag;
    enum reference continuation;
    struct text token;
    struct text *select;
    size_t select_count;
    struct property *parameters;
    size_t parameters_count;
    bool has_limit;
    bool has_page_size;
    uint64_t limit;
    uint64_t page_size;
    struct step *operations;
    size_t operations_count;
    /* A pattern: members by name, the fields of which keys are made, the names that are kept, rows and what was read. */
    struct property *pattern;
    size_t pattern_count;
    struct pattern_field *pattern_fields;
    size_t pattern_fields_count;
    struct text *pattern_select;
    size_t pattern_select_count;
    struct entity *former;
    struct entity *new_row;
    struct entity *stored;
    size_t stored_count;

    /* Arguments of feeds and relations by name: `named`. */
    struct property *named;
    size_t named_count;

    /* A function of the toolkit of keys, or the question to a pattern. */
    struct text call;
    struct property *arguments;
    size_t arguments_count;

    bool is_skipped;
    bool wants_error;
    struct property *error_fields;
    size_t error_fields_count;
    bool wants_entities;
    bool wants_one_entity;
    bool wants_no_entity;
    struct entity *entities;
    size_t entities_count;
    bool wants_rows;
    bool wants_pages;
    /* Row keys without a partition key are compared by the row key alone; without both, nothing is to be there. */
    struct keys *rows;
    size_t rows_count;
    size_t *pages;
    size_t pages_count;
    bool wants_tables;
    struct text *tables;
    size_t tables_count;
    bool wants_etags;
    struct text *etags;
    size_t etags_count;
    bool wants_found;
    struct text *found;
    size_t found_count;
    struct property *feed; /* what is told of a feed, by name */
    size_t feed_count;
    bool wants_changes;
    struct change *changes;
    size_t changes_count;
    bool wants_commits;
    struct text *commits;
    size_t commits_count;
    struct text wants_position;
    bool wants_texts;
    struct text *texts;
    size_t texts_count;
    bool wants_value;
    struct property value;
    struct text wants_count;
    struct text wants_size;
    struct text wants_more;
    struct text wants_bool;
    struct text wants_json;
    struct text wants_etag_changes_from;
    struct text wants_timestamps;
};

/* The version that a write gave; no ETag for a delete. */
struct version {
    struct text etag;
    int64_t ticks;
    bool is_found;
};

/* What came of a step. Arrays belong to the case: they are made with `keep`. */
struct outcome {
    bool failed;
    struct text code;
    const char *class_name;
    struct text message;
    struct text property;
    struct text table, relation, holder_partition_key, holder_row_key;
    unsigned status;
    bool has_limit, has_actual, has_position, has_index;
    uint64_t limit, actual, position, index;

    bool has_entities;
    struct entity *entities; /* without a row key's data: nothing there */
    size_t entities_count;
    bool has_pages;
    size_t *pages; /* how many entities each holds */
    size_t pages_count;
    bool is_page;
    struct text token;
    bool has_written;
    struct version *written;
    size_t written_count;
    bool has_tables;
    struct text *tables;
    size_t tables_count;
    bool has_flag, flag;
    bool has_number;
    uint64_t number;
    struct text json;
    bool has_texts;
    struct text *texts; /* without data: none */
    size_t texts_count;
    bool has_value;
    struct property value;
    struct property *feed;
    size_t feed_count;
    bool has_changes;
    struct change *changes;
    size_t changes_count;
    bool has_more, more;
    struct text feed_position;
};

/* What a language brings. */
struct runner {
    const char *language;
    /* Verbs that it has not yet, ending with NULL. */
    const char *const *missing;
    /* A fresh store in memory with the table `vectors`; `now` is without data if the clock is the system's. */
    void *(*begin)(const struct text *mode, const struct text *now);
    void (*run)(void *state, const struct step *step, struct outcome *outcome);
    void (*end)(void *state);
};

/* Memory that lasts as long as the case. */
void *keep(size_t bytes);
struct text keep_text(const char *data, size_t length);
/* The same with more room: an array of `count` elements of `size` bytes that is to get one more. */
void *keep_one_more(void *array, size_t count, size_t size);

/* What an earlier step of the case saved: an ETag or a token. */
struct text saved(const struct text *name);
bool is(const struct text *text, const char *literal);
/* Ends the program: the vectors or the runner are at fault. */
void give_up(const char *what, const struct text *which);

/* An argument of feeds and relations; without data if the step has none of the name. */
struct text named(const struct step *step, const char *name);
uint64_t named_number(const struct step *step, const char *name);
/* The same of the keys of which a pair consists: NAME_partition_key and NAME_row_key. */
struct keys named_keys(const struct step *step, const char *name);
/* Adds to what a feed, or a change, says. */
void add_fact(struct property **facts, size_t *count, const char *name, struct text value);

/* A member of the step's pattern; without data if it has none. */
struct text pattern_member(const struct step *step, const char *name);

/* The spelling of bytes, and back: `length` is that of the bytes. */
struct text hexadecimal(const uint8_t *bytes, size_t length);
uint8_t *from_hexadecimal(const struct text *text, size_t *length);
struct text spelled_integer(int64_t value);
struct text spelled_double(double value);
double from_spelled_double(const struct text *text);

/* Runs every case of the lines; the exit code of the program. */
int run_vectors(FILE *lines, const struct runner *runner);

#ifdef __cplusplus
}
#endif

#endif
