# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2022-25308: fribidi looks for the end of a line at its last byte; a line that begins with a zero
# has none, and the byte before the buffer is read. The whole program, with symbolic standard input.
package=fribidi
fix=CVE-2022-25308.patch
file=fribidi-main.c function=main
words() { "$@" --sym-stdin 2; }
build() { . "$case/../fribidi-caprtl/build.sh"; }
