/* A store of orders: opened, written, read, asked. */

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

static void store_order(entable_table *orders, entable_str number, double total) {
    entable_entity *order = NULL;
    check(entable_entity_new(ENTABLE_STR("DE"), number, &order));
    check(entable_entity_set(order, ENTABLE_STR("Total"), entable_value_double(total)));
    check(entable_entity_set(order, ENTABLE_STR("City"), entable_value_string(ENTABLE_STR("Köln"))));
    check(entable_table_upsert_entity(orders, order, ENTABLE_UPDATE_REPLACE, entable_condition_none(), NULL));
    entable_entity_free(order);
}

int main(int count, char **arguments) {
    entable_str path = count > 1 ? entable_str_of(arguments[1]) : ENTABLE_STR(":memory:");
    entable_store *store = NULL;
    entable_table *orders = NULL;
    check(entable_store_open(path, NULL, &store));
    check(entable_store_create_table_if_not_exists(store, ENTABLE_STR("Orders"), &orders));
    store_order(orders, ENTABLE_STR("0001"), 12.5);
    store_order(orders, ENTABLE_STR("0002"), 8.0);

    entable_entity *order = NULL; /* yours once the call returns NULL */
    double total = 0;
    check(entable_table_get_entity(orders, ENTABLE_STR("DE"), ENTABLE_STR("0001"), &order));
    check(entable_entity_get_double(order, ENTABLE_STR("Total"), &total));
    printf("order 0001: %.2f\n", total);
    entable_entity_free(order);

    entable_query *query = NULL;
    entable_entities *found = NULL;
    const entable_entity *next = NULL; /* lent by `found` */
    check(entable_query_new(ENTABLE_STR("PartitionKey eq 'DE' and Total lt @most"), &query));
    check(entable_query_set_parameter(query, ENTABLE_STR("most"), entable_value_double(10)));
    check(entable_table_query_entities(orders, query, &found));
    for (check(entable_entities_next(found, &next)); next; check(entable_entities_next(found, &next))) {
        entable_str number = entable_entity_row_key(next);
        printf("below 10: %.*s\n", (int)number.length, number.data);
    }
    entable_entities_free(found);
    entable_query_free(query);

    entable_table_free(orders);
    entable_store_free(store);
    return 0;
}
