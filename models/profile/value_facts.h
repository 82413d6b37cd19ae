// Facts about the values of a matrix, for plans that store them in fewer bits or not at all.
#pragma once

#include "models/csr.h"
#include "templates/profile/value_features.cuh"

#include <bit>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Value facts ---------------------------------------------------------------------------------

// Facts about the values of a matrix, for plans that store values in fewer bits or not at all.
// Finding them takes a pass of its own, which is made only if the facts are needed. The facts are
// defined by the bits of values in templates/profile/value_features.cuh, which kernels compile too.

// The bits of a value, in a word of the same width.
inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }

// A diagonal col - row, and the bits that all of its values have.
struct ValueOfDiagonal {
  int64_t offset;
  uint64_t bits;
  bool operator==(const ValueOfDiagonal &) const = default;
};

// Facts about the stored entries: repeated entries are not added up, and a stored zero counts. They
// do not depend on the order of the entries. For a matrix without entries, all flags are true and
// `values` is empty.
struct ValueFacts {
  ValueType type = ValueType::f64;
  int64_t count = 0;
  // The number of different bit patterns; kMostDistinct + 1 if there are more than kMostDistinct.
  int distinct = 0;
  // The different bit patterns in ascending order, those of f32 in the low half; empty if there are
  // more than kMostDistinct.
  std::vector<uint64_t> values = {};
  bool plusMinusOne = true; // all are 1 or -1
  bool exactInF32 = true, exactInF16 = true, exactInI16 = true, exactInI8 = true;
  bool finite = true; // no infinity, no NaN
  // All entries of a diagonal col - row have the same bits. False if there are more than
  // kMostComparedDiagonals, or if a row has more than kMostInComparedRow entries: a profile counts
  // no diagonals then, even if some entries are repeated.
  bool constantAlongDiagonals = true;
  // These diagonals with their values, by ascending offsets; empty if all values are equal, which
  // are not always compared.
  std::vector<ValueOfDiagonal> diagonals = {};

  bool operator==(const ValueFacts &) const = default;
  // Takes the diagonals that a comparison found, in any order; nullopt if values differ or there
  // are too many diagonals.
  void setDiagonals(std::optional<std::vector<ValueOfDiagonal>> compared);
  // The common value of all entries; nullopt if values differ or there are no entries.
  std::optional<double> constant() const;
  // A line for each fact, the same text for the same facts on every machine.
  std::string text() const;
};

// Finds the facts of a valid matrix, which must have values, on all cores. The result does not
// depend on the index type or the number of threads. `diagonals` is the number of diagonals that a
// profile has counted, if one was made; the columns then need not be read.
ValueFacts valueFacts(const CsrView &a, std::optional<int64_t> diagonals = std::nullopt);

// Makes all facts except constantAlongDiagonals from the flags of all values (value_features.cuh)
// and from the different bit patterns, in any order; nullopt if there are more than kMostDistinct.
ValueFacts factsOfValues(ValueType type, int64_t count, unsigned flags,
                         std::optional<std::vector<uint64_t>> values);

// Says without reading the matrix whether its values are constant along diagonals; nullopt if this
// does not follow from the facts. Values that are constant along diagonals have at most as many
// different bit patterns as there are diagonals.
std::optional<bool> areConstantAlongDiagonals(const ValueFacts &facts,
                                              std::optional<int64_t> diagonals);

// --- Value diagonals -----------------------------------------------------------------------------

// Compares the values along the diagonals of a matrix.

// Returns the diagonals in any order if ValueFacts::constantAlongDiagonals is true. Reads
// rowPtr, col and val until the answer is known.
std::optional<std::vector<ValueOfDiagonal>> compareDiagonals(const CsrView &a);

} // namespace specmv
