// Makes matrices from entries in any order, for families that cannot fill a matrix row by row:
// graphs whose edges are drawn at random, and patterns that are mirrored at the diagonal.
#pragma once

#include "models/lab/families/build.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

using Emit = llvm::function_ref<void(int64_t row, int64_t col)>;
// Emits the entries of sources begin .. end-1. A source is the unit for which a family draws
// entries: an edge, a node or a row. Called twice for each source, from several threads; must not
// throw.
using EmitEntries = std::function<void(int64_t begin, int64_t end, Emit emit)>;

// Builds a matrix from the entries of all sources. An entry that is emitted several times counts
// once. Fails as buildMatrix does, after all entries were emitted once and before any array but
// rowPtr is allocated. At most 2^32-1 entries may be emitted.
llvm::Expected<CsrMatrix> buildFromEntries(int64_t rows, int64_t cols, const Values &values,
                                           int64_t sources, const EmitEntries &emitEntries);

} // namespace specmv
