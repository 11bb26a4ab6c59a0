"""Counts the films of a store file and reads one by its keys: film.py STORE PARTITION_KEY ROW_KEY."""

import sys

from entable import HttpResponseError, Store


def main(path: str, partition_key: str, row_key: str) -> None:
    with Store(path, must_exist=True) as store:
        films = store.get_table_client("Films")
        count = sum(1 for _ in films.list_entities(select=["RowKey"]))
        film = films.get_entity(partition_key, row_key)
    print(f"Films {count}")
    print(f"Title {film['Title']}")
    print(f"ReleaseDate {film['ReleaseDate']:%Y-%m-%dT%H:%M:%SZ}")  # an aware datetime, in UTC
    print(f"WorldwideGross {film['WorldwideGross']}")  # an entable.Int64, which is an int
    print(f"ImdbRating {film['ImdbRating']:.1f}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(f"usage: {sys.argv[0]} STORE PARTITION_KEY ROW_KEY")
    try:
        main(*sys.argv[1:])
    except HttpResponseError as error:
        sys.exit(f"{error.status_code} {type(error).__name__}: {error.message}")
