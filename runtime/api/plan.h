// What a plan handle of the C API holds, and how it is made.
#pragma once

#include "runtime/api/several_product.h"
#include "runtime/api/start.h"
#include "runtime/api/stream_states.h"
#include "runtime/cuda/product_marks.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

struct ApiPlan {
  std::shared_ptr<ContextState> context;
  int64_t rows = 0, cols = 0, nnz = 0;   // of what is multiplied by x
  ValueType type = ValueType::f64;       // of the matrix
  ValueType vectorType = ValueType::f64; // of x, y, alpha and beta
  bool betaCanBeNonZero = true;
  bool vectorsAreOnGpu = false;            // as the caller promised
  bool lacksValues = false;                // until the first update
  std::shared_ptr<const EntryOrder> order; // of the caller's values; null: as in CSR
  double setupMs = 0;
  PlanProducts own;                 // made for the matrix; empty until then
  std::unique_ptr<PlanStart> start; // set if products began before that
  // They tell when products that were put on streams have ended.
  std::unique_ptr<ProductMarks> marks = std::make_unique<ProductMarks>();
  StagedProduct staged;                  // for vectors on the host
  bool scalarsAreOnGpu = false;          // alpha and beta
  int vectors = 1;                       // for how many at once there are kernels, 1 if for none
  bool isTransposed = false;             // `rows` and `cols` are then those of the transpose
  SeveralProduct several;                // memory for products with several
  std::unique_ptr<StreamStates> streams; // in place of these two if several streams may multiply
  std::string ratesNote;                 // whose rates predicted, if not the GPU's own
  std::string report, json;              // that were asked for last

  // The products that run now.
  PlanProducts &now() { return start && !start->isOver() ? start->first : own; }
  // For how many vectors at once there are kernels, now or once the set-up has ended well.
  int vectorsNow() const { return start && start->hasFailed() ? 1 : vectors; }
  // The memory that it holds where its products run.
  int64_t bytes() const {
    return own.bytes() + several.bytes() + (streams ? streams->bytes() : 0) +
           (start ? start->bytes() : 0);
  }
};

// Makes the products for `a`, or for its transpose, whose arrays are on the host or on a GPU, or
// starts with first ones if the options ask for it; in the way of `like`, unless that is null or
// does not fit.
llvm::Error makePlan(ApiPlan &plan, const MatrixDescription &a, const specmvPlanOptions_t &options,
                     ApiPlan *like);

// What makePlan() would make, without making it.
llvm::Expected<PlanEstimate> estimatePlan(const MatrixDescription &a,
                                          const specmvPlanOptions_t &options,
                                          std::shared_ptr<ContextState> context);

// If the set-up beside the first products has ended, the plan takes what it made. Costs one load.
void takeOver(ApiPlan &plan);
// The same after waiting for it.
void finishSetup(ApiPlan &plan);

// Calls `put`, which puts work of the plan on the stream, and marks the stream behind that, also if
// `put` fails half-way. Returns the error of `put`, or that of the mark.
llvm::Error marked(ApiPlan &plan, const GpuProduct &product, StreamHandle stream,
                   llvm::function_ref<llvm::Error()> put);

// Waits for the products of the plan, and for nothing else.
void waitForProducts(ApiPlan &plan) noexcept;

// Replaces the values, which are on the host or on a GPU; on the stream if products run there.
// Waits for the set-up.
llvm::Error updateValues(ApiPlan &plan, const void *val, void *stream);

// Frees what the plan has, its device memory in order on the stream, without waiting; what the
// stream's order cannot free moves out of it and is freed when the stream has come so far. The plan
// is then good for nothing. Status::badCall if the stream is captured.
llvm::Error retire(ApiPlan &plan, StreamHandle stream);

// Says in a sentence what runs now.
std::string reportOn(ApiPlan &plan);
// The same with all that is known of the set-up, as a JSON object.
std::string jsonOn(ApiPlan &plan);

} // namespace specmv
