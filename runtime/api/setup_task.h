// Describes the set-up of a plan as a value, so that any thread can run it.
#pragma once

#include "runtime/api/context.h"
#include "runtime/api/plan_facts.h"
#include "runtime/api/value_update.h"
#include "runtime/convert/to_csr.h"
#include "runtime/cuda/streams.h"
#include "runtime/fused/fused_product.h"
#include "runtime/include/specmv.h"
#include "runtime/kernels/compile_beside.h"
#include <memory>
#include <optional>
#include <string>

namespace specmv {

struct Improvement;

// Holds what products need: a kernel and its arrays on a GPU, or the matrix on the host.
struct PlanProducts {
  std::string text;
  std::string name = {};                       // for reports; "": `text` names them
  std::shared_ptr<const PlanFacts> facts = {}; // null for products before the plan
  std::optional<GpuProduct> gpu = {};
  std::optional<SourceMatrix> matrix = {}; // whose arrays the products read in place
  bool takesNewValues = false;             // decided alike on a GPU and on the host
  std::optional<ValueUpdate> update = {};  // on a GPU; set if it takes new values
  // The arrays that the caller lends, if new values are packed with them (recode.h).
  std::optional<SourceMatrix> pattern = {};
  std::shared_ptr<HostCopy> host = {};        // set if products run on the host
  std::shared_ptr<const FusedBase> base = {}; // for fused steps
  // Set on a GPU if several streams may multiply at once: makes separate working memory for each
  // stream. Null if the product needs none.
  std::shared_ptr<const ProductRecipe> recipe = {};
  // Compiles the plan's own kernels while products run by general ones; null if it has its own.
  std::unique_ptr<Specialization> specialization = {};
  // Makes a better plan (successor.h); null if there is none.
  std::shared_ptr<Improvement> better = {};
  bool isCompared = false; // with other plans in the program's products, now or later
  // Products of other plans to be compared with these (learning.h), and what stores the fastest.
  std::vector<PlanProducts> rivals = {};
  LearnedKeeper keepLearned = {};
  std::optional<double> learnedUs = {}; // of a product; set if these were found to be the fastest

  int64_t bytes() const {
    int64_t sum = (gpu    ? gpu->deviceBytes()
                   : host ? host->bytes()
                          : 0) +
                  (update ? update->deviceBytes() : 0) + (matrix ? matrix->uploadedBytes() : 0);
    for (const PlanProducts &rival : rivals)
      sum += rival.bytes();
    return sum;
  }
  // Frees the device memory ordered on the stream, and host memory at once.
  void freeOn(StreamHandle stream) {
    if (gpu)
      gpu->freeOn(stream);
    if (update)
      update->freeOn(stream);
    if (matrix)
      matrix->freeOn(stream);
    specialization.reset();
    host.reset();
    for (PlanProducts &rival : rivals)
      rival.freeOn(stream);
  }
};

struct SetupTask {
  std::shared_ptr<ContextState> context = std::make_shared<ContextState>();
  CsrView view;
  MachineRequest where;
  Request request;
  bool isLent;              // arrays on the GPU outlive the plan
  bool isConverted = false; // the view is not the caller's own arrays
  bool isTransposed = false;
  std::shared_ptr<const EntryOrder> order = {}; // order of the caller's values; null: the view's
  std::optional<Cache> cache = {};              // replaces the environment's
  bool scratchPerStream = false;                // several streams may multiply at once
  // True if the plan's own kernels are to be compiled in the background if it begins with general
  // ones.
  bool isSpecializedLater = false;
  // True if a better plan, whose kernels are not at hand, is to take the place of the one that is.
  bool improves = false;
  // Set for the set-up of that better plan: the facts of the plan before it.
  std::shared_ptr<const PlanFacts> improved = {};
  bool isCompared = false; // the plan will be compared with the one before it
  double machineMs = 0;    // SetupTimes::machine
};

// Status::badCall if the given text is not the text of a plan.
llvm::Expected<SetupTask> setupTaskOf(const CsrView &a, const specmvPlanOptions_t &options,
                                      std::optional<LikePlan> like,
                                      std::shared_ptr<ContextState> context);

// Wraps the caller's arrays; if they are on a GPU, keeps the GPU's context to read them.
llvm::Expected<SourceMatrix> sourceOf(const SetupTask &task, const Machine &machine);
// Wraps a matrix of any layout, or its transpose. Unless it is already CSR, converts it to CSR on
// the host and changes the task to describe that CSR.
llvm::Expected<SourceMatrix> sourceOf(const MatrixDescription &a, bool isTransposed,
                                      const Machine &machine, SetupTask &task);

// Makes the stream for a set-up and sets it in the machine; none without a GPU. If the matrix is on
// the GPU, the stream first waits for work already on the default stream, which may still be
// filling the arrays.
llvm::Expected<WorkStream> setupStreamOf(Machine &machine, const SourceMatrix &a,
                                         StreamPriority priority = StreamPriority::usual);

// Applies the limit of bytes if products run on the host, where they read CSR; the limit then no
// longer applies to the plan that the task makes.
llvm::Error limitOnHost(SetupTask &task, const Machine &machine);

// The properties of a plan, as predicted from the matrix's profile.
struct PlanEstimate {
  std::string format;
  int64_t storedBytes = 0;
  double productUs = 0, setupUs = 0, compiledSetupUs = 0;
};
llvm::Expected<PlanEstimate> estimate(const SetupTask &task, const SourceMatrix &a,
                                      Machine &machine);

// Runs the whole set-up and logs to the context. The products do not need the matrix.
llvm::Expected<PlanProducts> doSetup(const SetupTask &task, const SourceMatrix &a,
                                     Machine &machine);

} // namespace specmv
