// A catalogue of books: indexes by author and by ISBN, a price changed in a transaction, and what the store says of the
// way that a query takes.

#include <entable/entable.hpp>
#include <iostream>

using namespace entable;

namespace {

void add(Table &books, const std::string &genre, const std::string &id, const std::string &title,
         const std::string &author, const std::string &isbn, double price) {
    books.upsert_entity(
        {genre, id, {{"Title", title}, {"Author", author}, {"Isbn", isbn}, {"Price", price}, {"InStock", 3}}},
        UpdateMode::Replace);
}

void fill(Table &books) {
    // Queries that ask for title and price alone are answered from the entries of the index.
    books.create_index_if_not_exists(Index("ByAuthor", {"Author", "Price"}).project({"Title", "Price"}).fold_case());
    books.create_index_if_not_exists(Index("ByIsbn", {"Isbn"}).unique());
    add(books, "novel", "0001", "Buddenbrooks", "Thomas Mann", "978-3-10-390005-2", 16.0);
    add(books, "novel", "0002", "Der Zauberberg", "Thomas Mann", "978-3-596-29433-6", 18.0);
    add(books, "essay", "0001", "Ein Zimmer für sich allein", "Virginia Woolf", "978-3-596-15332-2", 10.0);
    add(books, "novel", "0003", "Orlando", "Virginia Woolf", "978-3-596-15331-5", 14.0);
    // And a series that nobody asks for here.
    std::vector<Operation> volumes;
    for (int volume = 1; volume <= 100; volume++) {
        const std::string id = keys::padded(static_cast<std::uint64_t>(volume), 4);
        volumes.push_back(Operation::upsert({"series", id, {{"Author", "Various"}, {"Price", 5.0}}}, UpdateMode::Replace));
    }
    books.submit_transaction(volumes); // all of them or none
}

// Takes one book out of stock, or throws: then nothing of it is done.
void sell(Store &store, const std::string &genre, const std::string &id) {
    store.transaction([&](Transaction &transaction) {
        Table books = transaction.table("Books");
        Table sales = transaction.create_table_if_not_exists("Sales");
        const Entity book = books.get_entity(genre, id);
        const std::int32_t left = std::get<std::int32_t>(book.at("InStock")) - 1;
        if (left < 0) throw std::runtime_error("sold out");
        books.update_entity({genre, id, {{"InStock", left}}}, UpdateMode::Merge);
        const std::string key = keys::compose({genre, id, keys::integer(left)});
        sales.create_entity({"2026", key, {{"Price", book.at("Price")}}});
    });
}

} // namespace

int main(int count, char **arguments) try {
    Store store = Store::open(count > 1 ? arguments[1] : ":memory:");
    Table books = store.create_table_if_not_exists("Books");
    fill(books);

    const Query by_woolf =
        Query("tolower(Author) eq @author").parameter("author", "virginia woolf").select({"Title", "Price"});
    for (const Entity &book : books.query_entities(by_woolf)) {
        std::cout << *book.get<std::string>("Title") << ": " << *book.get<double>("Price") << "\n";
    }
    const Explain explain = books.explain(by_woolf);
    std::cout << "by " << explain.path << " through " << explain.index.value_or("none") << ", rows fetched: "
              << explain.rows_read << "\n";

    try {
        add(books, "novel", "0004", "Tonio Kröger", "Thomas Mann", "978-3-10-390005-2", 9.0);
    } catch (const ExistsError &error) {
        std::cout << error.index_name().value_or("") << " has that already: " << error.holder_partition_key().value_or("")
                  << " " << error.holder_row_key().value_or("") << "\n";
    }

    int sold = 0;
    try {
        for (;;) {
            sell(store, "novel", "0002");
            sold++;
        }
    } catch (const std::runtime_error &over) {
        std::cout << "sold " << sold << ", then: " << over.what() << "\n";
    }
    std::cout << "sales: " << store.table("Sales").count() << "\n";
} catch (const Error &error) {
    std::cerr << error.name() << ": " << error.what() << "\n";
    return 1;
}
