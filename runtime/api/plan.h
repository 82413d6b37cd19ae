// Defines the object behind a plan handle of the C API, and makes it.
#pragma once

#include "runtime/api/learning.h"
#include "runtime/api/staged_product.h"
#include "runtime/api/stream_states.h"
#include "runtime/api/successor.h"
#include "runtime/cuda/product_marks.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace specmv {

struct ApiFused;

// Products that ran before those that run now. They stay while the GPU or a graph may use them.
struct FormerProducts {
  PlanProducts products;
  std::shared_ptr<ProductMarks> marks; // of all products of the plan at that time
  bool areInGraphs;                    // products were captured
};

// Says how many products ran before those that run now took over.
struct Turned {
  std::string name; // of the products
  int64_t count;
};

struct ApiPlan {
  std::shared_ptr<ContextState> context;
  int64_t rows = 0, cols = 0, nnz = 0;   // of the matrix or its transpose
  ValueType type = ValueType::f64;       // type of the matrix
  ValueType vectorType = ValueType::f64; // type of x, y, alpha and beta
  bool betaCanBeNonZero = true;
  bool vectorsAreOnGpu = false;            // the caller promised it
  bool isUpdatable = false;                // by the option: better plans take new values too
  bool lacksValues = false;                // until the first update
  bool valuesAreMixed = false;             // an update has failed half-way; until the next one
  std::shared_ptr<const EntryOrder> order; // order of the caller's values; null: that of CSR
  double setupMs = 0;
  // The products that run: those of the plan or, until it is made, the first ones. Others take
  // their place between two calls (takeOver()).
  PlanProducts now;
  // Tell when these products on streams have ended.
  std::shared_ptr<ProductMarks> marks = std::make_shared<ProductMarks>();
  bool isInGraphs = false; // these products were captured, which newer marks do not tell
  std::vector<FormerProducts> former;
  std::shared_ptr<Successor> start;    // makes the plan beside the first products; null: none ran
  std::shared_ptr<Improvement> better; // makes a better plan beside this one; null: there is none
  std::unique_ptr<Learning> learning;  // set if other plans take turns with `now`
  std::vector<Turned> turned;
  int64_t launched = 0;                  // products since then, while others are to come
  std::set<std::string> texts;           // of plans, which the caller may still have
  StagedProduct staged;                  // products with vectors on the host
  bool scalarsAreOnGpu = false;          // alpha and beta
  int vectors = 1;                       // multiplied by a pass; 1: only single vectors
  bool isTransposed = false;             // if so, `rows` and `cols` are the transpose's
  SeveralProduct several;                // memory for products with several vectors
  std::unique_ptr<StreamStates> streams; // replaces `staged` and `several` if streams run at once
  std::vector<ApiFused *> fusedSteps;    // of this plan, which must not outlive it
  std::string ratesNote;                 // says which rates predicted if not the GPU's own
  std::string report, json;              // the last answers to the caller

  // Returns true if the first products run: the plan is not made yet, or never will be.
  bool runsFirst() const { return start && !start->isOver(); }
  // Returns true if other products may take the place of these.
  bool waitsForOthers() const {
    return (start && start->isRunning()) || (better && better->next.isRunning());
  }
  // Returns the text of the plan whose products run now, or mostly run while it is compared.
  const std::string &textNow() const { return learning ? learning->text() : now.text; }
  // Returns the number of vectors that the kernels multiply at once, now or after a successful
  // set-up.
  int vectorsNow() const { return start && start->hasFailed() ? 1 : vectors; }
  // Returns the memory that the plan holds on the device where its products run.
  int64_t bytes() const;
};

// Makes the products for `a` or its transpose, whose arrays are on the host or on a GPU. If the
// options ask for it, starts with first products instead. Follows the plan `like` unless it is null
// or does not fit.
llvm::Error makePlan(ApiPlan &plan, const MatrixDescription &a, const specmvPlanOptions_t &options,
                     ApiPlan *like);

// Predicts what makePlan() would make, without making it.
llvm::Expected<PlanEstimate> estimatePlan(const MatrixDescription &a,
                                          const specmvPlanOptions_t &options,
                                          std::shared_ptr<ContextState> context);

// Puts products that were made beside those that run in their place, if there are any, and frees
// those that ran before if nothing uses them any more. Costs a few loads.
void takeOver(ApiPlan &plan);
// Waits for the set-up beside the first products and takes over its results.
void finishSetup(ApiPlan &plan);
// Waits for the set-up of a better plan too, at most this long. Returns true if both have ended.
bool finishChanges(ApiPlan &plan, std::optional<std::chrono::milliseconds> most);
// Keeps the products that run now, or that are the fastest so far.
void endChanges(ApiPlan &plan);
// Asks set-ups beside products to end, and waits for that. What has ended can still be taken over.
void cancelChanges(ApiPlan &plan);
// Does not take over the better plan, for this reason; "": it is cancelled.
void giveUpBetter(ApiPlan &plan, const std::string &why);
// Waits for running products, and frees those that ran before and are in no graph; the first ones,
// whose graphs must not be launched any more, in any case.
void dropFormer(ApiPlan &plan);

// Calls `put`, which puts work on the stream, and then marks the end of that work on the stream,
// even if `put` fails half-way. Returns the error of `put`, or that of marking.
llvm::Error marked(ProductMarks &marks, const GpuProduct &product, StreamHandle stream,
                   llvm::function_ref<llvm::Error()> put);

// Waits for the products of the plan only.
void waitForProducts(ApiPlan &plan) noexcept;

// Status::badCall if the plan has no values to multiply by.
llvm::Error checkHasValues(const ApiPlan &plan);

// Replaces the values, which are on the host or on a GPU; on the stream if products run there.
// Waits for the set-up. After a failure the plan has its former values whole, or none to multiply
// by.
llvm::Error updateValues(ApiPlan &plan, const void *val, void *stream);

// Copies the order of rows and columns to arrays on the host, each of which may be null. Waits for
// the set-up, and ends learning.
llvm::Error copyPermutation(ApiPlan &plan, int64_t *rows, int64_t *cols);

// Frees the plan's resources without waiting: its device memory ordered on the stream. Resources
// that cannot be freed in stream order are kept until the stream reaches that point. The plan must
// not be used afterwards. Status::badCall if the stream is being captured.
llvm::Error retire(ApiPlan &plan, StreamHandle stream);

// Describes in a sentence what runs now.
std::string reportOn(ApiPlan &plan);
// Returns the same and everything known about the set-up, as a JSON object.
std::string jsonOn(ApiPlan &plan);

} // namespace specmv
