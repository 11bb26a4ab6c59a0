// A store of orders: opened, written, read, asked.

#include <entable/entable.hpp>
#include <iostream>

int main(int count, char **arguments) try {
    entable::Store store = entable::Store::open(count > 1 ? arguments[1] : ":memory:");
    entable::Table orders = store.create_table_if_not_exists("Orders");
    orders.upsert_entity({"DE", "0001", {{"Total", 12.5}, {"City", "Köln"}}}, entable::UpdateMode::Replace);
    orders.upsert_entity({"DE", "0002", {{"Total", 8.0}, {"City", "Aachen"}}}, entable::UpdateMode::Replace);

    const entable::Entity order = orders.get_entity("DE", "0001");
    if (const double *total = order.get<double>("Total")) std::cout << "order 0001: " << *total << "\n";

    const auto below = entable::Query("PartitionKey eq 'DE' and Total lt @most").parameter("most", 10.0);
    for (const entable::Entity &cheap : orders.query_entities(below)) {
        std::cout << "below 10: " << cheap.row_key() << "\n";
    }

    try {
        orders.create_entity({"DE", "0001"});
    } catch (const entable::ExistsError &error) {
        std::cout << error.name() << " (" << error.status() << "), row key " << error.row_key().value_or("?") << "\n";
    }
} catch (const entable::Error &error) {
    std::cerr << error.name() << ": " << error.what() << "\n";
    return 1;
}
