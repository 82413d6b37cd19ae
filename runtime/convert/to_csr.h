// Converts a matrix in another layout, or its transpose, to CSR.
#pragma once

#include "runtime/convert/description.h"
#include "runtime/matrix.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace specmv {

// Element e is the caller's number of the entry that is e-th in CSR.
using EntryOrder = std::vector<int64_t>;

struct ConvertedMatrix {
  std::shared_ptr<HostCopy> csr;           // with zeros if there are no values yet
  std::shared_ptr<const EntryOrder> order; // null: the caller's order, or not wanted
};

// Converts arrays on the host. Within a row, entries keep the caller's order. wantsOrder asks for
// the order of entries, which new values need. If the arrays form no matrix, Status::badInput names
// the place and the bad number; Status::hostMemory if the host has too little.
llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, bool isTransposed,
                                      bool wantsOrder);

// Converts arrays on a GPU, which are copied to the host first.
llvm::Expected<ConvertedMatrix> toCsr(const MatrixDescription &a, const GpuDevice &gpu,
                                      bool isTransposed, bool wantsOrder);

// Computes to[e] = from[order[e]], or copies if there is no order. Both arrays have `count` values.
void reorderValues(const EntryOrder *order, ValueType type, int64_t count, const void *from,
                   void *to);

} // namespace specmv
