# Set-up shared by samples/quickstart.sh and tests/run.sh, which source this file: installs the
# Debian packages that are missing, finds or fetches the parts of the CUDA toolkit that specmv uses,
# and configures and builds. It leaves `toolkit` set to the toolkit's root, and `python` to the Python for which
# its module is built, if there is one.
# shellcheck shell=bash

root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
toolkit=
python=

# llvm-19-dev brings python3, which makes the manual pages together with lowdown.
# shellcheck disable=SC2034 # the scripts that source this file pass them to setUp
readonly build_packages=(g++ cmake ninja-build llvm-19-dev zlib1g-dev lowdown)
# shellcheck disable=SC2034
readonly test_packages=(clang clang-format clang-tidy lld libclang-rt-14-dev doctest-dev locales pkgconf
  libpetsc-real3.18-dev libpetsc3.18-dev-examples openmpi-bin libopenmpi-dev)
readonly fetch_packages=(python3 python3-pip ca-certificates)

# Ends the script: the machine lacks something. 3 is what the tool itself exits with then.
lacks() {
  printf 'error: %s\n' "$*" >&2
  exit 3
}

# Runs a command, showing what it prints only if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    local status=$?
    cat -- "$log" >&2
    return "$status"
  }
}

# --- Debian packages

isInstalled() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -x installed >/dev/null
}

# Installs those of the named packages that are missing. Without the right to, prints the one line
# that an administrator must run. Where `seconds_to_fetch` is set, apt-get may wait for the network as
# long as that, twice; what it has fetched is installed in any case, since dpkg must not be interrupted.
installMissing() {
  local package missing=() become=()
  for package in "$@"; do
    isInstalled "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local install="apt-get install -y --no-install-recommends ${missing[*]}"
  command -v apt-get >/dev/null ||
    lacks "this is not a Debian machine; install what these Debian 12 packages hold: ${missing[*]}"
  if ((EUID != 0)); then
    become=(sudo -n)
    if ! "${become[@]}" env true >/dev/null 2>&1; then
      printf 'error: packages are missing; an administrator must run this line as root:\n' >&2
      printf 'apt-get update && %s\n' "$install"
      exit 3
    fi
  fi
  become+=(env DEBIAN_FRONTEND=noninteractive)
  printf 'installing %s\n' "${missing[*]}"
  local fetch=("${become[@]}" timeout "${seconds_to_fetch:-0}") # 0 is for good
  install+=" -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0"
  # A broken third-party list fails the update, not necessarily the installation.
  quietly "$root/build/apt-update.log" "${fetch[@]}" apt-get update -q || true
  # shellcheck disable=SC2086 # the commands are meant to be split
  {
    quietly "$root/build/apt-install.log" "${fetch[@]}" $install --download-only </dev/null &&
      quietly "$root/build/apt-install.log" "${become[@]}" $install </dev/null
  } || lacks "apt-get could not install ${missing[*]}"
}

# --- The CUDA toolkit

# Whether the folder has every header and library that specmv needs. CUPTI is not among them: one
# verb uses it, and many toolkits have no headers of it.
isFullToolkit() {
  local name
  [[ -n $1 ]] || return 1
  for name in cuda.h nvrtc.h cusparse.h cuda_fp16.h library_types.h crt/host_defines.h; do
    [[ -f $1/include/$name ]] || return 1
  done
  [[ -f $1/include/nv/target || -f $1/include/cccl/nv/target ]] || return 1
  for name in nvrtc nvrtc-builtins cusparse nvJitLink; do
    (cd -- "$1" && compgen -G "lib*/lib$name.so*") >/dev/null || return 1
  done
}

# Sets `toolkit` to the installed toolkit, if there is one that may be used.
findToolkit() {
  local candidate candidates=("${SPECMV_CUDA_HOME:-}")
  [[ ${SPECMV_HIDE_TOOLKIT:-0} == 1 ]] ||
    candidates+=("${CUDAToolkit_ROOT:-}" /usr/local/cuda)
  for candidate in "${candidates[@]}"; do
    if isFullToolkit "$candidate"; then
      toolkit=$(cd -- "$candidate" && pwd)
      return
    fi
    [[ -z $candidate || $candidate == /usr/local/cuda ]] ||
      printf 'note: %s lacks headers or libraries of the toolkit; it is not used\n' "$candidate" >&2
  done
  return 1
}

readonly wheels_home=$root/build/cuda

# wheelsAreUnpacked LIST HOME: the list of pinned wheels is kept beside what came from them.
wheelsAreUnpacked() { cmp -s "$1" "$2/${1##*/}"; }

# Unpacks the wheels of $1 into $2/include and $2/lib, without what nothing here uses.
unpackWheels() {
  python3 - "$1" "$2" <<'PYTHON'
import pathlib, re, sys, zipfile

wheels, home = map(pathlib.Path, sys.argv[1:])
# All of CCCL but nv/target would be 1,700 files; libnvrtc.alt is a second libnvrtc of 110 MB.
wanted = re.compile(r"nvidia/cu\d+/(include/(?!cccl/|cub/|thrust/|cuda/).*[^/]|lib/[^/]*\.so[^/]*)")
unwanted = re.compile(r"\.alt\.so|libcudart|libcheckpoint|libpcsamplingutil|libnvperf_target")
for wheel in sorted(wheels.glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for name in filter(wanted.fullmatch, archive.namelist()):
            if unwanted.search(name):
                continue
            path = home.joinpath(*name.split("/")[2:])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
for library in (home / "lib").glob("*.so.*"):
    library.with_name(library.name.split(".so.")[0] + ".so").symlink_to(library.name)
PYTHON
}

# A pip that reaches no network says, as an error, that there is no such package.
whyPipFailed() {
  if grep -qE 'Failed to establish a new connection|timed out|ProxyError|SSLError' "$1"; then
    printf 'PyPI cannot be reached'
  else
    sed -n 's/^ERROR: //p' "$1" | tail -n 1
  fi
}

# fetchWheels LIST HOME WHAT WHY_NEEDED: fetches pinned wheels and publishes them as the folder HOME by
# a rename, so that a folder of that name is always whole. The lock spares two runs the same download.
fetchWheels() (
  list=$1 home=$2
  exec 9>"$home.lock"
  flock 9
  ! wheelsAreUnpacked "$list" "$home" || exit 0
  [[ $(uname -m) == x86_64 ]] || lacks "$4, and NVIDIA's wheels are pinned for x86_64 only"
  printf "fetching %s\n" "$3"
  rm -rf -- "$home".?????? # of a run that was killed
  staging=$(mktemp -d -- "$home.XXXXXX")
  trap 'rm -rf -- "$staging"' EXIT
  TMPDIR=$staging python3 -m pip --no-cache-dir --disable-pip-version-check --retries 3 \
    download --quiet --no-deps --only-binary :all: --require-hashes \
    -r "$list" -d "$staging/wheels" >"$home.log" 2>&1 ||
    lacks "$4, and NVIDIA's wheels could not be fetched: $(whyPipFailed "$home.log")"
  unpackWheels "$staging/wheels" "$staging/unpacked"
  cp -- "$list" "$staging/unpacked/"
  rm -rf -- "$home"
  mv -T -- "$staging/unpacked" "$home"
)

toolkitIsUnpacked() { wheelsAreUnpacked "$root/tests/toolkit.txt" "$wheels_home"; }

fetchToolkit() {
  fetchWheels "$root/tests/toolkit.txt" "$wheels_home" \
    "the CUDA compiler, cuSPARSE and CUPTI from NVIDIA's wheels (290 MB)" \
    "no full CUDA toolkit in SPECMV_CUDA_HOME, CUDAToolkit_ROOT or /usr/local/cuda"
}

# setUp PACKAGE...: installs the packages that are missing and sees to the toolkit.
setUp() {
  local packages=("$@")
  mkdir -p -- "$root/build"
  if ! findToolkit; then
    toolkit=$wheels_home
    toolkitIsUnpacked || python3 -m pip --version >/dev/null 2>&1 ||
      packages+=("${fetch_packages[@]}")
  fi
  installMissing "${packages[@]}"
  if [[ $toolkit == "$wheels_home" ]]; then
    toolkitIsUnpacked || fetchToolkit
  fi
}

# --- Python

readonly python_packages=(python3-dev python3-venv python3-numpy python3-scipy python3-pytest)
readonly python_home=$root/build/python-venv
readonly python_list=$root/tests/python/packages.txt
readonly python_log=$root/build/python-venv.log

# Succeeds if the folder is an environment of the present Python with what the list pins.
pythonIsReady() {
  wheelsAreUnpacked "$python_list" "$python_home" &&
    [[ -f $("$python" -m nanobind --cmake_dir 2>/dev/null)/nanobind-config.cmake ]]
}

# Makes the environment anew. The list is copied at the end, so an environment that has it is whole.
makePython() {
  local status=0
  rm -rf -- "$python_home"
  if ! /usr/bin/python3 -m venv --system-site-packages "$python_home" >"$python_log" 2>&1; then
    printf '/usr/bin/python3 -m venv failed: %s' "$(tail -n 1 "$python_log")"
    return 1
  fi
  timeout 90 "$python" -m pip --disable-pip-version-check --retries 1 --timeout 15 install --quiet --no-deps \
    --only-binary :all: --require-hashes -r "$python_list" >"$python_log" 2>&1 || status=$?
  if ((status == 0)); then
    cp -- "$python_list" "$python_home/"
  elif ((status == 124)); then
    printf 'nanobind was not fetched within 90 seconds'
    return 1
  else
    printf 'nanobind could not be fetched: %s' "$(whyPipFailed "$python_log")"
    return 1
  fi
}

# setUpPython: an environment with nanobind, beside Debian's own NumPy, SciPy and pytest. Where it cannot be had,
# a note says why, CMake finds no nanobind, and the tests are told as skipped.
setUpPython() {
  local why seconds_to_fetch=120
  why=$(installMissing "${python_packages[@]}" 2>&1) || {
    why=${why##*$'\n'} # the command for an administrator, or what went wrong
    printf 'note: the tests of the package for Python lack Debian packages: %s\n' "${why#error: }" >&2
  }
  python=$python_home/bin/python
  ! pythonIsReady || return 0
  printf 'fetching nanobind\n'
  why=$(makePython) ||
    printf 'note: the package for Python is not built, and its tests are skipped: %s\n' "$why" >&2
}

# --- The build

# Whether the cache of a build folder was made for this checkout, Ninja and this compiler. Another
# one (a moved checkout, a user's own build) would make CMake stop. CMake writes the compiler's path
# when it configures for the first time, and the preset's word for it at the second time.
cacheFits() {
  local cache=$1/CMakeCache.txt
  [[ -f $cache ]] || return 0
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
    grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" "$cache" &&
    grep -qE "^CMAKE_CXX_COMPILER:[A-Z]+=(.*/)?${2//+/[+]}\$" "$cache"
}

# configure PRESET FOLDER COMPILER [OPTION...]: the preset's folder and compiler are given again here,
# to be looked at beforehand.
configure() {
  local preset=$1 folder=$2 compiler=$3 fresh=()
  shift 3
  mkdir -p -- "$folder"
  cacheFits "$folder" "$compiler" || fresh=(--fresh)
  # The places of the headers are forgotten, since cached ones would outlive a change of toolkit.
  quietly "$folder/configure.log" cmake --preset "$preset" "${fresh[@]}" -S "$root" -B "$folder" \
    -U SPECMV_CUDA_INCLUDE -U SPECMV_CUPTI_INCLUDE -DSPECMV_CUDA_HOME="$toolkit" \
    ${python:+"-DPython_EXECUTABLE=$python"} "$@"
}

# compile FOLDER [TARGET...]: progress is for people, a log shows errors only.
compile() {
  local folder=$1 quiet=(--quiet)
  shift
  [[ ! -t 1 ]] || quiet=()
  cmake --build "$folder" --parallel "$(nproc)" --target "${@:-all}" -- "${quiet[@]}"
}
