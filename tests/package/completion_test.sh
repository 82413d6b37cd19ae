#!/usr/bin/env bash
# Tests the completion of shells for the tool. Called by ctest: completion_test.sh SOURCE_FOLDER
# BUILD_FOLDER
set -euo pipefail

readonly source=$1 build=$2
# shellcheck source=runtime/package/specmv.bash
source "$source/runtime/package/specmv.bash"
export PATH=$build:$PATH

# offers EXPECTED WORD...: of the words typed, the last is completed.
offers() {
  local expected=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _specmv "$1" || true # what offers nothing is no success to compgen
  [[ " ${COMPREPLY[*]} " == *" $expected "* ]] || {
    printf "FAILED: behind '%s' bash offers: %s\n" "$*" "${COMPREPLY[*]}"
    exit 1
  }
}

for verb in run analyze report emit bench profile calibrate evaluate pregen cache generate; do
  offers "$verb" specmv ''
done
offers run specmv ru
offers --rigor specmv run --ri
offers 'estimate trial measure exhaustive' specmv run --rigor ''
offers measure specmv run --rigor = mea
offers 'f32 f64' specmv run --type ''
offers csr-merge specmv run --format csr-m
offers ell,sell specmv run --format ell,se
offers 'auto gpu host' specmv run --target ''
offers stencil27 specmv run --json sten
offers 'prune path' specmv cache p
offers powerlaw specmv generate powerl
offers h200 specmv run --gpu h2
offers 'h100 h200' specmv analyze --gpu ''
offers '' specmv run --gpu ./ # files
offers f64,f32 specmv run --type f64,
folder=$(mktemp -d)
mkdir "$folder/stencils"
touch "$folder/stencil_mine.mtx" "$folder/stencil_mine.txt" "$folder/cant.mtx.gz"
pushd "$folder" >/dev/null
offers stencils/ specmv run sten
offers stencil_mine.mtx specmv run sten
offers stencil27 specmv run sten
offers cant.mtx.gz specmv run c
offers cant.mtx.gz specmv analyze --json ''
offers cant.mtx.gz specmv cache forget c
offers powerlaw specmv cache forget powerl
offers '' specmv cache export c # files
[[ ${#COMPREPLY[@]} == 0 ]] || {
  printf 'FAILED: a file for an export is one of %s\n' "${COMPREPLY[*]}"
  exit 1
}
popd >/dev/null
rm -r "$folder"
offers help specmv he
offers calibrate specmv help cali
offers prune specmv help cache pr
offers hcghyb specmv bench --suite hc
offers 'first cold' specmv bench --states ''
offers vectorsInPlanOrder specmv pregen --with vec

# The tool takes every word that is offered for a value, or lacks something else.
offered=0
for verb in run analyze report emit bench profile calibrate evaluate pregen cache generate; do
  for option in $(_specmv_options specmv "$verb" | awk 'NF > 1 { print $1 }'); do
    COMP_WORDS=(specmv "$verb" "$option" '') COMP_CWORD=3 COMPREPLY=()
    _specmv specmv || true
    for value in "${COMPREPLY[@]}"; do
      said=$(CUDA_VISIBLE_DEVICES='' specmv "$verb" "$option" "$value" 2>&1 </dev/null) || true
      [[ $said != *"'$value'"* ]] || {
        printf "FAILED: '%s %s' offers %s, but: %s\n" "$verb" "$option" "$value" "$said"
        exit 1
      }
      offered=$((offered + 1))
    done
  done
done
((offered > 100)) || {
  printf 'FAILED: only %s values are offered\n' "$offered"
  exit 1
}

command -v zsh >/dev/null || {
  printf 'skipped: zsh is not installed\n'
  exit 0
}
share=$(mktemp -d)
trap 'rm -rf -- "$share"' EXIT
install -D "$source/runtime/package/specmv.bash" "$share/bash-completion/completions/specmv"
install -D "$source/runtime/package/_specmv" "$share/zsh/site-functions/_specmv"
# A terminal, in which the tab key completes a line that does nothing.
typed=$(SHARE=$share zsh -fc '
  zmodload zsh/zpty
  zpty shell TERM=dumb zsh -fi
  zpty -w shell "fpath=($SHARE/zsh/site-functions \$fpath); autoload -U compinit; compinit -u -D"
  zpty -n -w shell $'"'true; : specmv; specmv calib\t--version >/dev/null; exit\n'"'
  while zpty -r shell line; do print -r -- "$line"; done')
[[ $typed == *'specmv calibrate '* ]] || {
  printf 'FAILED: zsh shows: %s\n' "$typed"
  exit 1
}
