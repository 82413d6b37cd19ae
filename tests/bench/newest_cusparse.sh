#!/usr/bin/env bash
# Fetches the cuSPARSE that newest_cusparse.txt pins into build/cusparse (230 MB), and says if PyPI has a
# newer one. With an architecture it also packs a copy with the code of that one only (24 MB), for a machine
# without a network: build/cusparse-sm_90.tar.xz.
#   tests/bench/newest_cusparse.sh [sm_90]
# Then, and for the copy after `tar -C build -xf build/cusparse-sm_90.tar.xz` with build/cusparse-sm_90:
#   SPECMV_CUDA_HOME=$PWD/build/cusparse build/specmv bench A.mtx
set -euo pipefail

# shellcheck source=tests/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../setup.sh"

readonly bench=$root/tests/bench
readonly wheel=$bench/newest_cusparse.txt
readonly newest=$root/build/cusparse
arch=${1:-}
[[ $# -le 1 && $arch =~ ^(sm_[0-9]+)?$ ]] || {
  printf "error: '%s' is no architecture; give one such as sm_90, or nothing\n" "$*" >&2
  exit 2
}
pinned=$(sed -nE 's/^nvidia-cusparse==([0-9.]+) .*/\1/p' "$wheel")
readonly arch pinned

# Prints the version that the library itself says, such as 12.9.4.
versionOf() {
  python3 - "$1" <<'PYTHON'
import ctypes, sys

library, value, numbers = ctypes.CDLL(sys.argv[1]), ctypes.c_int(), []
for part in range(3):  # major, minor, patch
    library.cusparseGetProperty(part, ctypes.byref(value))
    numbers.append(str(value.value))
print(".".join(numbers))
PYTHON
}

noteNewer() {
  local offered
  offered=$(python3 -m pip --disable-pip-version-check index versions nvidia-cusparse 2>/dev/null |
    sed -nE 's/^nvidia-cusparse \(([0-9.]+)\)$/\1/p') || return 0
  [[ -z $offered || $offered == "$pinned" ]] ||
    printf 'note: PyPI has nvidia-cusparse %s, but %s pins %s\n' "$offered" "${wheel#"$root/"}" "$pinned"
}

# Publishes by a rename, as fetchWheels does.
packFor() {
  local staging name=cusparse-$1
  staging=$(mktemp -d -- "$root/build/$name.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf -- '$staging'" EXIT
  mkdir -p -- "$staging/$name/lib"
  python3 "$bench/cut_library.py" "$newest/lib/libcusparse.so.12" "$staging/$name/lib/libcusparse.so.12" "$1"
  [[ $(versionOf "$staging/$name/lib/libcusparse.so.12") == "$version" ]]
  XZ_OPT=-T0 tar -C "$staging" -cJf "$staging/packed" "$name"
  mv -- "$staging/packed" "$root/build/$name.tar.xz"
  printf 'build/%s.tar.xz: %d MB\n' "$name" $(($(stat -c %s "$root/build/$name.tar.xz") >> 20))
}

mkdir -p -- "$root/build"
wheelsAreUnpacked "$wheel" "$newest" ||
  fetchWheels "$wheel" "$newest" "cuSPARSE $pinned from NVIDIA's wheel (230 MB)" "build/cusparse is not there"
noteNewer
version=$(versionOf "$newest/lib/libcusparse.so.12")
readonly version
[[ $pinned == "$version".* ]] || {
  printf 'error: build/cusparse has cuSPARSE %s, but %s pins %s; remove build/cusparse and run this again\n' \
    "$version" "${wheel#"$root/"}" "$pinned" >&2
  exit 1
}
printf 'build/cusparse: cuSPARSE %s\n' "$version"
[[ -z $arch ]] || packFor "$arch"
