/* Counts the films of a store file and reads one by its keys: film-c STORE PARTITION_KEY ROW_KEY. */

#include <entable.h>
#include <inttypes.h>
#include <stdio.h>

/* What the program holds, NULL until it is there: freed in one place, whatever happened. */
struct film {
    entable_options *options;
    entable_store *store;
    entable_table *films;
    entable_query *query;
    entable_entities *entities;
    entable_entity *film;
};

static entable_error *count_films(struct film *f, size_t *count)
{
    const entable_str key = ENTABLE_STR("RowKey");
    const entable_entity *next;
    entable_error *error;

    if ((error = entable_query_new(ENTABLE_STR(""), &f->query))) return error;
    if ((error = entable_query_set_select(f->query, &key, 1))) return error;
    if ((error = entable_table_query_entities(f->films, f->query, &f->entities))) return error;
    for (*count = 0;; ++*count) {
        if ((error = entable_entities_next(f->entities, &next)) || next == NULL) return error;
    }
}

static entable_error *print_film(struct film *f, const char *partition_key, const char *row_key)
{
    char released[ENTABLE_DATETIME_TEXT_SIZE];
    entable_str title;
    int64_t ticks, gross;
    double rating;
    entable_error *error;

    if ((error = entable_table_get_entity(f->films, entable_str_of(partition_key), entable_str_of(row_key), &f->film)))
        return error;
    if ((error = entable_entity_get_string(f->film, ENTABLE_STR("Title"), &title))) return error;
    if ((error = entable_entity_get_datetime(f->film, ENTABLE_STR("ReleaseDate"), &ticks))) return error;
    if ((error = entable_datetime_format(ticks, released, sizeof released))) return error;
    if ((error = entable_entity_get_int64(f->film, ENTABLE_STR("WorldwideGross"), &gross))) return error;
    if ((error = entable_entity_get_double(f->film, ENTABLE_STR("ImdbRating"), &rating))) return error;
    printf("Title %.*s\nReleaseDate %s\nWorldwideGross %" PRId64 "\nImdbRating %.1f\n", (int)title.length, title.data,
           released, gross, rating);
    return NULL;
}

static entable_error *run(struct film *f, char **arguments)
{
    entable_error *error;
    size_t count;

    f->options = entable_options_new();
    if ((error = entable_options_set_must_exist(f->options, true))) return error;
    if ((error = entable_store_open(entable_str_of(arguments[1]), f->options, &f->store))) return error;
    if ((error = entable_store_table(f->store, ENTABLE_STR("Films"), &f->films))) return error;
    if ((error = count_films(f, &count))) return error;
    printf("Films %zu\n", count);
    return print_film(f, arguments[2], arguments[3]);
}

int main(int count, char **arguments)
{
    struct film f = {NULL, NULL, NULL, NULL, NULL, NULL};
    entable_error *error;
    int status = 0;

    if (count != 4) {
        fprintf(stderr, "usage: %s STORE PARTITION_KEY ROW_KEY\n", arguments[0]);
        return 2;
    }
    if ((error = run(&f, arguments))) {
        fprintf(stderr, "%u %s: %s\n", (unsigned)entable_error_status(error), entable_error_name(error),
                entable_error_message(error));
        status = 1;
    }
    /* NULL is fine for all of these. */
    entable_error_free(error);
    entable_entity_free(f.film);
    entable_entities_free(f.entities);
    entable_query_free(f.query);
    entable_table_free(f.films);
    entable_store_free(f.store);
    entable_options_free(f.options);
    return status;
}
