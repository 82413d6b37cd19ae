// The product of a plan with an order. A kernel first permutes x. The kernels of the format then
// multiply by the permuted matrix and store the result in the original order of y. If a format's
// kernels add to y, they write a working vector instead, and a last kernel puts the result into y.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"

namespace specmv {

// The plan as its format sees it, without the order, the problem that the format's kernels solve,
// and the one for which its arrays are packed. If the vectors are in the order of the plan already,
// that product is the whole one.
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
