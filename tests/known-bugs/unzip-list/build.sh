# shellcheck shell=sh disable=SC2154,SC2086
# Builds unzip with the driver of unzip-list in the folder of its source; $mode is its option.
"$cc" $flags -DMODE="\"$mode\"" -c "$case/../unzip-list/driver.c" -o driver.o
"$cc" $flags -I. -Dmain=unzip_main -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DUNIX -DNO_LCHMOD -DHAVE_DIRENT_H \
  -DHAVE_TERMIOS_H -DLARGE_FILE_SUPPORT -DZIP64_SUPPORT unzip.c crc32.c crypt.c envargs.c explode.c extract.c \
  fileio.c globals.c inflate.c list.c match.c process.c ttyio.c ubz2err.c unreduce.c unshrink.c zipinfo.c \
  unix/unix.c driver.o $klee -o "$1"
