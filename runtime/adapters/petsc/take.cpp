// Takes operations of a matrix over and gives them back. PETSc's types write into the table of a
// matrix themselves (when it is bound to the CPU, converted, set up anew), so that what is taken
// over is looked at again after each of their calls that may do so.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

struct Operation {
  MatOperation number;
  AnyFunction *ours;
};

// The first four are the products, which types write into the table at any time. The others are
// taken over only while no set-up of MatSetValues() is under way: PETSc then keeps a copy of the
// table, and puts it back when the matrix is assembled.
constexpr size_t kProducts = 4;

std::array<Operation, kOperations> operations() {
  return {{
      {MATOP_MULT, reinterpret_cast<AnyFunction *>(mult)},
      {MATOP_MULT_ADD, reinterpret_cast<AnyFunction *>(multAdd)},
      {MATOP_MULT_TRANSPOSE, reinterpret_cast<AnyFunction *>(multTranspose)},
      {MATOP_MULT_TRANSPOSE_ADD, reinterpret_cast<AnyFunction *>(multTransposeAdd)},
      {MATOP_ASSEMBLY_END, reinterpret_cast<AnyFunction *>(assemblyEnd)},
      {MATOP_DUPLICATE, reinterpret_cast<AnyFunction *>(duplicate)},
      {MATOP_BIND_TO_CPU, reinterpret_cast<AnyFunction *>(bindToCpu)},
      {MATOP_CONVERT, reinterpret_cast<AnyFunction *>(convert)},
      {MATOP_CREATE_SUBMATRICES, reinterpret_cast<AnyFunction *>(createSubMatrices)},
  }};
}

// An operation that the type lacks stays so, but for the conversion: what MatConvert() does without
// one must come here too.
PetscErrorCode takeOperations(Mat A, State &state, size_t count) {
  PetscFunctionBegin;
  for (size_t i = 0; i < count; ++i) {
    const Operation operation = operations()[i];
    AnyFunction *function = nullptr;
    PetscCall(MatGetOperation(A, operation.number, &function));
    if (function == operation.ours || (!function && operation.number != MATOP_CONVERT))
      continue;
    state.own[i] = function;
    PetscCall(MatSetOperation(A, operation.number, operation.ours));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Learns from a new matrix of the same type what the type's own functions are.
PetscErrorCode revive(Mat A, State **state) {
  Mat sample = nullptr;
  State *known = nullptr;
  MatType type = nullptr;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatCreate(PETSC_COMM_SELF, &sample));
  PetscCall(MatSetType(sample, type));
  PetscCall(hook(sample, {}, true));
  PetscCall(findState(sample, &known));
  PetscCall(findOrMakeState(A, state));
  (*state)->parallel = known->parallel;
  (*state)->own = known->own;
  PetscCall(MatDestroy(&sample));
  PetscCall(readSettings(A, &(*state)->settings));
  PetscCall(takeAll(A, **state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode hookBlock(Mat block, const Settings &settings) {
  State *state = nullptr;
  AnyFunction *function = nullptr;
  PetscBool assembled = PETSC_FALSE;

  PetscFunctionBegin;
  if (!block)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(findState(block, &state));
  PetscCall(MatGetOperation(block, MATOP_MULT, &function));
  if (state && function == operations()[0].ours)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssembled(block, &assembled));
  if (assembled)
    PetscCall(hook(block, settings, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode stateOf(Mat A, State **state) {
  PetscFunctionBegin;
  PetscCall(findState(A, state));
  if (!*state)
    PetscCall(revive(A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode isAij(Mat A, PetscBool *aij, PetscBool *parallel) {
  MatType type = nullptr;
  PetscBool sequential = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrbeginswith(type ? type : "", MATSEQAIJ, &sequential));
  PetscCall(PetscStrbeginswith(type ? type : "", MATMPIAIJ, parallel));
  *aij = static_cast<PetscBool>(sequential || *parallel);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode hook(Mat A, const Settings &settings, bool fresh) {
  State *state = nullptr;
  PetscBool aij = PETSC_FALSE, parallel = PETSC_FALSE, assembled = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(isAij(A, &aij, &parallel));
  if (!kCanMultiply || !aij)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(findOrMakeState(A, &state));
  PetscCall(destroyPlans(*state));
  state->self = nullptr; // so that the first product looks at the matrix
  state->settings = settings;
  state->parallel = parallel;
  PetscCall(MatAssembled(A, &assembled));
  PetscCall(takeOperations(A, *state, fresh || assembled ? kOperations : kProducts));
  PetscCall(takeComposed(A, *state));
  if (parallel && assembled)
    PetscCall(hookBlocks(A, *state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode release(Mat A, State &state) {
  PetscFunctionBegin;
  for (size_t i = 0; i < kOperations; ++i) {
    AnyFunction *function = nullptr;
    PetscCall(MatGetOperation(A, operations()[i].number, &function));
    if (function == operations()[i].ours)
      PetscCall(MatSetOperation(A, operations()[i].number, state.own[i]));
  }
  PetscCall(releaseComposed(A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode takeAll(Mat A, State &state) {
  PetscFunctionBegin;
  PetscCall(takeOperations(A, state, kOperations));
  PetscCall(takeComposed(A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode takeProducts(Mat A, State &state) { return takeOperations(A, state, kProducts); }

PetscErrorCode hookBlocks(Mat A, State &state) {
  Mat diagonal = nullptr, offDiagonal = nullptr;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &offDiagonal, nullptr));
  PetscCall(hookBlock(diagonal, state.settings));
  PetscCall(hookBlock(offDiagonal, state.settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

AnyFunction *ownFunction(const State &state, MatOperation operation) {
  for (size_t i = 0; i < kOperations; ++i)
    if (operations()[i].number == operation)
      return state.own[i];
  return nullptr;
}

} // namespace specmv::petsc
