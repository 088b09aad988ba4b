# shellcheck shell=sh disable=SC2034,SC2154,SC2086
# CVE-2026-26740: giflib writes the four bytes of a graphics control block into an extension block of
# an image, however short that is. The driver makes an image with one extension block, whose function
# and length are symbolic.
package=giflib
fix=CVE-2026-26740.patch
file=egif_lib.c function=EGifGCBToExtension
driver=yes
build() {
  "$cc" $flags -I. "$case/driver.c" dgif_lib.c egif_lib.c gifalloc.c gif_err.c gif_hash.c \
    openbsd-reallocarray.c $klee -o "$1"
}
