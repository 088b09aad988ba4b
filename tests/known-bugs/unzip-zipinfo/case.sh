# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2016-9844: the same as unzip-list, in the lists of unzip -Z, where three digits fill the room.
package=unzip
fix=19-cve-2016-9844-zipinfo-buffer-overflow.patch
file=zipinfo.c function=zi_short
driver=yes mode=-Z
build() { . "$case/../unzip-list/build.sh"; }
