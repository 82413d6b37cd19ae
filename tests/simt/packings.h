// Packings that are tried beside those of the table of cases: larger matrices, also with 64-bit CSR
// indices. simt_emit walks them to compile their kernels.
#pragma once

#include "generator/setup/packing.h"
#include "tests/simt/cases.h"

namespace specmv::simt {

// A plan of some matrix; another matrix may be packed for it as well.
struct PackingCase {
  Problem problem;
  Plan plan;
  IndexType csrIndex;
  int64_t rows; // of the plan's matrix; padding could fill all memory if another had more
};

// Thousands of rows, exceeding the block size of every set-up kernel.
std::vector<TestMatrix> largeMatrices();

// Returns some plans for each format that packs on a GPU and each matrix, each plan once.
std::vector<PackingCase> packingCases(const std::vector<TestMatrix> &matrices);

} // namespace specmv::simt
