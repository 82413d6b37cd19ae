// Facts about the values of a matrix, for plans that store values shorter or not at all. They are a
// pass of their own, made only where somebody asks. Each value is defined by its bits
// (templates/profile/value_features.cuh), which kernels compile too.
#pragma once

#include "models/csr.h"
#include "templates/profile/value_features.cuh"

#include <bit>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The bits of a value, in a word as wide.
inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

// The stored entries, each as it is: entries of one place are not added up, and a stored zero
// counts. The facts do not depend on the order of the entries. Of a matrix without entries, what is
// said of all values holds, but there is no value that all have.
struct ValueFacts {
  ValueType type = ValueType::f64;
  int64_t count = 0;
  // The number of different bit patterns; kMostDistinct + 1 if there are more than kMostDistinct.
  int distinct = 0;
  // Their bits in ascending order, those of f32 in the low half; empty if there are more.
  std::vector<uint64_t> values = {};
  bool plusMinusOne = true; // all are 1 or -1
  bool exactInF32 = true, exactInF16 = true, exactInI16 = true, exactInI8 = true;
  bool finite = true; // no infinity, no NaN
  // All entries of a diagonal col - row have the same bits. False if there are more than
  // kMostComparedDiagonals, or if a row has more than kMostInComparedRow entries: a profile counts
  // no diagonals then, even if some entries are repeated.
  bool constantAlongDiagonals = true;

  bool operator==(const ValueFacts &) const = default;
  // The value that all entries have; nullopt if they differ or there are none.
  std::optional<double> constant() const;
  // A line for each fact, the same text for the same facts on every machine.
  std::string text() const;
};

// Finds the facts of a valid matrix, which must have values, on all cores. The result does not
// depend on the index type or the number of threads. `diagonals` is the number that a profile has
// counted, if one is known: it spares a look at the columns.
ValueFacts valueFacts(const CsrView &a, std::optional<int64_t> diagonals = std::nullopt);

// The facts but that of the diagonals: from the flags of all values (value_features.cuh), and the
// bits of the different ones, in any order, or nullopt if there are more than kMostDistinct.
ValueFacts factsOfValues(ValueType type, int64_t count, unsigned flags,
                         std::optional<std::vector<uint64_t>> values);

// Tells without a look at the matrix whether these values are constant along diagonals; nullopt if
// that is not known. No diagonal has two values, so there are not more values than diagonals.
std::optional<bool> areConstantAlongDiagonals(const ValueFacts &facts,
                                              std::optional<int64_t> diagonals);

} // namespace specmv
