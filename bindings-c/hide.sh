#!/bin/sh
# hide.sh IN.a OUT.a REGEX: the static library IN.a with only those symbols left global that match REGEX.
#
# Without it a program that has an LMDB or a cxx of its own could not be linked with the library. Linux only.
set -eu

in=$1 out=$2 regex=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ld -r --whole-archive "$in" -o "$work/all.o"
# The sections of LLVM go first: binutils' plugin for them cannot read what rustc wrote.
objcopy -R .llvmbc -R .llvmcmd --strip-debug "$work/all.o" "$work/plain.o"
# Weak symbols of C++ stay, and DW.ref.*, which exceptions need: the linker keeps one of each in a program, and a local
# name for one that it throws away would lead nowhere. Other weak ones are the compiler's own sqrt and the like, which
# are not to take the place of the program's.
nm -g --defined-only "$work/plain.o" | awk -v regex="$regex" '
    NF == 3 && $3 !~ regex && !($2 ~ /[VWu]/ && $3 ~ /^(_Z|DW\.ref\.)/) {print $3}' >"$work/hidden"
objcopy --localize-symbols="$work/hidden" "$work/plain.o" "$work/entable.o"
rm -f "$out"
ar rcs "$out" "$work/entable.o"
