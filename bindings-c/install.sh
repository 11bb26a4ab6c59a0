#!/bin/sh
# Installs the C and C++ libraries that cargo has built: PREFIX=/usr/local DESTDIR= PROFILE=debug sh install.sh
# `sh install.sh uninstall` removes what it has put there.
#
# Headers, libentable.so with its SONAME, static libraries that export the API alone, pkg-config and CMake files.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
action=${1:-install}
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
profile=${PROFILE:-debug}
target=${CARGO_TARGET_DIR:-$here/../target}
built=$target/$profile
bridge=$target/cxxbridge
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
abi=0

put() { # put FOLDER FILE...: as files that everybody may read; links are followed
    folder=$root/$1
    shift
    if [ "$action" = uninstall ]; then
        for file in "$@"; do rm -f "$folder/$(basename "$file")"; done
    else
        install -d "$folder"
        install -m 644 "$@" "$folder"
    fi
}

fill() { # fill FOLDER TEMPLATE: its name without .in, version put in
    made=$root/$1/$(basename "$2" .in)
    if [ "$action" = uninstall ]; then
        rm -f "$made"
    else
        install -d "$root/$1"
        sed -e "s|@VERSION@|$version|g" "$2" >"$made"
    fi
}

headers() {
    put include "$here/include/entable.h"
    put include/entable "$here"/cxx/include/entable/*.hpp
    put include/entable/detail "$here"/cxx/include/entable/detail/*.hpp
    put include/entable/detail/src "$bridge/entable/detail/src/bridge.rs.h"
    # Beside the header that includes it, so that it is in nobody's way.
    put include/entable/detail/rust "$bridge/rust/cxx.h"
}

packages() {
    fill lib/pkgconfig "$here/entable.pc.in"
    fill lib/pkgconfig "$here/entable-static.pc.in"
    fill lib/pkgconfig "$here/entable-cxx.pc.in"
    fill lib/cmake/entable "$here/entableConfig.cmake"
    fill lib/cmake/entable "$here/entableConfigVersion.cmake.in"
}

libraries() {
    install -m 755 "$built/libentable_c.so" "$root/lib/libentable.so.$version"
    ln -sf "libentable.so.$version" "$root/lib/libentable.so.$abi"
    ln -sf "libentable.so.$abi" "$root/lib/libentable.so"
    sh "$here/hide.sh" "$built/libentable_c.a" "$root/lib/libentable.a" '^entable_'
    # The bridge: what the headers call in it, and cxx's own part of it, with its exception.
    sh "$here/hide.sh" "$built/libentable_cxx.a" "$root/lib/libentable_cxx.a" \
        '^(entable_|_ZNK?7entable|_ZNK?4rust10cxxbridge1|_ZT[ISV]N4rust10cxxbridge1|cxxbridge1)'
}

case $action in
install)
    for file in "$built/libentable_c.so" "$built/libentable_c.a" "$built/libentable_cxx.a" "$bridge/rust/cxx.h"; do
        if [ ! -e "$file" ]; then
            echo "$file is not there: build first, with cargo build -p entable-c -p entable-cxx" >&2
            exit 1
        fi
    done
    install -d "$root/lib"
    headers
    packages
    libraries
    ;;
uninstall)
    headers
    packages
    for library in libentable.so "libentable.so.$abi" "libentable.so.$version" libentable.a libentable_cxx.a; do
        rm -f "$root/lib/$library"
    done
    # Folders that are the library's own.
    for folder in lib/cmake/entable include/entable/detail/rust include/entable/detail/src include/entable/detail \
        include/entable; do
        if [ -d "$root/$folder" ]; then rmdir "$root/$folder"; fi
    done
    ;;
*)
    echo "install.sh: install or uninstall, not $action" >&2
    exit 2
    ;;
esac
