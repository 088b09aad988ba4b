# shellcheck shell=sh disable=SC2154,SC2086
# Builds fribidi in the folder of its source, without the script that asks what the system has.
sed -e 's/@SIZEOF_INT@/4/' -e 's/@FRIBIDI_VERSION@/1.0.8/' -e 's/@FRIBIDI_M[A-Z]*_VERSION@/1/' \
  -e 's/@FRIBIDI_INTERFACE_VERSION@/4/' -e '/PLACEHOLDER/d' lib/fribidi-config.h.in >lib/fribidi-config.h
"$cc" $flags -Ilib -Ibin -DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_MEMSET -DHAVE_MEMMOVE -DHAVE_STRDUP \
  -DSTDC_HEADERS -DHAVE_STRINGIZE bin/fribidi-main.c bin/getopt.c bin/getopt1.c lib/*.c -o "$1"
