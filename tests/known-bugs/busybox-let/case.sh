# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2022-48174: the shell of busybox reckons that an expression of N bytes has at most N/2 + 1 numbers
# and names; 09v has three, and the last is written past the room on the stack. The whole program:
# ash -c 'let "$1"', with a symbolic argument.
package=busybox
fix=CVE-2022-48174.patch
file=math.c function=evaluate_string
prefix=busybox- # by its name it knows what it is
limit=300s
words() { "$@" -- ash -c 'let "$1"' x --sym-arg 3; }
build() {
  make HOSTCC=clang-19 allnoconfig
  for option in LONG_OPTS ASH SHELL_ASH FEATURE_SH_MATH FEATURE_SH_MATH_64; do
    sed -i "s/^# CONFIG_$option is not set/CONFIG_$option=y/" .config
  done
  yes '' | make HOSTCC=clang-19 oldconfig
  make HOSTCC=clang-19 CC="$cc" EXTRA_CFLAGS="$flags" CFLAGS_busybox="$flags" AR=llvm-ar-19 NM=llvm-nm-19 \
    SKIP_STRIP=y busybox_unstripped
  cp busybox_unstripped "$1"
}
