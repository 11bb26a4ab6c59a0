#!/bin/sh
# The C and C++ programs under valgrind, and with gcc's address and undefined-behaviour sanitizers: minutes, for the long
# tier. `sh memory.sh valgrind` or `sh memory.sh sanitizers` does one of them. CARGO and PROFILE as in run.sh.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here/.."
out=$PWD/target/c-tests
what=${1:-all}

run() { # run COMMAND... before each program
    for program in boundary-shared boundary-cpp misuse-c patterns-c transactions-c upkeep-c callbacks-c verbs-cpp orders-c orders-cpp follow-c; do
        "$@" "$out/$program"
    done
    "$@" "$out/vectors-c" "$out/vectors-c.lines"
    "$@" "$out/vectors-cpp" "$out/vectors-cpp.lines"
}

case $what in
all | valgrind)
    sh "$here/tests/run.sh" build
    # What is lost for certain is an error; a static table of heed's is "possibly lost".
    run valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
        --child-silent-after-fork=yes
    echo "valgrind: quiet"
    ;;
esac

case $what in
all | sanitizers)
    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' sh "$here/tests/run.sh" build
    run env ASAN_OPTIONS=detect_leaks=1
    echo "sanitizers: quiet"
    ;;
esac
