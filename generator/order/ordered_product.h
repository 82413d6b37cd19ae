// The product of a plan with an order: the kernels of its format multiply by the permuted matrix,
// and one in front of them puts x in the order. They store the result in the order of y; where a
// format has kernels that add to y, one behind them takes the result out of the order.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"

namespace specmv {

// The plan of the product by the permuted matrix, and the problem of that product and of packing.
// If the vectors are in the order of the plan already, it is the whole product.
Plan unordered(Plan plan);
Problem problemInOrder(const Plan &plan, const Problem &problem);
Problem problemOfPacking(const Plan &plan, const Problem &problem);

// The arrays and working memory of a layout that the order adds to those of the format.
Fields orderFields(const Plan &plan, const Problem &problem, int64_t rows);

// The source that `emit` emits for the plan, a function of its format, and the kernels that permute
// vectors.
KernelSource sourceInOrder(KernelSource (*emit)(const Plan &, const Problem &), const Plan &plan,
                           const Problem &problem);

// Adds what it takes to permute vectors to the traffic of the product by the permuted matrix.
Traffic trafficInOrder(Traffic product, const Plan &plan, const PlanRequest &request);

} // namespace specmv
