#!/usr/bin/env bash
# The scripts of a clone are called again, and called badly: to configure again keeps what was built, and
# the quickstart refuses bad arguments before it builds.
# Called by ctest: setup_test.sh SOURCE_FOLDER
set -euo pipefail

readonly source=$1
# shellcheck source=tests/package/scratch.sh
source "$source/tests/package/scratch.sh"

# A clone whose project is one file, with the scripts and the presets of the real one.
mkdir -p -- "$scratch/clone/tests" "$scratch/clone/samples"
cp -- "$source/tests/setup.sh" "$scratch/clone/tests"
cp -- "$source/samples/quickstart.sh" "$scratch/clone/samples"
cp -- "$source/CMakePresets.json" "$scratch/clone"
cd -- "$scratch/clone"
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(small CXX)' \
  'add_library(small STATIC small.cpp)' >CMakeLists.txt
printf 'int small() { return 1; }\n' >small.cpp

# configured COMPILER: configures and builds as the scripts do, and prints which object there is.
configured() {
  (
    # shellcheck source=tests/setup.sh
    source tests/setup.sh
    configure release "$root/build" "$1" >&2 && compile "$root/build" >&2 &&
      stat -c '%i %y' build/CMakeFiles/small.dir/small.cpp.o
  )
}

testConfiguringAgain() {
  local first again
  first=$(configured g++)
  for again in second third fourth; do
    [[ $(configured g++) == "$first" ]] || fail "to configure a $again time throws away what was built"
  done
  # A cache that names the compiler by its path, as CMake and users write it.
  sed -i "s|^CMAKE_CXX_COMPILER:.*|CMAKE_CXX_COMPILER:FILEPATH=$(command -v g++)|" build/CMakeCache.txt
  [[ $(configured g++) == "$first" ]] || fail "a compiler that the cache names by its path is taken for another"
  # Another compiler's objects are not kept.
  sed -i 's|^CMAKE_CXX_COMPILER:.*|CMAKE_CXX_COMPILER:STRING=/usr/bin/other-g++|' build/CMakeCache.txt
  [[ $(configured g++) != "$first" ]] || fail "a cache of another compiler is kept"
}

# CMake stops at a cache of another generator or of another checkout.
testForeignCaches() {
  local line
  for line in 'CMAKE_GENERATOR:INTERNAL=Unix Makefiles' 'CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere'; do
    configured g++ >/dev/null || fail "nothing is configured"
    sed -i "s|^${line%%=*}=.*|$line|" build/CMakeCache.txt
    grep -qxF "$line" build/CMakeCache.txt || fail "the cache has no ${line%%=*}"
    configured g++ >/dev/null || fail "a cache with $line keeps CMake from configuring"
  done
}

# refused STATUS SENTENCE ARGUMENT...
refused() {
  local expected=$1 sentence=$2 status=0 said
  shift 2
  said=$(samples/quickstart.sh "$@" 2>&1) || status=$?
  ((status == expected)) || fail "quickstart.sh $* ends with $status: $said"
  [[ $said == "error: $sentence"* && $said != *$'\n'* ]] || fail "quickstart.sh $* says: $said"
}

testQuickstartArguments() {
  local said option
  rm -rf -- build
  for option in --help -h; do
    said=$(samples/quickstart.sh "$option") || fail "quickstart.sh $option ends with $?: $said"
    [[ $said == 'samples/quickstart.sh [MATRIX'* ]] || fail "quickstart.sh $option says: $said"
  done
  samples/quickstart.sh stencil5:n=9 --help >/dev/null || fail "--help behind a matrix ends with $?"
  refused 2 "'--hepl' stands in the place of the matrix" --hepl
  refused 1 "there is no file 'none.mtx'" none.mtx --type f32
  [[ ! -e build ]] || fail "quickstart.sh builds before it looks at its arguments"
}

testConfiguringAgain
testForeignCaches
testQuickstartArguments
