// Makes plans and gives them new values. The first plan of a structure stores no more than its
// products need; if values change, the next one is made to take new ones, with the same choice.
#include "runtime/adapters/petsc/state.h"

namespace specmv::petsc {

namespace {

constexpr specmvIndexType_t kIndexType =
    sizeof(PetscInt) == sizeof(int64_t) ? SPECMV_INDEX_64I : SPECMV_INDEX_32I;
constexpr specmvDataType_t kDataType =
    sizeof(PetscReal) == sizeof(float) ? SPECMV_R_32F : SPECMV_R_64F;

struct Csr {
  const PetscInt *rowPtr = nullptr, *col = nullptr;
  const PetscScalar *val = nullptr;
  PetscBool cusparse = PETSC_FALSE, onHost = PETSC_FALSE;
};

PetscErrorCode isOnGpuAsCusparse(Mat A, PetscBool *cusparse) {
  PetscBool bound = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), "seqaijcusparse", cusparse));
  PetscCall(MatBoundToCPU(A, &bound));
  *cusparse = static_cast<PetscBool>(*cusparse && !bound);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// MatSeqAIJGetCSRAndMemType() gives the rows of aijcusparse without the empty ones.
PetscErrorCode getCusparse([[maybe_unused]] Mat A, [[maybe_unused]] Csr &csr) {
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &csr.rowPtr, &csr.col));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &csr.val));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode restoreCusparse([[maybe_unused]] Mat A, [[maybe_unused]] Csr &csr) {
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &csr.val));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &csr.rowPtr, &csr.col));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The arrays where the product will run, or on the host if the type has them only there.
PetscErrorCode getCsr(Mat A, const State &state, bool onGpu, Csr &csr) {
  PetscScalar *val = nullptr;

  PetscFunctionBegin;
  PetscCall(isOnGpuAsCusparse(A, &csr.cusparse));
  csr.cusparse = static_cast<PetscBool>(csr.cusparse && onGpu);
  csr.onHost = static_cast<PetscBool>(!onGpu);
  if (csr.cusparse) {
    PetscCall(getCusparse(A, csr));
  } else if (onGpu) {
    PetscCall(MatSeqAIJGetCSRAndMemType(A, &csr.rowPtr, &csr.col, &val, nullptr));
    csr.val = val;
  } else {
    csr.rowPtr = state.rowPtr;
    csr.col = state.col;
    PetscCall(MatSeqAIJGetArrayRead(A, &csr.val));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode restoreCsr(Mat A, Csr &csr) {
  PetscFunctionBegin;
  if (csr.cusparse)
    PetscCall(restoreCusparse(A, csr));
  if (csr.onHost)
    PetscCall(MatSeqAIJRestoreArrayRead(A, &csr.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A rigor that measures needs a GPU.
PetscErrorCode choose(const State &state, Turn turn, const Prepared &last, bool onGpu,
                      specmvPlanOptions_t &options) {
  PetscFunctionBegin;
  options.target = onGpu ? SPECMV_TARGET_GPU : SPECMV_TARGET_HOST;
  options.vectorsOnGpu = onGpu;
  options.rigor = onGpu ? state.settings.rigor : SPECMV_RIGOR_ESTIMATE;
  options.expectedProducts = state.settings.products;
  options.operation =
      turn == transposed ? SPECMV_OPERATION_TRANSPOSE : SPECMV_OPERATION_NON_TRANSPOSE;
  options.updatable = last.plan != nullptr;
  options.structureOf = last.onGpu == onGpu ? last.plan : nullptr;
  options.context = sharedContext();
  if (onGpu)
    PetscCall(currentDevice(&options.device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode tell(Mat A, const State &state, Turn turn, specmvPlan_t plan) {
  const char *report = nullptr;
  PetscMPIInt rank = 0;

  PetscFunctionBegin;
  if (!state.settings.view)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(check(specmvGetPlanReport(plan, &report), "tell about a plan"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "[%d] specmv: %s of %lld x %lld with %lld entries: %s\n",
                        rank, turn == transposed ? "the transpose" : "products",
                        static_cast<long long>(state.rows), static_cast<long long>(state.cols),
                        static_cast<long long>(state.nnz), report));
  PetscCall(PetscInfo(A, "specmv: %s\n", report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The description of the matrix is destroyed whatever becomes of the plan.
PetscErrorCode createPlan(const State &state, const Csr &csr, const specmvPlanOptions_t &options,
                          specmvPlan_t *plan) {
  specmvMatrix_t matrix = nullptr;

  PetscFunctionBegin;
  PetscCall(check(specmvCreateCsr(&matrix, state.rows, state.cols, state.nnz, csr.rowPtr, csr.col,
                                  csr.val, kIndexType, kDataType),
                  "describe the matrix"));
  const specmvStatus_t status = specmvCreatePlan(plan, matrix, &options);
  specmvDestroyMatrix(matrix);
  PetscCall(check(status, "make a plan"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A new plan takes the place of the last one, from which it has its choice.
PetscErrorCode create(Mat A, State &state, Turn turn, bool onGpu) {
  Prepared &prepared = state.prepared[turn];
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  specmvPlan_t plan = nullptr;
  Csr csr;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(logEvent(makePlan), A, 0, 0, 0));
  PetscCall(choose(state, turn, prepared, onGpu, options));
  PetscCall(getCsr(A, state, onGpu, csr));
  if (onGpu)
    PetscCall(synchronizeStream());
  PetscCall(createPlan(state, csr, options, &plan));
  PetscCall(restoreCsr(A, csr));
  PetscCall(check(specmvDestroyPlan(prepared.plan), "destroy a plan"));
  prepared = {plan, onGpu, options.updatable != 0, false};
  ++state.plans;
  PetscCall(tell(A, state, turn, plan));
  PetscCall(PetscLogEventEnd(logEvent(makePlan), A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode update(Mat A, State &state, Turn turn) {
  Prepared &prepared = state.prepared[turn];
  void *stream = nullptr;
  Csr csr;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(logEvent(newValues), A, 0, 0, 0));
  PetscCall(getCsr(A, state, prepared.onGpu, csr));
  if (prepared.onGpu)
    PetscCall(currentStream(&stream));
  PetscCall(check(specmvUpdateValues(prepared.plan, csr.val, stream), "take new values"));
  PetscCall(restoreCsr(A, csr));
  prepared.stale = false;
  ++state.updates;
  PetscCall(PetscLogEventEnd(logEvent(newValues), A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void makeStale(State &state) {
  for (Prepared &prepared : state.prepared)
    prepared.stale = true;
}

PetscErrorCode destroyPlans(State &state) {
  PetscFunctionBegin;
  for (Prepared &prepared : state.prepared) {
    const specmvPlan_t plan = prepared.plan;
    prepared = {};
    PetscCall(check(specmvDestroyPlan(plan), "destroy a plan"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode prepare(Mat A, State &state, Turn turn, bool onGpu) {
  const Prepared &prepared = state.prepared[turn];

  PetscFunctionBegin;
  if (!prepared.plan || prepared.onGpu != onGpu || (prepared.stale && !prepared.updatable))
    PetscCall(create(A, state, turn, onGpu));
  else if (prepared.stale)
    PetscCall(update(A, state, turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace specmv::petsc
