#!/usr/bin/env bash
# A program of somebody else, built with the very lines that README shows, against the installed
# library or the source tree, and run. It is called by ctest:
#   package_test.sh installed|clone|subproject SOURCE_FOLDER BUILD_FOLDER CUDA_HOME
set -euo pipefail

readonly way=$1 source=$2 build=$3 cuda=$4
# shellcheck source=tests/package/user.sh
source "$source/tests/package/user.sh"

# The same program with NVIDIA's headers in front of ours: one must not hide the other, whichever
# folder comes first on the include path.
includeNvidias() {
  local header # of the user, not of this folder, which sees no CUDA header
  for header in cuda_runtime.h nvrtc.h cusparse.h; do
    [[ ! -f $cuda/include/$header ]] || sed -i "1i #include <$header>" my_solver.c
  done
  printf 'typedef cusparseSpMatDescr_t NvidiasOwnHeader;\n' >>my_solver.c
}

# buildAndRun PROGRAM LINES: with README's program, and with the one that includes CUDA headers too.
buildAndRun() {
  run "$2"
  program "$1"
  includeNvidias
  rm -f -- "$1"
  run "$2"
  program "$1"
  block '#include <specmv.h>' >my_solver.c
}

# findPackage ARGUMENTS: what CMake says of a project of C and C++ that finds specmv so.
findPackage() {
  mkdir -p -- asking
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(asking C CXX)' "find_package(specmv $1)" \
    'add_executable(asking ../my_solver.cpp)' 'target_link_libraries(asking PRIVATE specmv::cxx)' \
    'if(TARGET specmv::tool)' '  add_custom_command(TARGET asking POST_BUILD COMMAND specmv::tool --version)' \
    'endif()' >asking/CMakeLists.txt
  cmake -S asking -B asking/build --fresh -DCMAKE_PREFIX_PATH="$HOME/specmv" 2>&1 | tr -s ' \n' ' '
}

# refused ARGUMENTS SENTENCE
refused() {
  local said
  said=$(findPackage "$1") || true
  [[ $said == *"$2"* ]] || fail "find_package(specmv $1) says: $said"
}

testComponents() {
  findPackage '0.1 REQUIRED COMPONENTS C CXX tool OPTIONAL_COMPONENTS standard_pack' >log || fail "$(cat log)"
  run 'cmake --build asking/build'
  program asking/build/asking
  refused '0.2 REQUIRED' 'compatible with requested version "0.2"'
  refused 'REQUIRED COMPONENTS Fortran' "specmv has no component 'Fortran'; there are C, CXX, tool and standard_pack"
  [[ -f $HOME/specmv/share/specmv/standard.pack ]] ||
    refused 'REQUIRED COMPONENTS standard_pack' "installed without its component 'standard_pack'"
}

# The tool's verbs and the header's functions are in the manual.
testManual() {
  local manual=$HOME/specmv/share/man name count=0
  for name in run analyze emit bench calibrate pregen cache generate; do
    grep -qx "\.SS $name" "$manual/man1/specmv.1" || fail "the manual has no verb $name"
  done
  grep -qx '\.B SPECMV_CUDA_HOME' "$manual/man1/specmv.1" || fail "the manual has no variables"
  while read -r name; do
    grep -q "$name(" "$manual/man3/specmv.3" || fail "the manual has no $name"
    ((++count))
  done < <(nm -D --defined-only "$HOME/specmv/lib/libspecmv.so" | sed -n 's/.* T \(specmv[A-Za-z]*\).*/\1/p')
  ((count > 20)) || fail "only $count functions were looked for in the manual"
  [[ -f $manual/man3/specmvExecute.3 ]] || fail "there is no page specmvExecute(3)"
  if command -v man >/dev/null; then
    name=$(man --warnings -l "$manual/man1/specmv.1" 2>&1 >/dev/null; man --warnings -l "$manual/man3/specmv.3" 2>&1 >/dev/null)
    [[ -z $name ]] || fail "the manual's pages are not well formed: $name"
  fi
}

# The toolkit's libraries as `pip install` lays them out. On a machine without another toolkit this is
# the one place where the moved tool finds them.
testPythonsToolkit() {
  local folder=$scratch/venv/lib/python3.11/site-packages/nvidia/cu13 lib=$cuda/lib64
  [[ -d $lib ]] || lib=$cuda/lib
  mkdir -p -- "$folder"
  ln -s -- "$lib" "$folder/lib"
  VIRTUAL_ENV=$scratch/venv run "'$HOME/specmv/bin/specmv' emit stencil5:n=10 --cubin kernel.cubin -o /dev/null"
  [[ -s kernel.cubin ]] || fail "the installed tool compiles nothing"
}

# A program that has an LLVM of its own, by its C API, around README's program.
testOtherLlvm() {
  local llvm
  llvm=$(compgen -G '/usr/lib/*/libLLVM-1[4-8].so.1' | head -1) || {
    printf 'not tried: there is no LLVM 14 to 18 to link beside specmv\n'
    return
  }
  cat >other_llvm.c <<'C'
#define main solve
#include "my_solver.c"
#undef main
void *LLVMContextCreate(void);
void LLVMContextDispose(void *);
void LLVMParseCommandLineOptions(int, const char *const *, const char *);
int main(void) {
  const char *arguments[] = {"other_llvm"};
  void *context = LLVMContextCreate();
  LLVMParseCommandLineOptions(1, arguments, "");
  const int status = solve();
  LLVMContextDispose(context);
  return status;
}
C
  run "$(block 'export PKG_CONFIG_PATH' | head -1)
cc other_llvm.c -o other_llvm \$(pkg-config --cflags --libs specmv) $llvm -Wl,-rpath,\"\$(pkg-config --variable=libdir specmv)\""
  program ./other_llvm
}

# Programs that use all of the headers, built against what is installed. A new function of the header
# is missed here until one of them calls it.
testAllOfIt() {
  local pkg name output program strict='-Wall -Wextra -Werror -pedantic'
  pkg=$(block 'export PKG_CONFIG_PATH' | head -1)
  # shellcheck disable=SC2016 # the user's shell puts the words in
  local flags='$(pkg-config --cflags --libs specmv) -Wl,-rpath,"$(pkg-config --variable=libdir specmv)"'
  cp -- "$source"/tests/package/all_of_it.{c,cpp} .
  run "$pkg
cc -std=c99 $strict all_of_it.c -o all_of_c $flags
c++ -std=c++20 $strict all_of_it.cpp -o all_of_cpp $flags"
  for program in ./all_of_c ./all_of_cpp; do
    output=$("$program" 2>&1) || fail "$program ends with $?: $output"
    [[ $output == 'all of it is right' ]] || fail "$program prints: $output"
  done
  while read -r name; do
    nm -u ./all_of_c | grep -qw "$name" || fail "all_of_it.c does not call $name()"
  done < <(nm -D --defined-only "$HOME/specmv/lib/libspecmv.so" | sed -n 's/.* T \(specmv[A-Za-z]*\).*/\1/p')
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
  # So it does not matter what becomes of them.
  ! grep -rlFe "$scratch/first" -e "$source" -e "$build" "$HOME/specmv" ||
    fail "what is installed names a folder of the build"
  "$HOME/specmv/bin/specmv" --version >/dev/null || fail "the installed tool does not run"
  testComponents
  testManual
  testPythonsToolkit

  buildAndRun build/my_solver "$(block 'cmake -S')"
  buildAndRun ./my_solver "$(block 'export PKG_CONFIG_PATH')"
  run "$(block 'export PKG_CONFIG_PATH' | head -1); $(block 'c++ -std=c++20')"
  program ./my_solver_cpp
  testAllOfIt
  testOtherLlvm
}

# From the clone, without an installation.
testClone() {
  local strict='-Wall -Wextra -Werror -pedantic -fsyntax-only -I specmv/runtime/include'
  buildAndRun ./my_solver "$(block 'cc -I specmv')"
  run "cc -std=c99 $strict my_solver.c; c++ -std=c++20 $strict my_solver.cpp; c++ -std=c++20 $strict -x c++ my_solver.c"
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
