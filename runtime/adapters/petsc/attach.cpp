// The functions for programs: they take a matrix over, give it back, and tell about it.
#include "runtime/adapters/petsc/state.h"

using namespace specmv::petsc;

namespace {

// The matrices that have plans: the blocks of a matrix in parallel, else the matrix itself.
PetscErrorCode partsOf(Mat A, std::array<Mat, 2> &parts) {
  PetscBool aij = PETSC_FALSE, parallel = PETSC_FALSE;

  PetscFunctionBegin;
  parts = {A, nullptr};
  PetscCall(isAij(A, &aij, &parallel));
  if (parallel)
    PetscCall(MatMPIAIJGetSeqAIJ(A, parts.data(), &parts[1], nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode detach(Mat A) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(findState(A, &state));
  if (!state)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(release(A, *state));
  PetscCall(removeState(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatSpecmvAttach(Mat A) {
  PetscBool aij = PETSC_FALSE, parallel = PETSC_FALSE, assembled = PETSC_FALSE;
  MatType type = nullptr;
  Settings settings;

  PetscFunctionBegin;
  PetscCall(MatSpecmvInitializePackage());
  PetscCall(MatGetType(A, &type));
  PetscCall(isAij(A, &aij, &parallel));
  PetscCheck(
      aij, PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_SUP,
      "specmv takes matrices of the types that begin with seqaij or mpiaij, and this one is %s: "
      "call MatConvert() with MATAIJ first",
      type ? type : "of no type yet");
  PetscCall(MatAssembled(A, &assembled));
  PetscCheck(assembled, PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_ARG_WRONGSTATE,
             "assemble the matrix before MatSpecmvAttach(), or set its type to aijspecmv");
  PetscCall(readSettings(A, &settings));
  if (!kCanMultiply)
    PetscCall(PetscInfo(A,
                        "specmv has no products in the type of this PETSc's scalars: those of %s "
                        "stay\n",
                        type));
  PetscCall(hook(A, settings, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpecmvDetach(Mat A) {
  std::array<Mat, 2> parts = {};

  PetscFunctionBegin;
  PetscCall(partsOf(A, parts));
  for (Mat part : parts)
    if (part && part != A)
      PetscCall(detach(part));
  PetscCall(detach(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpecmvGetPlan(Mat A, specmvPlan_t *plan) {
  std::array<Mat, 2> parts = {};
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(partsOf(A, parts));
  PetscCall(findState(parts[0], &state));
  *plan = state ? state->prepared[forward].plan : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpecmvGetCounts(Mat A, PetscInt64 *plans, PetscInt64 *updates,
                                  PetscInt64 *products) {
  std::array<Mat, 2> parts = {};
  std::array<PetscInt64, 3> counts = {};

  PetscFunctionBegin;
  PetscCall(partsOf(A, parts));
  for (Mat part : parts) {
    State *state = nullptr;
    if (part)
      PetscCall(findState(part, &state));
    if (!state)
      continue;
    counts[0] += state->plans;
    counts[1] += state->updates;
    counts[2] += state->products;
  }
  if (plans)
    *plans = counts[0];
  if (updates)
    *updates = counts[1];
  if (products)
    *products = counts[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}
