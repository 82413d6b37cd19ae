# What a shell offers behind `specmv`: bash reads this file, zsh by the file _specmv beside it. It asks
# the tool itself, which takes milliseconds, so that it knows the verbs, options, formats and families
# of the tool that is called.
# shellcheck shell=bash

# The first words of the first lines that are indented by two.
_specmv_verbs() {
  "$1" --help 2>/dev/null | awk '/^  [a-z]/ { print $1; found = 1; next } found { exit }'
}

_specmv_cache_words() {
  "$1" cache --help 2>/dev/null |
    awk '/WORD is one of:$/ { inside = 1; next } inside && /^  [a-z]/ { print $1 } inside && /^$/ { exit }'
}

# An option a line, and behind it what stands for its value.
_specmv_options() {
  "$1" "$2" --help 2>/dev/null | awk '
    /^  -/ {
      sub(/^ +/, ""); sub(/  .*/, "")
      option = $0; sub(/[ =].*/, "", option)
      value = substr($0, length(option) + 1); sub(/^[ =<]+/, "", value); sub(/>.*/, "", value)
      print option, value
    }'
}

_specmv_formats() {
  "$1" run --format '?' empty:n=1 2>&1 >/dev/null | sed -n 's/,//g; s/.*the formats are //p'
}

_specmv_families() {
  "$1" generate --list 2>/dev/null | sed -n 's/^\([a-z][a-z0-9]*\): .*/\1/p'
}

_specmv_gpus() {
  "$1" analyze --gpu '?' empty:n=1 2>&1 >/dev/null | sed -n 's/.*; choose \(.*\), or give .*/\1/p' | tr -d ,
}

# The words that may stand for the value that the help writes so; nothing for files and numbers.
_specmv_values() {
  case $2 in
    F,*) _specmv_formats "$1" ;;
    'NAME|FILE.json') _specmv_gpus "$1" ;;
    *FILE*) ;;
    *'|'* | [a-z]*,*) printf '%s\n' "${2//[|,]/ }" ;;
  esac
}

# Completes the last part of a list that commas divide, with a word that it does not have yet.
_specmv_offer() {
  local current=$1 before='' words='' word
  [[ $current != *,* ]] || before=${current%,*},
  for word in $2; do
    [[ ,$before == *,"$word",* ]] || words+=" $word"
  done
  # shellcheck disable=SC2207 # no word has a space or a star
  COMPREPLY+=($(compgen -P "$before" -W "$words" -- "${current##*,}"))
}

# Offers generated matrices, files of matrices, and folders on the way to one.
_specmv_offer_matrices() {
  local path
  _specmv_offer "$2" "$(_specmv_families "$1")"
  while read -r path; do
    if [[ -d $path ]]; then
      COMPREPLY+=("$path/")
      compopt -o nospace 2>/dev/null || true # bash itself calls this while it completes
    elif [[ $path == *.mtx || $path == *.mtx.gz ]]; then
      COMPREPLY+=("$path")
    fi
  done < <(compgen -f -- "$2")
}

_specmv() {
  local tool=$1 current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local verb='' second='' word='' values='' i
  COMPREPLY=()
  # bash makes `--rigor=` two words.
  [[ $current != = ]] || current=
  [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ -n $word && $word != -* ]] || continue
    if [[ -n $verb ]]; then
      second=$word
      break
    fi
    verb=$word
  done
  if [[ -z $verb ]]; then
    _specmv_offer "$current" "$(_specmv_verbs "$tool") help --help --version"
  elif [[ $verb == help && ${COMP_WORDS[COMP_CWORD - 1]} == cache ]]; then
    _specmv_offer "$current" "$(_specmv_cache_words "$tool")"
  elif [[ $verb == help ]]; then
    _specmv_offer "$current" "$(_specmv_verbs "$tool")"
  elif [[ $current == -* ]]; then
    _specmv_offer "$current" "$(_specmv_options "$tool" "$verb" | awk '{ print $1 }')"
  else
    values=$(_specmv_options "$tool" "$verb" | awk -v name="$before" '$1 == name && NF > 1 { print $2; exit }')
    if [[ -n $values ]]; then
      _specmv_offer "$current" "$(_specmv_values "$tool" "$values")"
    elif [[ $verb == cache && -z $second ]]; then
      _specmv_offer "$current" "$(_specmv_cache_words "$tool")"
    elif [[ $verb == cache && $second != forget ]]; then
      : # a file or nothing
    elif [[ $verb == generate ]]; then
      _specmv_offer "$current" "$(_specmv_families "$tool")"
    else
      _specmv_offer_matrices "$tool" "$current"
    fi
  fi
}

# Where nothing of ours fits, files.
complete -o bashdefault -o default -F _specmv specmv
