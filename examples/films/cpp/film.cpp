// Counts the films of a store file and reads one by its keys: film-cpp STORE PARTITION_KEY ROW_KEY.

#include <chrono>
#include <ctime>
#include <entable/entable.hpp>
#include <iomanip>
#include <iostream>

namespace {

/// The property's value, of a type that the film must have it with.
template <typename T> const T &property(const entable::Entity &film, const char *name) {
    return std::get<T>(film.at(name));
}

void print_film(entable::Table &films, const char *partition_key, const char *row_key) {
    const entable::Entity film = films.get_entity(partition_key, row_key);
    // A time point of the system's clock in steps of 100 ns: none is lost.
    const auto released = std::chrono::floor<std::chrono::seconds>(property<entable::DateTime>(film, "ReleaseDate"));
    const std::time_t seconds = released.time_since_epoch().count();
    std::cout << "Title " << property<std::string>(film, "Title") << "\n"
              << "ReleaseDate " << std::put_time(std::gmtime(&seconds), "%Y-%m-%dT%H:%M:%SZ") << "\n"
              << "WorldwideGross " << property<std::int64_t>(film, "WorldwideGross") << "\n"
              << "ImdbRating " << std::fixed << std::setprecision(1) << property<double>(film, "ImdbRating") << "\n";
}

} // namespace

int main(int count, char **arguments) try {
    if (count != 4) {
        std::cerr << "usage: " << arguments[0] << " STORE PARTITION_KEY ROW_KEY\n";
        return 2;
    }
    entable::Options options;
    options.must_exist = true;
    entable::Store store = entable::Store::open(arguments[1], options);
    entable::Table films = store.table("Films");
    std::size_t films_count = 0;
    for (const entable::Entity &film : films.query_entities(entable::Query().select({"RowKey"}))) {
        static_cast<void>(film);
        ++films_count;
    }
    std::cout << "Films " << films_count << "\n";
    print_film(films, arguments[2], arguments[3]);
} catch (const entable::Error &error) {
    std::cerr << error.status() << " " << error.name() << ": " << error.what() << "\n";
    return 1;
} catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
