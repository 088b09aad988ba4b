# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2023-31130: an address of IPv6 that is shortened by :: and has a short prefix makes c-ares write
# before a buffer on the stack. The driver sets a list of nine bytes, each a one, a colon or a slash.
# (The patch also drops tests that are not built here.)
package=c-ares
fix=CVE-2023-31130.diff
file=inet_net_pton.c function=inet_net_pton_ipv6
driver=yes
build() { . "$case/../c-ares-sortlist/build.sh"; }
