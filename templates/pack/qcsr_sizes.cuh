// Numbers of the packing of QCSR's slices that its kernels and the host must agree on, each
// standing here once. Constants only: the generator includes this file too.
#pragma once

namespace specmv {

// Rows of the largest chunk that a warp packs, and of the largest of all, which a block packs.
enum : int {
  kQcsrWarpRows = 256,
  kQcsrBlockRows = 4096,
  // Blocks of the kernels that an SM must hold: without such numbers ptxas (13.0, sm_80 to sm_100)
  // gives a thread so few registers that 1,024 to 2,048 threads fit, which spills where a chunk is
  // cut and lets one load wait for another where lines are filled.
  kQcsrCutBlocksPerSm = 3,
  kQcsrFillBlocksPerSm = 4,
};

// The tiles of a chunk are packed one after the other, so a chunk with more is left to the host.
enum : int { kQcsrPackedTiles = 4096 };

// Lines that a warp fills: enough to make finding their first slice a small part of it.
enum : int {
  kQcsrFilledLines = 32,
  // Entries of a segment that a lane loads together: a sector of 32-bit columns.
  kQcsrFillBatch = 8,
};

// What is counted of all chunks. The sizes, from kQcsrTiles on, are also counted of each chunk.
enum QcsrTotal {
  kQcsrDescents, // entries whose column is less than that of the entry before in their row
  kQcsrUnfit,    // not 0: a chunk has too many tiles or entries, or a segment is too long
  kQcsrWindow,   // the most columns that a chunk spans in a tile
  kQcsrTiles,
  kQcsrSlices,
  kQcsrBatches,
  kQcsrLines,
  kQcsrRowWords,
  kQcsrTotals
};
enum : int { kQcsrSizes = kQcsrTotals - kQcsrTiles };

} // namespace specmv
