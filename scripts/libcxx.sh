#!/bin/sh
# Makes the C++ library that programs are linked with beside musl: libc++ and libc++abi, from the source
# package of LLVM in Debian (160 MB, of which it keeps 30).
#
#   .deps/libcxx/libcxx.bca   an archive of LLVM bitcode with musl in it, for C++ with `cairn run`
#   .deps/libcxx/lib          the same natively, for programs that `cairn c++` links
#   .deps/libcxx/include      its headers
#   .deps/libcxx/stamp        what it was made from: nothing is done if that is unchanged
#
# Exceptions go by libc/cxx/unwind.cpp in place of an unwinder with tables; natively by LLVM's libunwind,
# since that of GCC asks glibc where the tables are. Left to the machine are operator new and delete, guards of local statics and dynamic casts.
#
# The package is fetched with apt from where this machine gets its packages; its configuration is not
# changed. CAIRN_LLVM_SOURCE names a folder with the package's files to use instead.
set -eu
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'cairn: libc++ cannot be made, and C++ has no library: %s\n' "$*" >&2
  exit 1
}

for tool in clang++-19 llvm-ar-19 tar xz; do
  command -v "$tool" >/dev/null 2>&1 || fail "$tool is missing"
done
sh scripts/libc.sh || exit 1

inputs=$(
  {
    cat scripts/libcxx.sh libc/cxx/* .deps/musl/stamp
    clang++-19 --version | head -n1
  } | sha256sum | cut -d' ' -f1
)
target=.deps/libcxx
is_made() { [ -e "$target/stamp" ] && [ "$(head -n1 "$target/stamp")" = "$inputs" ]; }
is_made && exit 0

# One at a time: whoever waited finds it made.
if command -v flock >/dev/null 2>&1; then
  exec 9>.deps/libcxx.lock
  flock 9
  is_made && exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
package=$work/package

# Fetches the source package. The entries of the machine's own sources are repeated for source packages
# in a file that only these commands read.
fetch() {
  if [ -n "${CAIRN_LLVM_SOURCE:-}" ]; then
    package=$CAIRN_LLVM_SOURCE
    return
  fi
  mkdir -p "$package" "$work/lists/partial" "$work/cache/archives/partial"
  command -v apt-get >/dev/null 2>&1 ||
    fail "this is no Debian system; give the files of its source package llvm-toolchain-19 with CAIRN_LLVM_SOURCE"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    sort -u >"$work/sources.list"
  say "fetching the source package llvm-toolchain-19, 160 MB"
  own="-o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/lists
    -o Dir::Cache=$work/cache -o APT::Sandbox::User=$(id -un) -o Acquire::Retries=2"
  # shellcheck disable=SC2086 # a list of options; an entry that has no sources may fail
  apt-get $own -qq update >"$work/log" 2>&1 || true
  # shellcheck disable=SC2086
  (cd "$package" && apt-get $own -qq source --download-only llvm-toolchain-19 >>"$work/log" 2>&1) || {
    tail -n3 "$work/log" >&2
    fail "the source package llvm-toolchain-19 could not be fetched; give its files with CAIRN_LLVM_SOURCE"
  }
}

unpack() {
  say "unpacking libc++ and libc++abi"
  mkdir "$work/source"
  for archive in "$package"/llvm-toolchain-19_*.orig.tar.xz; do
    tar xJf "$archive" -C "$work/source" --strip-components=1 --wildcards \
      '*/libcxx/include/*' '*/libcxx/src/*' '*/libcxxabi/include/*' '*/libcxxabi/src/*' \
      '*/libunwind/include/*' '*/libunwind/src/*' ||
      fail "the source package has no libc++"
  done
}

# The headers, with what their build would write. Wherever musl is, programs see these before it.
headers() {
  mkdir -p "$work/out/include"
  cp -R "$work/source/libcxx/include/." "$work/out/include"
  cp "$work"/source/libcxxabi/include/*.h "$work/out/include"
  cp libc/cxx/config_site.h "$work/out/include/__config_site"
  cp libc/cxx/assertion_handler.h "$work/out/include/__assertion_handler"
  find "$work/out/include" \( -name '*.in' -o -name 'CMakeLists.txt' \) -delete
}

# Machine code of the same bitcode, and of what only native programs need: tables for exceptions,
# operator new and delete. Destructors of threads are in libc/extra.c.
build_native() {
  mkdir "$work/native" "$work/out/lib"
  object='for file; do clang-19 -Wno-everything -O1 -c "$file" -o "$OUT/$(basename "$file" .bc).o" || exit 255; done'
  find "$work/bitcode" -name '*.bc' ! -name unwind.bc ! -name '*cxa_thread_atexit.bc' | OUT="$work/native" \
    xargs -n 8 -P "$(nproc)" sh -c "$object" sh >"$work/log" 2>&1 ||
    { tail -n5 "$work/log" >&2; fail "libc++ does not compile natively"; }
  sed -e 's/-emit-llvm//' "$work/flags" >"$work/native-flags"
  echo "-Ilibunwind/include -Ilibunwind/src -D_LIBUNWIND_IS_NATIVE_ONLY -fuse-init-array -fasynchronous-unwind-tables" \
    >>"$work/native-flags"
  for file in libcxxabi/src/cxa_personality.cpp libcxxabi/src/stdlib_new_delete.cpp libunwind/src/libunwind.cpp \
    libunwind/src/UnwindLevel1.c libunwind/src/UnwindLevel1-gcc-ext.c libunwind/src/UnwindRegistersRestore.S \
    libunwind/src/UnwindRegistersSave.S "$repository/libc/cxx/native.c"; do
    compiler=clang-19 flags=$work/native-flags
    case $file in
      *.cpp) compiler=clang++-19 ;;
      *)
        sed -e 's/-std=c++23//' "$work/native-flags" >"$work/native-c-flags"
        flags=$work/native-c-flags
        ;;
    esac
    "$compiler" @"$flags" "$file" -o "$work/native/$(basename "$file").o" >"$work/log" 2>&1 ||
      { grep -m5 error "$work/log" >&2; fail "libc++ does not compile natively"; }
  done
  llvm-ar-19 rcs "$work/out/lib/libc++.a" "$work"/native/*.o
  clang-19 -c "$repository/libc/cxx/tables_end.c" -o "$work/out/lib/tables_end.o"
  # Programs that name libraries of C++ get the one that there is.
  for name in stdc++ c++abi supc++; do llvm-ar-19 rcs "$work/out/lib/lib$name.a"; done
}

build() {
  say "building libc++ as bitcode and natively"
  mkdir "$work/bitcode"
  {
    echo "-Wno-everything -std=c++23 -nostdlibinc -nostdinc++ -O1 -g -fno-pic -fexceptions -frtti"
    echo "-fno-vectorize -fno-slp-vectorize -fno-stack-protector -U_FORTIFY_SOURCE -ffp-contract=off"
    echo "-fno-asynchronous-unwind-tables -ffile-prefix-map=$work/source=llvm -fdebug-compilation-dir=llvm"
    echo "-ffile-prefix-map=$repository/libc=llvm/cairn"
    echo "-D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI -D_LIBCXXABI_BUILDING_LIBRARY"
    echo "-DLIBCXXABI_NON_DEMANGLING_TERMINATE -D_LIBCPP_HAS_NO_PRAGMA_SYSTEM_HEADER -DHAVE___CXA_THREAD_ATEXIT_IMPL"
    echo "-isystem $work/out/include -isystem $repository/.deps/musl/include"
    echo "-I$work/source/libcxx/src -I$work/source/libcxxabi/src -I$work/source/libcxxabi/include -emit-llvm -c"
  } >"$work/flags"
  (
    cd "$work/source"
    # What the machine has; what needs tables; what nobody explores.
    find libcxx/src libcxxabi/src -name '*.cpp' |
      grep -v -e /experimental/ -e /pstl/ -e libcxx/src/support/ -e libcxx/src/new.cpp \
        -e cxa_demangle -e cxa_noexception -e cxa_personality -e stdlib_new_delete \
        -e int128_builtins | sort
  ) >"$work/sources"
  echo "$repository/libc/cxx/unwind.cpp" >>"$work/sources"
  cd "$work/source"
  one='for file; do name=$(echo "${file%.cpp}" | sed "s|^/.*/||; s|/|-|g"); clang++-19 @"$FLAGS" "$file" -o "$OUT/$name.bc" || exit 255; done'
  FLAGS="$work/flags" OUT="$work/bitcode" \
    xargs -n 4 -P "$(nproc)" sh -c "$one" sh <"$work/sources" >"$work/log" 2>&1 ||
    { grep -m5 error "$work/log" >&2; fail "libc++ does not compile to bitcode"; }
  build_native
  cd "$repository"
  # With musl in it, so that a program is linked with one archive.
  (cd "$work/bitcode" && llvm-ar-19 x "$repository/.deps/musl/libc.bca")
  llvm-ar-19 rcs "$work/out/libcxx.bca" "$work"/bitcode/*.bc
}

repository=$(pwd)
fetch
unpack
headers
build
printf '%s\nlibc++ %s\n' "$inputs" "$(sed -n 's/^Version: //p' "$package"/llvm-toolchain-19_*.dsc | head -n1)" \
  >"$work/out/stamp"
rm -rf "$target.part"
cp -a "$work/out" "$target.part"
rm -rf "$target"
mv "$target.part" "$target"
say "$(tail -n1 "$target/stamp") is in $target"
