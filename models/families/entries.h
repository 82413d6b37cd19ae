// Matrices made from entries in any order, where a row cannot be filled on its own: graphs whose
// edges are drawn, patterns that are mirrored at the diagonal.
#pragma once

#include "models/families/build.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

using Emit = llvm::function_ref<void(int64_t row, int64_t col)>;
// Emits the entries of the sources begin .. end-1 (edges, nodes, rows: what the family draws from).
// Called twice for each source, from several threads; must not throw.
using EmitEntries = std::function<void(int64_t begin, int64_t end, Emit emit)>;

// Builds a matrix from the entries of all sources; an entry that is emitted again counts once.
// Fails as buildMatrix does, after one round of emission and before anything but rowPtr is
// allocated. No more than 2^32-1 entries may be emitted.
llvm::Expected<CsrMatrix> buildFromEntries(int64_t rows, int64_t cols, const Values &values,
                                           int64_t sources, const EmitEntries &emitEntries);

} // namespace specmv
