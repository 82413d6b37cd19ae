// Says whether the arrays of a matrix stay in L2 from one product to the next.
#pragma once

#include <cstdint>

namespace specmv {

// Policies of L2 as createpolicy makes them (PTX), on all architectures so far; a test on a GPU
// compares. Kernels get them as an argument: templates/shared/load.cuh says why.
constexpr uint64_t kEvictedFirst = 0x12f0000000000000, kKeptInL2 = 0x16f0000000000000;

// The share of L2 that data can fill which is read again and again: 32 of 50 MB on an H100, where
// 40 did not stay (tests/bench/README.md).
constexpr double kShareToFill = 0.64;
// A solver has about as many other vectors as x and y.
constexpr double kVectorsOfSolver = 2;

// The bytes that the products of a solver use in turn: the arrays of the matrix, and the vectors,
// of which x and y have so many together.
inline double bytesInTurn(int64_t arrayBytes, int64_t vectorBytes) {
  return static_cast<double>(arrayBytes) + kVectorsOfSolver * static_cast<double>(vectorBytes);
}

// Returns the policy for the loads of the arrays.
inline uint64_t l2PolicyFor(int64_t arrayBytes, int64_t vectorBytes, int64_t l2Bytes) {
  return bytesInTurn(arrayBytes, vectorBytes) <= kShareToFill * static_cast<double>(l2Bytes)
             ? kKeptInL2
             : kEvictedFirst;
}

} // namespace specmv
