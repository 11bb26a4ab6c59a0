#!/bin/sh
# Headers, tests and examples by gcc and clang, in every version of the languages that the headers promise, without a
# warning; then the boundary, built by clang, against the library. run.sh has installed it into target/c-tests.
#
# CLANG and CLANGXX say how clang is called. Without them it is looked for by its name, then as the package `ziglang` of
# Python, which is installed into target/c-tests for that; where there is neither, gcc alone is tried, and it says so.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here/.."
out=$PWD/target/c-tests
prefix=$out/prefix
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
mkdir -p "$out"

CLANG=${CLANG:-$(command -v clang || true)}
CLANGXX=${CLANGXX:-$(command -v clang++ || true)}
if [ -z "$CLANG" ] || [ -z "$CLANGXX" ]; then
    zig=$out/zig
    if [ ! -x "$zig/bin/python-zig" ]; then
        python3 -m venv "$zig"
        "$zig/bin/pip" install --quiet --disable-pip-version-check ziglang || true
    fi
    if "$zig/bin/python" -m ziglang version >/dev/null 2>&1; then
        CLANG="$zig/bin/python -m ziglang cc"
        CLANGXX="$zig/bin/python -m ziglang c++"
    else
        CLANG='' CLANGXX=''
        echo "compilers: there is no clang, and no ziglang to be installed: gcc alone" >&2
    fi
fi

strict="-Wall -Wextra -Wpedantic -Werror"
c_flags=$(pkg-config --cflags entable)
cc_flags=$(pkg-config --cflags entable-cxx)
tests=bindings-c/tests
examples=bindings-c/examples

try() { # try COMPILER STANDARD FLAGS SOURCE...: each by itself, to nothing
    compiler=$1 std=$2 flags=$3
    shift 3
    for source in "$@"; do
        case $std-$source in
        c++*.c) language="-x c++" ;;
        *) language= ;;
        esac
        # An object, for what a compiler finds only as it makes code.
        # shellcheck disable=SC2086
        $compiler -std=$std -O1 $strict $flags $language -c "$source" -o "$out/tried.o" || {
            echo "compilers: $source is not taken by $compiler -std=$std" >&2
            exit 1
        }
    done
}

tried=0
for compiler in gcc "$CLANG"; do
    if [ -z "$compiler" ]; then continue; fi
    for std in c99 c11 c17; do
        try "$compiler" $std "$c_flags" "$tests"/*.c "$examples"/*.c
        tried=$((tried + 1))
    done
done
for compiler in g++ "$CLANGXX"; do
    if [ -z "$compiler" ]; then continue; fi
    for std in c++17 c++20; do
        try "$compiler" $std "$cc_flags" "$tests"/*.cc "$examples"/*.cc \
            "$tests/boundary.c" "$tests/transactions.c" "$tests/upkeep.c" "$tests/callbacks.c"
        tried=$((tried + 1))
    done
done
rm -f "$out/tried.o"

# The library is one of C, so that any compiler's programs link with it. That of C++ is for one C++ runtime, and clang as
# ziglang brings it has another.
if [ -n "$CLANG" ]; then
    # shellcheck disable=SC2046,SC2086
    $CLANG -std=c99 $strict $c_flags "$tests/boundary.c" $(pkg-config --libs entable) -lpthread \
        "-Wl,-rpath,$prefix/lib" -o "$out/boundary-clang"
    "$out/boundary-clang"
fi
echo "compilers: $tried of language versions without a warning"
