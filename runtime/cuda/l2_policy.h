// Makes the policy by which L2 keeps the arrays of a matrix from one product to the next.
#pragma once

#include <cstdint>

namespace specmv {

// Policies of L2 as createpolicy makes them (PTX), on all architectures so far; a test on a GPU
// compares. Kernels get them as an argument: templates/shared/load.cuh says why.
constexpr uint64_t kEvictedFirst = 0x12f0000000000000;
// One sixteenth of the lines is kept, and the others are evicted first. Each further sixteenth adds
// one at bit kSixteenthsBit.
constexpr uint64_t kSixteenthKept = 0x1700000000000000;
constexpr int kSixteenthsBit = 52;

// Returns the policy that keeps so many sixteenths (sixteenthsKept(), L2Place::sixteenthsFor()).
constexpr uint64_t l2PolicyOf(int sixteenths) {
  if (sixteenths == 0)
    return kEvictedFirst;
  return kSixteenthKept + (static_cast<uint64_t>(sixteenths - 1) << kSixteenthsBit);
}

} // namespace specmv
