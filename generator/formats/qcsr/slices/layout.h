// Packing QCSR in slices on the host and on a GPU: the numbers of a layout and the checks of a
// plan.
#pragma once

#include "generator/formats/qcsr/qcsr.h"
#include "generator/formats/qcsr/slices/slices.h"

namespace specmv {

QcsrSliceShape qcsrSliceShapeOf(const Plan &plan);

// Rows of a lane in one word of sliceRows.
int64_t qcsrRowsPerWord(int64_t chunkRows);

// The number of streams of a matrix with this many chunks and tiles.
int64_t qcsrStreamsOf(const Plan &plan, int64_t chunks, int64_t tiles);

// Fails if no matrix can be packed for the plan.
llvm::Error checkQcsrSlicesPlan(const Plan &plan, ValueType type);
// Fails if the layout is too large, or if the plan's index types or its window are too small.
// `window` is the largest number of columns that a chunk spans in a tile.
llvm::Error checkQcsrSlicesSize(const MatrixSize &a, const Plan &plan, const QcsrSliceCounts &n,
                                int64_t window);

} // namespace specmv
