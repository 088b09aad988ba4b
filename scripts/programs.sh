#!/bin/sh
# Builds real programs with cairn-cc, from Debian's source packages, to explore them:
#
#   scripts/programs.sh [NAME…]      (all, if none is named)
#
#   .deps/programs/NAME/PROGRAM      the programs, static, with their bitcode inside
#   .deps/programs/NAME/stamp        what they were made from: nothing is done if that is unchanged
#   .deps/programs/packages          the packages' files, which are fetched once
#
# Libraries (json-c, expat, libyaml, sqlite3) are linked with a small program of tests/programs-real
# that gives them standard input to parse. All is without translations, and without code that is
# chosen by what the processor can do.
#
# CAIRN_CC names the compiler, if it is not target/release/cairn-cc; CAIRN_PROGRAM_SOURCES a folder
# with the packages' files, to fetch none.
set -eu
cd "$(dirname "$0")/.."
repository=$(pwd)
# shellcheck source=scripts/source-package.sh
. scripts/source-package.sh

all="bc coreutils busybox expat json-c libyaml m4 make sqlite3"
say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'cairn: the program is not built: %s\n' "$*" >&2
  exit 1
}

cc=$(realpath "${CAIRN_CC:-target/release/cairn-cc}") && [ -x "$cc" ] ||
  fail "cairn-cc is missing; build it with \`cargo build --release -p cairn-cc\`, or name it with CAIRN_CC"
[ -e .deps/musl/stamp ] || scripts/libc.sh
CAIRN_LIBC=$repository/.deps/musl
export CAIRN_LIBC
unset CAIRN_CC_LIBC CAIRN_CC_OPT || true
packages=$(realpath -m "${CAIRN_PROGRAM_SOURCES:-.deps/programs/packages}")
jobs=-j$(nproc)
needs() { command -v "$1" >/dev/null 2>&1 || fail "$name needs $1"; }

# What each is built from, by which commands, in the folder of its source; the programs are copied
# to $out.

build_bc() {
  needs ed
  # Its parser comes with it. Debian changes what that and makefiles are made from, in ways that do
  # not matter here; one calls functions that it does not declare, and one lets dc look for a file
  # in the folder of a user who may have none.
  [ ! -e debian/patches/06_read_dcrc.diff ] || patch -s -R -p1 <debian/patches/06_read_dcrc.diff
  ./configure CC="$cc" CFLAGS="-g -O2 -Wno-implicit-function-declaration" MAKEINFO=true
  touch bc/bc.c bc/scan.c
  make "$jobs" MAKEINFO=true YACC=: LEX=: ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:
  cp bc/bc dc/dc "$out"
}

build_coreutils() {
  # Flags after those of its own tests: no code for special processors, and none in assembler.
  FORCE_UNSAFE_CONFIGURE=1 ./configure CC="$cc" CFLAGS="-g -O2 -mno-avx2 -mno-pclmul -DNO_ASM" --disable-nls
  # The programs alone: no pages of the manual, no tests.
  make "$jobs" MAKEINFO=true man1_MANS= SUBDIRS=. all
  for file in src/*; do
    case $file in *.*) ;; *) [ ! -f "$file" ] || [ ! -x "$file" ] || cp "$file" "$out" ;; esac
  done
  rm -f "$out/make-prime-list" "$out/libstdbuf.so" "$out/du-tests" "$out/dcgen"
}

build_busybox() {
  needs bzip2
  make HOSTCC=clang-19 defconfig
  # What musl or the headers of the kernel lack, and what is chosen by the processor.
  sed -i -e 's/^\(CONFIG_\(TC\|SHA1_HWACCEL\|SHA256_HWACCEL\|FEATURE_HAVE_RPC\|FEATURE_MOUNT_NFS\|FEATURE_INETD_RPC\|SELINUX\|NANDWRITE\|NANDDUMP\|FLASH[A-Z_]*\|UBI[A-Z_]*\)\)=y/# \1 is not set/' .config
  yes '' | make HOSTCC=clang-19 oldconfig
  make "$jobs" HOSTCC=clang-19 CC="$cc" AR=llvm-ar-19 NM=llvm-nm-19 SKIP_STRIP=y busybox_unstripped
  cp busybox_unstripped "$out/busybox"
}

build_expat() {
  cd expat/lib
  : >expat_config.h
  "$cc" -g -O2 -w -I"$repository/tests/programs-real" -I. -DXML_NS -DXML_DTD -DXML_CONTEXT_BYTES=1024 \
    -DBYTEORDER=1234 -DHAVE_UNISTD_H -DHAVE_GETRANDOM -DXML_DEV_URANDOM \
    "$repository/tests/programs-real/xml.c" xmlparse.c xmlrole.c xmltok.c -o "$out/xml"
}

build_json_c() {
  cp "$repository/tests/programs-real/json-config.h" config.h
  cp config.h json_config.h
  grep -v @ json.h.cmakein >json.h
  "$cc" -g -O2 -w -D_GNU_SOURCE -I. -I"$repository/tests/programs-real" "$repository/tests/programs-real/json.c" \
    arraylist.c debug.c json_c_version.c json_object.c json_object_iterator.c json_tokener.c json_util.c \
    json_visit.c linkhash.c printbuf.c random_seed.c strerror_override.c -lm -o "$out/json"
}

build_libyaml() {
  "$cc" -g -O2 -w -Iinclude -I"$repository/tests/programs-real" -DYAML_VERSION_MAJOR=0 \
    -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING='"0.2.5"' \
    "$repository/tests/programs-real/yaml.c" src/*.c -o "$out/yaml"
}

build_m4() {
  ./configure CC="$cc" --disable-nls MAKEINFO=true
  make "$jobs" -C lib ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:
  make "$jobs" -C src ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=:
  cp src/m4 "$out"
}

build_make() {
  needs autoreconf
  needs autopoint
  autoreconf -fi
  ./configure CC="$cc" --disable-nls --without-guile --disable-load
  make "$jobs" -C lib
  make "$jobs" make
  cp make "$out"
}

build_sqlite3() {
  needs tclsh
  # Only to put the sources into one.
  ./configure CC=clang-19 --disable-tcl --disable-readline
  make "$jobs" sqlite3.c
  "$cc" -g -O2 -w -I. -I"$repository/tests/programs-real" -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
    -DSQLITE_OMIT_WAL "$repository/tests/programs-real/sql.c" sqlite3.c -lm -o "$out/sql"
}

# Of Debian's packages, one has another name.
package_of() { case $1 in make) echo make-dfsg ;; *) echo "$1" ;; esac; }

build_one() {
  name=$1
  target=.deps/programs/$name
  package=$(package_of "$name")
  function=$(echo "$name" | tr - _)
  stamp=$(
    {
      sed -n "/^build_$function()/,/^}/p" scripts/programs.sh
      cat tests/programs-real/* .deps/musl/stamp
      sha256sum <"$cc"
    } | sha256sum | cut -d' ' -f1
  )
  [ ! -e "$target/stamp" ] || [ "$(cat "$target/stamp")" != "$stamp" ] || return 0
  ls "$packages/$package"_*.orig.tar.* >/dev/null 2>&1 || {
    [ -z "${CAIRN_PROGRAM_SOURCES:-}" ] || fail "no $package""_* in $CAIRN_PROGRAM_SOURCES"
    say "fetching the source package $package"
    fetch_source "$package" "$packages" CAIRN_PROGRAM_SOURCES
  }
  say "building $name"
  unpack_source "$package" "$packages" "$work/$name"
  out=$work/out-$name
  mkdir "$out"
  set +e # not in a condition, where the shell does not stop at the first command that fails
  (
    set -e
    cd "$work/$name"
    "build_$function"
  ) >"$work/log" 2>&1
  built=$?
  set -e
  [ "$built" -eq 0 ] || {
    grep -m3 -e ' error: ' "$work/log" >&2 || tail -n3 "$work/log" >&2
    mkdir -p .deps/programs
    cp "$work/log" "$target.log"
    fail "$name does not build; all that was said is in $target.log"
  }
  echo "$stamp" >"$out/stamp"
  rm -rf "$target" "$target.log"
  cp -a "$out" "$target"
  rm -rf "${work:?}/$name"
  say "$name is in $target"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failed=0
for name in ${*:-$all}; do
  case " $all " in *" $name "*) ;; *) fail "there is no $name; there are: $all" ;; esac
  # One that does not build does not keep the others from it.
  set +e
  (
    set -e
    trap - EXIT
    build_one "$name"
  )
  [ $? -eq 0 ] || failed=1
  set -e
done
exit "$failed"
