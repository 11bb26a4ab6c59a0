/* The part of the vector runners that C and C++ share: see vector_case.h. */

#define _POSIX_C_SOURCE 200809L

#include "vector_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a case: a list of blocks, freed together. */
struct block {
    struct block *next;
};

struct saved_text {
    struct text name;
    struct text value;
};

static struct block *blocks;
static struct saved_text *saved_texts;
static size_t saved_count;

void give_up(const char *what, const struct text *which) {
    fprintf(stderr, "%s: %s\n", what, which && which->data ? which->data : "");
    exit(2);
}

void *keep(size_t bytes) {
    struct block *block = calloc(1, sizeof(struct block) + bytes);
    if (!block) give_up("out of memory", NULL);
    block->next = blocks;
    blocks = block;
    return block + 1;
}

static void forget_all(void) {
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
    saved_texts = NULL;
    saved_count = 0;
}

struct text keep_text(const char *data, size_t length) {
    struct text text = {NULL, length};
    if (!data) return text;
    text.data = keep(length + 1);
    if (length) memcpy(text.data, data, length);
    return text;
}

void *keep_one_more(void *array, size_t count, size_t size) {
    if (count & (count - 1)) return array; /* room for the next power of two */
    void *larger = keep(2 * (count ? count : 1) * size);
    if (count) memcpy(larger, array, count * size);
    return larger;
}

#define ADD(array, count) ((array) = keep_one_more((array), (count), sizeof *(array)), &(array)[(count)++])

static bool same(const struct text *a, const struct text *b) {
    if (!a->data || !b->data) return !a->data && !b->data;
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

bool is(const struct text *text, const char *literal) {
    return text->data && text->length == strlen(literal) && memcmp(text->data, literal, text->length) == 0;
}

static const struct text *find_saved(const struct text *name) {
    for (size_t i = saved_count; i-- > 0;) {
        if (same(&saved_texts[i].name, name)) return &saved_texts[i].value;
    }
    return NULL;
}

struct text saved(const struct text *name) {
    const struct text *found = find_saved(name);
    if (!found) give_up("nothing is saved under this name", name);
    return *found;
}

static void save(const struct text *name, const struct text *value) {
    struct saved_text *place = ADD(saved_texts, saved_count);
    place->name = *name;
    place->value = keep_text(value->data, value->length);
}

/* Spelling */

struct text hexadecimal(const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    struct text text = {keep(2 * length + 1), 2 * length};
    for (size_t i = 0; i < length; i++) {
        text.data[2 * i] = digits[bytes[i] >> 4];
        text.data[2 * i + 1] = digits[bytes[i] & 15];
    }
    return text;
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    give_up("no hexadecimal digit", NULL);
    return 0;
}

uint8_t *from_hexadecimal(const struct text *text, size_t *length) {
    uint8_t *bytes = keep(text->length / 2 + 1);
    *length = text->length / 2;
    for (size_t i = 0; i < *length; i++) {
        bytes[i] = (uint8_t)(digit(text->data[2 * i]) << 4 | digit(text->data[2 * i + 1]));
    }
    return bytes;
}

struct text spelled_integer(int64_t value) {
    char buffer[32];
    int length = snprintf(buffer, sizeof buffer, "%" PRId64, value);
    return keep_text(buffer, (size_t)length);
}

struct text spelled_double(double value) {
    char buffer[32];
    uint64_t bits;
    if (value != value) return keep_text("nan", 3);
    memcpy(&bits, &value, sizeof bits);
    int length = snprintf(buffer, sizeof buffer, "%016" PRIx64, bits);
    return keep_text(buffer, (size_t)length);
}

double from_spelled_double(const struct text *text) {
    double value;
    uint64_t bits = is(text, "nan") ? UINT64_C(0x7ff8000000000000) : (uint64_t)strtoull(text->data, NULL, 16);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Reading */

struct line {
    struct text word;
    struct text *fields;
    size_t count;
};

static char *raw;
static size_t raw_size;

static struct text unescaped(const char *data, size_t length) {
    struct text text = keep_text(data, length);
    size_t to = 0;
    for (size_t from = 0; from < length; from++, to++) {
        if (data[from] == '%') {
            text.data[to] = (char)(digit(data[from + 1]) << 4 | digit(data[from + 2]));
            from += 2;
        } else {
            text.data[to] = data[from];
        }
    }
    text.length = to;
    text.data[to] = 0;
    return text;
}

static bool read_line(FILE *lines, struct line *line) {
    ssize_t got = getline(&raw, &raw_size, lines);
    if (got <= 0) return false;
    size_t length = (size_t)got - (raw[got - 1] == '\n');
    memset(line, 0, sizeof *line);
    for (size_t from = 0, part = 0; from <= length; part++) {
        const char *tab = memchr(raw + from, '\t', length - from);
        size_t end = tab ? (size_t)(tab - raw) : length;
        if (part == 0) {
            line->word = keep_text(raw, end);
        } else {
            *ADD(line->fields, line->count) = unescaped(raw + from, end - from);
        }
        from = end + 1;
    }
    return true;
}

static struct text field(const struct line *line, size_t index) {
    if (index >= line->count) give_up("a field is missing after", &line->word);
    return line->fields[index];
}

static uint64_t number(const struct text *text) {
    return (uint64_t)strtoull(text->data, NULL, 10);
}

static struct property read_property(const struct line *line) {
    struct text type = field(line, 1);
    struct property property = {field(line, 0), (int)number(&type), field(line, 2)};
    return property;
}

static struct entity *read_entity(const struct line *line, struct entity *entity) {
    memset(entity, 0, sizeof *entity);
    entity->partition_key = field(line, 0);
    entity->row_key = field(line, 1);
    return entity;
}

struct text pattern_member(const struct step *step, const char *name) {
    struct text none = {NULL, 0};
    for (size_t i = 0; i < step->pattern_count; i++) {
        if (is(&step->pattern[i].name, name)) return step->pattern[i].value;
    }
    return none;
}

/* What the lines that follow belong to. */
struct place {
    struct step *step;   /* the step */
    struct step *call;   /* the step, or the operation that is being read */
    struct entity *entity;
};

#include "vector_follow.h"

static bool read_argument(const struct line *line, struct place *at) {
    const struct text *word = &line->word;
    struct step *call = at->call;
    if (is(word, "keys")) {
        struct keys *keys = ADD(call->keys, call->keys_count);
        keys->partition_key = field(line, 0);
        keys->row_key = field(line, 1);
    } else if (is(word, "entity")) {
        at->entity = call->entity = read_entity(line, keep(sizeof *call->entity));
    } else if (is(word, "property")) {
        *ADD(at->entity->properties, at->entity->count) = read_property(line);
    } else if (is(word, "add")) {
        *ADD(at->entity->added, at->entity->added_count) = read_property(line);
    } else if (is(word, "erase")) {
        *ADD(at->entity->erased, at->entity->erased_count) = field(line, 0);
    } else if (is(word, "timestamp")) {
        at->entity->names_timestamp = true;
        if (line->count) at->entity->timestamp = field(line, 0);
    } else if (is(word, "mode")) {
        call->mode = field(line, 0);
    } else if (is(word, "metadata")) {
        call->metadata = field(line, 0);
    } else if (is(word, "save")) {
        call->save = field(line, 0);
    } else if (is(word, "in")) {
        call->snapshot = field(line, 0);
    } else if (is(word, "filter")) {
        call->filter = field(line, 0);
    } else if (is(word, "json")) {
        call->json = field(line, 0);
    } else if (is(word, "now")) {
        call->now = field(line, 0);
    } else if (is(word, "absent")) {
        call->condition = REFERENCE_ABSENT;
    } else if (is(word, "token") || is(word, "saved_token")) {
        call->continuation = is(word, "token") ? REFERENCE_TEXT : REFERENCE_SAVED;
        call->token = field(line, 0);
    } else if (is(word, "select")) {
        call->select = line->fields;
        call->select_count = line->count;
    } else if (is(word, "limit")) {
        call->has_limit = true;
        call->limit = number(&line->fields[0]);
    } else if (is(word, "page_size")) {
        call->has_page_size = true;
        call->page_size = number(&line->fields[0]);
    } else if (is(word, "parameter")) {
        *ADD(call->parameters, call->parameters_count) = read_property(line);
    } else if (is(word, "call")) {
        call->call = field(line, 0);
    } else if (is(word, "argument")) {
        *ADD(call->arguments, call->arguments_count) = read_property(line);
    } else if (is(word, "pattern")) {
        *ADD(call->pattern, call->pattern_count) = read_property(line);
    } else if (is(word, "pattern_select")) {
        call->pattern_select = line->fields;
        call->pattern_select_count = line->count;
    } else if (is(word, "pattern_field")) {
        struct pattern_field *made = ADD(call->pattern_fields, call->pattern_fields_count);
        struct text none = {NULL, 0};
        made->name = field(line, 0);
        made->form = field(line, 1);
        made->padded = field(line, 2);
        made->each = line->count > 3 ? field(line, 3) : none;
    } else if (is(word, "former")) {
        at->entity = call->former = read_entity(line, keep(sizeof *call->former));
    } else if (is(word, "new")) {
        at->entity = call->new_row = read_entity(line, keep(sizeof *call->new_row));
    } else if (is(word, "stored")) {
        at->entity = read_entity(line, ADD(call->stored, call->stored_count));
    } else if (is(word, "operations")) {
        /* The operations follow. */
    } else if (is(word, "operation")) {
        at->call = ADD(at->step->operations, at->step->operations_count);
        memset(at->call, 0, sizeof *at->call);
        at->call->verb = field(line, 0);
        at->call->table = field(line, 1);
    } else if (is(word, "submit")) {
        at->call = at->step;
    } else {
        return false;
    }
    return true;
}

static bool read_expectation(const struct line *line, struct place *at) {
    const struct text *word = &line->word;
    struct step *step = at->step;
    if (is(word, "expect")) {
        at->entity = NULL;
    } else if (is(word, "skip")) {
        step->is_skipped = true;
    } else if (is(word, "error")) {
        step->wants_error = true;
    } else if (is(word, "error_field")) {
        struct property *wanted = ADD(step->error_fields, step->error_fields_count);
        wanted->name = field(line, 0);
        wanted->value = field(line, 1);
    } else if (is(word, "want_entities")) {
        step->wants_entities = true;
    } else if (is(word, "want_entity")) {
        step->wants_one_entity = !step->wants_entities;
        at->entity = read_entity(line, ADD(step->entities, step->entities_count));
    } else if (is(word, "want_no_entity")) {
        step->wants_no_entity = true;
    } else if (is(word, "want_found")) {
        step->wants_found = true;
        step->found = line->fields;
        step->found_count = line->count;
    } else if (is(word, "want_rows")) {
        step->wants_rows = true;
    } else if (is(word, "want_pages")) {
        step->wants_pages = true;
    } else if (is(word, "page")) {
        *ADD(step->pages, step->pages_count) = 0;
    } else if (is(word, "row")) {
        struct keys *row = ADD(step->rows, step->rows_count);
        memset(row, 0, sizeof *row);
        if (line->count > 0) row->row_key = field(line, 0);
        if (line->count > 1) row->partition_key = field(line, 1);
        if (step->pages_count) step->pages[step->pages_count - 1]++;
    } else if (is(word, "want_tables")) {
        step->wants_tables = true;
        step->tables = line->fields;
        step->tables_count = line->count;
    } else if (is(word, "want_etags")) {
        step->wants_etags = true;
        step->etags = line->fields;
        step->etags_count = line->count;
    } else if (is(word, "want_text")) {
        struct text none = {NULL, 0};
        step->wants_texts = true;
        *ADD(step->texts, step->texts_count) = line->count ? field(line, 0) : none;
    } else if (is(word, "want_value")) {
        step->wants_value = true;
        step->value = read_property(line);
    } else if (is(word, "want_count")) {
        step->wants_count = field(line, 0);
    } else if (is(word, "want_size")) {
        step->wants_size = field(line, 0);
    } else if (is(word, "want_more")) {
        step->wants_more = field(line, 0);
    } else if (is(word, "want_bool")) {
        step->wants_bool = field(line, 0);
    } else if (is(word, "want_json")) {
        step->wants_json = field(line, 0);
    } else if (is(word, "want_etag_changes_from")) {
        step->wants_etag_changes_from = field(line, 0);
    } else if (is(word, "want_timestamps")) {
        step->wants_timestamps = field(line, 0);
    } else {
        return false;
    }
    return true;
}

/* The ETag of a condition, or of an entity that is expected. */
static bool read_etag(const struct line *line, struct place *at) {
    bool is_saved = is(&line->word, "saved_etag");
    if (!is_saved && !is(&line->word, "etag")) return false;
    struct text etag = {NULL, 0};
    if (line->count) etag = field(line, 0);
    if (at->entity && at->entity != at->call->entity) {
        at->entity->names_etag = true;
        at->entity->is_saved_etag = is_saved;
        at->entity->etag = etag;
    } else {
        at->call->condition = is_saved ? REFERENCE_SAVED : REFERENCE_TEXT;
        at->call->etag = etag;
    }
    return true;
}

static struct step read_step(FILE *lines, const struct line *first) {
    struct step step;
    struct line line;
    struct place at = {&step, &step, NULL};
    memset(&step, 0, sizeof step);
    step.verb = field(first, 0);
    step.table = field(first, 1);
    while (read_line(lines, &line) && !is(&line.word, "run")) {
        if (!read_argument(&line, &at) && !read_expectation(&line, &at) && !read_etag(&line, &at) &&
            !read_followed(&line, &at)) {
            give_up("the form has no line", &line.word);
        }
    }
    return step;
}

/* Comparing: NULL if it is as expected, else what is not. */

#define FAILURE_SIZE 1000
static char failure[FAILURE_SIZE];

static const char *differs(const char *what, const struct text *found, const struct text *expected) {
    const char *is_there = found->data ? found->data : "nothing";
    snprintf(failure, sizeof failure, "%s: %.300s instead of %.300s", what, is_there,
             expected->data ? expected->data : "nothing");
    return failure;
}

static const char *compare_text(const char *what, const struct text *found, const struct text *expected) {
    return same(found, expected) ? NULL : differs(what, found, expected);
}

static const char *compare_number(const char *what, bool is_there, uint64_t found, const struct text *expected) {
    struct text text = {NULL, 0};
    if (is_there) text = spelled_integer((int64_t)found);
    return compare_text(what, &text, expected);
}

static const char *compare_error(const struct outcome *outcome, const struct property *wanted) {
    const struct text *name = &wanted->name, *value = &wanted->value;
    if (is(name, "code")) return compare_text("code", &outcome->code, value);
    if (is(name, "status")) return compare_number("status", true, outcome->status, value);
    if (is(name, "class")) {
        struct text class_name = keep_text(outcome->class_name, strlen(outcome->class_name));
        return compare_text("class", &class_name, value);
    }
    if (is(name, "index")) return compare_number("index", outcome->has_index, outcome->index, value);
    if (is(name, "property")) return compare_text("property", &outcome->property, value);
    if (is(name, "table")) return compare_text("table", &outcome->table, value);
    if (is(name, "relation")) return compare_text("relation", &outcome->relation, value);
    if (is(name, "holder_partition_key")) return compare_text("holder", &outcome->holder_partition_key, value);
    if (is(name, "holder_row_key")) return compare_text("holder", &outcome->holder_row_key, value);
    if (is(name, "limit")) return compare_number("limit", outcome->has_limit, outcome->limit, value);
    if (is(name, "actual")) return compare_number("actual", outcome->has_actual, outcome->actual, value);
    if (is(name, "position")) return compare_number("position", outcome->has_position, outcome->position, value);
    if (!is(name, "message")) give_up("the form has no member of errors", name);
    bool begins = outcome->message.length >= value->length &&
                  memcmp(outcome->message.data, value->data, value->length) == 0;
    return begins ? NULL : differs("message", &outcome->message, value);
}

static const char *compare_entity(const struct entity *found, const struct entity *expected) {
    const char *wrong = compare_text("PartitionKey", &found->partition_key, &expected->partition_key);
    if (!wrong) wrong = compare_text("RowKey", &found->row_key, &expected->row_key);
    for (size_t i = 0; !wrong && i < found->count && i < expected->count; i++) {
        const struct property *is_there = &found->properties[i], *wanted = &expected->properties[i];
        wrong = compare_text("property", &is_there->name, &wanted->name);
        if (!wrong && is_there->type != wanted->type) {
            struct text types[2] = {spelled_integer(is_there->type), spelled_integer(wanted->type)};
            wrong = differs("type", &types[0], &types[1]);
        }
        if (!wrong) wrong = compare_text(wanted->name.data, &is_there->value, &wanted->value);
    }
    if (!wrong && found->count != expected->count) {
        struct text wanted = spelled_integer((int64_t)expected->count);
        wrong = compare_number("properties", true, found->count, &wanted);
    }
    if (!wrong && expected->names_timestamp) {
        wrong = compare_text("Timestamp", &found->timestamp, &expected->timestamp);
    }
    if (!wrong && expected->names_etag) {
        struct text etag = expected->is_saved_etag ? saved(&expected->etag) : expected->etag;
        wrong = compare_text("ETag", &found->etag, &etag);
    }
    return wrong;
}

static const char *compare_row(const struct entity *found, const struct keys *expected) {
    const char *wrong = compare_text("RowKey", &found->row_key, &expected->row_key);
    if (!wrong && expected->partition_key.data) {
        wrong = compare_text("PartitionKey", &found->partition_key, &expected->partition_key);
    }
    return wrong;
}

static const char *compare_entities(const struct step *step, const struct outcome *outcome) {
    if (!outcome->has_entities) return "no entities";
    const char *wrong = NULL;
    size_t wanted = step->wants_rows || step->wants_pages ? step->rows_count : step->entities_count;
    if (outcome->entities_count != wanted) {
        struct text text = spelled_integer((int64_t)wanted);
        return compare_number("number of entities", true, outcome->entities_count, &text);
    }
    for (size_t i = 0; !wrong && i < wanted; i++) {
        bool by_row = step->wants_rows || step->wants_pages;
        wrong = by_row ? compare_row(&outcome->entities[i], &step->rows[i])
                       : compare_entity(&outcome->entities[i], &step->entities[i]);
    }
    return wrong;
}

static const char *compare_pages(const struct step *step, const struct outcome *outcome) {
    size_t at = 0;
    if (!outcome->has_pages) return "no pages";
    for (size_t i = 0; i < outcome->pages_count; i++) {
        if (!outcome->pages[i]) continue;
        if (at >= step->pages_count || outcome->pages[i] != step->pages[at]) return "the pages have other sizes";
        at++;
    }
    return at == step->pages_count ? NULL : "there are fewer pages";
}

static const char *compare_timestamps(const struct outcome *outcome) {
    int64_t last = INT64_MIN;
    size_t seen = 0;
    for (size_t i = 0; outcome->has_written && i < outcome->written_count; i++) {
        if (!outcome->written[i].etag.data) continue;
        if (outcome->written[i].ticks <= last) return "timestamps do not rise";
        last = outcome->written[i].ticks;
        seen++;
    }
    for (size_t i = 0; outcome->has_entities && i < outcome->entities_count; i++) {
        int64_t ticks = (int64_t)strtoll(outcome->entities[i].timestamp.data, NULL, 10);
        if (ticks <= last) return "timestamps do not rise";
        last = ticks;
        seen++;
    }
    return seen > 1 ? NULL : "there are no timestamps to compare";
}

static const char *compare_list(const char *what, const struct text *found, size_t found_count,
                                const struct text *expected, size_t expected_count) {
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < found_count && i < expected_count; i++) {
        wrong = compare_text(what, &found[i], &expected[i]);
    }
    struct text wanted = spelled_integer((int64_t)expected_count);
    return wrong ? wrong : compare_number(what, true, found_count, &wanted);
}

static const char *compare_etags(const struct step *step, const struct outcome *outcome) {
    if (!outcome->has_written) return "nothing was written";
    struct text *found = keep((outcome->written_count + 1) * sizeof *found);
    for (size_t i = 0; i < outcome->written_count; i++) {
        found[i] = outcome->written[i].etag.data ? keep_text("true", 4) : keep_text("false", 5);
    }
    return compare_list("etags", found, outcome->written_count, step->etags, step->etags_count);
}

static const char *compare_found(const struct step *step, const struct outcome *outcome) {
    if (!outcome->has_written) return "nothing was written";
    struct text *found = keep((outcome->written_count + 1) * sizeof *found);
    for (size_t i = 0; i < outcome->written_count; i++) {
        found[i] = outcome->written[i].is_found ? keep_text("true", 4) : keep_text("false", 5);
    }
    return compare_list("found", found, outcome->written_count, step->found, step->found_count);
}

static const char *compare_changed_etag(const struct step *step, const struct outcome *outcome) {
    struct text before = saved(&step->wants_etag_changes_from);
    if (!outcome->written_count || !outcome->written[0].etag.data) return "no ETag";
    return same(&outcome->written[0].etag, &before) ? "the ETag is as before" : NULL;
}

static const char *compare_flag(const char *what, bool is_there, bool found, const struct text *expected) {
    struct text text = {NULL, 0};
    if (is_there) text = found ? keep_text("true", 4) : keep_text("false", 5);
    return compare_text(what, &text, expected);
}

#include "vector_followed.h"

static const char *compare(const struct step *step, const struct outcome *outcome) {
    const char *wrong = NULL;
    if (step->wants_error) {
        if (!outcome->failed) return "it succeeded";
        for (size_t i = 0; !wrong && i < step->error_fields_count; i++) {
            wrong = compare_error(outcome, &step->error_fields[i]);
        }
        return wrong;
    }
    if (outcome->failed) {
        snprintf(failure, sizeof failure, "it failed: %.200s: %.600s", outcome->code.data, outcome->message.data);
        return failure;
    }
    if (step->wants_entities || step->wants_one_entity || step->wants_rows || step->wants_pages) {
        wrong = compare_entities(step, outcome);
    }
    if (!wrong && step->wants_no_entity) {
        const bool is_none = outcome->has_entities && outcome->entities_count == 1 && !outcome->entities[0].row_key.data;
        wrong = is_none ? NULL : "there is an entity";
    }
    if (!wrong && step->wants_pages) wrong = compare_pages(step, outcome);
    if (!wrong && step->wants_count.data) {
        uint64_t count = outcome->has_number    ? outcome->number
                         : outcome->has_changes ? outcome->changes_count
                                                : outcome->entities_count;
        bool is_there = outcome->has_number || outcome->has_changes || outcome->has_entities;
        wrong = compare_number("count", is_there, count, &step->wants_count);
    }
    if (!wrong && step->wants_more.data) {
        bool more = outcome->has_more ? outcome->more : outcome->token.data != NULL;
        wrong = compare_flag("more", outcome->has_more || outcome->is_page, more, &step->wants_more);
    }
    if (!wrong && step->wants_bool.data) {
        wrong = compare_flag("bool", outcome->has_flag, outcome->flag, &step->wants_bool);
    }
    if (!wrong && step->wants_size.data) {
        wrong = compare_number("size", outcome->has_number, outcome->number, &step->wants_size);
    }
    if (!wrong && step->wants_json.data) wrong = compare_text("json", &outcome->json, &step->wants_json);
    if (!wrong && step->wants_texts) {
        wrong = outcome->has_texts
                    ? compare_list("texts", outcome->texts, outcome->texts_count, step->texts, step->texts_count)
                    : "no texts";
    }
    if (!wrong && step->wants_value) {
        if (!outcome->has_value) return "no value";
        wrong = outcome->value.type == step->value.type ? NULL : "the value has another type";
        if (!wrong) wrong = compare_text("value", &outcome->value.value, &step->value.value);
    }
    if (!wrong && step->wants_tables) {
        wrong = outcome->has_tables ? compare_list("tables", outcome->tables, outcome->tables_count, step->tables,
                                                   step->tables_count)
                                    : "no tables";
    }
    if (!wrong && step->wants_etags) wrong = compare_etags(step, outcome);
    if (!wrong && step->wants_found) wrong = compare_found(step, outcome);
    if (!wrong) wrong = compare_followed(step, outcome);
    if (!wrong && step->wants_etag_changes_from.data) wrong = compare_changed_etag(step, outcome);
    if (!wrong && step->wants_timestamps.data) {
        if (!is(&step->wants_timestamps, "increasing")) give_up("no order of timestamps", &step->wants_timestamps);
        wrong = compare_timestamps(outcome);
    }
    return wrong;
}

static const char *save_outcome(const struct step *step, const struct outcome *outcome) {
    if (!step->save.data || outcome->failed || is(&step->verb, "snapshot")) return NULL;
    if (outcome->written_count && outcome->written[0].etag.data) {
        save(&step->save, &outcome->written[0].etag);
    } else if (outcome->token.data) {
        save(&step->save, &outcome->token);
    } else if (outcome->feed_position.data) {
        save(&step->save, &outcome->feed_position);
    } else if (outcome->entities_count && outcome->entities[0].etag.data) {
        save(&step->save, &outcome->entities[0].etag);
    } else {
        return "there is nothing to save";
    }
    return NULL;
}

/* Running */

struct report {
    size_t run, failed, other_languages;
    const struct runner *runner;
    size_t missing[32];
};

static const char *const *missing_verb(const struct runner *runner, const struct step *steps, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (const char *const *verb = runner->missing; *verb; verb++) {
            if (is(&steps[i].verb, *verb)) return verb;
        }
    }
    return NULL;
}

static void run_case(FILE *lines, const struct line *first, struct report *report) {
    struct text name = field(first, 0), mode = field(first, 1), now = {NULL, 0};
    struct step *steps = NULL;
    size_t count = 0;
    struct line line;
    while (read_line(lines, &line) && !is(&line.word, "end")) {
        if (is(&line.word, "now")) {
            now = field(&line, 0);
        } else if (is(&line.word, "step")) {
            *ADD(steps, count) = read_step(lines, &line);
        } else {
            give_up("the form has no line", &line.word);
        }
    }
    const char *const *missing = missing_verb(report->runner, steps, count);
    if (missing) {
        report->missing[missing - report->runner->missing]++;
        return;
    }
    void *state = report->runner->begin(&mode, &now);
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < count; i++) {
        struct outcome outcome;
        if (steps[i].is_skipped) continue;
        memset(&outcome, 0, sizeof outcome);
        report->runner->run(state, &steps[i], &outcome);
        wrong = compare(&steps[i], &outcome);
        if (!wrong) wrong = save_outcome(&steps[i], &outcome);
        if (wrong) fprintf(stderr, "%s in %s, step %zu (%s): %s\n", name.data, mode.data, i, steps[i].verb.data, wrong);
    }
    report->runner->end(state);
    report->run++;
    report->failed += wrong != NULL;
}

int run_vectors(FILE *lines, const struct runner *runner) {
    struct report report;
    struct line line;
    memset(&report, 0, sizeof report);
    report.runner = runner;
    while (read_line(lines, &line)) {
        if (is(&line.word, "case")) {
            run_case(lines, &line, &report);
        } else if (is(&line.word, "other")) {
            report.other_languages++;
        } else {
            give_up("the form has no line", &line.word);
        }
        forget_all();
    }
    free(raw);
    printf("%s: %zu vectors run, %zu failed; skipped: %zu for other languages", runner->language, report.run,
           report.failed, report.other_languages);
    for (size_t i = 0; runner->missing[i]; i++) printf(", %zu with %s", report.missing[i], runner->missing[i]);
    printf("\n");
    return report.failed || !report.run;
}
