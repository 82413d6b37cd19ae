#!/usr/bin/env bash
# Checks the house rules that no compiler checks: who includes whom, where CUDA is seen, the size and
# the first sentence of files, the top level, and what the shared library exports (after the build).
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

readonly rooms=(templates models generator runtime samples tests)
readonly include='#[[:space:]]*include[[:space:]]*'

# Each rule prints a line per breach and nothing otherwise.

# mayInclude ROOM OTHERS: of all rooms, ROOM includes only itself and OTHERS (divided by |).
mayInclude() {
  grep -rnE "${include}[\"<](templates|models|generator|runtime|samples|tests)/" "$1" |
    grep -vE "${include}[\"<]($1|$2)/" | sed "s/\$/  ($1 may include only: ${2//|/, })/"
}

arrows() {
  # The definitions of the profile's counts exist once too: for the profile of the host and for
  # kernels.
  mayInclude models models | grep -vE '"templates/profile/(value_|column_|line_|block_)?features.cuh"'
  # So do the constants and the places of entries that kernels and the host must agree on. A header
  # with device code would not compile there.
  mayInclude generator 'models|templates'
  mayInclude runtime 'generator|models'
  mayInclude samples 'runtime|generator|models'
  # An adapter uses what any program may use.
  grep -rnE "$include\"" runtime/adapters | grep -vE "$include\"(runtime/adapters/|specmv\.h\")" |
    sed 's/$/  (an adapter includes only its own headers and specmv.h)/'
  # A program links nothing of the laboratory.
  grep -rnE "${include}[\"<](models|runtime)/lab/" models generator runtime |
    grep -vE '^(models|runtime)/lab/|^runtime/cli/' |
    sed 's/$/  (the laboratory is for the tool and the tests)/'
  # By the names under which the templates are embedded.
  grep -rn "$include" templates |
    grep -vE "$include\"((shared|setup|profile|pack|curves)/)?[a-z0-9_]+\.cuh\"" |
    sed 's/$/  (templates include only one another, by their path in templates)/'
}

cudaHeaders() {
  grep -rnE "${include}[\"<](cuda|nvrtc|cusparse|cupti|nvJitLink)[A-Za-z0-9_]*\.h" \
    models generator samples tests | grep -v '^tests/bench/solvers/' | sed 's/$/  (CUDA headers are seen in runtime only)/'
}

# Own sources, each name ended by a zero.
sources() {
  find "${rooms[@]}" -type f -regextype posix-extended -regex '.*\.(cpp|c|hpp|h|cuh)' -print0
}

firstSentences() {
  # shellcheck disable=SC2016 # awk's variables
  sources | xargs -0 -r awk '
    function judge() {
      if (name != "" && text !~ /[a-z].*[.:]/) print name ":1: begins with no sentence of purpose"
    }
    FNR == 1 { judge(); name = FILENAME; text = ""; open = 1 }
    open && /^(\/\/|\/\*| \*)/ { text = text " " $0; next }
    { open = 0 }
    END { judge() }'
}

# The simple C API is read in ten minutes.
sizes() {
  sources | xargs -0 -r awk '
    FNR == 221 && FILENAME ~ /runtime\/include\/specmv\.h$/ {
      print FILENAME ":221: more than 220 lines: move what few programs need to a header of specmv_expert.h"
    }
    FNR == 601 { print FILENAME ":601: more than 600 lines" }'
}

formatFiles() {
  sed -n 's|^SPECMV_FORMAT(.*, \(.*\))$|generator/formats/\1.cpp|p' generator/formats.def
}

# The sources of a room that share units: not those of the tool, of a laboratory and of an adapter, which are
# libraries of their own, and not a format's file, which is a unit of its own.
unitsOf() {
  local except=()
  [[ $1 == tests/* ]] || except=(-not -path "$1/cli/*" -not -path "$1/lab/*" -not -path "$1/adapters/*")
  find "$1" -name '*.cpp' "${except[@]}" | grep -vxF "$(formatFiles)"
  # The templates that a room includes are in its units too.
  grep -rhoE "${include}\"templates/[^\"]+" "$1" | sed 's/.*"//' | sort -u
}

# Files of a room are compiled as one unit by the sanitizers' build and clang-tidy: what two of them
# keep to themselves under one name would be one overload set there. A format's file is a unit of its
# own.
internalNames() {
  local room
  for room in models models/lab generator runtime runtime/cli runtime/lab runtime/adapters/{petsc,python} tests/{models,generator,runtime,api,load,tool,memory,faults,simt,gpu,fuzz,petsc}; do
    # shellcheck disable=SC2016 # awk's variables
    unitsOf "$room" | xargs -r awk '
      function note(name) {
        if (name == "" || name == "namespace") return
        if (!(name in first)) first[name] = FILENAME
        else if (first[name] != FILENAME && !told[name, FILENAME]++)
          print FILENAME ":" FNR ": " name " is also a name of " first[name]
      }
      FNR == 1 { inside = 0 }
      /^namespace \{/ { inside = 1; next }
      /^\} \/\/ namespace$/ { inside = 0 }
      !(inside || /^(static|constexpr) /) || /^[ }#\/]/ || /^TEST_CASE/ { next }
      {
        name = $0
        sub(/^template <[^>]*> /, "", name)
        if (!sub(/^(struct|class|enum class|enum|using) /, "", name)) {
          sub(/(\(|\{|\[| =|;).*/, "", name)
          sub(/.*[^A-Za-z0-9_]/, "", name)
        } else
          sub(/[^A-Za-z0-9_].*/, "", name)
        note(name)
        # The other constants of the line.
        if (!/^(static )?constexpr /) next
        rest = $0
        while (match(rest, /[^A-Za-z0-9_]k[A-Z][A-Za-z0-9]* = /)) {
          note(substr(rest, RSTART + 1, RLENGTH - 4))
          rest = substr(rest, RSTART + RLENGTH)
        }
      }'
  done
}

# A static of a function must outlive the threads that use it, and must not be initialized when it is
# met, which would stop a process for good that was forked meanwhile: it is a Lasting or an Undying, or
# the function asserts that its type is trivially destructible. What is indented below a line that begins
# no type is in a function.
statics() {
  find models generator runtime -regextype posix-extended -regex '.*\.(cpp|h)' -print0 |
    xargs -0 -r awk '
      FNR == 1 { inType = 0; found = "" }
      /^(template <.*> )?(class|struct|union|enum) .*[^;]$/ { inType = 1 }
      /^}/ { if (found != "") print found; found = ""; inType = 0 }
      inType || !/^ +static / { if (/static_assert\(std::is_trivially_destructible_v</) found = ""; next }
      /static (const )?(constexpr|thread_local|Lasting<|Undying<|std::once_flag)/ { next }
      { found = FILENAME ":" FNR ": a static of a function: make it a Lasting or an Undying (models/base/lasting.h)" }'
}

# Its destructor ends the process after an allocation that failed.
denseMaps() {
  grep -rnE '\bDense(Map|Set)\b' models generator runtime --include='*.cpp' --include='*.h' |
    grep -v '^models/base/memory.h:' | sed 's/$/: use std::unordered_map/'
}

# LLVM's formatv asserts on what it does not know, and prints something else without assertions.
formatSpecs() {
  grep -rnE '\{[0-9]+:[^"}]*g[^"}]*\}' models generator runtime samples --include='*.cpp' --include='*.h' |
    sed 's/$/: formatv knows no g: give it decimalText()/'
}

# A program with more rights than who started it must not be led by that one's environment.
readsOfTheEnvironment() {
  grep -rnw getenv models generator runtime --include='*.cpp' --include='*.h' |
    sed 's/$/: use environment() (models\/base\/environment.h)/'
}

topLevel() {
  find . -mindepth 1 -maxdepth 1 -not -name '.*' -printf '%f\n' |
    grep -vxE "CMakeLists\.txt|CMakePresets\.json|README\.md|build(-.*)?|compile_commands\.json" |
    grep -vxF "$(printf '%s\n' "${rooms[@]}")" | sed 's/$/: does not belong on the top level/'
}

# The brackets keep this file from finding itself.
unfinished() {
  grep -rnIiwE 'TOD[O]|FIXM[E]|XX[X]|placeholde[r]|for no[w]' "${rooms[@]}" CMakeLists.txt |
    sed 's/$/  (finish it)/'
  grep -rnIE '(^|[^A-Za-z0-9_.}])/(wor[k]|roo[t]|hom[e])/' "${rooms[@]}" CMakeLists.txt |
    sed "s/\$/  (a path of somebody's machine)/"
}

exports() {
  [[ -f build/libspecmv.so ]] || {
    printf 'build/libspecmv.so: is not built\n'
    return
  }
  nm -D --defined-only build/libspecmv.so |
    awk '$2 != "A" && $3 !~ /^specmv[A-Z]/ { print "build/libspecmv.so: exports " $3 }'
}

# The program that README shows, between its include and the end of its block, must compile.
readmeProgram() {
  sed -n '/^    #include <specmv.h>/,/^    }$/p' README.md | sed 's/^    //' |
    gcc -std=c99 -Wall -Wextra -Werror -fsyntax-only -I runtime/include -x c - 2>&1 |
    sed 's/^/README.md, the program: /'
}

breaches=$(for rule in arrows cudaHeaders firstSentences sizes internalNames statics denseMaps formatSpecs readsOfTheEnvironment topLevel unfinished exports readmeProgram; do
  "$rule" || true
done)
[[ -z $breaches ]] || {
  printf '%s\n' "$breaches" >&2
  exit 1
}
