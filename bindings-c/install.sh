#!/bin/sh
# Installs the C and C++ libraries that cargo has built: PREFIX=/usr/local DESTDIR= PROFILE=debug sh install.sh
#
# Headers, libentable.so with its SONAME, static libraries that export the API alone, pkg-config and CMake files.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
profile=${PROFILE:-debug}
target=${CARGO_TARGET_DIR:-$here/../target}
built=$target/$profile
bridge=$target/cxxbridge
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
abi=0

for file in "$built/libentable_c.so" "$built/libentable_c.a" "$built/libentable_cxx.a" "$bridge/rust/cxx.h"; do
    if [ ! -e "$file" ]; then
        echo "$file is not there: build first, with cargo build -p entable-c -p entable-cxx" >&2
        exit 1
    fi
done

put() { # put FILE... FOLDER, as files that everybody may read; links are followed
    for folder in "$@"; do :; done
    install -d "$folder"
    install -m 644 "$@"
}

put "$here/include/entable.h" "$root/include"
put "$here"/cxx/include/entable/*.hpp "$root/include/entable"
put "$here"/cxx/include/entable/detail/*.hpp "$root/include/entable/detail"
put "$bridge/entable/detail/src/bridge.rs.h" "$root/include/entable/detail/src"
# Beside the header that includes it, so that it is in nobody's way.
put "$bridge/rust/cxx.h" "$root/include/entable/detail/rust"

put "$built/libentable_c.so" "$root/lib"
mv "$root/lib/libentable_c.so" "$root/lib/libentable.so.$version"
chmod 755 "$root/lib/libentable.so.$version"
ln -sf "libentable.so.$version" "$root/lib/libentable.so.$abi"
ln -sf "libentable.so.$abi" "$root/lib/libentable.so"
sh "$here/hide.sh" "$built/libentable_c.a" "$root/lib/libentable.a" '^entable_'
# The bridge: what the headers call in it, and cxx's own part of it, with its exception.
sh "$here/hide.sh" "$built/libentable_cxx.a" "$root/lib/libentable_cxx.a" \
    '^(entable_|_ZNK?7entable|_ZNK?4rust10cxxbridge1|_ZT[ISV]N4rust10cxxbridge1|cxxbridge1)'

fill() { # fill TEMPLATE FOLDER: its name without .in, paths and version put in
    install -d "$2"
    sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" "$1" >"$2/$(basename "$1" .in)"
}

fill "$here/entable.pc.in" "$root/lib/pkgconfig"
fill "$here/entable-cxx.pc.in" "$root/lib/pkgconfig"
fill "$here/entableConfig.cmake" "$root/lib/cmake/entable"
fill "$here/entableConfigVersion.cmake.in" "$root/lib/cmake/entable"
