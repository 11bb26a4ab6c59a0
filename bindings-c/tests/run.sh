#!/bin/sh
# Builds the C and C++ libraries, installs them into target/c-tests, and runs every test against what is installed.
#
# CARGO=cargo, PROFILE=debug. `sh run.sh build` stops after building the programs: memory.sh goes on from there.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here/.."
cargo=${CARGO:-cargo}
PROFILE=${PROFILE:-debug}
out=$PWD/target/c-tests
prefix=$out/prefix
export PROFILE

case $PROFILE in
debug) $cargo build -q -p entable-c -p entable-cxx ;;
*) $cargo build -q -p entable-c -p entable-cxx --profile "$PROFILE" ;;
esac
rm -rf "$prefix"
mkdir -p "$out"
PREFIX=$prefix DESTDIR='' sh bindings-c/install.sh

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
strict="-g -Wall -Wextra -Werror -pedantic ${SANITIZE:-}"
c_flags=$(pkg-config --cflags entable)
c_shared="$(pkg-config --libs entable) -Wl,-rpath,$prefix/lib"
c_static=$(pkg-config --libs entable-static)
cc_flags=$(pkg-config --cflags entable-cxx)
cc_static=$(pkg-config --libs entable-cxx)
tests=bindings-c/tests
examples=bindings-c/examples

# shellcheck disable=SC2086
{
    # The header in every language that it promises, the boundary as C and as C++, shared and static.
    for std in c99 c11 c17; do
        gcc -std=$std $strict $c_flags -fsyntax-only "$tests/boundary.c" "$tests/transactions.c" "$tests/upkeep.c" \
            "$tests/callbacks.c"
    done
    gcc -std=c99 $strict $c_flags "$tests/boundary.c" $c_shared -lpthread -o "$out/boundary-shared"
    gcc -std=c99 $strict $c_flags "$tests/boundary.c" $c_static -o "$out/boundary-static"
    python3 "$tests/misuse.py" >"$out/misuse.c"
    gcc -std=c99 $strict $c_flags "-I$tests" "$out/misuse.c" $c_shared -o "$out/misuse-c"
    gcc -std=c99 $strict $c_flags "$tests/patterns.c" $c_shared -o "$out/patterns-c"
    gcc -std=c99 $strict $c_flags "$tests/transactions.c" $c_shared -lpthread -o "$out/transactions-c"
    gcc -std=c99 $strict $c_flags "$tests/upkeep.c" $c_shared -lm -o "$out/upkeep-c"
    gcc -std=c99 $strict $c_flags "$tests/callbacks.c" $c_shared -o "$out/callbacks-c"
    g++ -std=c++17 $strict $c_flags -x c++ "$tests/boundary.c" -x none $c_static -o "$out/boundary-as-cpp"
    for std in c++17 c++20; do
        g++ -std=$std $strict $cc_flags -fsyntax-only "$tests/boundary.cc"
        g++ -std=$std $strict $cc_flags -fsyntax-only "$tests/verbs.cc"
    done
    g++ -std=c++17 $strict $cc_flags "$tests/boundary.cc" $cc_static -o "$out/boundary-cpp"
    g++ -std=c++17 $strict $cc_flags "$tests/verbs.cc" $cc_static -o "$out/verbs-cpp"
    g++ -std=c++17 $strict $cc_flags -x c++ "$tests/transactions.c" -x none $cc_static -o "$out/transactions-as-cpp"
    g++ -std=c++17 $strict $cc_flags -x c++ "$tests/upkeep.c" -x none $cc_static -o "$out/upkeep-as-cpp"
    g++ -std=c++17 $strict $cc_flags -x c++ "$tests/callbacks.c" -x none $cc_static -o "$out/callbacks-as-cpp"
    # Both APIs of the C++ library, which has one copy of the store.
    g++ -std=c++17 $strict $cc_flags -x c++ "$tests/boundary.c" -x none $cc_static -o "$out/boundary-c-of-cpp"

    gcc -std=c99 $strict -c "$tests/vector_case.c" -o "$out/vector_case.o"
    gcc -std=c99 $strict $c_flags "$tests/vectors.c" "$out/vector_case.o" $c_shared -o "$out/vectors-c"
    g++ -std=c++17 $strict $cc_flags "$tests/vectors.cc" "$out/vector_case.o" $cc_static -o "$out/vectors-cpp"

    gcc -std=c99 $strict $c_flags "$examples/orders.c" $c_shared -o "$out/orders-c"
    gcc -std=c99 $strict $c_flags "$examples/follow.c" $c_shared -o "$out/follow-c"
    g++ -std=c++17 $strict $cc_flags "$examples/orders.cc" $cc_static -o "$out/orders-cpp"

    # The header in two files of one program, in both languages; the library loaded and let go of at run time.
    gcc -std=c99 $strict $c_flags -c "$tests/two_files.c" -o "$out/two_files.o"
    g++ -std=c++17 $strict $cc_flags "$tests/two_files.cc" "$out/two_files.o" $cc_static -o "$out/two-files"
    gcc -std=c99 $strict $c_flags "$tests/loaded.c" -lpthread -ldl -o "$out/loaded"

    # A program with an LMDB of its own.
    gcc -std=c99 $strict $c_flags "$tests/own_lmdb.c" $c_static -o "$out/own-lmdb"
    g++ -std=c++17 $strict $cc_flags -x c++ "$tests/own_lmdb.c" -x none $cc_static -o "$out/own-lmdb-cpp"
}
$cargo run -q -p entable-c --example vector_lines -- c >"$out/vectors-c.lines"
$cargo run -q -p entable-c --example vector_lines -- cpp >"$out/vectors-cpp.lines"
if [ "${1:-}" = build ]; then exit 0; fi

foreign=$(nm -D --defined-only "$prefix/lib/libentable.so" | awk '{print $3}' | grep -v '^entable_' || true)
hidden=$(nm -g --defined-only "$prefix/lib/libentable.a" | awk 'NF == 3 {print $3}' | grep -vE '^(entable_|DW\.ref\.)' || true)
if [ -n "$foreign$hidden" ]; then
    echo "the C library exports what is not its own: $foreign $hidden" >&2
    exit 1
fi
if readelf -d "$prefix/lib/libentable.so" | grep -q 'NEEDED.*libstdc++'; then
    echo "the C library needs the runtime of C++" >&2
    exit 1
fi
readelf -d "$out/boundary-shared" | grep -q 'NEEDED.*libentable.so.0' # the SONAME

for program in boundary-shared boundary-static boundary-as-cpp boundary-cpp boundary-c-of-cpp misuse-c patterns-c transactions-c \
    transactions-as-cpp upkeep-c upkeep-as-cpp callbacks-c callbacks-as-cpp verbs-cpp own-lmdb own-lmdb-cpp; do
    "$out/$program"
done
"$out/two-files"
"$out/loaded" "$prefix/lib/libentable.so"
"$out/orders-c" >"$out/orders-c.txt"
"$out/orders-cpp" >"$out/orders-cpp.txt"
"$out/follow-c" >"$out/follow-c.txt"
grep -q 'orders in the copy: 1' "$out/follow-c.txt"
grep -q 'below 10: 0002' "$out/orders-c.txt"
grep -q 'below 10: 0002' "$out/orders-cpp.txt"
"$out/vectors-c" "$out/vectors-c.lines"
"$out/vectors-cpp" "$out/vectors-cpp.lines"

sh "$tests/package.sh"
