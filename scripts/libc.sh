#!/bin/sh
# Makes the C library that programs are linked with: musl, from the source package of Debian.
#
#   .deps/musl/libc.bca   an archive of LLVM bitcode, for `cairn run --libc musl`
#   .deps/musl/lib        the same natively, for programs that run on tests
#   .deps/musl/include    its headers, and the kernel's
#   .deps/musl/stamp      what it was made from: nothing is done if that is unchanged
#
# The bitcode has no assembly: system calls, the thread pointer and atomics come from headers in
# libc/overlay, the rest of what musl has in assembly from C files in libc. Left to the machine are the
# heap, a few functions on bytes, setjmp and longjmp, abort and failed assertions.
#
# The package is fetched with apt from where this machine gets its packages; its configuration
# is not changed. CAIRN_MUSL_SOURCE names a folder with the package's files to use instead.
set -eu
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'cairn: musl cannot be made, and --libc musl will not work: %s\n' "$*" >&2
  exit 1
}

for tool in clang-19 llvm-ar-19 make tar xz patch; do
  command -v "$tool" >/dev/null 2>&1 || fail "$tool is missing"
done

inputs=$(
  {
    cat scripts/libc.sh libc/overlay/*.h libc/*.c libc/*.h
    clang-19 --version | head -n1
  } | sha256sum | cut -d' ' -f1
)
target=.deps/musl
version() { sed -n 's/^Version: /musl /p' "$1"/musl_*.dsc | head -n1; }
is_made() {
  [ -e "$target/stamp" ] && [ "$(head -n1 "$target/stamp")" = "$inputs" ] || return 1
  [ -z "${CAIRN_MUSL_SOURCE:-}" ] || [ "$(tail -n1 "$target/stamp")" = "$(version "$CAIRN_MUSL_SOURCE")" ]
}
is_made && exit 0

# One at a time: whoever waited finds it made.
mkdir -p .deps
if command -v flock >/dev/null 2>&1; then
  exec 9>.deps/musl.lock
  flock 9
  is_made && exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# Fetches the source package into $work/package. The entries of the machine's own sources are
# repeated for source packages in a file that only these commands read.
fetch() {
  mkdir -p "$work/package" "$work/lists/partial" "$work/cache/archives/partial"
  if [ -n "${CAIRN_MUSL_SOURCE:-}" ]; then
    cp "$CAIRN_MUSL_SOURCE"/musl_* "$work/package" || fail "no musl_* in $CAIRN_MUSL_SOURCE"
    return
  fi
  command -v apt-get >/dev/null 2>&1 ||
    fail "this is no Debian system; give the files of its source package musl with CAIRN_MUSL_SOURCE"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    sort -u >"$work/sources.list"
  [ -s "$work/sources.list" ] ||
    fail "apt knows no package lists; run \`apt-get update\`, or give the files of Debian's source package musl with CAIRN_MUSL_SOURCE"
  say "fetching the source package musl"
  own="-o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/lists
    -o Dir::Cache=$work/cache -o APT::Sandbox::User=$(id -un) -o Acquire::Retries=2"
  # shellcheck disable=SC2086 # a list of options; an entry that has no sources may fail
  apt-get $own -qq update >"$work/log" 2>&1 || true
  # shellcheck disable=SC2086
  (cd "$work/package" && apt-get $own -qq source --download-only musl >>"$work/log" 2>&1) || {
    tail -n3 "$work/log" >&2
    fail "the source package musl could not be fetched; give its files with CAIRN_MUSL_SOURCE"
  }
}

unpack() {
  mkdir "$work/musl"
  for archive in "$work"/package/musl_*.orig.tar.*; do
    case $archive in *.asc) ;; *) tar xf "$archive" -C "$work/musl" --strip-components=1 ;; esac
  done
  for archive in "$work"/package/musl_*.debian.tar.*; do tar xf "$archive" -C "$work"; done
  if [ -e "$work/debian/patches/series" ]; then
    while read -r name _; do
      case $name in '' | \#*) ;; *) patch -s -p1 -d "$work/musl" <"$work/debian/patches/$name" ;; esac
    done <"$work/debian/patches/series"
  fi
}

# The native library, as musl builds itself.
build_native() {
  say "building musl natively"
  cd "$work/musl"
  ./configure --target=x86_64-linux-musl --disable-shared --disable-wrapper --prefix=/ \
    CC=clang-19 AR=llvm-ar-19 RANLIB=llvm-ranlib-19 >"$work/log" 2>&1 &&
    make -j"$(nproc)" >>"$work/log" 2>&1 &&
    make DESTDIR="$work/out" install >>"$work/log" 2>&1 ||
    { tail -n5 "$work/log" >&2; fail "musl does not build"; }
  clang-19 -std=c99 -nostdinc -isystem "$work/out/include" -O2 -w -ffunction-sections -c \
    "$repository/libc/extra.c" -o extra.o
  llvm-ar-19 rs "$work/out/lib/libc.a" extra.o 2>/dev/null
  cd "$repository"
  cp libc/error.h "$work/out/include"
  # What extra.c has and musl's headers lack: a program that finds it when linking wants to see it.
  printf '%s\n' '#ifdef _GNU_SOURCE' '#ifdef __cplusplus' 'extern "C"' '#endif' \
    'void *rawmemchr(const void *, int);' '#endif' >>"$work/out/include/string.h"
  # What programs expect of the kernel's headers.
  [ -d /usr/include/linux ] || fail "the headers of the kernel are missing; on Debian they are in linux-libc-dev"
  ln -s /usr/include/linux /usr/include/asm-generic "$work/out/include"
  for folder in /usr/include/asm /usr/include/x86_64-linux-gnu/asm; do
    [ ! -d "$folder" ] || ln -s "$folder" "$work/out/include/asm"
  done
}

# The sources of the bitcode library: musl's C files, but for those of which the machine or
# our own files have the functions.
sources() {
  cd "$work/musl"
  for file in src/*/*.c; do
    case $file in
      src/malloc/*) ;;
      src/string/memcpy.c | src/string/memmove.c | src/string/memset.c) ;;
      src/string/memcmp.c | src/string/strlen.c) ;;
      src/setjmp/* | src/signal/sigsetjmp*.c | src/signal/restore.c) ;;
      src/exit/abort.c | src/exit/assert.c) ;;
      src/thread/__set_thread_area.c | src/thread/__unmapself.c | src/thread/syscall_cp.c) ;;
      src/thread/clone.c | src/linux/gettid.c | src/misc/getauxval.c | src/fenv/fenv.c) ;;
      src/ldso/dlsym.c | src/ldso/tlsdesc.c) ;;
      src/math/sqrt.c | src/math/sqrtf.c | src/math/sqrtl.c | src/math/fma.c | src/math/fmaf.c) ;;
      src/math/fabs.c | src/math/fabsf.c | src/math/fabsl.c) ;;
      src/math/rintl.c | src/math/floorl.c | src/math/ceill.c | src/math/truncl.c) ;;
      *) echo "$file" ;;
    esac
  done
}

# Reading a string by words runs past its end, which musl does where the compiler is GNU's.
build_bitcode() {
  say "building musl as bitcode"
  mkdir "$work/bitcode"
  cp libc/*.c "$work/musl"
  {
    echo "-Wno-everything -std=c99 -ffreestanding -nostdinc -D_XOPEN_SOURCE=700 -O1 -g"
    echo "-fno-vectorize -fno-slp-vectorize -fno-stack-protector -U_FORTIFY_SOURCE -fno-pic"
    echo "-ffp-contract=off -fno-unwind-tables -fno-asynchronous-unwind-tables"
    echo "-ffile-prefix-map=$repository/libc=musl/cairn -fdebug-compilation-dir=musl"
    echo "-I$repository/libc/overlay -Iarch/x86_64 -Iarch/generic -Iobj/src/internal"
    echo "-Isrc/include -Isrc/internal -Iobj/include -Iinclude -emit-llvm -c"
  } >"$work/flags"
  sources >"$work/sources"
  strings='^src/\(string\|multibyte\)/'
  optional='^src/\(misc/syscall\|misc/ioctl\|fcntl/fcntl\|linux/prctl\|linux/ptrace\)\.c$'
  grep "$strings" "$work/sources" >"$work/strings"
  grep "$optional" "$work/sources" >"$work/optional"
  grep -v -e "$strings" -e "$optional" "$work/sources" >"$work/plain"
  cd "$work/musl"
  for file in start arguments threads clone fenv identity heap numbers; do echo "$file.c" >>"$work/plain"; done
  one='for file; do name=$(echo "${file%.c}" | tr / -); clang-19 @"$FLAGS" $EXTRA "$file" -o "$OUT/$name.bc" || exit 255; done'
  for group in "plain " "strings -U__GNUC__" "optional -include $repository/libc/optional.h"; do
    FLAGS="$work/flags" OUT="$work/bitcode" EXTRA="${group#* }" \
      xargs -n 20 -P "$(nproc)" sh -c "$one" sh <"$work/${group%% *}" >"$work/log" 2>&1 ||
      { tail -n5 "$work/log" >&2; fail "musl does not compile to bitcode"; }
  done
  # Ours sees the headers that programs see.
  clang-19 -std=c99 -nostdinc -isystem "$work/out/include" -Wno-everything -ffreestanding -O1 -g \
    -fno-vectorize -fno-slp-vectorize -fno-stack-protector -ffp-contract=off \
    -ffile-prefix-map="$work"=musl -fdebug-compilation-dir=musl -emit-llvm -c extra.c -o "$work/bitcode/extra.bc"
  cd "$repository"
  llvm-ar-19 rcs "$work/out/libc.bca" "$work"/bitcode/*.bc
}

repository=$(pwd)
fetch
unpack
build_native
build_bitcode
printf '%s\n%s\n' "$inputs" "$(version "$work/package")" >"$work/out/stamp"
rm -rf "$target.part"
cp -a "$work/out" "$target.part"
rm -rf "$target"
mv "$target.part" "$target"
say "$(tail -n1 "$target/stamp") is in $target"
