# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2022-25309: fribidi's character set CapRTL takes a byte of the text as the index of a table, also
# where it is negative. The whole program, with symbolic standard input.
package=fribidi
fix=CVE-2022-25309.patch
file=fribidi-char-sets-cap-rtl.c function=fribidi_cap_rtl_to_unicode
words() { "$@" --sym-stdin 2 -- --charset CapRTL; }
build() { . "$case/build.sh"; }
