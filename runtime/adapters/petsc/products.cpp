// Products: on the GPU where PETSc has the vectors there, otherwise on the host.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

#if PetscDefined(USE_REAL_SINGLE)
constexpr float kZero = 0, kOne = 1;
#else
constexpr double kZero = 0, kOne = 1;
#endif

// z = op(A) x + y. y is nullptr where nothing is added, and may be z.
struct Product {
  Turn turn;
  Vec x, y, z;
};

struct Arrays {
  const PetscScalar *x = nullptr, *y = nullptr;
  PetscScalar *z = nullptr;
  bool onGpu = false;
};

PetscErrorCode restore(const Product &product, Arrays &arrays, bool host) {
  PetscFunctionBegin;
  PetscCall((host ? VecRestoreArrayRead : VecRestoreArrayReadAndMemType)(product.x, &arrays.x));
  if (product.y == product.z)
    PetscCall((host ? VecRestoreArray : VecRestoreArrayAndMemType)(product.z, &arrays.z));
  else
    PetscCall((host ? VecRestoreArrayWrite : VecRestoreArrayWriteAndMemType)(product.z, &arrays.z));
  if (product.y && product.y != product.z)
    PetscCall((host ? VecRestoreArrayRead : VecRestoreArrayReadAndMemType)(product.y, &arrays.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode getOnHost(const Product &product, Arrays &arrays) {
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(product.x, &arrays.x));
  PetscCall((product.y == product.z ? VecGetArray : VecGetArrayWrite)(product.z, &arrays.z));
  if (product.y && product.y != product.z)
    PetscCall(VecGetArrayRead(product.y, &arrays.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode getAnywhere(const Product &product, Arrays &arrays, bool *mixed) {
  PetscMemType x = PETSC_MEMTYPE_HOST, y = PETSC_MEMTYPE_HOST, z = PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(product.x, &arrays.x, &x));
  PetscCall((product.y == product.z ? VecGetArrayAndMemType
                                    : VecGetArrayWriteAndMemType)(product.z, &arrays.z, &z));
  y = z;
  if (product.y && product.y != product.z)
    PetscCall(VecGetArrayReadAndMemType(product.y, &arrays.y, &y));
  const int onGpu = PetscMemTypeDevice(x) + PetscMemTypeDevice(y) + PetscMemTypeDevice(z);
  arrays.onGpu = onGpu == 3;
  *mixed = onGpu != 0 && onGpu != 3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run(State &state, const Product &product, const Arrays &arrays) {
  void *stream = nullptr;
  specmvStatus_t status = SPECMV_STATUS_SUCCESS;

  PetscFunctionBegin;
  const specmvPlan_t plan = state.prepared[product.turn].plan;
  if (arrays.onGpu)
    PetscCall(currentStream(&stream));
  if (arrays.y)
    status = specmvExecuteInto(plan, &kOne, arrays.x, &kOne, arrays.y, arrays.z, stream);
  else
    status = specmvExecute(plan, &kOne, arrays.x, product.y ? &kOne : &kZero, arrays.z, stream);
  PetscCall(check(status, "multiply"));
  ++state.products;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix that can be bound to the CPU, and is.
PetscErrorCode isBound(Mat A, const State &state, PetscBool *bound) {
  PetscFunctionBegin;
  *bound = PETSC_FALSE;
  if (ownFunction(state, MATOP_BIND_TO_CPU))
    PetscCall(MatBoundToCPU(A, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode runTimed(Mat A, State &state, const Product &product, const Arrays &arrays) {
  // Each entry is a multiplication and an addition, but the first of each row.
  const PetscLogDouble flops = 2.0 * static_cast<PetscLogDouble>(state.nnz) -
                               (product.y ? 0.0 : static_cast<PetscLogDouble>(state.rows));

  PetscFunctionBegin;
  PetscCall(prepare(A, state, product.turn, arrays.onGpu));
  if (arrays.onGpu) {
    PetscCall(PetscLogGpuTimeBegin());
    PetscCall(run(state, product, arrays));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(flops));
  } else {
    PetscCall(run(state, product, arrays));
    PetscCall(PetscLogFlops(flops));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Vectors of which only some are on the GPU are taken on the host, as all are for a matrix that is
// bound to the CPU.
PetscErrorCode multiply(Mat A, State &state, const Product &product) {
  Arrays arrays;
  PetscBool bound = PETSC_FALSE;
  bool mixed = false;

  PetscFunctionBegin;
  PetscCall(isBound(A, state, &bound));
  if (!bound)
    PetscCall(getAnywhere(product, arrays, &mixed));
  if (mixed)
    PetscCall(restore(product, arrays, false));
  const bool host = bound || mixed;
  if (host)
    PetscCall(getOnHost(product, arrays));
  PetscCall(runTimed(A, state, product, arrays));
  PetscCall(restore(product, arrays, host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets *ours if specmv computes the products of the matrix, which is of one process. Without
// entries there is nothing to gain.
PetscErrorCode isOurs(Mat A, State &state, bool *ours) {
  PetscFunctionBegin;
  PetscCall(watch(A, state));
  *ours = state.nnz > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// In parallel the type's own function scatters x while it calls the blocks, each of which is ours.
PetscErrorCode isOneProcess(Mat A, State &state, bool *oneProcess) {
  PetscFunctionBegin;
  *oneProcess = !state.parallel;
  if (state.parallel)
    PetscCall(watchBlocks(A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Runs the product, or tells that the type's own function is to run.
PetscErrorCode tryProduct(Mat A, const Product &product, State **state, bool *done) {
  PetscFunctionBegin;
  PetscCall(stateOf(A, state));
  PetscCall(isOneProcess(A, **state, done));
  if (*done)
    PetscCall(isOurs(A, **state, done));
  if (*done)
    PetscCall(multiply(A, **state, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

using Into = PetscErrorCode(Mat, Vec, Vec);
using AddedInto = PetscErrorCode(Mat, Vec, Vec, Vec);

PetscErrorCode multiplyInto(Mat A, Turn turn, MatOperation operation, Vec x, Vec y) {
  State *state = nullptr;
  bool done = false;

  PetscFunctionBegin;
  PetscCall(tryProduct(A, {turn, x, nullptr, y}, &state, &done));
  if (!done)
    PetscCall(reinterpret_cast<Into *>(ownFunction(*state, operation))(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiplyAddedInto(Mat A, Turn turn, MatOperation operation, Vec x, Vec y, Vec z) {
  State *state = nullptr;
  bool done = false;

  PetscFunctionBegin;
  PetscCall(tryProduct(A, {turn, x, y, z}, &state, &done));
  if (!done)
    PetscCall(reinterpret_cast<AddedInto *>(ownFunction(*state, operation))(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode mult(Mat A, Vec x, Vec y) { return multiplyInto(A, forward, MATOP_MULT, x, y); }

PetscErrorCode multAdd(Mat A, Vec x, Vec y, Vec z) {
  return multiplyAddedInto(A, forward, MATOP_MULT_ADD, x, y, z);
}

PetscErrorCode multTranspose(Mat A, Vec x, Vec y) {
  return multiplyInto(A, transposed, MATOP_MULT_TRANSPOSE, x, y);
}

PetscErrorCode multTransposeAdd(Mat A, Vec x, Vec y, Vec z) {
  return multiplyAddedInto(A, transposed, MATOP_MULT_TRANSPOSE_ADD, x, y, z);
}

} // namespace specmv::petsc
