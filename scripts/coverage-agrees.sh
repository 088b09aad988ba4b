#!/bin/sh
# Compares the lines that Cairn says were covered with those that a native run of the tests covers:
#
#   scripts/coverage-agrees.sh PROGRAM FOLDER
#
# PROGRAM is one of coreutils, FOLDER what `cairn run` wrote for it (see docs/programs.md). The program
# is built once more by clang, with --coverage and the host's C library, in .deps/programs/coverage;
# it runs on all tests under scripts/isolated.sh. Printed are the lines of its source file that both
# have in their tables and that one of the two did not cover; none is success.
#
# Lines of paths that were not followed to their end are covered by no test, so the run should have
# left none out: give it little that is symbolic. CAIRN names the program, if it is not
# target/release/cairn. Needs the superuser, as scripts/isolated.sh does.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/source-package.sh
. scripts/source-package.sh
fail() {
  printf 'cairn: coverage is not compared: %s\n' "$*" >&2
  exit 2
}
[ $# -eq 2 ] || fail "usage: scripts/coverage-agrees.sh PROGRAM FOLDER"
program=$1
tests=$(realpath "$2")
cairn=$(realpath "${CAIRN:-target/release/cairn}")
[ -e "$tests/coverage.info" ] || fail "$2 has no coverage.info; expected the output folder of \`cairn run\`"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM

tree=$(realpath -m .deps/programs/coverage)
if [ ! -e "$tree/src/$program.gcno" ]; then
  rm -rf "$tree"
  packages=$(realpath -m .deps/programs/packages)
  ls "$packages"/coreutils_*.orig.tar.* >/dev/null 2>&1 ||
    fetch_source coreutils "$packages" CAIRN_PROGRAM_SOURCES
  unpack_source coreutils "$packages" "$tree"
  (
    cd "$tree"
    flags="-g -O0 -mno-avx2 -mno-pclmul -DNO_ASM"
    FORCE_UNSAFE_CONFIGURE=1 ./configure CC=clang-19 CFLAGS="$flags" --disable-nls
    make "-j$(nproc)" CFLAGS="$flags --coverage" MAKEINFO=true man1_MANS= SUBDIRS=. all
  ) >"$work/log" 2>&1 || {
    tail -n3 "$work/log" >&2
    fail "coreutils do not build"
  }
fi

# Counts are written beside the objects, which are not to be changed there: they come out as an archive.
# The C library of explored programs knows UTF-8 alone.
# shellcheck disable=SC2016 # expanded inside
scripts/isolated.sh sh -c '
  "$0" replay --sandbox off --timeout 20s --folder /home/user --env LC_ALL=C.UTF-8 --env GCOV_PREFIX=/run/replay/count \
    "$1" "$2" >/run/replay/said 2>&1
  tail -n 1 /run/replay/said >&2
  tar cf - -C /run/replay count' "$cairn" "$tree/src/$program" "$tests" >"$work/counts.tar" ||
  fail "the tests were not replayed"
tar xf "$work/counts.tar" -C "$work"
cp "$tree/src/$program.gcno" "$work/"
find "$work/count" -path "*/src/$program.gcda" -exec cp {} "$work/" \;
(cd "$tree" && llvm-cov-19 gcov -t -o "$work/$program.o" "src/$program.c") >"$work/native" 2>"$work/said" ||
  fail "$(cat "$work/said")"

# Both tables as "LINE 0" or "LINE 1".
awk -F: -v source="src/$program.c" '
  $2 + 0 == 0 && $3 == "Source" { ours = $4 == source }
  ours && $2 + 0 > 0 { gsub(/ /, "", $1); if ($1 != "-") print $2 + 0, ($1 !~ /^[#=]/) }
' "$work/native" | sort >"$work/native.lines"
awk -v source="/src/$program.c" '
  /^SF:/ { ours = substr($0, length($0) - length(source) + 1) == source }
  ours && /^DA:/ { split(substr($0, 4), part, ","); print part[1], (part[2] > 0) }
' "$tests/coverage.info" | sort >"$work/own.lines"
join "$work/own.lines" "$work/native.lines" >"$work/both"
[ -s "$work/both" ] || fail "no line of src/$program.c is in both tables"
echo "$program: $(wc -l <"$work/both") lines in both tables, $(awk '$2 && $3' "$work/both" | wc -l) covered by both"
awk '$2 != $3' "$work/both" | sort -n | while read -r line own _; do
  case $own in 1) who="explored only" ;; *) who="natively only" ;; esac
  printf '%s.c:%s: %s: %s\n' "$program" "$line" "$who" "$(sed -n "${line}p" "$tree/src/$program.c")"
done
awk '$2 != $3 { different = 1 } END { exit different }' "$work/both"
