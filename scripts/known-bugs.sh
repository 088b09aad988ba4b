#!/bin/sh
# Finds known bugs of real programs, and shows each of them natively:
#
#   scripts/known-bugs.sh [NAME…]    (all of tests/known-bugs, if none is named)
#
# For each: fetches Debian's source package, takes the fix out of it (the shipped patch, unchanged, in
# reverse), builds that with cairn-cc, explores it until the fault is found at the place that is
# expected, and replays the test that was found in a native build with AddressSanitizer, which must
# report the same place. As a control, the package with its fix is explored for as long; there no
# error must be found. At the end a table of all is printed.
#
#   .deps/known-bugs/NAME            what was built and found: program, native, control, run, found.ktest, log
#   .deps/programs/packages          the packages' files, which are fetched once
#
# tests/known-bugs/NAME/case.sh says what the bug is and how it is built; docs/known-bugs.md says more.
#
# CAIRN names the engine, if it is not target/release/cairn, and CAIRN_CC its compiler;
# CAIRN_PROGRAM_SOURCES a folder with the packages' files, to fetch none.
set -eu
cd "$(dirname "$0")/.."
repository=$(pwd)
# shellcheck source=scripts/source-package.sh
. scripts/source-package.sh

say() { printf '==> %s\n' "$*" >&2; }
fail() {
  printf 'cairn: known bug %s: %s\n' "${name:-}" "$*" >&2
  exit 1
}

cairn=$(realpath "${CAIRN:-target/release/cairn}") && [ -x "$cairn" ] ||
  fail "cairn is missing; build it with \`cargo build --release\`, or name it with CAIRN"
cairn_cc=$(realpath "${CAIRN_CC:-target/release/cairn-cc}") && [ -x "$cairn_cc" ] ||
  fail "cairn-cc is missing; build it with \`cargo build --release -p cairn-cc\`, or name it with CAIRN_CC"
echo 'int main(void) { return 0; }' | clang-19 -fsanitize=address -x c - -o /dev/null 2>/dev/null ||
  fail "clang-19 does not build with AddressSanitizer; install clang-19 and libclang-rt-19-dev"
[ -x /usr/bin/llvm-symbolizer-19 ] || fail "llvm-symbolizer-19 is missing; install llvm-19"
[ -e .deps/musl/stamp ] || scripts/libc.sh
CAIRN_LIBC=$repository/.deps/musl
export CAIRN_LIBC
unset CAIRN_CC_LIBC CAIRN_CC_OPT || true
packages=$(realpath -m "${CAIRN_PROGRAM_SOURCES:-.deps/programs/packages}")

# build_in FOLDER PROGRAM: builds one variant of the source, with $cc, $flags and $klee (sources that
# drivers need besides). The commands are the case's own; they run in the folder of the source.
build_in() {
  set +e # not in a condition, where the shell does not stop at the first command that fails
  (
    set -e
    cd "$1"
    build "$2"
  ) >>"$target/log" 2>&1 </dev/null
  built=$?
  set -e
  [ "$built" -eq 0 ] && [ -x "$2" ] || fail "it does not build; all that was said is in $target/log"
}

# explore PROGRAM OUTPUT: as long as the case allows.
explore() {
  # shellcheck disable=SC2086 # a list of words
  (cd "$target" && words "$cairn" run --quiet --only-covering-new --max-time "$limit" $options \
    --output-dir "$2" "./$prefix$1") >>"$target/log" 2>&1 || true
  [ -e "$target/$2/summary.json" ] || fail "the run did not end properly; what was said is in $target/log"
}

# found OUTPUT: the record of the expected error, if it is there: its kind, and the first function on
# the stack that is no part of the C library.
found() {
  for record in "$target/$1"/*."$kind".err; do
    [ -e "$record" ] || continue
    frame=$(grep -m1 ' in .* at /' "$record") || continue
    case $frame in *" in $function () at "*"/$file:"*)
      echo "$record"
      return
      ;;
    esac
  done
}

# figure OUTPUT NAME: a number of the run's summary.
figure() { sed -n "s/^ *\"$2\": \([0-9.]*\),*\$/\1/p" "$target/$1/summary.json" | tail -n1; }

one() {
  name=$1
  case=$repository/tests/known-bugs/$name
  [ -e "$case/case.sh" ] || fail "there is no $case/case.sh"
  target=$repository/.deps/known-bugs/$name
  rm -rf "$target"
  mkdir -p "$target"
  package='' fix='' kind=ptr file='' function='' options='--max-findings 1' limit=120s driver=no prefix=''
  words() { "$@"; }
  # shellcheck source=/dev/null
  . "$case/case.sh"
  ls "$packages/$package"_*.orig.tar.* >/dev/null 2>&1 || {
    [ -z "${CAIRN_PROGRAM_SOURCES:-}" ] || fail "no $package""_* in $CAIRN_PROGRAM_SOURCES"
    say "fetching the source package $package"
    fetch_source "$package" "$packages" CAIRN_PROGRAM_SOURCES
  }

  say "$name: building"
  unpack_source "$package" "$packages" "$work/$name" >>"$target/log" 2>&1
  cp -a "$work/$name" "$work/$name-fixed"
  [ -z "$fix" ] || [ -e "$work/$name/debian/patches/$fix" ] ||
    fail "this version of $package has no patch $fix: $(ls "$packages/$package"_*.orig.tar.* | head -n1)"
  [ -z "$fix" ] || patch -s -R -p1 -d "$work/$name" <"$work/$name/debian/patches/$fix" >>"$target/log" 2>&1 ||
    fail "the fix $fix cannot be taken out of $package; see $target/log"
  cp -a "$work/$name" "$work/$name-native"
  cc=$cairn_cc flags='-g -w' klee=''
  build_in "$work/$name" "$target/${prefix}program"
  [ -z "$fix" ] || build_in "$work/$name-fixed" "$target/${prefix}control"
  cc=clang-19 flags='-g -w -O0 -fsanitize=address'
  if [ "$driver" = yes ]; then
    "$cairn" replay --emit-library "$target/library"
    flags="$flags -I$target/library" klee=$target/library/replay.c
  fi
  build_in "$work/$name-native" "$target/${prefix}native"

  say "$name: exploring, at most $limit"
  explore program run
  record=$(found run)
  [ -n "$record" ] || fail "not found: $kind at $file in $function; the run is in $target/run"
  place=$file:$(sed -n 's/^\t#.* in .* at \/.*:\([0-9]*\)$/\1/p' "$record" | head -n1)
  test=$target/found.ktest
  cp "${record%."$kind".err}.ktest" "$test"
  cp "$record" "$target/found.$kind.err"

  say "$name: replaying with AddressSanitizer"
  (cd "$target" && "$cairn" replay --verbose --env ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-19 \
    --env ASAN_OPTIONS=detect_leaks=0:redzone=1024 "./${prefix}native" "$test") >"$target/replay.log" 2>&1 || true
  summary=$(grep -a -m1 -o 'SUMMARY: AddressSanitizer: .*' "$target/replay.log") ||
    fail "AddressSanitizer does not see it; see $target/replay.log"
  # The first function on its stack that is the package's own: the interceptors come before it.
  frame=$(grep -a -m1 "^ *#[0-9]* .* in .* $work/$name-native/" "$target/replay.log") || frame=
  case $frame in *" in $function "*"/$file:"*) ;; *)
    fail "AddressSanitizer sees something else: $summary; see $target/replay.log"
    ;;
  esac

  control='none: it is in the current sources'
  if [ -n "$fix" ]; then
    say "$name: exploring with the fix, at most $limit"
    explore control control-run
    ! ls "$target/control-run"/*.err >/dev/null 2>&1 || fail "with the fix there are errors too; see $target/control-run"
    control="not found in $(figure control-run seconds | cut -d. -f1) s, $(figure control-run completed) paths"
    ! grep -q '"status": "complete"' "$target/control-run/summary.json" || control="$control, all there are"
  fi
  printf '| %s | %s, `%s` in `%s` | %s s (%s s) | %s | %s | %s |\n' "$name" "$kind" "$place" "$function" \
    "$(figure run seconds | sed 's/\(\..\).*/\1/')" "$(figure run cpu_seconds | sed 's/\(\..\).*/\1/')" \
    "$(figure run completed)" \
    "$(echo "$summary" | cut -d' ' -f3), \`$(echo "$frame" | sed 's,.*/,,')\`" \
    "$control" >"$target/row"
  rm -rf "${work:?}/$name" "$work/$name-fixed" "$work/$name-native"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failed=0
names=${*:-$(cd tests/known-bugs && ls)}
for name in $names; do
  # One that fails does not keep the others from it.
  set +e
  (
    set -e
    trap - EXIT
    one "$name"
  )
  [ $? -eq 0 ] || failed=1
  set -e
done
echo '| bug | found | after (of processor) | paths | AddressSanitizer | with the fix |'
echo '|---|---|---|---|---|---|'
for name in $names; do
  cat ".deps/known-bugs/$name/row" 2>/dev/null || echo "| $name | **failed** | | | | |"
done
exit "$failed"
