#!/usr/bin/env bash
# tests/run.sh goes on when stages fail: the later ones run all the same, all failures are told at
# the end, and the exit status is that of a failure. Its stages are stand-ins that say their names.
# Called by ctest: run_test.sh SOURCE_FOLDER
set -euo pipefail

readonly source=$1
# shellcheck source=tests/package/scratch.sh
source "$source/tests/package/scratch.sh"

# Each stand-in says what it is called with, and fails if that has a word of FAILING in it.
mkdir -p -- "$scratch/clone/tests" "$scratch/clone/build/sanitize" "$scratch/bin"
cp -- "$source/tests/run.sh" "$scratch/clone/tests"
cat >"$scratch/bin/stand_in" <<'SH'
#!/usr/bin/env bash
printf 'called: %s\n' "$*"
for word in $FAILING; do
  [[ " $* " != *" $word "* ]] || exit 8
done
SH
cat >"$scratch/clone/tests/setup.sh" <<'SH'
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
toolkit=none build_packages=() test_packages=()
setUp() { stand_in setUp; }
setUpPython() { stand_in setUpPython; }
configure() { stand_in configure "$1"; }
compile() { stand_in compile "$(basename "$1")"; }
SH
# A report of one test that passes and one that fails if ctest does, with lines as ctest writes them.
cat >"$scratch/bin/ctest" <<'SH'
#!/usr/bin/env bash
folder=$2 status=0
stand_in ctest "$(basename "$folder")" || status=$?
{
  printf '<testsuite name="(empty)"\n\ttests="2"\n\tfailures="%s"\n\tdisabled="0"\n\tskipped="0"\n>\n' $((status > 0))
  printf '\t<testcase name="good" classname="good" time="1" status="run">\n\t</testcase>\n'
  ((status == 0)) && how=run || how=fail
  printf '\t<testcase name="bad" classname="bad" time="1" status="%s">\n\t</testcase>\n</testsuite>\n' "$how"
} >"$folder/ctest.xml"
exit "$status"
SH
for script in lint house; do
  printf '#!/usr/bin/env bash\nstand_in %s\n' "$script" >"$scratch/clone/tests/$script.sh"
done
chmod +x "$scratch"/bin/* "$scratch"/clone/tests/*.sh
export PATH=$scratch/bin:$PATH

# runs FAILING STATUS [ARGUMENT...]: runs it, and leaves what it says in `said`.
runs() {
  local status=0
  said=$(FAILING=$1 "$scratch/clone/tests/run.sh" "${@:3}" 2>&1) || status=$?
  ((status == $2)) || fail "with failing '$1' it ends with $status and says: $said"
}
has() { [[ $'\n'$said$'\n' == *$'\n'$1$'\n'* ]] || fail "there is no line '$1' in: $said"; }
hasNot() { [[ $said != *"$1"* ]] || fail "there is '$1' in: $said"; }

readonly sanitizers='build with clang++, AddressSanitizer and UndefinedBehaviorSanitizer'
runs '' 0
has 'called: ctest build'
has 'called: ctest sanitize'
has 'called: house'
has '4 passed, 0 failed, 0 skipped'
hasNot 'error:'

runs 'build' 1 # the first build does not compile
hasNot 'called: ctest build'
has 'called: ctest sanitize'
has 'called: house'
has 'error: failed: build with g++: its tests are not run'
has '2 passed, 0 failed, 0 skipped'

# Tests of both builds fail, and the rest.
sed -i 's/ctest "/tests "/' "$scratch/bin/ctest"
runs 'tests lint house' 1
has 'called: compile sanitize'
has 'called: lint'
has 'called: house'
has 'error: failed: tests: bad'
has 'error: failed: sanitized tests: bad'
has 'error: failed: linters, which ran beside the stages since the first build'
has 'error: failed: house rules'
has '2 passed, 2 failed, 0 skipped'

runs 'sanitize' 1
has "error: failed: $sanitizers: its tests are not run"
has 'called: house'

runs 'setUp' 8 # without what it needs nothing can run
hasNot 'called: compile'
has 'error: stopped at: set-up'

runs 'tests' 1 quick
has 'error: failed: tests: bad'
hasNot 'called: house'
runs '' 0 quick
runs '' 2 quik
