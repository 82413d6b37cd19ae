// Adversarial matrices for kernels: shapes and patterns at the limits of the mappings' assumptions.
#pragma once

#include "models/csr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::simt {

// The columns of a row, in any order, possibly repeated.
struct TestMatrix {
  std::string name;
  int64_t rows = 0, cols = 0;
  std::vector<int32_t> rowPtr{0}, col;
  bool explicitZeros = false; // some of its entries get the value 0

  int64_t nnz() const { return static_cast<int64_t>(col.size()); }
  CsrView view(ValueType type, const void *val) const {
    return {rows, cols, nnz(), IndexType::i32, type, rowPtr.data(), col.data(), val};
  }
};

std::vector<TestMatrix> adversarialMatrices();

// The matrix with its rows in the order of `order`.
TestMatrix permuted(const TestMatrix &a, const std::vector<int64_t> &order);

// Numbers for entries and vectors, the same in every run: element i of stream `stream`. Integers in
// -8 .. 8 without 0, or reals in -1 .. 1 that are not dyadic fractions, rounded to the type.
double integerNumber(uint64_t stream, uint64_t i);
double realNumber(uint64_t stream, uint64_t i, ValueType type);

} // namespace specmv::simt
