#!/usr/bin/env bash
# A program of somebody else, built with the very lines that README and the manual show, against the
# installed library or the source tree, and run. It is called by ctest:
#   package_test.sh installed|clone|subproject SOURCE_FOLDER BUILD_FOLDER CUDA_HOME
set -euo pipefail

readonly way=$1 source=$2 build=$3 cuda=$4
# shellcheck source=tests/package/user.sh
source "$source/tests/package/user.sh"

# Builds the program with NVIDIA's headers in front of ours: no header may hide another, in either
# order of the folders.
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
  refused 'REQUIRED COMPONENTS Fortran' "specmv has no component 'Fortran'; there are C, CXX, tool, standard_pack and petsc"
  [[ -f $HOME/specmv/share/specmv/standard.pack ]] ||
    refused 'REQUIRED COMPONENTS standard_pack' "installed without its component 'standard_pack'"
}

# exported: the functions of the installed library.
exported() {
  nm -D --defined-only "$HOME/specmv/lib/libspecmv.so" | sed -n 's/.* T \(specmv[A-Za-z]*\).*/\1/p'
}

# plain PAGE...: their text and roff's requests, without fonts.
plain() { sed "s/\\\\f.//g; s/\\\\-/-/g; s/\\\\(aq/'/g" "$@"; }

# says PAGE ARGUMENT...: whether grep with these arguments finds something there.
says() { plain "$1" | grep "${@:2}" >/dev/null; }

# synopsis PAGE: what it shows of a header, in one line.
synopsis() { plain "$1" | sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' | tr -s ' \n' ' '; }

# A page for each function, which shows its declaration, and for each type, found by its name.
testLibraryManual() {
  local headers=("$HOME"/specmv/include/specmv*.h) manual=$HOME/specmv/share/man/man3 name page declaration count=0
  while read -r name; do
    page=$manual/$name.3
    [[ -f $page ]] || fail "there is no page $name(3)"
    declaration=$(awk -v name="$name(" '/^SPECMV_API / && index($0, name) { on = 1 }
      on { print } on && /;/ { exit }' "${headers[@]}" | tr -s ' \n' ' ' | sed 's/^SPECMV_API //; s/ $//')
    [[ $declaration == *"$name("*';' && $(synopsis "$page") == *"$declaration"* ]] ||
      fail "$page does not show: $declaration"
    says "$page" -x "$name - ..*" || fail "$page does not say what $name() is for"
    says "$manual/specmv.3" -xF "$name(3)" || fail "specmv(3) does not list $name()"
    ((++count))
  done < <(exported)
  ((count > 20)) || fail "only $count functions were looked for in the manual"
  while read -r name; do
    [[ -f $manual/$name.3 ]] || fail "there is no page $name(3)"
  done < <(grep -ohE '(} |struct [A-Za-z]+ \*?|\(\*)specmv[A-Za-z]+_t' "${headers[@]}" | grep -oE 'specmv[A-Za-z]+_t')
  says "$manual/specmvPlanOptions_t.3" -x 'int updatable' || fail "specmvPlanOptions_t(3) lacks a field"
  says "$manual/specmvAddPack.3" -x 'SPECMV_STATUS_MISSING' || fail "specmvAddPack(3) lacks an error"
  # The last section of a header may have no items, only text.
  name=$(awk '/^\.SH / { if (section) print section; section = $0; next } { section = "" }' "$manual/specmv.3")
  [[ -z $name ]] || fail "specmv(3) says nothing in $name"
  grep -qxF '.SH PROCESSES' "$manual/specmv.3" || fail "specmv(3) does not speak of processes"
}

# A page of section 7 for each Markdown file, which begins as a page must, has all of its sections, no mark
# of Markdown, and is found from the overviews.
testTopics() {
  local manual=$HOME/specmv/share/man file name page heading count=0
  for file in "$source"/runtime/package/manual/*.7.md; do
    name=${file##*/}
    name=${name%.7.md}
    page=$manual/man7/$name.7
    [[ -f $page ]] || fail "there is no page $name(7)"
    [[ $(sed -n 1p "$page") == ".TH $name 7 "* ]] || fail "$page begins with: $(sed -n 1p "$page")"
    [[ $(plain "$page" | sed -n '/^\.SH NAME$/{n;p}') == "$name - "?* ]] || fail "$page does not say what it is about"
    while read -r heading; do
      says "$page" -xF ".SH ${heading^^}" || fail "$page has no section $heading"
    done < <(sed -n 's/^## //p' "$file")
    ! plain "$page" | grep -nE '^(#+ |\||- )|\]\(|\*\*|`' || fail "$page has this mark of Markdown"
    for overview in man1/specmv.1 man3/specmv.3; do
      says "$manual/$overview" -xE "$name\(7\),?" || fail "$overview does not name $name(7)"
    done
    [[ -f $HOME/specmv/share/doc/specmv/runtime/package/manual/$name.7.md ]] || fail "$name.7.md is not installed"
    ((++count))
  done
  ((count >= 6)) || fail "the manual has only $count pages of section 7"
  says "$manual/man7/specmv-environment.7" -x SPECMV_CUDA_HOME ||
    fail "specmv-environment(7) has no variables"
  while read -r name; do
    grep -qF "$name" "$manual/man7/specmv-fused.7" || fail "specmv-fused(7) does not name $name"
  done < <(sed -n 's/^#define \(SPECMV_FUSED_[A-Z_]*[A-Z]\) .*/\1/p' "$HOME/specmv/include/specmv_fused.h")
}

# Each page as it is read: no complaint of roff, and no line that a terminal of 80 columns breaks.
testPagesAreRead() {
  local said
  command -v man >/dev/null || {
    printf 'not tried: there is no man to read the pages with; their text was checked\n'
    return
  }
  cd -- "$HOME/specmv/share/man" # from where pages name one another
  said=$(MANWIDTH=80 MANPAGER=cat LC_ALL=C.UTF-8 man --warnings -l man1/*.1 man3/*.3 man7/*.7 2>&1 >"$scratch/pages")
  [[ -z $said ]] || fail "the manual's pages are not well formed: $said"
  ! LC_ALL=C.UTF-8 grep -E -m1 '^.{81}' "$scratch/pages" || fail "this line of the manual is too long"
  # A former bug: roff drops the blanks behind what looks like the end of a sentence.
  ! grep -nE -m1 '^ +(bench|evaluate|pregen) A\.\.\. [a-z]' "$scratch/pages" || fail "this column has no gap"
  cd -- "$OLDPWD"
}

# Checks that the files that the manual and README name exist, and that a sample is built from them
# alone. shellcheck disable=SC2016 # the backticks are README's
testDocuments() {
  local documents=$HOME/specmv/share/doc/specmv name count=0 samples=0
  while read -r name; do
    [[ -e $HOME/specmv/$name ]] || fail "the manual names $name, which is not installed"
    ((++count))
  done < <(plain "$HOME"/specmv/share/man/man?/specmv.? |
    sed -n 's/, include/\ninclude/; /^\(share\|include\)\/[^ ]*$/p')
  ((count > 8)) || fail "the manual names only $count files"
  while read -r name; do
    [[ -f $documents/$name ]] || fail "README names $name, which is not installed"
  done < <(
    grep -oE '`(samples|runtime/cli|tests/bench|models/gpus)/[A-Za-z0-9_/]+\.(md|json|c)`' "$documents/README.md" | tr -d '`'
    grep -oE '\]\([^)#]+' "$documents/README.md" | sed 's/^](//' | grep -vF -e https:
  )
  while read -r name; do
    [[ -f $documents/samples/$name ]] || fail "the manual names the sample $name, which is not installed"
    ((++samples))
  done < <(sed -n '/^| sample /,/^$/p' "$documents/runtime/package/manual/specmv-program.7.md" |
    grep -oE '`[a-z_]+\.(c|cpp|sh)`' | tr -d '`')
  ((samples >= 8)) || fail "the manual names only $samples samples"
}

# Each sample by the manual's line with the compiler that it names for the sample, and the one that is a
# script with the installed folder.
# shellcheck disable=SC2016 # the manual's line has a variable of the user's shell
testSamples() {
  local line compiler name count=0
  line=$(block 'cc "$HOME/specmv/share/doc/specmv/samples/poisson_cg.c"')
  for name in "$HOME"/specmv/share/doc/specmv/samples/*.c "$HOME"/specmv/share/doc/specmv/samples/*.cpp; do
    name=${name##*/}
    compiler=cc
    [[ $name != *.cpp ]] || compiler='c++ -std=c++20'
    [[ $name != distributed_cg.cpp ]] || compiler='mpicxx -std=c++20'
    command -v "${compiler%% *}" >/dev/null || {
      printf 'not tried: there is no %s to build %s\n' "$compiler" "$name"
      continue
    }
    run "$(block 'export PKG_CONFIG_PATH' | head -1)
$(sed "s/^cc /$compiler /; s/poisson_cg\.c\"/$name\"/; s/-o poisson_cg /-o ${name%.*} /" <<<"$line")"
    [[ -x ${name%.*} ]] || fail "the manual's line builds no ${name%.*}"
    ((++count))
  done
  ((count >= 8)) || fail "there are only $count samples"
  run "'$HOME/specmv/share/doc/specmv/samples/pack_elsewhere.sh' '$HOME/specmv' sm_90"
  ! "$HOME/specmv/share/doc/specmv/samples/pack_elsewhere.sh" "$scratch" >log 2>&1 || fail "an empty folder is no error"
  grep -q "^error: $scratch is neither a build folder" log || fail "of an empty folder it says: $(cat log)"
}

# The tool's verbs and the headers' functions are in the manual.
testManual() {
  local page=$HOME/specmv/share/man/man1/specmv.1 name
  for name in run analyze emit bench calibrate pregen cache generate; do
    grep -qx "\.SS $name" "$page" || fail "the manual has no verb $name"
  done
  says "$page" -x SPECMV_CUDA_HOME || fail "the manual has no variables"
  testLibraryManual
  testTopics
  testPagesAreRead
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
  llvm=$(compgen -G '/usr/lib/*/libLLVM-1[4-8].so.1' | sed -n 1p) || {
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
  run "$(block 'export PKG_CONFIG_PATH' | sed -n 1p)
cc other_llvm.c -o other_llvm \$(pkg-config --cflags --libs specmv) $llvm -Wl,-rpath,\"\$(pkg-config --variable=libdir specmv)\""
  program ./other_llvm
}

# Programs that use all of the headers, built against what is installed. A new function of the headers
# is missed here until one of them calls it.
testAllOfIt() {
  local pkg name output program strict='-Wall -Wextra -Wshadow -Wconversion -Werror -pedantic'
  pkg=$(block 'export PKG_CONFIG_PATH' | sed -n 1p)
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
  done < <(exported)
}

# The adapter for PETSc, where it was built: the same product by PETSc, by the page's line and by CMake.
testPetsc() {
  [[ -f $build/libspecmv_petsc.so ]] || {
    printf 'not tried: there is no PETSc to build libspecmv_petsc.so for\n'
    return
  }
  cat >petsc_solver.c <<'C'
#include <specmv_petsc.h>
#include <stdio.h>
int main(int count, char **arguments) {
  PetscInt rowPtr[] = {0, 2, 3, 5}, col[] = {0, 1, 1, 0, 2};
  PetscScalar val[] = {4, 1, 3, 2, 5}, x[] = {1, 2, 3}, y[3];
  PetscInt64 products = 0;
  Mat A;
  Vec from, to;
  PetscCall(PetscInitialize(&count, &arguments, NULL, NULL));
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, rowPtr, col, val, &A));
  PetscCall(MatSpecmvAttach(A));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, 3, x, &from));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, 3, y, &to));
  PetscCall(MatMult(A, from, to));
  PetscCall(MatSpecmvGetCounts(A, NULL, NULL, &products));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&from));
  PetscCall(VecDestroy(&to));
  if (products == 1)
    printf("y = %g %g %g\n", y[0], y[1], y[2]);
  return PetscFinalize();
}
C
  run "$(block 'export PKG_CONFIG_PATH' | sed -n 1p); $(block 'mpicc petsc_solver.c')"
  program ./petsc_solver
  mkdir -p petsc
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(petsc_solver C)' 'find_package(MPI REQUIRED)' \
    'find_package(PkgConfig)' 'pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET PETSc)' \
    'find_package(specmv REQUIRED COMPONENTS petsc)' 'add_executable(petsc_solver ../petsc_solver.c)' \
    'target_link_libraries(petsc_solver specmv::petsc PkgConfig::PETSC MPI::MPI_C)' >petsc/CMakeLists.txt
  run "cmake -S petsc -B petsc/build -DCMAKE_PREFIX_PATH='$HOME/specmv' && cmake --build petsc/build"
  program petsc/build/petsc_solver
}

# After a build of the library alone, which makes no pack. A former bug: the installation stopped there. Another
# one: with SPECMV_STANDARD_PACK=OFF in its cache, the build folder's pack was not installed, without a word.
testWithoutPack() {
  local script=$scratch/without_pack.cmake
  grep -qF "$build/standard.pack" "$build/cmake_install.cmake" || fail "nothing installs a pack"
  sed "s|$build/standard\.pack|$scratch/no.pack|" "$build/cmake_install.cmake" >"$script"
  run "cmake -DCMAKE_INSTALL_PREFIX='$scratch/without' -P '$script'"
  [[ -x $scratch/without/bin/specmv ]] || fail "without the pack, the tool is not installed"
  grep -q 'note: the standard pack is not installed.*--target specmv_standard_pack' log ||
    fail "that the pack is not installed is not noted: $(cat log)"
  printf 'a pack\n' >"$scratch/no.pack"
  run "cmake -DCMAKE_INSTALL_PREFIX='$scratch/without' -P '$script'"
  [[ -f $scratch/without/share/specmv/no.pack ]] || fail "a pack that was made is not installed"
  ! grep 'standard pack' log || fail "it is noted that no pack is installed, but one is"
  rm -rf -- "$scratch/without"
}

# Where lowdown cannot make the manual pages, all else is installed.
testWithoutLowdown() {
  mkdir -p -- "$scratch/broken"
  printf '#!/bin/sh\nexit 1\n' >"$scratch/broken/lowdown"
  chmod +x "$scratch/broken/lowdown"
  PATH=$scratch/broken:$PATH run "cmake --install '$build' --prefix '$scratch/without'"
  grep -q 'note: the manual pages are not installed' log || fail "that there are no pages is not noted: $(cat log)"
  [[ ! -d $scratch/without/share/man/man3 && -f $scratch/without/share/doc/specmv/README.md ]] ||
    fail "without lowdown, the wrong files are installed"
  rm -rf -- "$scratch/without"
}

# Installed in one place and moved to another.
testInstalled() {
  local lines folder
  lines=$(block 'cmake --install')
  HOME=$scratch/first run "$lines"
  mv -- "$scratch/first/specmv" "$HOME/specmv"
  for folder in lib/cmake/specmv/specmvConfig.cmake lib/cmake/specmv/specmvConfigVersion.cmake \
    lib/pkgconfig/specmv.pc lib/libspecmv.so; do
    [[ -f $HOME/specmv/$folder ]] || fail "not installed: $folder"
  done
  for folder in "$source"/runtime/include/*; do
    cmp -- "$folder" "$HOME/specmv/include/${folder##*/}" || fail "not installed as it is: $folder"
  done
  # So it does not matter what becomes of them.
  ! grep -rlFe "$scratch/first" -e "$source" -e "$build" "$HOME/specmv" ||
    fail "what is installed names a folder of the build"
  "$HOME/specmv/bin/specmv" --version >/dev/null || fail "the installed tool does not run"
  testWithoutPack
  testWithoutLowdown
  testComponents
  testManual
  testDocuments
  testSamples
  testPythonsToolkit

  buildAndRun build/my_solver "$(block 'cmake -S')"
  buildAndRun ./my_solver "$(block 'export PKG_CONFIG_PATH')"
  run "$(block 'export PKG_CONFIG_PATH' | sed -n 1p); $(block 'c++ -std=c++20')"
  program ./my_solver_cpp
  testAllOfIt
  testPetsc
  testOtherLlvm
}

# refusedWith SENTENCE CALL: what the compiler says of a matrix in C++.
refusedWith() {
  local said
  printf '%s\n' '#include <specmv.hpp>' '#include <vector>' 'using M = specmv::Matrix<double>;' \
    'const std::vector<int> p{0, 1}, c{0}; const std::vector<size_t> sizes{0}; const std::vector<float> f{1};' \
    "auto made = $2;" >refused.cpp
  said=$(c++ -std=c++20 -fsyntax-only -I specmv/runtime/include refused.cpp 2>&1) && fail "$2 compiles"
  [[ $said == *"error: "*"specmv: $1"* ]] || fail "of $2 the compiler says: $said"
}

# From the clone, without an installation.
testClone() {
  local header strict='-Wall -Wextra -Werror -pedantic -fsyntax-only -I specmv/runtime/include' count=0
  buildAndRun ./my_solver "$(block 'cc -I specmv')"
  run "cc -std=c99 $strict my_solver.c; c++ -std=c++20 $strict my_solver.cpp; c++ -std=c++20 $strict -x c++ my_solver.c"
  for header in specmv/runtime/include/*.h; do # each alone, in C and C++; each brings the whole API
    printf '#include <%s>\nint main(void) { return sizeof(specmvPlanShape_t) == 0; }\n' "${header##*/}" >alone.c
    run "cc -std=c99 $strict alone.c; c++ -std=c++11 $strict -x c++ alone.c"
    ((++count))
  done
  for header in specmv/runtime/include/*.hpp; do # each alone
    printf '#include "%s"\n' "${header##*/}" >alone.cpp
    run "c++ -std=c++20 $strict alone.cpp"
  done
  ((count >= 10)) || fail "only $count headers were compiled"
  refusedWith 'a matrix refers to its arrays' 'M::csr(1, 1, p, c, std::vector<double>{1})'
  refusedWith 'offsets and indices must be' 'M::coo(1, 1, sizes, sizes)'
  refusedWith 'the type of the values differs' 'M::bsr(1, 1, {1, 1}, p, c, f)'
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
  local option steps units=build/compile_commands.json
  option=(-DSPECMV_CUDA_HOME="$cuda" -DCMAKE_CXX_FLAGS=-O0 -DCMAKE_UNITY_BUILD=ON
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  ! command -v clang++ >/dev/null || option+=(-DCMAKE_CXX_COMPILER=clang++) # takes half of g++'s time
  takeWith "include(FetchContent)
FetchContent_Declare(specmv SOURCE_DIR \${CMAKE_SOURCE_DIR}/specmv)
FetchContent_MakeAvailable(specmv)"
  run "cmake -S . -B fetched ${option[*]@Q}"

  # Without any flag, too, specmv is optimized, and CMake says so.
  run "cmake -S . -B plain -DSPECMV_CUDA_HOME='$cuda' -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
  [[ $(tr -s ' \n' ' ' <log) == *"has no build type, so that its compilers do not optimize"* ]] ||
    fail "CMake does not warn that there is no build type: $(cat log)"
  grep -q -- ' -O2 .*/specmv_runtime\.dir/' plain/compile_commands.json || fail "specmv is not optimized"
  ! grep -e ' -O2 .*my_solver\.c' plain/compile_commands.json || fail "specmv optimizes what is not its own"
  # A unit has many files of specmv, by specmv's own choice, which is not that of the project around it.
  steps=$(cmake --build plain -- -t commands all | wc -l)
  ((steps < 100)) || fail "as a part of another project, specmv takes $steps steps"
  [[ ! -d plain/CMakeFiles/my_solver.dir/Unity ]] || fail "specmv makes units of other files than its own"
  ! grep '^CMAKE_UNITY_BUILD' plain/CMakeCache.txt || fail "specmv sets units for other projects"
  run "cmake -S . -B apart -DSPECMV_CUDA_HOME='$cuda' -DCMAKE_UNITY_BUILD=OFF"
  ! grep -m1 unity_ apart/build.ninja || fail "specmv makes units where the project around it has none"
  run "cmake -S . -B debug -DSPECMV_CUDA_HOME='$cuda' -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Debug"
  ! grep -m1 -e ' -O2 ' debug/compile_commands.json || fail "specmv optimizes where a build type is set"

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
