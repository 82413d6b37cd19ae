// Emits what kernels need to run a fused step: its statements as device code, and its operands.
#pragma once

#include "generator/emit.h"
#include "generator/fusion/fusion.h"

namespace specmv {

// The types Step and Source of templates/shared/fused.cuh, for the problem's step.
std::string stepDeclarations(const Problem &problem);

// The operands in place of x, and of y, alpha and beta.
Fields fusedVectors(const Problem &problem);
// The views of x and y in device code; "" where x is a pointer.
std::string fusedTypeOfX(const Problem &problem);
std::string fusedTypeOfY();

// The kernels of a product or step with the one that adds up their sums, if there are any.
std::vector<Kernel> withSums(std::vector<Kernel> kernels, const Problem &problem);
// Adds the launch of that kernel behind the last step, and its working memory to the layout, whose
// size follows from the number of blocks.
void addSums(Steps &steps, Layout &layout, const Problem &problem);

// The kernel that runs the step for so many rows, where another one has stored A x (the operand x),
// or where the step has no product. Runs one block even for no rows, for the sums.
KernelSource stepSource(const Problem &problem);
Steps stepSteps(const Problem &problem, int64_t rows);

// Returns the step that computes the product's x, an expression, as a vector. Its vectors are those
// that x names and, last, the result.
Fusion stepOfX(const Fusion &fusion);

} // namespace specmv
