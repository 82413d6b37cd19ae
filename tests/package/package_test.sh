#!/usr/bin/env bash
# A program of somebody else, built with the very lines that README shows, against the installed
# library or the source tree, and run. It is called by ctest:
#   package_test.sh installed|clone|subproject SOURCE_FOLDER BUILD_FOLDER CUDA_HOME
set -euo pipefail

readonly way=$1 source=$2 build=$3 cuda=$4
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

# block START: prints README's indented block whose first line begins so.
block() {
  local text
  text=$(awk -v start="    $1" '
    !inside && index($0, start) == 1 { inside = 1 }
    inside && $0 != "" && substr($0, 1, 4) != "    " { exit }
    inside { print substr($0, 5) }' "$source/README.md")
  [[ -n $text ]] || fail "README has no block that begins with: $1"
  printf '%s\n' "$text"
}

# The user's folder: a program, a CMakeLists.txt, and the clone in specmv/.
makeUser() {
  export HOME=$scratch/home SPECMV_CACHE_DIR=$scratch/cache SPECMV_STANDARD_PACK= CMAKE_GENERATOR=Ninja CPATH=$cuda/include
  # Of the shell that runs the tests: a user's has none of them.
  unset PKG_CONFIG_PATH LD_LIBRARY_PATH LIBRARY_PATH CFLAGS CXXFLAGS SPECMV_CUDA_HOME
  mkdir -p -- "$HOME" "$scratch/user/specmv"
  cd -- "$scratch/user"
  local entry
  for entry in CMakeLists.txt models generator templates runtime tests samples; do
    ln -s -- "$source/$entry" "specmv/$entry"
  done
  ln -s -- "$build" specmv/build
  block '#include <specmv.h>' >my_solver.c
  block '#include <specmv.hpp>' >my_solver.cpp
  block 'cmake_minimum_required' >CMakeLists.txt
}

# The same program with NVIDIA's header in front of ours: one must not hide the other, whichever
# folder comes first on the include path.
includeCusparse() {
  local header=cusparse.h # of the user, not of this folder, which sees no CUDA header
  sed -i "1i #include <$header>\ntypedef cusparseSpMatDescr_t NvidiasOwnHeader;" my_solver.c
}

# run LINES: as a user pastes them.
run() {
  printf '%s\n' "$1"
  bash -euo pipefail -c "$1" >log 2>&1 || fail "$(cat log)"
}

# program FILE: what README's program prints.
program() {
  local output
  output=$("$1" 2>&1) || fail "$1 ends with $?: $output"
  [[ $output == 'y = 6 6 17' ]] || fail "$1 prints: $output"
}

# buildAndRun PROGRAM LINES: with README's program, and with the one that includes cusparse.h too.
buildAndRun() {
  run "$2"
  program "$1"
  includeCusparse
  rm -f -- "$1"
  run "$2"
  program "$1"
  block '#include <specmv.h>' >my_solver.c
}

# Installed in one place and moved to another.
testInstalled() {
  local lines folder
  lines=$(block 'cmake --install')
  HOME=$scratch/first run "$lines"
  mv -- "$scratch/first/specmv" "$HOME/specmv"
  for folder in lib/cmake/specmv/specmvConfig.cmake lib/cmake/specmv/specmvConfigVersion.cmake \
    lib/pkgconfig/specmv.pc lib/libspecmv.so include/specmv.h include/specmv.hpp; do
    [[ -f $HOME/specmv/$folder ]] || fail "not installed: $folder"
  done
  ! grep -rFe "$scratch/first" -e "$source" "$HOME"/specmv/lib/{cmake,pkgconfig} ||
    fail "the files of the package name a folder of the build"
  "$HOME/specmv/bin/specmv" --version >/dev/null || fail "the installed tool does not run"

  buildAndRun build/my_solver "$(block 'cmake -S')"
  buildAndRun ./my_solver "$(block 'export PKG_CONFIG_PATH')"
  run "$(block 'export PKG_CONFIG_PATH' | head -1); $(block 'c++ -std=c++20')"
  program ./my_solver_cpp
}

# From the clone, without an installation.
testClone() {
  buildAndRun ./my_solver "$(block 'cc -I specmv')"
}

# In place of README's find_package: these lines.
takeWith() {
  local project
  project=$(block 'cmake_minimum_required')
  [[ $project == *'find_package(specmv REQUIRED)'* ]] || fail "README has no find_package(specmv REQUIRED)"
  printf '%s\n' "${project/find_package(specmv REQUIRED)/$1}" >CMakeLists.txt
}

# The whole library once more, as another project's part: without optimization and with many files a
# unit, it takes 20 seconds on two cores. That project has no build type.
testSubproject() {
  local option units=build/compile_commands.json
  option=(-DSPECMV_CUDA_HOME="$cuda" -DCMAKE_CXX_FLAGS=-O0 -DCMAKE_UNITY_BUILD=ON
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  ! command -v clang++ >/dev/null || option+=(-DCMAKE_CXX_COMPILER=clang++) # takes half of g++'s time
  takeWith "include(FetchContent)
FetchContent_Declare(specmv SOURCE_DIR \${CMAKE_SOURCE_DIR}/specmv)
FetchContent_MakeAvailable(specmv)"
  run "cmake -S . -B fetched ${option[*]@Q}"

  takeWith "$(block 'add_subdirectory(specmv')"
  run "cmake -S . -B build ${option[*]@Q}"
  grep -qx 'CMAKE_BUILD_TYPE:STRING=' build/CMakeCache.txt || fail "specmv sets the build type"
  grep -q specmv_runtime "$units" || fail "$units has nothing of specmv"
  ! grep -oE -m1 -e ' -(O[1-3s]|Werror|Wall|DNDEBUG) ' "$units" || fail "specmv sets this flag"
  ! grep -E -m1 'poisson_cg|doctest' build/build.ninja || fail "specmv builds samples or tests"
  [[ ! -f build/CTestTestfile.cmake ]] || fail "specmv adds tests"
  buildAndRun build/my_solver 'cmake --build build'
}

makeUser
case $way in
  installed) testInstalled ;;
  clone) testClone ;;
  subproject) testSubproject ;;
esac
