#!/usr/bin/env bash
# README is short, and its links lead somewhere. specmv-options(7) has all options of a plan. Every line of
# README and of the pages of the manual that calls the tool is run as it stands, in a folder with its
# matrices and without a GPU; a verb that needs one must say so.
# Called by ctest: readme_test.sh SOURCE_FOLDER BUILD_FOLDER CUDA_HOME
set -euo pipefail

readonly source=$1 build=$2 cuda=$3
# shellcheck source=tests/package/user.sh
source "$source/tests/package/user.sh"

readonly manual=$source/runtime/package/manual mostLines=220

makeUser
(($(wc -l <"$source/README.md") <= mostLines)) ||
  fail "README has more than $mostLines lines: move what few users need to a page in runtime/package/manual"
for document in "$source/README.md" "$manual"/*.md; do
  while read -r link; do
    [[ -f ${document%/*}/$link ]] || fail "$document has a link to $link, which is no file"
  done < <(grep -oE '\]\([^)#]+' "$document" | sed 's/^](//' | grep -v '^https:')
done
for page in "$manual"/*.7.md; do
  grep -qF "](runtime/package/manual/${page##*/})" "$source/README.md" || fail "README has no link to $page"
done
options=$(sed -n '/^struct specmvPlanOptions {/,/^};/p' "$source/runtime/include/specmv_options.h" |
  sed -nE 's/^  (const )?[A-Za-z0-9_]+ \*?([A-Za-z]+);.*/\2/p' | grep -vx structSize)
(($(wc -l <<<"$options") >= 20)) || fail "the header has only these options of a plan: $options"
for option in $options; do
  grep -qE "^\| \`$option\` (\| [^|]+){2}\|\$" "$manual/specmv-options.7.md" ||
    fail "the table of a plan's options in specmv-options.7.md has no row for $option"
done
cd specmv
export CUDA_VISIBLE_DEVICES= # what they do on a GPU takes minutes, and is tested elsewhere
build/specmv generate stencil5:n=30 -o cant.mtx
gzip -dc "$source/tests/bench/results/2026-11-27-h100-unseen.jsonl.gz" >bench.jsonl # in place of a bench on a GPU
lines=$(sed -nE 's/^    (\$ )?(([A-Z_]+=[^ ]+ )*build\/specmv .*)/\2/p' "$source/README.md")
(($(wc -l <<<"$lines") >= 12)) || fail "README has only these lines that call the tool: $lines"
# A page speaks of an installed tool.
lines+=$'\n'$(sed -nE 's/^    (([A-Z_]+=[^ ]+ )*)specmv ([a-z].*)/\1build\/specmv \3/p' "$manual"/*.7.md)
while read -r line; do
  line=${line/stencil7:n=200/stencil7:n=20} # smaller, for the time that it takes
  line=${line/stencil5:n=1000/stencil5:n=300}
  line=${line/sm_80,sm_90/sm_90}
  printf '%s\n' "$line"
  status=0
  bash -c "$line" >log 2>&1 </dev/null || status=$?
  case $line in
    *'specmv bench '* | *'specmv profile '* | *'specmv evaluate '* | *'specmv calibrate '*)
      if ((status != 3)) || ! grep -q -E '^error: .*(GPU|driver)' log; then fail "status $status: $(cat log)"; fi
      ;;
    *) ((status == 0)) || fail "status $status: $(cat log)" ;;
  esac
done <<<"$lines"
