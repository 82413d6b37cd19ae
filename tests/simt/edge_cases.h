// Cases in which a block, a warp or a thread goes on from one piece of a matrix to the next, and
// what holds for the first piece or for the last row does not hold for the others. simt_emit
// compiles their kernels, product_test multiplies with them and packing_test packs them.
#pragma once

#include "tests/simt/cases.h"

namespace specmv::simt {

std::vector<TestMatrix> edgeMatrices();

// Returns the first plan that the format offers with these numbers fixed, for each type of
// problem; the matrices must outlive the cases.
std::vector<TestCase> edgeCases(const std::vector<TestMatrix> &matrices);

} // namespace specmv::simt
