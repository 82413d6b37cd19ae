// Plans that plans() did not make but layout() accepts: simt_emit compiles their kernels,
// foreign_test multiplies with them.
#pragma once

#include "tests/simt/cases.h"

namespace specmv::simt {

// Matrices whose plans have properties that may be wrong for another matrix: blocks full or not,
// rows empty or not, a row far longer than the others, diagonals with holes or without.
std::vector<TestMatrix> foreignMatrices();

// The mutants of each format's plans for these matrices that layout() accepts, each plan text once
// per matrix; the matrices must outlive them.
std::vector<TestCase> foreignCases(const std::vector<TestMatrix> &matrices);

} // namespace specmv::simt
