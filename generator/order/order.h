// Orders of rows and columns in which neighbouring rows read neighbouring columns. A plan with an
// order (Plan::order) multiplies by the matrix whose rows and columns are permuted alike.
#pragma once

#include "models/csr.h"
#include "models/plan.h"
#include "models/problem.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace specmv {

// The only order, as in a plan's text: by a breadth-first search over the pattern.
constexpr const char *kBreadthFirst = "bfs";

// Row and column i of the permuted matrix are row and column rowAt[i] of A.
struct Order {
  std::vector<int32_t> rowAt;
  int64_t levels = 0; // of the search: the more there are, the nearer are the columns of a row

  bool operator==(const Order &) const = default;
};

// Says why a plan cannot have its order for the problem; "" if it can.
std::string whyNotOrder(const Plan &plan, const Problem &problem);
// Fails if no order has this name; "" is the order of the matrix.
llvm::Error checkOrder(const std::string &order);
// Tells people what the order of a plan gives, by a clause in front of another one.
inline const char *gistOfOrder(const Plan &plan) {
  return plan.order.empty() ? ""
                            : "rows and columns are in an order in which x is read in fewer "
                              "pieces, and ";
}
// Fails with Status::notApplicable if no order is made for matrices of this size, with `longest`
// entries in the longest row.
llvm::Error checkOrdered(const MatrixSize &a, int64_t longest);

// Returns true if products by the plan permute x and y. If they do not, but the plan has an order,
// the vectors are in that order.
inline bool permutesVectors(const Plan &plan, const Problem &problem) {
  return !plan.order.empty() && !problem.vectorsAreOrdered;
}

// Makes the order of a valid matrix, unless checkOrdered() fails: that of Cuthill and
// McKee, but without sorting neighbours by degree. A first search, from a row with the fewest
// entries, but two at least, ends in a row at the rim; the order is that of a second search from
// there, which goes on from the first row that it has not met. A search ends after kMostLevels
// levels; the rows that it has not met follow in the order of the matrix.
llvm::Expected<Order> orderOf(const CsrView &a);

// Returns false if the search had so few levels, each of many rows, that the order does not bring
// the columns of neighbouring rows together: nobody then needs to look at the permuted matrix.
bool bringsTogether(const Order &order);

// A matrix with permuted rows and columns. The columns of a row ascend; entries with equal columns
// keep their order.
struct PermutedCsr {
  CsrView view;
  std::vector<std::byte> rowPtr = {}, col = {}, val = {}; // val is empty if A has no values
  std::vector<uint32_t> placeOf = {};                     // entry e of A is entry placeOf[e]
};
PermutedCsr permuted(const CsrView &a, const Order &order);

} // namespace specmv
