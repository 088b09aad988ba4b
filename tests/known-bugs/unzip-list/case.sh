# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2014-9913: unzip -v writes the number of an unknown method of compression into eight bytes on the
# stack; four digits are too many. The whole program, on an archive whose directory is partly symbolic.
package=unzip
fix=18-cve-2014-9913-unzip-buffer-overflow.patch
file=list.c function=list_files
driver=yes mode=-v
build() { . "$case/build.sh"; }
