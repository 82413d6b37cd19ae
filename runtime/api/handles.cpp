// Checks the handles from which a plan is made, and tells the order of rows of a plan.
#include "runtime/api/handles.h"

#include "generator/fields.h"
#include "runtime/api/arguments.h"
#include "runtime/api/kept_order.h"
#include "runtime/api/plan.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace specmv {

// --- Handles -------------------------------------------------------------------------------------

// Checks the handles from which a plan is made.

llvm::Expected<PlanRequestOfCaller> checkedRequest(const specmvMatrix *matrix,
                                                   const specmvPlanOptions_t *options) {
  if (llvm::Error error = wantHandle(matrix, "matrix"))
    return error;
  auto complete = completeOptions(options);
  if (!complete)
    return complete.takeError();
  if (complete->structureOf)
    if (llvm::Error error = wantHandle(complete->structureOf, "structureOf"))
      return error;
  if (!complete->context)
    return PlanRequestOfCaller{*complete, std::make_shared<ContextState>()};
  if (llvm::Error error = wantContext(complete->context))
    return error;
  return PlanRequestOfCaller{*complete, complete->context->state};
}

// --- Permutation ---------------------------------------------------------------------------------

// Tells the order of rows and columns of a plan.

llvm::Expected<std::optional<Order>> keptOrder(const Plan &plan, const GpuProduct &product,
                                               int64_t rows) {
  if (plan.order.empty())
    return std::nullopt;
  auto from = product.onDevice(kOrderRowAt);
  if (!from)
    return from.takeError();
  Order out{.rowAt = std::vector<int32_t>(static_cast<size_t>(rows))};
  if (llvm::Error error =
          product.gpu().download(out.rowAt.data(), *from, out.rowAt.size() * sizeof out.rowAt[0]))
    return error;
  return out;
}

// Returns nullopt if products are in the order of the matrix.
static llvm::Expected<std::optional<Order>> orderOfProducts(const PlanProducts &products,
                                                            int64_t rows) {
  const auto plan = parsePlan(products.text);
  return plan && products.gpu ? keptOrder(*plan, *products.gpu, rows) : std::nullopt;
}

llvm::Error copyPermutation(ApiPlan &plan, int64_t *rows, int64_t *cols) {
  finishSetup(plan);
  endChanges(plan);
  auto order = orderOfProducts(plan.now, plan.rows);
  if (!order)
    return order.takeError();
  if (!*order) {
    if (rows)
      std::iota(rows, rows + plan.rows, int64_t{0});
    if (cols)
      std::iota(cols, cols + plan.cols, int64_t{0});
    return llvm::Error::success();
  }
  for (int64_t *to : {rows, cols})
    if (to)
      llvm::copy((*order)->rowAt, to);
  return llvm::Error::success();
}

} // namespace specmv
