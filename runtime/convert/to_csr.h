// Makes CSR of a matrix in another layout, or of its transpose.
#pragma once

#include "runtime/convert/description.h"
#include "runtime/matrix.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace specmv {

// Element e is the number, in the caller's order, of the entry that is e-th in CSR.
using EntryOrder = std::vector<int64_t>;

struct ConvertedMatrix {
  std::shared_ptr<HostCopy> csr;           // with zeros if there are no values yet
  std::shared_ptr<const EntryOrder> order; // null: it is the caller's, or not wanted
};

// Of arrays on the host. Rows keep the order in which the caller has their entries. The order is
// told if it is wanted: for new values. Status::badInput with the place and the number at fault if
// the arrays form no matrix; Status::missing if the host has not the memory for it.
llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, bool isTransposed,
                                      bool wantsOrder);

// The same of arrays on a GPU, which are copied to the host first.
llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, const GpuDevice &gpu,
                                      bool isTransposed, bool wantsOrder);

// to[e] = from[order[e]]; without an order a mere copy. Both have the size of the order.
void reorderValues(const EntryOrder *order, ValueType type, int64_t count, const void *from,
                   void *to);

} // namespace specmv
