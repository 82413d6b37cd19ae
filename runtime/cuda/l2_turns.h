// Says how much of the arrays of one plan or of several L2 keeps from product to product.
#pragma once

#include "models/base/fork.h"

#include <cstdint>
#include <list>
#include <memory>

namespace specmv {

// --- L2 policy -----------------------------------------------------------------------------------

// Makes the policy by which L2 keeps the arrays of a matrix from one product to the next.

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

// --- L2 turns ------------------------------------------------------------------------------------

// Says how much of a plan's arrays L2 is to keep if other plans of the program multiply in turn
// with it, as in multigrid.

// What one product reads and writes.
struct L2Use {
  int64_t arrayBytes = 0, vectorBytes = 0; // of the matrix, and of x and y
};

class L2Turn;

// The order in which the plans on one GPU have multiplied, the last one first. Thread-safe.
class L2Turns {
public:
  explicit L2Turns(int64_t l2Bytes) : l2Bytes_(l2Bytes) {}

private:
  friend class L2Turn;
  friend class L2Place;
  // Adds what the plans use that have multiplied since the last product of `turn`.
  L2Use withOthers(const L2Turn &turn, L2Use use) const;

  const int64_t l2Bytes_;
  ForkMutex mutex_;
  std::list<L2Turn *> order_;
};

// The turn of one plan in this order. Plans of which one replaces the other have one turn together:
// those that are compared while they multiply do not divide L2.
class L2Turn {
public:
  explicit L2Turn(std::shared_ptr<L2Turns> turns);
  L2Turn(const L2Turn &) = delete;
  L2Turn &operator=(const L2Turn &) = delete;
  ~L2Turn();

private:
  friend class L2Turns;
  friend class L2Place;
  const std::shared_ptr<L2Turns> turns_;
  std::list<L2Turn *>::iterator at_;
  L2Use use_; // of the last product
  bool hasMultiplied_ = false;
};

// What L2 keeps of one plan's arrays. Products on the same arrays share it.
class L2Place {
public:
  explicit L2Place(std::shared_ptr<L2Turn> turn);
  const std::shared_ptr<L2Turn> &turn() const { return turn_; }

  // Counts a product, and returns how many sixteenths of its arrays L2 is to keep. The plans that
  // multiply in turn keep equal parts of their arrays: sixteenthsKept() of all of them together. A
  // plan that kept less gets more only after several products that all allow it, since a multigrid
  // method multiplies by one matrix a few times before it goes on to the next.
  int sixteenthsFor(const L2Use &use);

private:
  const std::shared_ptr<L2Turn> turn_;
  int kept_;                 // sixteenths
  int productsWithMore_ = 0; // in a row, which allowed more than kept_
  int allowed_ = 0;          // the least that these allowed
};

} // namespace specmv
