# shellcheck shell=sh
# Source packages of Debian, fetched with apt from where this machine gets its packages. Sourced by
# the scripts that need one; they define `fail`, and a scratch folder in $work.
#
# The entries of the machine's own sources are repeated for source packages in a file that only these
# commands read, so its configuration is not changed.

# fetch_source PACKAGE FOLDER VARIABLE: the package's files into the folder. The named variable is what
# the user gives instead, for the messages.
fetch_source() {
  mkdir -p "$2" "$work/lists/partial" "$work/cache/archives/partial"
  command -v apt-get >/dev/null 2>&1 ||
    fail "this is no Debian system; give the files of its source package $1 with $3"
  own="-o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/lists
    -o Dir::Cache=$work/cache -o APT::Sandbox::User=$(id -un) -o Acquire::Retries=2"
  if [ ! -e "$work/sources.list" ]; then
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
      sort -u >"$work/sources.list"
    [ -s "$work/sources.list" ] ||
      fail "apt knows no package lists; run \`apt-get update\`, or give the files of Debian's source package $1 with $3"
    # shellcheck disable=SC2086 # a list of options; an entry that has no sources may fail
    apt-get $own -qq update >"$work/log" 2>&1 || true
  fi
  # Debian's changes to a package move on faster than its original; mirrors may have dropped them.
  for part in "" --tar-only; do
    # shellcheck disable=SC2086
    ! (cd "$2" && apt-get $own -qq source --download-only $part "$1" >>"$work/log" 2>&1) || return 0
  done
  tail -n3 "$work/log" >&2
  fail "the source package $1 could not be fetched; give its files with $3"
}

# unpack_source PACKAGE FOLDER TARGET: the original with Debian's changes, as far as they are there.
unpack_source() {
  mkdir -p "$3"
  for archive in "$2/$1"_*.orig.tar.*; do
    case $archive in *.asc) ;; *) tar xf "$archive" -C "$3" --strip-components=1 ;; esac
  done
  for archive in "$2/$1"_*.debian.tar.*; do
    [ ! -e "$archive" ] || tar xf "$archive" -C "$3"
  done
  for changes in "$2/$1"_*.diff.gz; do
    [ ! -e "$changes" ] || gzip -dc "$changes" | patch -s -p1 -d "$3"
  done
  [ -e "$3/debian/patches/series" ] || return 0
  while read -r change _; do
    case $change in '' | \#*) ;; *) patch -s -p1 -d "$3" <"$3/debian/patches/$change" ;; esac
  done <"$3/debian/patches/series"
}
