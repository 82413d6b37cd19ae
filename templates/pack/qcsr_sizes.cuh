// Constants on which the packing of QCSR's slices and its kernels must agree, each defined only
// here. Contains only constants, because the generator includes this file too.
#pragma once

namespace specmv {

// The number of rows in the largest chunk that a warp packs, and in the largest that a block packs.
enum : int {
  kQcsrWarpRows = 256,
  kQcsrBlockRows = 4096,
  // The number of blocks of these kernels that an SM must hold. Without such numbers, ptxas (13.0,
  // sm_80 to sm_100) gives a thread so few registers that 1,024 to 2,048 threads fit; this spills
  // in the kernels that cut chunks, and serializes loads in the one that fills lines.
  kQcsrCutBlocksPerSm = 3,
  kQcsrFillBlocksPerSm = 4,
};

// The tiles of a chunk are packed one after another, so a chunk with more tiles is left to the
// host.
enum : int { kQcsrPackedTiles = 4096 };

// The number of lines that a warp fills: enough to make the search for their first slice cheap.
enum : int {
  kQcsrFilledLines = 32,
  // The number of entries of a segment that a lane loads together: a sector of 32-bit columns.
  kQcsrFillBatch = 8,
};

// The counts over all chunks. The sizes, from kQcsrTiles on, are also counted for each chunk.
enum QcsrTotal {
  kQcsrDescents, // entries whose column is less than that of the previous entry in their row
  kQcsrUnfit,    // not 0: a chunk has too many tiles or entries, or a segment is too long
  kQcsrWindow,   // the largest number of columns that a chunk spans in a tile
  kQcsrTiles,
  kQcsrSlices,
  kQcsrBatches,
  kQcsrLines,
  kQcsrRowWords,
  kQcsrTotals
};
enum : int { kQcsrSizes = kQcsrTotals - kQcsrTiles };

} // namespace specmv
