// Cuts the tiles of QCSR into slices and deals these to warps (templates/qcsr_slices.cuh).
#pragma once

#include "generator/formats/qcsr/cut.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace specmv {

constexpr int64_t kQcsrLanes = 32; // of a slice

struct QcsrSliceShape {
  int64_t d;
  int64_t rows; // of a chunk
  // A chunk is one warp's stream, or each of its tiles is shared by `warps` streams.
  bool stage;
  int64_t warps;
  int64_t window = 0; // where x is staged: what stands for padding
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

// Sorts the segments of each tile of the chunk by descending length, and cuts them into slices,
// which refer to them.
QcsrSlices qcsrSlice(const QcsrSliceShape &shape, QcsrChunk &chunk);

// Calls f(slices) for the slices of each stream of a chunk in turn; a stream may have none.
void forEachStream(const QcsrSlices &chunk, llvm::function_ref<void(llvm::ArrayRef<QcsrSlice>)> f);

// The slices at the front that are of the first one's tile.
llvm::ArrayRef<QcsrSlice> qcsrFirstTile(llvm::ArrayRef<QcsrSlice> slices);

// The lines of slices: their widths, added up.
int64_t qcsrLines(llvm::ArrayRef<QcsrSlice> slices);

} // namespace specmv
