# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# cJSON: after an object's comma the next name is read without asking whether there is one; a text
# that ends there is read past its end. The driver parses seven bytes; digits are left out, since
# numbers take long (floating point) and have no part in it.
package=cjson
fix=0002-Fix-heap-buffer-overflow.patch
file=cJSON.c function=parse_string
driver=yes
build() { "$cc" $flags -I. "$case/driver.c" cJSON.c $klee -lm -o "$1"; }
