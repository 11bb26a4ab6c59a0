// Transactions, submitted writes, indexes, copies, statistics and keys through the C++ API.

#include <entable/entable.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <unistd.h>

#include "claims.hpp"

namespace {

const auto Merge = UpdateMode::Merge;

void people(Table &table) {
    table.upsert_entity({"DE", "1", {{"City", "Bonn"}, {"Age", 30}}}, Merge);
    table.upsert_entity({"DE", "2", {{"City", "Aachen"}, {"Age", 20}}}, Merge);
    table.upsert_entity({"FR", "1", {{"City", "Bonn"}, {"Age", 10}}}, Merge);
}

std::int32_t age(const Table &table) {
    return std::get<std::int32_t>(table.get_entity("DE", "1").at("Age"));
}

void a_transaction_is_whole_or_nothing() {
    static_assert(!std::is_copy_constructible_v<Transaction> && std::is_nothrow_move_constructible_v<Transaction>);
    Store store = Store::open(":memory:");
    Table table = store.create_table("People");
    people(table);
    {
        Transaction transaction = store.begin();
        Table inside = transaction.table("People");
        inside.update_entity({"DE", "1", {{"Age", 31}}}, Merge);
        CHECK(age(inside) == 31 && age(table) == 30);
        CHECK(inside.count() == 3 && inside.exists("FR", "1") && inside.get_many({{"DE", "2"}})[0]);
        int count = 0;
        for (const Entity &one : inside.query_entities(Query("City eq 'Bonn'").page_size(1))) count += one.size() == 2;
        CHECK(count == 2);
        CHECK(inside.submit_transaction({Operation::remove("DE", "2")}).size() == 1);
        CHECK(inside.delete_entities("PartitionKey eq 'FR'") == 1 && table.count() == 3);
        CHECK(throws<BusyError>(Code::TransactionOpen, "", [&] { table.create_entity({"DE", "9"}); }));
        CHECK(throws<BusyError>(Code::TransactionOpen, "", [&] { store.begin(); }));
        CHECK(is_misuse("table", [&] { inside.explain(); }));
        inside.create_index(Index("I", {"Age"}));
        CHECK(inside.list_indexes().size() == 1 && table.list_indexes().empty());
        CHECK(is_misuse("table", [&] { inside.submit(Operation::create({"DE", "8"})); }));
        CHECK(is_misuse("table", [&] { store.submit_batch({{&inside, Operation::create({"DE", "8"})}}); }));
    }
    CHECK(table.count() == 3 && age(table) == 30); // Rolled back with its scope.

    const std::int32_t told = store.transaction([](Transaction &transaction) {
        Table inside = transaction.table("People");
        inside.update_entity({"DE", "1", {{"Age", age(inside) + 1}}}, Merge);
        return age(inside);
    });
    CHECK(told == 31 && age(table) == 31);
    bool is_thrown = false;
    try {
        store.transaction([](Transaction &transaction) {
            transaction.create_table("More");
            transaction.delete_table("People");
            CHECK(transaction.list_tables() == std::vector<std::string>{"More"});
            CHECK(throws<ExistsError>(Code::TableAlreadyExists, "", [&] { transaction.create_table("more"); }));
            transaction.create_table_if_not_exists("More");
            throw std::runtime_error("changed my mind");
        });
    } catch (const std::runtime_error &) {
        is_thrown = true;
    }
    CHECK(is_thrown && store.list_tables() == std::vector<std::string>{"People"});

    Transaction transaction = store.begin();
    Table inside = transaction.table("People");
    std::thread elsewhere([&] {
        CHECK(is_misuse("transaction", [&] { inside.count(); }));
        CHECK(is_misuse("transaction", [&] { transaction.commit(); }));
    });
    elsewhere.join();
    transaction.rollback();
    transaction.rollback();
    CHECK(is_misuse("transaction", [&] { transaction.commit(); }));
    CHECK(is_misuse("transaction", [&] { inside.count(); }));
    Transaction last = store.begin();
    store.close();
    CHECK(throws<ClosedError>(Code::StoreClosed, "", [&] { last.commit(); }));
}

void submitted_writes_have_futures() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("People");
    std::vector<std::future<std::optional<Written>>> futures;
    for (int i = 0; i < 100; i++) {
        futures.push_back(table.submit(Operation::create({"DE", keys::padded(static_cast<std::uint64_t>(i), 6)})));
    }
    for (auto &future : futures) CHECK(future.get().has_value());
    CHECK(table.count() == 100);
    CHECK(!table.submit(Operation::remove("DE", "000000")).get());
    auto missing = table.submit(Operation::remove("DE", "no"));
    CHECK(throws<NotFoundError>(Code::ResourceNotFound, "", [&] { (void)missing.get(); }));
    CHECK(throws<TooLargeError>(Code::KeyValueTooLarge, "RowKey",
                                [&] { table.submit(Operation::create({"DE", std::string(1025, 'k')})); }));
    std::promise<bool> refused;
    table.submit(Operation::create({"DE", "x"}), [&](std::optional<Written> written, std::exception_ptr exception) {
        bool is_refused = false;
        try {
            table.delete_entity("DE", "x");
        } catch (const Error &) {
            is_refused = true;
        }
        refused.set_value(written && !exception && is_refused && table.exists("DE", "x"));
        throw std::runtime_error("forgotten");
    });
    CHECK(refused.get_future().get());
    store.sync();
    CHECK(table.count() == 100);
}

void indexes_are_declared_and_used() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("People");
    people(table);
    const Index by_city = Index("ByCity", {"City", "Age"}).project({"Name"}).fold_case();
    table.create_index(by_city);
    table.create_index_if_not_exists(by_city);
    CHECK(throws<ExistsError>(Code::IndexAlreadyExists, "", [&] { table.create_index(by_city); }));
    const std::vector<Index> listed = table.list_indexes();
    CHECK(listed.size() == 1 && listed[0].name() == "ByCity" && listed[0].state() == IndexState::Ready);
    CHECK(listed[0].properties() == by_city.properties() && listed[0].projected() == by_city.projected());
    CHECK(listed[0].scope() == Scope::Table && listed[0].projection() == Projection::Names);
    CHECK(listed[0].folds_case() && !listed[0].is_unique());
    table.drop_index("ByCity");
    CHECK(throws<NotFoundError>(Code::IndexNotFound, "", [&] { table.drop_index("ByCity"); }));

    table.create_index(Index("ByAge", {"Age"}).project_all());
    std::vector<std::int32_t> ages;
    for (const Entity &one : table.query_entities(Query().order_by("Age"))) ages.push_back(*one.get<std::int32_t>("Age"));
    CHECK(ages == std::vector<std::int32_t>({10, 20, 30}));
    const Explain explain = table.explain(Query().order_by("Age").descending());
    CHECK(explain.path == "index scan" && explain.index == "ByAge" && explain.is_covered && explain.rows_returned == 3);
    const Explain other = table.explain("startswith(Cuty, 'B')");
    CHECK(other.path == "table scan" && !other.index && other.cloud.size() == 1 && other.warnings.size() == 1);
    CHECK(other.considered.size() >= 1 && other.considered[0].is_taken && !other.text.empty());

    CHECK(throws<ExistsError>(Code::UniqueIndexViolation, "", [&] { table.create_index(Index("One", {"City"}).unique()); }));
    table.create_index(Index("One", {"City"}).unique().scope(Scope::Partition));
    try {
        table.create_entity({"DE", "3", {{"City", "Bonn"}}});
        CHECK(false);
    } catch (const ExistsError &error) {
        CHECK(error.index_name() == "One" && error.holder_partition_key() == "DE" && error.holder_row_key() == "1");
    }
    const std::vector<IndexStats> held = table.index_stats();
    CHECK(held.size() == 2 && held[0].entries == 3);
    table.create_index(Index("Again", {"Age"}).project_all());
    const std::vector<Advice> advice = table.advise();
    CHECK(!advice.empty() && advice.size() == store.advise().size() && !advice[0].reason.empty());
    CHECK(is_misuse("scope", [&] { table.create_index(Index("I", {"Age"}).scope(static_cast<Scope>(2))); }));
    CHECK(is_misuse("name", [&] { table.create_index(Index("\xff", {"Age"})); }));
    CHECK(is_misuse("names", [&] { table.create_index(Index("I", {"\xff"})); }));
    CHECK(is_misuse("property", [&] { table.query_page(Query().order_by("\xff")); }));
    CHECK(table.partition_keys() == std::vector<std::string>({"DE", "FR"}));
    CHECK(table.delete_entities_in_chunks("Age le 20", 1) == 2 && table.count() == 1);
}

void copies_are_stores_and_files_are_verified() {
    char name[] = "/tmp/entable-verbs-XXXXXX";
    CHECK(mkdtemp(name) != nullptr);
    const std::string folder = name, first = folder + "/first.ent", second = folder + "/second.ent";
    std::uint64_t calls = 0;
    const Progress count = [&](std::uint64_t, std::uint64_t) {
        calls++;
        throw std::runtime_error("forgotten");
    };
    {
        Store store = Store::open(first);
        {
            Table table = store.create_table("People");
            people(table);
        }
        const Copied copied = store.backup(second, count);
        CHECK(copied.records > 0 && copied.bytes_after > 0 && calls >= 2);
        CHECK(throws<ExistsError>(Code::FileExists, "", [&] { store.backup(second); }));
        CHECK(store.compact_into(folder + "/third.ent").records == copied.records);
        CHECK(store.compact(count).bytes_after > 0);
    }
    const Report report = verify(second, count);
    CHECK(report.is_clean() && report.tables == 1 && report.entities == 3 && report.findings.empty());
    CHECK(throws<NotFoundError>(Code::StoreNotFound, "", [&] { verify(folder + "/none.ent"); }));
    Options options;
    options.check = true;
    options.immutable = true;
    Options small;
    small.max_size = std::uint64_t{1} << 20;
    Table full = Store::open(":memory:", small).create_table("Full");
    CHECK(throws<FullError>(Code::QuotaExceeded, "", [&] {
        for (int i = 0; i < 100; i++) full.create_entity({"p", std::to_string(i), {{"B", Binary(60000, 1)}}});
    }));
    CHECK(Store::open(second, options).table("People").count() == 3);
    for (const char *file : {"first.ent", "second.ent", "third.ent"}) {
        unlink((folder + "/" + file).c_str());
        unlink((folder + "/" + file + "-lock").c_str());
    }
    CHECK(rmdir(name) == 0);
}

void a_store_tells_of_itself() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("People");
    people(table);
    const Snapshot snapshot = store.snapshot();
    const Stats stats = store.stats();
    CHECK(stats.commits.samples == 4 && stats.commits.max >= stats.commits.p50 && stats.commit_groups.sum == 4);
    CHECK(stats.held_readers.size() == 1 && stats.page_bytes == 4096 && stats.reader_slots > 0);
    bool has_rows = false;
    for (const DatabaseStats &one : stats.databases) has_rows = has_rows || (one.name == "rows" && one.records == 3);
    CHECK(has_rows && !stats.text.empty());
}

void an_answer_is_given_up() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("Rows");
    std::vector<BatchOperation> batch;
    for (std::uint64_t i = 0; i < 1000; i++) {
        batch.push_back({&table, Operation::create({"DE", keys::padded(i, 6), {{"N", 1}}})});
    }
    store.submit_batch(batch);
    std::atomic<int> asked{0};
    const Query after_two = Query("N eq 1").stop_if([&] { return ++asked > 2; });
    CHECK(throws<CancelledError>(Code::Cancelled, "", [&] { table.count(after_two); }) && asked == 3);
    CHECK(throws<CancelledError>(Code::Cancelled, "", [&] { table.delete_entities(after_two); }));
    CHECK(table.count() == 1000 && table.count(Query("N eq 1").stop_if([] { return false; })) == 1000);
    // What is thrown does not come out again, whatever it is, and says no.
    CHECK(throws<CancelledError>(Code::Cancelled, "", [&] { table.count(Query("N eq 1").stop_if([]() -> bool { throw 42; })); }));
    CHECK(table.count(Query("N eq 1").stop_if(nullptr)) == 1000);
    asked = 0;
    std::size_t seen = 0;
    Entities answer = table.query_entities(Query(after_two).page_size(300));
    CHECK(throws<CancelledError>(Code::Cancelled, "", [&] {
        while (answer.next()) seen++;
    }));
    CHECK(seen > 0 && seen % 300 == 0 && !answer.next());
    // A snapshot that the answer is read at ends with it, and is not waited for.
    Snapshot snapshot = store.snapshot();
    const Table at = table.at(snapshot);
    CHECK(at.count(Query("N eq 1").stop_if([&] {
        snapshot.close();
        return false;
    })) == 1000);
    CHECK(throws<ClosedError>(Code::StoreClosed, "", [&] { at.count(); }));
}

void what_callbacks_throw_stays_with_them() {
    Options options;
    options.clock = []() -> DateTime { throw 42; };
    Store store = Store::open(":memory:", options);
    Table table = store.create_table("People");
    people(table);
    std::promise<void> told;
    table.submit(Operation::create({"DE", "9"}), [&](std::optional<Written>, std::exception_ptr) {
        told.set_value();
        throw 42;
    });
    told.get_future().get();
    store.sync();
    CHECK(table.count() == 4);
}

void patterns_have_their_verbs() {
    using namespace entable::patterns;
    Store store = Store::open(":memory:");
    Table table = store.create_table("Orders");
    const auto defined = [](Kind kind) { return Definition{kind, "Orders"}; };
    const Entity berlin("DE", "0001", {{"City", "Berlin"}}), bonn("DE", "0002", {{"City", "Bonn"}});

    Definition definition = defined(Kind::DistinctList);
    definition.prefix = "list_";
    definition.fields = {"City"};
    const Pattern cities(definition);
    store.submit_batch(cities.rebuild("DE", {berlin, bonn, berlin}, {}));
    const Entity count = table.get_entity("DE", "list_Berlin");
    CHECK(*count.get<std::int64_t>("Count") == 2);
    CHECK(cities.rebuild("DE", {berlin}, {count}).steps().size() == 1);
    CHECK(throws<InvalidError>(Code::InvalidInput, "", [&] { cities.rebuild("FR", {}, {count}); }));

    definition.kind = Kind::IndexEntities;
    definition.prefix = "ids_";
    const Pattern lists(definition);
    store.submit_batch(lists.changes(std::nullopt, berlin, {}));
    CHECK(is_misuse("pattern", [&] { lists.parts("x"); }) && is_misuse("pattern", [&] { cities.ids({}); }));
    Entity list("DE", "ids_Berlin");
    for (const Step &step : lists.changes(std::nullopt, bonn, {}).steps()) {
        for (const Operation &one : step.operations) {
            if (one.entity().row_key() == "ids_Bonn") list = one.entity();
        }
    }
    CHECK(lists.ids({list}) == std::vector<std::string>{"0002"} && lists.value_of(list) == "Bonn");
    CHECK(!lists.value_of(berlin));

    definition = defined(Kind::DataSeries);
    definition.period = Period::Day;
    const Pattern series(definition);
    const DateTime noon = parse_date_time("2026-12-01T12:00:00Z");
    store.submit_batch(series.record("DE", noon, 1.5));
    const Lookup lookup = series.find("DE", {Value(noon)});
    CHECK(lookup.keys.has_value());
    const Entity day = table.get_entity(lookup.keys->partition_key, lookup.keys->row_key);
    CHECK(series.remove(day, noon + std::chrono::hours(1)).steps().empty());
    store.submit_batch(series.remove(day, noon));
    CHECK(table.get_entity(day.partition_key(), day.row_key()).empty());
    CHECK(throws<InvalidError>(Code::InvalidInput, "RowKey", [&] { series.remove(day, noon + std::chrono::hours(48)); }));

    definition = defined(Kind::CompoundKey);
    definition.fields = {"City", "Year"};
    definition.fields[1].padded = 4;
    CHECK(Pattern(definition).parts("Bonn_0987") == std::vector<std::string>({"Bonn", "0987"}));
    CHECK(definition.fields[1].text_of(987) == "0987");
    CHECK(throws<InvalidError>(Code::InvalidInput, "Year", [&] { definition.fields[1].text_of(0.5); }));
    definition = defined(Kind::IndexTable);
    definition.kept_in = "ByCity";
    definition.fields = {"City"};
    definition.shards = 16;
    CHECK(Pattern(definition).shard_key("0001").size() == 2);
}

template <class Call> bool is_moved_from(Call call) { return is_misuse("this", call); }

void what_was_moved_from_refuses() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("Rows");
    table.create_entity({"DE", "1"});
    table.create_entity({"DE", "2"});
    Snapshot snapshot = store.snapshot();
    Entities entities = table.query_entities(Query().page_size(1));
    CHECK(entities.next() != nullptr);
    const Entities rest = std::move(entities);
    CHECK(is_moved_from([&] { entities.next(); }) && is_moved_from([&] { std::move(entities).by_page().next(); }));
    const Snapshot held = std::move(snapshot);
    CHECK(is_moved_from([&] { snapshot.list_tables(); }) && is_moved_from([&] { snapshot.close(); }));
    CHECK(is_moved_from([&] { table.at(snapshot); }));
    Transaction transaction = store.begin(), last = std::move(transaction);
    CHECK(is_moved_from([&] { transaction.commit(); }) && is_moved_from([&] { transaction.table("Rows"); }));
    CHECK(is_moved_from([&] { transaction.rollback(); }) && is_moved_from([&] { transaction.list_tables(); }));
    CHECK(is_moved_from([&] { transaction.create_table("T"); }) && is_moved_from([&] { transaction.delete_table("T"); }));
    last.rollback();

    patterns::Definition definition{patterns::Kind::WideEntity, "Rows"};
    patterns::Pattern pattern(definition);
    patterns::Changes changes = pattern.changes(std::nullopt, Entity("DE", "3"));
    const patterns::Changes made = std::move(changes);
    const patterns::Pattern wide = std::move(pattern);
    CHECK(is_moved_from([&] { changes.steps(); }) && is_moved_from([&] { store.submit_batch(changes); }));
    CHECK(is_moved_from([&] { made.join(changes); }) && is_moved_from([&] { pattern.find("DE", {Value(1)}); }));

    Table other = std::move(table);
    Table &same = other;
    other = std::move(same);
    CHECK(other.count() == 2 && other.name() == "Rows");
    Entity row("DE", "9");
    CHECK(is_moved_from([&] { table.name(); }) && is_moved_from([&] { table.create_entity(row); }));
    CHECK(is_moved_from([&] { table.update_entity(row, Merge); }) && is_moved_from([&] { table.upsert_entity(row, Merge); }));
    CHECK(is_moved_from([&] { table.delete_entity("DE", "1"); }) && is_moved_from([&] { table.get_entity("DE", "1"); }));
    CHECK(is_moved_from([&] { table.exists("DE", "1"); }) && is_moved_from([&] { table.get_many({{"DE", "1"}}); }));
    CHECK(is_moved_from([&] { table.query_entities(); }) && is_moved_from([&] { table.query_page(); }));
    CHECK(is_moved_from([&] { table.count(); }) && is_moved_from([&] { table.explain(); }));
    CHECK(is_moved_from([&] { table.submit(Operation::create(row)); }) && is_moved_from([&] { table.partition_keys(); }));
    CHECK(is_moved_from([&] { table.submit_transaction({Operation::create(row)}); }));
    CHECK(is_moved_from([&] { table.delete_entities(Query()); }) && is_moved_from([&] { table.delete_entities_in_chunks(Query(), 1); }));
    CHECK(is_moved_from([&] { table.create_index(Index("I", {"A"})); }) && is_moved_from([&] { table.drop_index("I"); }));
    CHECK(is_moved_from([&] { table.list_indexes(); }) && is_moved_from([&] { table.index_stats(); }));
    CHECK(is_moved_from([&] { table.advise(); }) && is_moved_from([&] { table.at(held); }));
    CHECK(is_moved_from([&] { store.submit_batch({{&table, Operation::create(row)}}); }));
    CHECK(is_misuse("table", [&] { store.submit_batch({{nullptr, Operation::create(row)}}); }));

    const Store open = std::move(store);
    CHECK(is_moved_from([&] { store.close(); }) && is_moved_from([&] { store.mode(); }));
    CHECK(is_moved_from([&] { store.table("Rows"); }) && is_moved_from([&] { store.create_table("T"); }));
    CHECK(is_moved_from([&] { store.create_table_if_not_exists("T"); }) && is_moved_from([&] { store.delete_table("T"); }));
    CHECK(is_moved_from([&] { store.list_tables(); }) && is_moved_from([&] { store.query_tables(""); }));
    CHECK(is_moved_from([&] { store.snapshot(); }) && is_moved_from([&] { store.begin(); }));
    CHECK(is_moved_from([&] { store.sync(); }) && is_moved_from([&] { store.stats(); }));
    CHECK(is_moved_from([&] { store.advise(); }) && is_moved_from([&] { store.backup("/tmp/x"); }));
    CHECK(is_moved_from([&] { store.compact_into("/tmp/x"); }) && is_moved_from([&] { store.compact(); }));
    CHECK(is_moved_from([&] { store.submit_batch(std::vector<BatchOperation>{}); }));
    CHECK(open.list_tables().size() == 1);
}

/// What a thread holds when it ends is let go of then, in whatever order, and may call the library on its way.
struct Last {
    Table table;
    std::optional<Transaction> transaction;
    ~Last() {
        CHECK(table.count() == 1);
        bool is_thrown = false;
        try {
            table.get_entity("none", "none");
        } catch (const Error &) {
            is_thrown = true;
        }
        CHECK(is_thrown);
    }
};

void the_end_of_a_thread_is_no_end_of_the_program() {
    Store store = Store::open(":memory:");
    Table table = store.create_table("Rows");
    table.create_entity({"DE", "1"});
    for (const bool is_early : {true, false}) {
        std::thread([&] {
            // Made before, or after, what the library keeps for the thread.
            if (!is_early) CHECK(throws<NotFoundError>(Code::ResourceNotFound, "", [&] { table.get_entity("x", "x"); }));
            thread_local Last last{store.table("Rows"), std::nullopt};
            last.transaction = store.begin();
            last.transaction->table("Rows").create_entity({"DE", "2"});
            CHECK(throws<NotFoundError>(Code::ResourceNotFound, "", [&] { table.get_entity("x", "x"); }));
        }).join();
        CHECK(table.count() == 1);
        table.upsert_entity({"DE", "1"}, Merge); // The turn has been given back.
    }
}

void a_consumer_advances_in_a_transaction() {
    Store store = Store::open(":memory:");
    Feed feed;
    feed.keep_until_consumed = true;
    feed.keep_for = std::chrono::hours(1);
    Table table = store.create_table_with_feed("Orders", feed);
    CHECK(table.feed().settings.keep_for == std::chrono::hours(1) && table.feed().consumers.empty());
    Consumer consumer = table.create_consumer("c", FeedStart::beginning());
    CHECK(!consumer.wait(std::chrono::milliseconds(0)));
    std::thread writer([&] { table.create_entity({"DE", "1", {{"Age", 30}}}); });
    CHECK(consumer.wait(std::chrono::seconds(60)));
    writer.join();
    for (const bool commits : {false, true}) {
        const ChangePage page = consumer.read(10);
        CHECK(page.changes.size() == 1 && page.changes[0].entity->at("Age") == Value(30) && !page.has_more);
        Transaction transaction = store.begin();
        Consumer inside = transaction.table("Orders").consumer("c");
        CHECK(is_misuse("consumer", [&] { inside.read(10); }));
        inside.advance(page.position);
        if (commits) transaction.commit();
    }
    CHECK(consumer.read(10).changes.empty() && consumer.position() == table.feed().consumers.at(0).position);
    consumer.seek(table.feed().begin);
    CHECK(consumer.read(10).changes.size() == 1);
    feed.keep_for = std::chrono::nanoseconds(-1);
    CHECK(is_misuse("keep_for", [&] { table.set_feed(feed); }));
    CHECK(is_misuse("name", [&] { table.create_consumer("\xff", FeedStart::now()); }));
    CHECK(is_misuse("position", [&] { table.read_changes("\xff", 1); }));
    CHECK(throws<InvalidError>(Code::InvalidInput, "", [&] { table.changes("no position"); }));
}

void relations_refuse_what_they_must() {
    Store store = Store::open(":memory:");
    Table parents = store.create_table("Parents"), table = store.create_table("Children");
    store.create_relation(Relation("P", "Children", "Parents").keys("Pk", "Rk").on_delete(OnDelete::Cascade));
    store.create_relation_if_not_exists(table.relations().at(0));
    try {
        table.create_entity({"c", "1", {{"Pk", "p"}, {"Rk", "1"}}});
        CHECK(!"a link that leads nowhere is stored");
    } catch (const InvalidError &error) {
        CHECK(error.code() == Code::LinkTargetNotFound && error.relation() == "P");
    }
    CHECK(is_misuse("relation", [&] { table.linked("\xff", {"p", "1"}); }));
    CHECK(is_misuse("name", [&] { store.create_relation(Relation("\xff", "Children", "Parents")); }));
    CHECK(is_misuse("number", [&] { table.upsert_entity(Entity("c", "2").add("N", Value(true)), Merge); }));
    const Entity it = Entity("o'k", "it's");
    parents.create_entity(it);
    table.create_entity({"c", "1", {{"Pk", "o'k"}, {"Rk", "it's"}}});
    CHECK(table.count(table.linked_query("P", {"o'k", "it's"})) == 1 && table.parent_of("P", "c", "1") == it);
    Join join = store.create_join("Pairs", "Parents", "Children", OnDelete::Refuse);
    CHECK(join.link({"o'k", "it's"}, {"c", "1"}) && join.table().count() == 1);
    CHECK(throws<ExistsError>(Code::LinkedEntitiesExist, "", [&] { parents.delete_entity("o'k", "it's"); }));
}

void keys_have_their_published_forms() {
    const DateTime noon = parse_date_time("2026-12-01T12:00:00Z");
    CHECK(keys::compose({"Redmond", "Smith"}) == "Redmond !Smith" && keys::compose_prefix({"000123"}) == "000123 !");
    CHECK(keys::split("Redmond !Smith") == std::vector<std::string>({"Redmond", "Smith"}));
    CHECK(keys::safe("MyDomain\\jbloggs") == "MyDomain[1jbloggs" && keys::safe_from("a[1b") == "a\\b");
    CHECK(keys::bytes({0, 255}) == "00ff" && keys::bytes_from("00ff") == Binary({0, 255}));
    CHECK(keys::text_from_base64(keys::base64_text("MyDomain\\jbloggs")) == "MyDomain\\jbloggs");
    CHECK(keys::padded(223, 6) == "000223" && keys::integer_from(keys::integer(-42)) == -42);
    CHECK(keys::number(9.0) < keys::number(10.0) && keys::number_from(keys::number(-1.5)) == -1.5);
    CHECK(keys::ticks(noon) == "0639317232000000000" && keys::ticks_from("0639317232000000000") == noon);
    CHECK(keys::descending_ticks_from(keys::descending_ticks(noon)) == noon);
    CHECK(keys::compact_date(noon) == "20261201120000");
    CHECK(keys::prefix_range("Id_").first == "Id_" && keys::prefix_range("Id_").end == "Id`");
    CHECK(keys::prefix_filter("RowKey", "empid_") == "RowKey ge 'empid_' and RowKey lt 'empid`'");
    CHECK(keys::fold_case("JBloggs Straße") == "jbloggs strasse" && keys::shard("customer 17", 16) < 16);
    CHECK(throws<InvalidError>(Code::InvalidInput, "", [] { keys::number(std::nan("")); }));
    CHECK(is_misuse("key", [] { keys::split("\xff"); }));
    CHECK(is_misuse("time", [] { keys::ticks(DateTime(Ticks::max())); }));
}

} // namespace

int main() {
    a_transaction_is_whole_or_nothing();
    submitted_writes_have_futures();
    indexes_are_declared_and_used();
    copies_are_stores_and_files_are_verified();
    a_store_tells_of_itself();
    an_answer_is_given_up();
    what_callbacks_throw_stays_with_them();
    patterns_have_their_verbs();
    what_was_moved_from_refuses();
    the_end_of_a_thread_is_no_end_of_the_program();
    a_consumer_advances_in_a_transaction();
    relations_refuse_what_they_must();
    keys_have_their_published_forms();
    std::printf("verbs of C++: %s\n", failures ? "failed" : "hold");
    return failures != 0;
}
