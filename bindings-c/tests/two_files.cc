// A program of two files in two languages: both APIs of one library, on one store file.

#include <entable.h>
#include <entable/entable.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

extern "C" bool counted_in_c(entable_table *table, std::uint64_t *count);

int main() {
    char folder[] = "/tmp/entable-two-files-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    const std::string path = std::string(folder) + "/store.ent";
    std::uint64_t count = 0;
    bool worked = false;
    {
        entable::Store store = entable::Store::open(path);
        store.create_table("Orders").create_entity({"DE", "0001"});
        // The same file in the same process, by the other API: one environment.
        entable_store *same = nullptr;
        entable_table *table = nullptr;
        entable_error_free(entable_store_open(entable_str_of(path.c_str()), nullptr, &same));
        entable_error_free(entable_store_table(same, ENTABLE_STR("Orders"), &table));
        worked = counted_in_c(table, &count) && count == 1;
        entable_table_free(table);
        entable_store_free(same);
    }
    std::remove(path.c_str());
    std::remove((path + "-lock").c_str());
    rmdir(folder);
    std::printf("two files: %s\n", worked ? "one store" : "failed");
    return worked ? 0 : 1;
}
