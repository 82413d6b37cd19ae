// Notices new values and new structures. The object's state and the nonzero state alone do not tell
// enough: PETSc changes a block without changing its state, and puts the data of another matrix
// into one (MatHeaderMerge()) whose nonzero state may be the same.
#include "runtime/adapters/petsc/state.h"

// PETSc's manual has this function, and its public headers do not declare it.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject object, PetscObjectState *state);

namespace specmv::petsc {

namespace {

struct Structure {
  PetscInt rows = 0, cols = 0, nnz = 0;
  const PetscInt *rowPtr = nullptr, *col = nullptr;
};

// The arrays of the structure are always on the host.
PetscErrorCode getStructure(Mat A, Structure &structure) {
  PetscBool done = PETSC_FALSE;
  PetscInt rows = 0;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &structure.rows, &structure.cols));
  PetscCall(
      MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &structure.rowPtr, &structure.col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the matrix does not show its rows");
  structure.nnz = rows > 0 ? structure.rowPtr[rows] : 0;
  const PetscInt *rowPtr = structure.rowPtr, *col = structure.col;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &rowPtr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool isSame(const State &state, const Structure &structure) {
  return state.rows == structure.rows && state.cols == structure.cols &&
         state.nnz == structure.nnz && state.rowPtr == structure.rowPtr &&
         state.col == structure.col;
}

void keep(State &state, const Structure &structure) {
  state.rows = structure.rows;
  state.cols = structure.cols;
  state.nnz = structure.nnz;
  state.rowPtr = structure.rowPtr;
  state.col = structure.col;
}

PetscErrorCode makeBlockStale(Mat block) {
  State *state = nullptr;

  PetscFunctionBegin;
  if (block)
    PetscCall(findState(block, &state));
  if (state)
    makeStale(*state);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode watch(Mat A, State &state) {
  PetscObjectState values = 0, nonzeros = 0;
  PetscObjectId id = 0;
  Structure structure;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &values));
  PetscCall(MatGetNonzeroState(A, &nonzeros));
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(A), &id));
  const bool same = state.self == A && state.id == id && nonzeros == state.structure;
  if (same && values == state.values)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(getStructure(A, structure));
  if (same && isSame(state, structure))
    makeStale(state);
  else
    PetscCall(destroyPlans(state));
  keep(state, structure);
  state.self = A;
  state.id = id;
  state.values = values;
  state.structure = nonzeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode watchBlocks(Mat A, State &state) {
  Mat diagonal = nullptr, offDiagonal = nullptr;
  PetscObjectState values = 0;

  PetscFunctionBegin;
  PetscCall(hookBlocks(A, state));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &values));
  if (state.self == A && values == state.values)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &offDiagonal, nullptr));
  PetscCall(makeBlockStale(diagonal));
  PetscCall(makeBlockStale(offDiagonal));
  state.self = A;
  state.values = values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace specmv::petsc
