// The operations that change a matrix or make another of it: the type's own function does the work,
// and what it wrote into the table is taken over again.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

template <class Function> Function *own(const State &state, MatOperation operation) {
  return reinterpret_cast<Function *>(ownFunction(state, operation));
}

// The conversion that MatConvert() meant when it came here: it looks at names first.
PetscErrorCode findConverter(Mat A, const State &state, MatType type, Converter **converter) {
  ConverterName wanted = {}, name = {};
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  *converter = own<Converter>(state, MATOP_CONVERT);
  for (const char *prefix : {"", "mpi", "seq"}) {
    PetscCall(nameConverter(A, prefix, type, wanted));
    for (size_t i = 0; i < kFamily.size(); ++i) {
      PetscCall(nameConverter(A, state.parallel ? "mpi" : "seq", kFamily[i], name));
      PetscCall(PetscStrcmp(wanted.data(), name.data(), &same));
      if (same && state.converters[i])
        *converter = state.converters[i];
    }
  }
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
  PetscCall(findConverter(A, *state, type, &converter));
  PetscCall(release(A, *state));
  PetscCall((converter ? converter : MatConvert)(A, type, reuse, B));
  if (reuse != MAT_INPLACE_MATRIX)
    PetscCall(takeAll(A, *state));
  PetscCall(hook(*B, settings, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace specmv::petsc
