# Installs what building and testing need and is not there yet. Sourced by ./setup and ./test.
# Idempotent; works as root or with sudo on Debian 12 and later, and says what it does.

say() { printf '==> %s\n' "$*"; }
fail() { printf 'cairn: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo "$@"
  else fail "installing $* needs root; run this as root, or install sudo"
  fi
}

install_packages() {
  command -v apt-get >/dev/null 2>&1 ||
    fail "missing: $*. This is no Debian system: install them by hand and run this again"
  say "installing $*"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

has_package() { dpkg -s "$1" >/dev/null 2>&1; }

# What the tests need besides: a generator of C programs, and for RISC-V an emulator and compilers;
# and what the benchmark of arrays makes its scanners with.
prepare_tests() {
  missing=""
  command -v qemu-riscv64 >/dev/null 2>&1 || missing="$missing qemu-user"
  command -v riscv64-linux-gnu-gcc >/dev/null 2>&1 ||
    missing="$missing gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
  command -v ld.lld-19 >/dev/null 2>&1 || missing="$missing lld-19"
  command -v llvm-objdump-19 >/dev/null 2>&1 || missing="$missing llvm-19"
  command -v csmith >/dev/null 2>&1 || missing="$missing csmith"
  [ -e /usr/include/csmith/csmith.h ] || missing="$missing libcsmith-dev"
  command -v flex >/dev/null 2>&1 || missing="$missing flex"
  # shellcheck disable=SC2086 # a list of packages
  [ -z "$missing" ] || install_packages $missing
  [ -e .deps/musl/libc.bca ] && [ -e .deps/libcxx/libcxx.bca ] ||
    fail "the libraries of C and C++ could not be made (see above), which tests need"
}

# The oldest Rust that builds Cairn: `rust-version` in Cargo.toml.
needed_rust() { sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml; }

rust_is_new_enough() {
  command -v cargo >/dev/null 2>&1 && command -v rustc >/dev/null 2>&1 || return 1
  have=$(rustc --version | cut -d' ' -f2 | cut -d- -f1)
  [ "$(printf '%s\n%s\n' "$(needed_rust)" "$have" | sort -V | head -n1)" = "$(needed_rust)" ]
}

prepare() {
  missing=""
  command -v c++ >/dev/null 2>&1 || missing="$missing g++"
  command -v python3 >/dev/null 2>&1 || missing="$missing python3"
  [ -f /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"
  # LLVM reads bitcode, clang makes it; the rest is what LLVM is linked with.
  command -v clang-19 >/dev/null 2>&1 || missing="$missing clang-19"
  command -v llvm-config-19 >/dev/null 2>&1 || missing="$missing llvm-19-dev"
  for library in polly-19 zstd ffi xml2; do
    has_package "lib$library-dev" || missing="$missing lib$library-dev"
  done
  has_package zlib1g-dev || missing="$missing zlib1g-dev"
  # The sanitizers that `cairn replay --sanitize` builds with.
  has_package libclang-rt-19-dev || missing="$missing libclang-rt-19-dev"
  # What the C library is made with.
  command -v make >/dev/null 2>&1 || missing="$missing make"
  command -v patch >/dev/null 2>&1 || missing="$missing patch"
  command -v xz >/dev/null 2>&1 || missing="$missing xz-utils"
  [ -d /usr/include/linux ] || missing="$missing linux-libc-dev"
  # shellcheck disable=SC2086 # a list of packages
  [ -z "$missing" ] || install_packages $missing
  if ! rust_is_new_enough; then
    # Debian 12 keeps a current Rust beside its old one, for building browsers.
    install_packages rustc-web cargo-web
    rust_is_new_enough || fail "Rust $(needed_rust) or later is needed; install it with rustup"
  fi
  prepare_z3
  # They say themselves what is missing; everything else works without them.
  scripts/libc.sh && scripts/libcxx.sh || true
}

# Z3 is the second core and the reference in tests. Debian 12's is too old; the Python wheel
# carries a current library. It goes into .deps, where Cairn looks for it; nothing else changes.
prepare_z3() {
  [ -e .deps/z3/z3/lib/libz3.so ] && return
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
  say "fetching Z3 (the Python package z3-solver) into .deps"
  rm -rf .deps/z3.part
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --no-compile --target .deps/z3.part z3-solver ||
    fail "the Python package z3-solver could not be fetched; Cairn works without it, its tests do not"
  rm -rf .deps/z3
  mv .deps/z3.part .deps/z3
}
