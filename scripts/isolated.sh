#!/bin/sh
# Runs a command where it can do no harm, for programs that are given any arguments:
#
#   scripts/isolated.sh COMMAND [ARGUMENT…]
#
# It has its own processes, no network, and a copy of all files that is forgotten when it ends. As an
# explored program finds them, /etc and /tmp are empty, and the user is an ordinary one, number 1000.
# Needs the superuser; 125 says that it could not be done.
set -u
if [ "${1:-}" != --inside ]; then
  here=$(realpath "$0")
  exec unshare --mount --pid --fork --kill-child --net --uts --ipc sh "$here" --inside "$@"
fi
shift
{
  copy=/tmp && folder=$(pwd) &&
    mount -t tmpfs tmpfs "$copy" && mkdir "$copy/changed" "$copy/work" "$copy/root" &&
    mount -t overlay overlay -o "lowerdir=/,upperdir=$copy/changed,workdir=$copy/work" "$copy/root" &&
    mount -t tmpfs -o mode=1777 tmpfs "$copy/root/tmp" &&
    mount -t tmpfs tmpfs "$copy/root/etc" &&
    mount --bind /dev "$copy/root/dev" &&
    mount -t proc proc "$copy/root/proc"
} || exit 125
exec chroot "$copy/root" sh -c 'cd "$0" && exec setpriv --reuid 1000 --regid 1000 --clear-groups "$@"' \
  "$folder" "$@"
