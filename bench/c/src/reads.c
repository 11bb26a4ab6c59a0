/* Point reads and ranges by entable's C API and by SQLite's: all keys and properties of every row are read, and go into a
 * sum, which has to be one for all. The data set is that of bench/rust: employees. */

#include <entable.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 12
#define ROWS_OF_A_TRANSACTION 10000

static const char *const first_names[] = {"Alexandra", "Bo",      "Charlotte", "Dmitri",    "Eun", "Fatima",
                                          "Giovanni",  "Hana",    "Ibrahim",   "Jo",        "Katarzyna",
                                          "Liam",      "Maximilian", "Nia",    "Oluwaseun", "Priya"};
static const char *const last_names[] = {"Andersson", "Brown",    "Castellanos", "Dunn",       "Eriksen", "Fernandez",
                                         "Goldstein", "Ho",       "Ivanova",     "Jimenez",    "Kowalczyk",
                                         "Li",        "Montgomery", "Ng",        "Okonkwo",    "Papadopoulos"};

static struct {
    entable_store *store;
    entable_table *table;
    entable_query *range;
    sqlite3 *connection;
    sqlite3_stmt *get, *page;
} bench;

static void check(entable_error *error) {
    if (!error) return;
    fprintf(stderr, "%s: %s\n", entable_error_name(error), entable_error_message(error));
    exit(1);
}

static void check_sqlite(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "SQLite: %d %s\n", code, sqlite3_errmsg(bench.connection));
    exit(1);
}

/* As in bench/rust/src/rows.rs. */
static uint32_t mix(uint32_t i, uint32_t salt) {
    uint32_t x = i ^ salt * 0x9e3779b9u;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

struct employee {
    char partition_key[16], row_key[20], email[64], city[32], notes[96];
    const char *first, *last;
    int32_t age;
    double salary;
    int64_t hired;
    bool active;
    entable_guid badge;
};

struct keys {
    char partition_key[16], row_key[20];
};

static void make_keys(uint32_t i, uint32_t partitions, char *partition_key, char *row_key) {
    snprintf(partition_key, 16, "dept_%05u", i % partitions);
    snprintf(row_key, 20, "empid_%08u", i);
}

static void lower(char *to, const char *from) {
    size_t at = 0;
    for (; from[at]; at++) to[at] = from[at] >= 'A' && from[at] <= 'Z' ? (char)(from[at] + 32) : from[at];
    to[at] = 0;
}

static struct employee make(uint32_t i, uint32_t partitions) {
    struct employee made;
    char first[16], last[16];
    const double u = mix(i, 4) / 4294967296.0;
    const unsigned rank = (unsigned)(1000.0 * u * u * u);
    made.first = first_names[mix(i, 1) % 16], made.last = last_names[mix(i, 2) % 16];
    lower(first, made.first), lower(last, made.last);
    make_keys(i, partitions, made.partition_key, made.row_key);
    snprintf(made.email, sizeof made.email, "%s.%s.%u@example.com", first, last, i);
    snprintf(made.city, sizeof made.city, "City%03u-%s", rank, last_names[rank % 16]);
    snprintf(made.notes, sizeof made.notes, "note %08x the quick brown fox jumps over the lazy dog %06u", mix(i, 9),
             i % 1000000);
    made.age = (int32_t)(18 + mix(i, 5) % 50);
    made.salary = 30000.0 + mix(i, 6) % 9000000 / 100.0;
    made.hired = INT64_C(630822816000000000) + (int64_t)mix(i, 7) * 1800000;
    made.active = mix(i, 8) % 10 != 0;
    for (uint32_t part = 0; part < 4; part++) {
        const uint32_t word = mix(i, 10 + part);
        for (uint32_t byte = 0; byte < 4; byte++) made.badge.bytes[part * 4 + byte] = (uint8_t)(word >> (24 - 8 * byte));
    }
    return made;
}

static void load_entable(uint32_t from, uint32_t to, uint32_t partitions) {
    entable_batch *batch = entable_batch_new();
    for (uint32_t i = from; i < to; i++) {
        const struct employee row = make(i, partitions);
        const struct {
            entable_str name;
            entable_value value;
        } properties[] = {
            {ENTABLE_STR("First"), entable_value_string(entable_str_of(row.first))},
            {ENTABLE_STR("Last"), entable_value_string(entable_str_of(row.last))},
            {ENTABLE_STR("Email"), entable_value_string(entable_str_of(row.email))},
            {ENTABLE_STR("City"), entable_value_string(entable_str_of(row.city))},
            {ENTABLE_STR("Age"), entable_value_int32(row.age)},
            {ENTABLE_STR("Salary"), entable_value_double(row.salary)},
            {ENTABLE_STR("Hired"), entable_value_datetime(row.hired)},
            {ENTABLE_STR("Active"), entable_value_boolean(row.active)},
            {ENTABLE_STR("Badge"), entable_value_guid(row.badge)},
            {ENTABLE_STR("Notes"), entable_value_string(entable_str_of(row.notes))},
        };
        entable_entity *entity = NULL;
        check(entable_entity_new(entable_str_of(row.partition_key), entable_str_of(row.row_key), &entity));
        for (size_t at = 0; at < sizeof properties / sizeof *properties; at++) {
            check(entable_entity_set(entity, properties[at].name, properties[at].value));
        }
        check(entable_batch_create_entity(batch, bench.table, entity));
        entable_entity_free(entity);
    }
    check(entable_store_submit_batch(bench.store, batch, NULL, 0));
    entable_batch_free(batch);
}

static void bind(sqlite3_stmt *statement, int at, const char *text) {
    check_sqlite(sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC));
}

static void load_sqlite(uint32_t from, uint32_t to, uint32_t partitions) {
    sqlite3_stmt *insert = NULL;
    check_sqlite(sqlite3_exec(bench.connection, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    check_sqlite(sqlite3_prepare_v2(bench.connection, "INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", -1, &insert, NULL));
    for (uint32_t i = from; i < to; i++) {
        const struct employee row = make(i, partitions);
        bind(insert, 1, row.partition_key), bind(insert, 2, row.row_key), bind(insert, 3, row.first);
        bind(insert, 4, row.last), bind(insert, 5, row.email), bind(insert, 6, row.city);
        check_sqlite(sqlite3_bind_int(insert, 7, row.age));
        check_sqlite(sqlite3_bind_double(insert, 8, row.salary));
        check_sqlite(sqlite3_bind_int64(insert, 9, row.hired));
        check_sqlite(sqlite3_bind_int(insert, 10, row.active));
        check_sqlite(sqlite3_bind_blob(insert, 11, row.badge.bytes, 16, SQLITE_STATIC));
        bind(insert, 12, row.notes);
        check_sqlite(sqlite3_step(insert));
        check_sqlite(sqlite3_reset(insert));
    }
    check_sqlite(sqlite3_finalize(insert));
    check_sqlite(sqlite3_exec(bench.connection, "COMMIT", NULL, NULL, NULL));
}

/* Opens both stores; loads `rows` of them if that is not 0. */
void bench_open(const char *store, const char *database, uint32_t rows, uint32_t partitions) {
    check(entable_store_open(entable_str_of(store), NULL, &bench.store));
    check(entable_store_create_table_if_not_exists(bench.store, ENTABLE_STR("Rows"), &bench.table));
    check(entable_query_new(ENTABLE_STR("PartitionKey eq @p and RowKey ge @r"), &bench.range));
    check_sqlite(sqlite3_open(database, &bench.connection));
    /* As in bench/rust/src/peers/sqlite.rs. */
    check_sqlite(sqlite3_exec(bench.connection,
                              "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 17179869184;"
                              "PRAGMA cache_size = -65536;"
                              "CREATE TABLE IF NOT EXISTS t (PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, First TEXT,"
                              "Last TEXT, Email TEXT, City TEXT, Age INTEGER, Salary REAL, Hired INTEGER, Active INTEGER,"
                              "Badge BLOB, Notes TEXT, PRIMARY KEY (PartitionKey, RowKey)) WITHOUT ROWID",
                              NULL, NULL, NULL));
    for (uint32_t from = 0; from < rows; from += ROWS_OF_A_TRANSACTION) {
        const uint32_t to = rows - from < ROWS_OF_A_TRANSACTION ? rows : from + ROWS_OF_A_TRANSACTION;
        load_entable(from, to, partitions);
        load_sqlite(from, to, partitions);
    }
    check_sqlite(sqlite3_exec(bench.connection, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL));
    check_sqlite(sqlite3_prepare_v2(bench.connection, "SELECT * FROM t WHERE PartitionKey = ?1 AND RowKey = ?2", -1,
                                    &bench.get, NULL));
    check_sqlite(sqlite3_prepare_v2(bench.connection,
                                    "SELECT * FROM t WHERE PartitionKey = ?1 AND RowKey >= ?2 "
                                    "ORDER BY PartitionKey, RowKey LIMIT ?3",
                                    -1, &bench.page, NULL));
}

/* Keys of rows that are there, in no order; made before the clock runs. */
struct keys *bench_keys(uint32_t count, uint32_t below, uint32_t partitions, uint32_t salt) {
    struct keys *made = malloc(count * sizeof *made);
    if (!made) abort();
    for (uint32_t at = 0; at < count; at++) {
        make_keys(mix(at, salt) % below, partitions, made[at].partition_key, made[at].row_key);
    }
    return made;
}

void bench_free_keys(struct keys *keys) {
    free(keys);
}

static uint64_t of_text(const char *data, size_t length) {
    return length + (length ? (uint8_t)data[0] : 0);
}

static uint64_t of_double(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static uint64_t of_value(const entable_value *value) {
    switch (value->type) {
    case ENTABLE_TYPE_INT32: return (uint64_t)(int64_t)value->as.int32;
    case ENTABLE_TYPE_INT64: return (uint64_t)value->as.int64;
    case ENTABLE_TYPE_DOUBLE: return of_double(value->as.number);
    case ENTABLE_TYPE_DATETIME: return (uint64_t)value->as.ticks;
    case ENTABLE_TYPE_GUID: return of_text((const char *)value->as.guid.bytes, 16);
    case ENTABLE_TYPE_BOOLEAN: return value->as.boolean;
    case ENTABLE_TYPE_STRING: return of_text(value->as.string.data, value->as.string.length);
    case ENTABLE_TYPE_BINARY: return of_text((const char *)value->as.binary.data, value->as.binary.length);
    default: abort();
    }
}

static uint64_t of_entity(const entable_entity *entity) {
    const entable_str partition_key = entable_entity_partition_key(entity), row_key = entable_entity_row_key(entity);
    uint64_t sum = of_text(partition_key.data, partition_key.length) + of_text(row_key.data, row_key.length);
    entable_value value;
    for (size_t at = 0; entable_entity_at(entity, at, NULL, &value); at++) sum += of_value(&value);
    return sum;
}

uint64_t entable_points(const struct keys *keys, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at++) {
        entable_entity *entity = NULL;
        check(entable_table_get_entity(bench.table, entable_str_of(keys[at].partition_key),
                                       entable_str_of(keys[at].row_key), &entity));
        sum += of_entity(entity);
        entable_entity_free(entity);
    }
    return sum;
}

/* The same, each property asked for by its name and type. */
uint64_t entable_named_points(const struct keys *keys, uint32_t count) {
    static const char *const texts[] = {"First", "Last", "Email", "City", "Notes"};
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at++) {
        entable_entity *entity = NULL;
        int32_t age;
        int64_t hired;
        double salary;
        bool active;
        entable_guid badge;
        check(entable_table_get_entity(bench.table, entable_str_of(keys[at].partition_key),
                                       entable_str_of(keys[at].row_key), &entity));
        const entable_str partition_key = entable_entity_partition_key(entity), row_key = entable_entity_row_key(entity);
        sum += of_text(partition_key.data, partition_key.length) + of_text(row_key.data, row_key.length);
        for (size_t name = 0; name < sizeof texts / sizeof *texts; name++) {
            entable_str text;
            check(entable_entity_get_string(entity, entable_str_of(texts[name]), &text));
            sum += of_text(text.data, text.length);
        }
        check(entable_entity_get_int32(entity, ENTABLE_STR("Age"), &age));
        check(entable_entity_get_double(entity, ENTABLE_STR("Salary"), &salary));
        check(entable_entity_get_datetime(entity, ENTABLE_STR("Hired"), &hired));
        check(entable_entity_get_boolean(entity, ENTABLE_STR("Active"), &active));
        check(entable_entity_get_guid(entity, ENTABLE_STR("Badge"), &badge));
        sum += (uint64_t)(int64_t)age + of_double(salary) + (uint64_t)hired + active + of_text((const char *)badge.bytes, 16);
        entable_entity_free(entity);
    }
    return sum;
}

uint64_t entable_ranges(const struct keys *keys, uint32_t count, uint32_t limit) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at++) {
        const entable_value partition_key = entable_value_string(entable_str_of(keys[at].partition_key));
        const entable_value row_key = entable_value_string(entable_str_of(keys[at].row_key));
        entable_entities *entities = NULL;
        const entable_entity *entity = NULL;
        check(entable_query_set_parameter(bench.range, ENTABLE_STR("p"), partition_key));
        check(entable_query_set_parameter(bench.range, ENTABLE_STR("r"), row_key));
        check(entable_query_set_limit(bench.range, limit));
        check(entable_table_query_entities(bench.table, bench.range, &entities));
        for (check(entable_entities_next(entities, &entity)); entity; check(entable_entities_next(entities, &entity))) {
            sum += of_entity(entity);
        }
        entable_entities_free(entities);
    }
    return sum;
}

static uint64_t of_row(sqlite3_stmt *row) {
    uint64_t sum = 0;
    for (int column = 0; column < COLUMNS; column++) {
        switch (sqlite3_column_type(row, column)) {
        case SQLITE_INTEGER: sum += (uint64_t)sqlite3_column_int64(row, column); break;
        case SQLITE_FLOAT: sum += of_double(sqlite3_column_double(row, column)); break;
        case SQLITE_TEXT: {
            const char *text = (const char *)sqlite3_column_text(row, column);
            sum += of_text(text, (size_t)sqlite3_column_bytes(row, column));
            break;
        }
        case SQLITE_BLOB: {
            const char *bytes = sqlite3_column_blob(row, column);
            sum += of_text(bytes, (size_t)sqlite3_column_bytes(row, column));
            break;
        }
        default: abort();
        }
    }
    return sum;
}

uint64_t sqlite_points(const struct keys *keys, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at++) {
        bind(bench.get, 1, keys[at].partition_key), bind(bench.get, 2, keys[at].row_key);
        if (sqlite3_step(bench.get) != SQLITE_ROW) abort();
        sum += of_row(bench.get);
        check_sqlite(sqlite3_reset(bench.get));
    }
    return sum;
}

uint64_t sqlite_ranges(const struct keys *keys, uint32_t count, uint32_t limit) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < count; at++) {
        bind(bench.page, 1, keys[at].partition_key), bind(bench.page, 2, keys[at].row_key);
        check_sqlite(sqlite3_bind_int(bench.page, 3, (int)limit));
        while (sqlite3_step(bench.page) == SQLITE_ROW) sum += of_row(bench.page);
        check_sqlite(sqlite3_reset(bench.page));
    }
    return sum;
}

/* The keys, for the part that asks the core. */
const char *bench_partition_key(const struct keys *keys, uint32_t at) {
    return keys[at].partition_key;
}

const char *bench_row_key(const struct keys *keys, uint32_t at) {
    return keys[at].row_key;
}
