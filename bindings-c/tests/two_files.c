/* Half of a program in both languages: see two_files.cc. */

#include <entable.h>

bool counted_in_c(entable_table *table, uint64_t *count);

bool counted_in_c(entable_table *table, uint64_t *count) {
    entable_error *error = entable_table_count(table, NULL, count);
    const bool worked = !error;
    entable_error_free(error);
    return worked;
}
