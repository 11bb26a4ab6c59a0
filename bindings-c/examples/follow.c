/* Follows the changes of a table, and keeps a copy of it: each page of changes is done exactly once. */

#include <entable.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with what an error says. */
static void check(entable_error *error) {
    if (!error) return;
    fprintf(stderr, "%s (%u): %s\n", entable_error_name(error), entable_error_status(error), entable_error_message(error));
    entable_error_free(error);
    exit(1);
}

static void copy_change(entable_table *copies, const entable_change *change) {
    if (change->entity) {
        check(entable_table_upsert_entity(copies, change->entity, ENTABLE_UPDATE_REPLACE, entable_condition_none(), NULL));
    } else {
        check(entable_table_delete_entity(copies, change->partition_key, change->row_key, entable_condition_none()));
    }
}

/* Copies, and notes that it is done, in one transaction. */
static void copy_page(entable_store *store, const entable_change_page *page) {
    entable_transaction *transaction = NULL;
    entable_table *orders = NULL, *copies = NULL;
    entable_consumer *copier = NULL;
    entable_change change;
    check(entable_store_begin(store, &transaction));
    check(entable_transaction_table(transaction, ENTABLE_STR("Orders"), &orders));
    check(entable_transaction_table(transaction, ENTABLE_STR("Copies"), &copies));
    check(entable_table_consumer(orders, ENTABLE_STR("copier"), &copier));
    for (size_t i = 0; entable_change_page_at(page, i, &change); i++) copy_change(copies, &change);
    check(entable_consumer_advance(copier, entable_change_page_position(page)));
    check(entable_transaction_commit(transaction));
    entable_consumer_free(copier);
    entable_table_free(copies);
    entable_table_free(orders);
    entable_transaction_free(transaction);
}

static void some_orders(entable_table *orders) {
    const entable_str numbers[] = {ENTABLE_STR("0001"), ENTABLE_STR("0002")};
    for (size_t i = 0; i < 2; i++) {
        entable_entity *order = NULL;
        check(entable_entity_new(ENTABLE_STR("DE"), numbers[i], &order));
        check(entable_table_upsert_entity(orders, order, ENTABLE_UPDATE_MERGE, entable_condition_none(), NULL));
        entable_entity_free(order);
    }
    check(entable_table_delete_entity(orders, ENTABLE_STR("DE"), ENTABLE_STR("0001"), entable_condition_none()));
}

int main(int count, char **arguments) {
    entable_str path = count > 1 ? entable_str_of(arguments[1]) : ENTABLE_STR(":memory:");
    entable_store *store = NULL;
    entable_table *orders = NULL, *copies = NULL;
    entable_consumer *copier = NULL;
    bool is_there = false;
    uint64_t copied = 0;
    entable_feed feed = {0};
    feed.keep_until_consumed = true;
    check(entable_store_open(path, NULL, &store));
    check(entable_store_create_table_if_not_exists(store, ENTABLE_STR("Orders"), &orders));
    check(entable_store_create_table_if_not_exists(store, ENTABLE_STR("Copies"), &copies));
    check(entable_table_set_feed(orders, &feed));
    check(entable_table_create_consumer(orders, ENTABLE_STR("copier"), ENTABLE_FEED_START_BEGINNING, ENTABLE_STR(""), &copier));
    some_orders(orders);

    /* One that runs for ever would wait longer, and again: other processes may write, too. */
    for (check(entable_consumer_wait(copier, 100, &is_there)); is_there; check(entable_consumer_wait(copier, 0, &is_there))) {
        entable_change_page *page = NULL; /* yours once the call returns NULL */
        check(entable_consumer_read(copier, 1000, &page));
        copy_page(store, page);
        printf("copied %zu changes\n", entable_change_page_count(page));
        entable_change_page_free(page);
    }
    check(entable_table_count(copies, NULL, &copied));
    printf("orders in the copy: %llu\n", (unsigned long long)copied);

    entable_consumer_free(copier);
    entable_table_free(copies);
    entable_table_free(orders);
    entable_store_free(store);
    return 0;
}
