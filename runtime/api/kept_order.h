// Finds the order of rows and columns that the products of a plan have on a GPU, so that nobody
// searches for it once more.
#pragma once

#include "generator/order/order.h"
#include "runtime/cuda/product.h"

#include <optional>

namespace specmv {

// Returns the order (without its levels) of the products of a plan with so many rows; nullopt if
// the plan has none.
llvm::Expected<std::optional<Order>> keptOrder(const Plan &plan, const GpuProduct &product,
                                               int64_t rows);

// Points to the order, or is null, as those who pack want it.
inline const Order *pointerTo(const std::optional<Order> &order) {
  return order ? &*order : nullptr;
}

} // namespace specmv
