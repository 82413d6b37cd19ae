// Tells the order of rows and columns of a plan.
#include "generator/fields.h"
#include "runtime/api/plan.h"

#include <numeric>

namespace specmv {

// Returns true if products of the plan are in another order than that of the matrix.
static bool isPermuted(const PlanProducts &products) {
  const auto plan = parsePlan(products.text);
  return products.gpu && plan && !plan->order.empty();
}

static llvm::Expected<std::vector<int32_t>> rowsAt(const GpuProduct &product, int64_t rows) {
  std::vector<int32_t> out(static_cast<size_t>(rows));
  auto from = product.onDevice(kOrderRowAt);
  if (!from)
    return from.takeError();
  if (llvm::Error error = product.gpu().download(out.data(), *from, out.size() * sizeof out[0]))
    return error;
  return out;
}

llvm::Error copyPermutation(ApiPlan &plan, int64_t *rows, int64_t *cols) {
  finishSetup(plan);
  if (plan.learning)
    plan.learning->end(plan.own);
  if (!isPermuted(plan.now())) {
    if (rows)
      std::iota(rows, rows + plan.rows, int64_t{0});
    if (cols)
      std::iota(cols, cols + plan.cols, int64_t{0});
    return llvm::Error::success();
  }
  auto order = rowsAt(*plan.now().gpu, plan.rows);
  if (!order)
    return order.takeError();
  for (int64_t *to : {rows, cols})
    if (to)
      std::copy(order->begin(), order->end(), to);
  return llvm::Error::success();
}

} // namespace specmv
