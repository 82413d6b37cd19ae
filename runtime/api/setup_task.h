// The set-up of a plan as a value, so that any thread can do it.
#pragma once

#include "runtime/api/context.h"
#include "runtime/api/plan_facts.h"
#include "runtime/api/value_update.h"
#include "runtime/convert/to_csr.h"
#include "runtime/cuda/work_stream.h"
#include "runtime/include/specmv.h"
#include "runtime/kernels/specialization.h"
#include <memory>
#include <optional>
#include <string>

namespace specmv {

// What products need: a kernel and its arrays on a GPU, or the matrix on the host.
struct PlanProducts {
  std::string text;
  std::shared_ptr<const PlanFacts> facts = {}; // null for products before the plan
  std::optional<GpuProduct> gpu;
  std::optional<ValueUpdate> update; // on a GPU; set if the values can be replaced
  std::shared_ptr<HostCopy> host;    // set if products run on the host
  // On a GPU, if several streams may multiply at once: how each gets working memory of its own;
  // null if there is none.
  std::shared_ptr<const ProductRecipe> recipe = {};
  // Compiles the plan's own kernels while products run by general ones; null if it has its own.
  std::unique_ptr<Specialization> specialization = {};

  int64_t bytes() const {
    return (gpu    ? gpu->deviceBytes()
            : host ? host->bytes()
                   : 0) +
           (update ? update->deviceBytes() : 0);
  }
  // Frees the device memory in order on the stream, and what the host alone has used.
  void freeOn(StreamHandle stream) {
    if (gpu)
      gpu->freeOn(stream);
    if (update)
      update->freeOn(stream);
    specialization.reset();
    host.reset();
  }
};

// The plan of another matrix, whose way is to be followed.
struct LikePlan {
  int64_t rows, cols, nnz;
  ValueType type;
  std::string text;
};

struct SetupTask {
  std::shared_ptr<ContextState> context = std::make_shared<ContextState>();
  CsrView view;
  MachineRequest where;
  Request request;
  bool isUpdatable;
  bool isLent; // arrays on the GPU outlive the plan
  std::optional<LikePlan> like;
  bool isConverted = false; // whether the view is not the caller's own arrays
  bool isTransposed = false;
  std::shared_ptr<const EntryOrder> order = {}; // of the caller's values; null: as in the view
  std::optional<Cache> cache = {};              // in place of that of the environment
  bool scratchPerStream = false;                // several streams may multiply at once
  // True if the plan's own kernels are to be compiled beside products by general ones.
  bool isSpecializedLater = false;
  double machineMs = 0; // SetupTimes::machine
};

SetupTask setupTaskOf(const CsrView &a, const specmvPlanOptions_t &options,
                      std::optional<LikePlan> like, std::shared_ptr<ContextState> context);

// The caller's arrays; if they are on a GPU, its context is kept to read them.
llvm::Expected<SourceMatrix> sourceOf(const SetupTask &task, const Machine &machine);
// The same of any layout, or of its transpose. What is not CSR as it is becomes CSR on the host,
// and the task is then that of the CSR.
llvm::Expected<SourceMatrix> sourceOf(const MatrixDescription &a, bool isTransposed,
                                      const Machine &machine, SetupTask &task);

// The stream of a set-up, which is the machine's from here on; none without a GPU. Where the matrix
// lies on the GPU, its arrays are read behind the work that the default stream has, which may fill
// them.
llvm::Expected<WorkStream> setupStreamOf(Machine &machine, const SourceMatrix &a,
                                         StreamPriority priority = StreamPriority::usual);

// Where products run on the host, they read CSR: the limit of bytes is for that, and holds no more
// for what the task plans.
llvm::Error limitOnHost(SetupTask &task, const Machine &machine);

// What the plan would be, as predicted from the matrix's profile.
struct PlanEstimate {
  std::string format;
  int64_t storedBytes = 0;
  double productUs = 0, setupUs = 0, compiledSetupUs = 0;
};
llvm::Expected<PlanEstimate> estimate(const SetupTask &task, const SourceMatrix &a,
                                      Machine &machine);

// Does it all, and tells the context's logger. The products do not need the matrix.
llvm::Expected<PlanProducts> doSetup(const SetupTask &task, const SourceMatrix &a,
                                     Machine &machine);

} // namespace specmv
