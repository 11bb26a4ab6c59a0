#!/bin/sh
# Makes an archive for programs that are built without Rust: headers, libraries, package files, examples, licences. It
# can be unpacked anywhere. PROFILE=debug OUT=target/dist sh dist.sh; the last line that it writes is the archive's path.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/../target/dist}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
name=entable-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)

mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -rf "${out:?}/$name"
PREFIX=/$name DESTDIR=$out sh "$here/install.sh"
install -d "$out/$name/examples"
install -m 644 "$here"/examples/* "$out/$name/examples"
install -m 644 "$here/../README.md" "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$out/$name"
# The same bytes from the same files: names in order, no owner, no time of today.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime='1980-01-01 00:00Z' -C "$out" -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz"
rm -rf "${out:?}/$name"
echo "$out/$name.tar.gz"
