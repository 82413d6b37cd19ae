#!/usr/bin/env bash
# PETSc's own tutorials with its matrix type and with specmv's operator: iteration counts must be equal,
# residuals equal to rounding, and nothing may be left in the end.
# Called by ctest: tutorials_test.sh PROGRAMS LIBRARY PROCESSES [TYPE [VECTORS]]
#   PROGRAMS  the folder of ksp_ex2, ksp_ex45, ksp_ex56, snes_ex19 and ts_ex7
#   LIBRARY   libspecmv_petsc.so, built for the same PETSc
#   TYPE      the type that specmv is compared with: aij, or aijcusparse on a GPU, with VECTORS cuda
# MPIEXEC is the launcher of more than one process with the option that takes their number. MORE are
# options for all runs.
set -euo pipefail

readonly programs=$1 library=$2 processes=$3 type=${4:-aij} vectors=${5:-standard}
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
failed=0

# Starts one process as it is, so that this needs no launcher.
start() {
  if ((processes == 1)); then
    "$@"
  else
    # shellcheck disable=SC2086 # the launcher's options are meant to be split
    ${MPIEXEC:-mpiexec --oversubscribe -n} "$processes" "$@"
  fi
}

# differ FILE FILE: prints the first line in which words differ, or numbers by more than rounding. A
# residual that has become small has the rounding of the first ones.
differ() {
  awk '
    function isNumber(word) { return word ~ /^[-+]?[0-9]+[.]?[0-9]*(e[-+]?[0-9]+)?$/ }
    function isReal(word) { return isNumber(word) && word ~ /[.e]/ }
    function size(x) { return x < 0 ? -x : x }
    NR == FNR { own[FNR] = $0; count = FNR; next }
    {
      words = split(own[FNR], a); same = words == NF
      for (i = 1; same && i <= NF; ++i) {
        if (isReal(a[i]) && isReal($i)) {
          if (size(a[i]) > most) most = size(a[i])
          same = size(a[i] - $i) <= 1e-6 * size(a[i]) + 1e-9 * most
        } else same = a[i] == $i
      }
      if (!same) { print "own: " own[FNR] "; specmv: " $0; exit }
    }
    END { if (FNR != count) print count " lines and " FNR " lines" }' "$1" "$2"
}

# What -malloc_dump and -objects_dump say is not compared: nothing must be said.
leaks() { grep -E 'never freed|bytes [A-Za-z_]+\(\) at' "$1" || true; }

# withSpecmv OPTION...: runs the program, checks that specmv made plans, and leaves in $ours what the
# program itself says. The lines of several processes would break one another.
withSpecmv() {
  local view=()
  ((processes > 1)) || view=(-mat_specmv_view)
  start "$@" -dll_append "$library" "${view[@]}" >"$ours.all" 2>&1 || cat -- "$ours.all"
  grep -v '^\[0\] specmv: ' "$ours.all" >"$ours" || true
  ((processes > 1 || $(wc -l <"$ours") < $(wc -l <"$ours.all"))) || printf 'specmv made no plan\n'
}

# compare PROGRAM PREFIX OPTION...: the type is set by the option -PREFIXmat_type.
compare() {
  local program=$1 prefix=$2 said all=() own=$scratch/own
  ours=$scratch/ours
  shift 2
  printf '%s %s: ' "$program" "$*"
  # A multigrid makes matrices of its own. More than two processes on two cores take long.
  [[ $* != *gamg* ]] || ((processes > 2)) || all=(-mat_specmv_all)
  # shellcheck disable=SC2206 # MORE is words
  local run=("$programs/$program" "$@" "-${prefix}vec_type" "$vectors" -malloc_debug -malloc_dump -objects_dump ${MORE:-})
  start "${run[@]}" "-${prefix}mat_type" "$type" >"$own" 2>&1 || cat -- "$own"
  for more in "" "${all[@]}"; do
    # shellcheck disable=SC2086 # nothing, or an option
    said=$(withSpecmv "${run[@]}" "-${prefix}mat_type" aijspecmv $more; differ "$own" "$ours"; leaks "$ours")
    [[ -z $said ]] || {
      printf '\n%s %s\n' "$more" "$said"
      failed=1
    }
  done
  # Each program tells of an iteration at least.
  grep -qE 'Residual norm|Function norm|TS dt' "$ours" || {
    printf 'tells of no iteration: %s\n' "$(cat -- "$ours")"
    failed=1
  }
  printf '%d lines\n' "$(wc -l <"$ours")"
}

compare ksp_ex45 dm_ -da_grid_x 14 -da_grid_y 13 -da_grid_z 12 -ksp_type cg -pc_type jacobi -ksp_monitor -ksp_converged_reason
compare ksp_ex2 '' -m 40 -n 40 -ksp_type cg -pc_type gamg -ksp_monitor -ksp_converged_reason
compare snes_ex19 dm_ -da_grid_x 10 -da_grid_y 10 -snes_monitor -ksp_monitor -ksp_type gmres -pc_type jacobi -ksp_max_it 60
compare ts_ex7 dm_ -ts_max_steps 4 -ts_monitor -snes_monitor -ksp_monitor -pc_type jacobi
# ex56 wants a cube of processes, or two of which one has no rows.
((processes > 2)) || {
  compare ksp_ex2 '' -m 30 -n 29 -pc_type jacobi -ksp_monitor -ksp_converged_reason
  compare ksp_ex45 dm_ -da_grid_x 13 -da_grid_y 13 -da_grid_z 13 -ksp_type cg -pc_type gamg -ksp_monitor -ksp_converged_reason
  compare ksp_ex56 '' -ne 7 -alpha 1e-3 -ksp_type cg -pc_type gamg -use_mat_nearnullspace -two_solves -ksp_monitor -ksp_converged_reason
}
exit "$failed"
