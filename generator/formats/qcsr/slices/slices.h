// Cuts the tiles of QCSR into slices and distributes the slices over warps
// (templates/qcsr_slices.cuh).
#pragma once

#include "generator/formats/qcsr/cut.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

constexpr int64_t kQcsrLanes = 32; // of a slice

struct QcsrSliceShape {
  int64_t d;
  int64_t rows; // of a chunk
  // If false, a chunk is one warp's stream; if true, each tile of a chunk has `warps` streams.
  bool stage;
  int64_t warps;
  int64_t window = 0; // if x is staged: the local column that stands for padding
  QcsrBorders borders() const { return stage ? QcsrBorders::ofChunk : QcsrBorders::ofMatrix; }
};

// At most 32 segments of a tile, by descending length.
struct QcsrSlice {
  int64_t stream; // within the chunk
  llvm::ArrayRef<QcsrSegment> segments, tile;
  int64_t width() const { return segments[0].length(); }
};

struct QcsrSlices {
  int64_t tiles = 0, streams = 0; // of the chunk
  std::vector<QcsrSlice> slices;  // by stream and then by tile
};

// Sorts the segments of each tile of the chunk by descending length, and cuts them into slices. The
// slices refer to the chunk's segments.
QcsrSlices qcsrSlice(const QcsrSliceShape &shape, QcsrChunk &chunk);

// Calls f(slices) for the slices of each stream of a chunk in turn; a stream may have none.
void forEachStream(const QcsrSlices &chunk, llvm::function_ref<void(llvm::ArrayRef<QcsrSlice>)> f);

// The slices at the front that belong to the tile of the first slice.
llvm::ArrayRef<QcsrSlice> qcsrFirstTile(llvm::ArrayRef<QcsrSlice> slices);

// The lines of these slices: the sum of their widths.
int64_t qcsrLines(llvm::ArrayRef<QcsrSlice> slices);

} // namespace specmv
