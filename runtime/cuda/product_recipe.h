// Describes how to make a product again on the arrays of one that is loaded, with separate working
// memory, for another stream.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "models/problem.h"

#include <memory>

namespace specmv {

struct ProductRecipe {
  Layout layout; // names, types and sizes without contents
  Steps steps, several;
  Problem problem;
  int64_t cols;
};

// Returns names, types and sizes of arrays.
std::vector<LayoutArray> withoutContents(const std::vector<LayoutArray> &arrays);

// Makes the recipe for other kernels on the same arrays and working memory
// (GpuProduct::useKernels()).
ProductRecipe recipeOnSameMemory(const Layout &layout, const Steps &steps, const Steps &several,
                                 const Problem &problem, int64_t cols);

// Returns null if the product has no working memory, so that all streams can run the same one at
// once. `several` is empty if there are no products with several vectors.
std::shared_ptr<const ProductRecipe> recipeOf(const Layout &layout, const Steps &steps,
                                              const Steps &several, const Problem &problem,
                                              int64_t cols);

} // namespace specmv
