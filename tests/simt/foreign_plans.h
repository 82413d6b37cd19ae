// Plans that no plans() made and layout() takes all the same: simt_emit compiles their kernels,
// foreign_test multiplies with them.
#pragma once

#include "tests/simt/cases.h"

namespace specmv::simt {

// Matrices whose plans have what may be wrong in another's: blocks full and not, rows empty and
// not, a row far longer than the others, diagonals with holes and without.
std::vector<TestMatrix> foreignMatrices();

// The mutants of each format's plans for these matrices that layout() takes, each plan text once a
// matrix; the matrices must outlive them.
std::vector<TestCase> foreignCases(const std::vector<TestMatrix> &matrices);

} // namespace specmv::simt
