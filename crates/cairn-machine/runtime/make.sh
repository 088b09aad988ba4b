#!/bin/sh
# Compiles strings.c to Cairn's own form. Usage: make.sh [OUTPUT], by default strings.cir beside
# this script. CAIRN names the binary to use, by default `cairn`.
set -eu
here=$(dirname "$0")
# No loop may become a call of the function that it implements, and none may be unrolled or
# vectorised: a path would decide about bytes that it does not reach.
set -- "${1:-$here/strings.cir}" \
    --cc-flag=-g0 --cc-flag=-std=c11 --cc-flag=-Wall --cc-flag=-Werror \
    --cc-flag=-ffreestanding --cc-flag=-fno-builtin --cc-flag=-fwrapv --cc-flag=-fno-strict-aliasing \
    --cc-flag=-fno-vectorize --cc-flag=-fno-slp-vectorize --cc-flag=-fno-unroll-loops
output=$1
shift
exec "${CAIRN:-cairn}" run -O 1 "$@" --emit-cir "$output" "$here/strings.c"
