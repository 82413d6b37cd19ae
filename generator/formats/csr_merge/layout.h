// The packing of merge-path CSR: its shape and its arrays.
#pragma once

#include "generator/emit.h"
#include "generator/layout.h"

namespace specmv {

namespace key {
inline constexpr IntegerKey kMergeItems{"merge.items"}, kMergeThreads{"merge.threads"};
} // namespace key

// Blocks and threads of a matrix's items: its entries and the ends of its rows.
struct MergeShape {
  int64_t items, threads, blocks;
  MergeShape(const Plan &plan, int64_t rows, int64_t nnz);
  int64_t paths() const { return blocks * threads; }
  int64_t warps() const { return paths() / 32; }
  int64_t warpItems() const { return 32 * items; }
  int64_t blockItems() const { return threads * items; }
  ElementType path() const;
};

// The arrays and arguments of the kernel.
Fields csrMergeFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t nnz);

llvm::Expected<Layout> csrMergeLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
