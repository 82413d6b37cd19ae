// Cases of plans with an order of rows and columns, for the formats that have kernels.
#pragma once

#include "tests/simt/cases.h"

namespace specmv::simt {

// The square ones of the matrices of other cases, and a mesh whose rows come in random order.
std::vector<TestMatrix> orderedMatrices();

// The best plan of each format for each matrix, once its rows and columns are in order, for one of
// each kind of product; also with the general kernels. Matrices that are not ordered have none.
std::vector<TestCase> orderedCases(const std::vector<TestMatrix> &matrices);

} // namespace specmv::simt
