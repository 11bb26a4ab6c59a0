// The boundary of the C++ API: misuse throws errors that name the argument, values are exact, handles end with scopes.

#include <entable/entable.hpp>
#include <entable/entable.hpp> // twice does no harm

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "claims.hpp"

namespace {

void text_must_be_utf8() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("Orders");
    const std::string bad = "a\xff";
    CHECK(is_misuse("path", [&] { Store::open(bad); }));
    CHECK(is_misuse("name", [&] { store.create_table(bad); }));
    CHECK(is_misuse("partition_key", [&] { table.create_entity({bad, "1"}); }));
    CHECK(is_misuse("row_key", [&] { table.get_entity("p", bad); }));
    CHECK(is_misuse("S", [&] { table.create_entity({"p", "1", {{"S", bad}}}); }));
    CHECK(is_misuse("name", [&] { table.create_entity({"p", "1", {{bad, 1}}}); }));
    CHECK(is_misuse("filter", [&] { table.query_page(bad); }));
    CHECK(is_misuse("names", [&] { table.query_page(Query().select({bad})); }));
    CHECK(is_misuse("token", [&] { table.query_page(Query().continue_from(bad)); }));
    CHECK(is_misuse("etag", [&] { table.delete_entity("p", "1", Condition::if_match(bad)); }));
    CHECK(is_misuse("text", [&] { entity_from_json(bad); }));
    CHECK(table.count() == 0);
}

void numbers_of_no_enum_are_errors() {
    Options options;
    options.mode = static_cast<Mode>(3);
    CHECK(is_misuse("mode", [&] { Store::open(":memory:", options); }));
    Table table = Store::open(":memory:").create_table("Orders");
    CHECK(is_misuse("mode", [&] { table.upsert_entity({"p", "1"}, static_cast<UpdateMode>(2)); }));
    CHECK(is_misuse("mode", [&] { table.query_page(Query().mode(static_cast<Mode>(255))); }));
    const DateTime never = DateTime(Ticks::max());
    CHECK(is_misuse("T", [&] { table.create_entity({"p", "1", {{"T", never}}}); }));
    CHECK(is_misuse("time", [&] { to_string(never); }));
    CHECK(is_misuse("time", [&] { to_string(DateTime(Ticks::min())); }));
}

void a_closed_store_says_so() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("Orders");
    table.create_entity({"p", "1"});
    Snapshot snapshot = store.snapshot();
    Entities entities = table.list_entities();
    store.close();
    store.close();
    CHECK(throws<ClosedError>(Code::StoreClosed, "", [&] { table.get_entity("p", "1"); }));
    CHECK(throws<ClosedError>(Code::StoreClosed, "", [&] { entities.next(); }));
    CHECK(entities.next() == nullptr);
    CHECK(throws<ClosedError>(Code::StoreClosed, "", [&] { snapshot.list_tables(); }));
    CHECK(throws<ClosedError>(Code::StoreClosed, "", [&] { store.list_tables(); }));
}

void handles_move_and_end_with_their_scope() {
    static_assert(!std::is_copy_constructible_v<Store> && std::is_nothrow_move_constructible_v<Store>);
    static_assert(!std::is_copy_constructible_v<Table> && std::is_nothrow_move_constructible_v<Table>);
    static_assert(std::is_copy_constructible_v<Entity> && std::is_copy_constructible_v<Query>);
    Table table = Store::open(":memory:").create_table("Orders"); // The table keeps its store.
    Table moved = std::move(table);
    moved.create_entity({"p", "1"});
    CHECK(moved.name() == "Orders" && moved.exists("p", "1"));
}

void every_type_comes_back_exactly() {
    Table table = Store::open(":memory:").create_table("Orders");
    Guid ones;
    ones.bytes.fill(255);
    Entity given("p", "1");
    given.set("I1", std::numeric_limits<std::int32_t>::min())
        .set("I2", std::numeric_limits<std::int32_t>::max())
        .set("L1", std::numeric_limits<std::int64_t>::min())
        .set("L2", std::numeric_limits<std::int64_t>::max())
        .set("L3", std::int64_t{5})
        .set("D1", std::numeric_limits<double>::max())
        .set("D2", std::numeric_limits<double>::denorm_min())
        .set("D3", -std::numeric_limits<double>::infinity())
        .set("D4", 5.0)
        .set("T1", parse_date_time("1601-01-01T00:00:00Z"))
        .set("T2", parse_date_time("9999-12-31T23:59:59.9999999Z"))
        .set("T3", DateTime(Ticks(-1)))
        .set("G1", Guid{})
        .set("G2", ones)
        .set("B1", true)
        .set("B2", false)
        .set("S1", "")
        .set("S2", std::string("a\0b\xf0\x9f\x98\x80", 7))
        .set("S3", std::string(32768, 'x'))
        .set("X1", Binary())
        .set("X2", Binary(65536, 0xff));
    table.create_entity(given);
    const Entity read = table.get_entity("p", "1");
    CHECK(read == given && read.size() == 21);
    CHECK(read.timestamp() && read.etag());
    // A literal is a String, never a Boolean.
    CHECK(std::holds_alternative<std::string>(Entity("p", "1", {{"S", "text"}}).at("S")));

    table.upsert_entity({"p", "2", {{"Zero", -0.0}, {"NaN", std::nan("")}}}, UpdateMode::Replace);
    const Entity special = table.get_entity("p", "2");
    CHECK(std::signbit(*special.get<double>("Zero")) && std::isnan(*special.get<double>("NaN")));
}

void entities_are_values() {
    Entity order("DE", "0001", {{"Total", 12.5}, {"Lines", 3}});
    Entity copy = order;
    copy.set("Total", 8.0);
    CHECK(*order.get<double>("Total") == 12.5 && *copy.get<double>("Total") == 8.0);
    CHECK(order.get<std::int64_t>("Lines") == nullptr && order.find("Missing") == nullptr);
    CHECK(order.remove("Lines") && !order.remove("Lines") && order.size() == 1);
    bool is_thrown = false;
    try {
        order.at("Lines");
    } catch (const std::out_of_range &) {
        is_thrown = true;
    }
    CHECK(is_thrown);
    CHECK(size_bytes(Entity("a", "b", {{"N", 1}})) == 22);
    CHECK(entity_from_json(R"({"PartitionKey": "a", "RowKey": "b", "N": 5})").at("N") == Value(5));
}

void errors_have_all_their_fields() {
    Table table = Store::open(":memory:").create_table("Orders");
    table.create_entity({"DE", "0001"});
    try {
        table.create_entity({"DE", "0001"});
        CHECK(false);
    } catch (const ExistsError &error) {
        CHECK(error.code() == Code::EntityAlreadyExists && error.status() == 409);
        CHECK(error.error_class() == ErrorClass::Exists && error.name() == "EntityAlreadyExists");
        CHECK(error.table() == "Orders" && error.partition_key() == "DE" && error.row_key() == "0001");
        CHECK(!error.property() && !error.limit() && !error.index() && !error.position());
        CHECK(std::strstr(error.what(), "already exists") != nullptr);
    }
    try {
        table.delete_entity("DE", std::string(1025, 'k'));
        CHECK(false);
    } catch (const TooLargeError &error) {
        CHECK(error.limit() == 1024u && error.actual() == 1025u && error.property() == "RowKey");
    }
    try {
        table.query_entities("Total gt");
        CHECK(false);
    } catch (const InvalidError &error) {
        CHECK(error.position() == 8u);
    }
    try {
        const Condition bad = Condition::if_match("x");
        table.submit_transaction({Operation::create({"p", "1"}), Operation::remove("p", "2", bad)});
        CHECK(false);
    } catch (const Error &error) {
        CHECK(error.index() == 1u && std::strncmp(error.what(), "1:", 2) == 0);
    }
    CHECK(!table.exists("p", "1"));
}

void an_etag_is_a_condition() {
    Table table = Store::open(":memory:").create_table("Orders");
    const Written first = table.create_entity({"p", "1"});
    const Written second = table.update_entity({"p", "1"}, UpdateMode::Merge, Condition::if_match(first.etag));
    CHECK(second.timestamp > first.timestamp && table.get_entity("p", "1").etag() == second.etag);
    CHECK(throws<ModifiedError>(Code::UpdateConditionNotSatisfied, "",
                                [&] { table.delete_entity("p", "1", Condition::if_match(first.etag)); }));
    CHECK(throws<ExistsError>(Code::EntityAlreadyExists, "",
                              [&] { table.upsert_entity({"p", "1"}, UpdateMode::Merge, Condition::absent()); }));
}

void a_clock_that_throws_is_the_systems() {
    Options options;
    options.clock = []() -> DateTime { throw std::runtime_error("no time"); };
    Table table = Store::open(":memory:", options).create_table("Orders");
    const DateTime before = std::chrono::floor<Ticks>(std::chrono::system_clock::now());
    CHECK(table.create_entity({"p", "1"}).timestamp >= before);
}

void threads_have_failures_of_their_own() {
    Store store = Store::open(":memory:");
    std::vector<std::thread> threads;
    std::vector<int> seen(4);
    for (std::size_t number = 0; number < seen.size(); number++) {
        threads.emplace_back([&store, &seen, number] {
            const std::string name = "Missing" + std::to_string(number);
            for (int i = 0; i < 100; i++) {
                try {
                    store.delete_table(name);
                } catch (const NotFoundError &error) {
                    seen[number] += error.table() == name;
                }
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
    CHECK(seen == std::vector<int>(4, 100));
}

} // namespace

int main() {
    text_must_be_utf8();
    numbers_of_no_enum_are_errors();
    a_closed_store_says_so();
    handles_move_and_end_with_their_scope();
    every_type_comes_back_exactly();
    entities_are_values();
    errors_have_all_their_fields();
    an_etag_is_a_condition();
    a_clock_that_throws_is_the_systems();
    threads_have_failures_of_their_own();
    std::printf("boundary of C++: %s\n", failures ? "failed" : "holds");
    return failures != 0;
}
