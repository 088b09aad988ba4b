# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# pr of coreutils takes the first byte of the argument of --expand-tabs= for a character, also if the
# argument is empty, and reads on past its end. There is no fix to take out: it is in the current
# sources. AddressSanitizer does not know where a program's arguments end, so the driver gives pr copies
# of them on the heap.
package=coreutils
file=pr.c function=getoptarg
limit=300s
words() { "$@" --sym-arg 4; }
build() {
  FORCE_UNSAFE_CONFIGURE=1 ./configure CC="$cc" CFLAGS="$flags -mno-avx2 -mno-pclmul" --disable-nls
  printf 'include Makefile\nbuilt: $(BUILT_SOURCES) lib/libcoreutils.a src/libver.a\n' >built.mk
  make -f built.mk built
  "$cc" $flags -I. -Ilib -Isrc -Dmain=pr_main -c src/pr.c -o pr.o
  "$cc" $flags "$case/driver.c" pr.o src/libver.a lib/libcoreutils.a -o "$1"
}
