# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2023-4504: CUPS reads PostScript code of printer descriptions; a string whose last byte is a
# backslash is read past its end. The driver runs code of four bytes.
package=cups
fix=0015-CVE-2023-4504.patch
file=raster-interpret.c function=scan_ps
driver=yes
build() {
  sed 's/^#undef.*//' config.h.in >config.h
  "$cc" $flags -I. -D_CUPS_SOURCE -DHAVE_LONG_LONG -DHAVE_STRTOLL -DHAVE_STRDUP -DHAVE_SNPRINTF \
    -DHAVE_VSNPRINTF -DHAVE_LANGINFO_H -DHAVE_SIGACTION -DHAVE_GETADDRINFO -DHAVE_GETNAMEINFO \
    -ffunction-sections -Wl,--gc-sections "$case/driver.c" cups/raster-interpret.c cups/raster-error.c \
    cups/string.c cups/thread.c cups/array.c $klee -o "$1"
}
