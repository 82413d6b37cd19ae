// The operations that change a matrix or make another of it: the type's own function does the work,
// and what it wrote into the table is taken over again.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

template <class Function> Function *own(const State &state, MatOperation operation) {
  return reinterpret_cast<Function *>(ownFunction(state, operation));
}

// Runs the type's own function of the three that raise no state.
template <class... Rest>
PetscErrorCode runOwn(PetscErrorCode (*ours)(Mat, Rest...), const char *name, Mat A, Rest... rest) {
  AnyFunction *function = nullptr;

  PetscFunctionBegin;
  PetscCall(findOwnComposed(A, name, reinterpret_cast<AnyFunction *>(ours), &function));
  PetscCall(reinterpret_cast<PetscErrorCode (*)(Mat, Rest...)>(function)(A, rest...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix may have no state: a copy, or one that specmv does not have.
PetscErrorCode tellNewValues(Mat A) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(findState(A, &state));
  if (state)
    makeStale(*state);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The plans of the matrix are of another structure.
PetscErrorCode dropPlans(Mat A) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(findState(A, &state));
  if (state)
    PetscCall(destroyPlans(*state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode assemblyEnd(Mat A, MatAssemblyType type) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(stateOf(A, &state));
  PetscCall(own<PetscErrorCode(Mat, MatAssemblyType)>(*state, MATOP_ASSEMBLY_END)(A, type));
  PetscCall(takeProducts(A, *state));
  if (state->parallel && type == MAT_FINAL_ASSEMBLY)
    PetscCall(hookBlocks(A, *state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat *B) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(stateOf(A, &state));
  PetscCall(
      own<PetscErrorCode(Mat, MatDuplicateOption, Mat *)>(*state, MATOP_DUPLICATE)(A, option, B));
  PetscCall(hook(*B, state->settings, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode bindToCpu(Mat A, PetscBool bound) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(stateOf(A, &state));
  PetscCall(own<PetscErrorCode(Mat, PetscBool)>(*state, MATOP_BIND_TO_CPU)(A, bound));
  PetscCall(takeProducts(A, *state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A conversion sees the matrix as its type made it, since it may copy the table. Done in place, it
// may also replace the whole matrix, and the state with it.
PetscErrorCode convert(Mat A, MatType type, MatReuse reuse, Mat *B) {
  State *state = nullptr;
  Converter *converter = nullptr;

  PetscFunctionBegin;
  PetscCall(stateOf(A, &state));
  const Settings settings = state->settings;
  PetscCall(findOwnConverter(A, type, &converter));
  if (!converter)
    converter = own<Converter>(*state, MATOP_CONVERT);
  PetscCall(release(A, *state));
  PetscCall((converter ? converter : MatConvert)(A, type, reuse, B));
  if (reuse != MAT_INPLACE_MATRIX)
    PetscCall(takeAll(A, *state));
  PetscCall(hook(*B, settings, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode retrieveValues(Mat A) {
  PetscFunctionBegin;
  PetscCall(runOwn(retrieveValues, kRetrieveValues, A));
  PetscCall(tellNewValues(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode setColumnIndices(Mat A, PetscInt *columns) {
  PetscFunctionBegin;
  PetscCall(runOwn(setColumnIndices, kSetColumnIndices, A, columns));
  PetscCall(dropPlans(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode resetPreallocation(Mat A) {
  PetscFunctionBegin;
  PetscCall(runOwn(resetPreallocation, kResetPreallocation, A));
  PetscCall(dropPlans(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode createSubMatrices(Mat A, PetscInt count, const IS *rows, const IS *cols,
                                 MatReuse reuse, Mat **parts) {
  State *state = nullptr;

  PetscFunctionBegin;
  PetscCall(stateOf(A, &state));
  PetscCall(own<decltype(createSubMatrices)>(*state, MATOP_CREATE_SUBMATRICES)(A, count, rows, cols,
                                                                               reuse, parts));
  for (PetscInt i = 0; reuse == MAT_REUSE_MATRIX && i < count; ++i)
    PetscCall(tellNewValues((*parts)[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace specmv::petsc
