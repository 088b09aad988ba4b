#!/bin/sh
# Runs a command where it can do no harm, for programs that are given any arguments:
#
#   scripts/isolated.sh COMMAND [ARGUMENT…]
#
# It has its own processes, no network, and a copy of all files that is forgotten when it ends. As an
# explored program finds them, /etc, /tmp and /home/user are empty, nothing is in /proc, devices are
# few, there is one processor, and the user is an ordinary one, number 1000, with the usual priority.
# Needs the superuser; 125 says that it could not be done.
set -u
if [ "${1:-}" != --inside ]; then
  here=$(realpath "$0")
  # On a disk, where folders take room, unlike in memory.
  home=$(mktemp -d) || exit 125
  trap 'rm -rf "$home"' EXIT
  trap 'exit 1' INT TERM
  unshare --mount --pid --fork --kill-child --net --uts --ipc sh "$here" --inside "$home" "$@"
  exit
fi
home=$2
shift 2
{
  copy=/tmp && folder=$(pwd) && root=$copy/root &&
    mount --bind "$home" /mnt &&
    mount -t tmpfs tmpfs "$copy" && mkdir "$copy/changed" "$copy/work" "$root" &&
    mount -t overlay overlay -o "lowerdir=/,upperdir=$copy/changed,workdir=$copy/work" "$root" &&
    for empty in tmp etc home dev run; do
      mount -t tmpfs -o mode=755 tmpfs "$root/$empty" || exit 125
    done &&
    chmod 1777 "$root/tmp" && mkdir -m 1777 "$root/run/replay" &&
    mkdir "$root/home/user" && mount --bind /mnt "$root/home/user" &&
    chown 1000:1000 "$root/home/user" && chmod 755 "$root/home/user" &&
    ln -s /proc/self/fd/0 "$root/dev/stdin" && ln -s /proc/self/fd/1 "$root/dev/stdout" &&
    ln -s /proc/self/fd/2 "$root/dev/stderr" &&
    while read -r name kind major minor; do
      mknod -m 666 "$root/dev/$name" "$kind" "$major" "$minor" || exit 125
    done
} <<DEVICES || exit 125
null c 1 3
zero c 1 5
full c 1 7
random c 1 8
urandom c 1 9
tty c 5 0
DEVICES
renice -n 0 -p $$ >/dev/null || exit 125
exec chroot "$root" sh -c \
  'cd "$0" && TMPDIR=/run/replay exec setpriv --reuid 1000 --regid 1000 --clear-groups taskset 1 "$@"' \
  "$folder" "$@"
