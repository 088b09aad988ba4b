# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2022-4904: c-ares copies an address of a list that says how addresses are sorted to sixteen bytes
# on the stack, however long it is. The driver sets such a list of twenty bytes: digits, dots, slashes
# and zeros.
package=c-ares
fix=CVE-2022-4904.diff
file=ares_init.c function=config_sortlist
driver=yes
build() { . "$case/build.sh"; }
