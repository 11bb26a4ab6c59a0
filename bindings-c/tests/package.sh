#!/bin/sh
# The package as its users meet it: installed, moved, unpacked from the archive, and removed; examples built outside of
# the tree by pkg-config and by CMake, shared and static. CARGO=cargo, PROFILE=debug; run.sh has built the libraries.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here/.."
out=$PWD/target/c-tests/package
PROFILE=${PROFILE:-debug}
export PROFILE
rm -rf "$out"
mkdir -p "$out"

fail() {
    echo "package: $1" >&2
    exit 1
}

# build FOLDER SOURCE PROGRAM FLAGS...: as a user's makefile would, in a folder of his own.
example() {
    case $2 in
    *.cc) compiler="c++ -std=c++17" ;;
    *) compiler="cc -std=c99" ;;
    esac
    source=$1/$2 program=$1/$3
    shift 3
    # shellcheck disable=SC2086
    $compiler -Wall -Wextra -Werror "$source" "$@" -o "$program"
    "$program" >"$program.txt" 2>"$program.err" || fail "$program: $(cat "$program.err")"
}

# every PREFIX: all examples in every way that the package offers.
every() {
    prefix=$1
    user=$(mktemp -d)
    cp "$here"/examples/* "$user"
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    for name in orders telemetry follow; do
        example "$user" "$name.c" "$name-shared" $(pkg-config --cflags --libs entable) -lpthread "-Wl,-rpath,$prefix/lib"
        example "$user" "$name.c" "$name-static" $(pkg-config --cflags --libs entable-static)
    done
    # shellcheck disable=SC2046
    for name in orders catalogue; do
        example "$user" "$name.cc" "$name-cxx" $(pkg-config --cflags --libs entable-cxx)
    done
    for program in telemetry-shared telemetry-static; do
        grep -q 'durable: 2000, failed: 0' "$user/$program.txt" || fail "$program says $(cat "$user/$program.txt")"
        grep -q 'newest of sensor-3: 22.49' "$user/$program.txt" || fail "$program says $(cat "$user/$program.txt")"
    done
    grep -q 'sold 3, then: sold out' "$user/catalogue-cxx.txt" || fail "catalogue says $(cat "$user/catalogue-cxx.txt")"
    grep -q 'below 10: 0002' "$user/orders-shared.txt" || fail "orders says $(cat "$user/orders-shared.txt")"
    if [ -n "$cmake" ]; then
        "$cmake" -S "$user" -B "$user/build" -DCMAKE_PREFIX_PATH="$prefix" >"$user/cmake.log" 2>&1 &&
            "$cmake" --build "$user/build" >>"$user/cmake.log" 2>&1 || fail "$(cat "$user/cmake.log")"
        for program in orders-shared orders-static telemetry-shared telemetry-static orders-cxx catalogue-cxx; do
            "$user/build/$program" >"$user/$program.txt" 2>&1 || fail "cmake's $program: $(cat "$user/$program.txt")"
        done
    fi
    rm -rf "$user"
}

cmake=$(command -v cmake || ls .venv/bin/cmake 2>/dev/null || true)
if [ -z "$cmake" ]; then echo "package: without CMake, there is none"; fi

# Into a package builder's folder, under a prefix; then where it is used.
PREFIX=/opt/entable DESTDIR=$out/stage sh bindings-c/install.sh
mkdir "$out/stage/opt/entable/lib/other" && touch "$out/stage/opt/entable/include/other.h"
mv "$out/stage/opt/entable" "$out/moved"
every "$out/moved"
mv "$out/moved" "$out/stage/opt/entable"

# What is not its own stays.
PREFIX=/opt/entable DESTDIR=$out/stage sh bindings-c/install.sh uninstall
left=$(cd "$out/stage" && find . -type f -o -type l | sort | tr '\n' ' ')
[ "$left" = "./opt/entable/include/other.h " ] || fail "uninstalling leaves $left"
[ ! -d "$out/stage/opt/entable/include/entable" ] || fail "uninstalling leaves a folder"

archive=$(OUT=$out sh bindings-c/dist.sh | tail -n 1)
mkdir "$out/unpacked"
tar -xzf "$archive" -C "$out/unpacked"
every "$out/unpacked/$(basename "$archive" .tar.gz)"
echo "package: installs, moves, unpacks, goes; $(du -h "$archive" | cut -f 1) of archive"
