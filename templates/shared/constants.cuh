// Constants on which kernels and the host must agree, each defined only here. Contains only
// constants, because the generator includes this file too.
//
// In this file and in all templates, numbers are enumerators, or functions if they depend on a
// type, but never constexpr variables. NVRTC turns each constexpr variable into a variable of the
// module, even if nothing reads it. A module with variables takes 230 to 620 us to load and 160 to
// 350 us to unload; without them, it takes 20 to 70 us and 5 to 11 us (H200, driver 580.159). A
// test looks for variables in all kernels.
#pragma once

namespace specmv {

// A plan has one of these in place of a number that its kernel takes as an argument.
enum : int { kAsArgument = -1, kAsNarrowArgument = -2 };

// Enough to hide the latency of memory, but few enough that a kernel in double keeps its occupancy
// (a thread has 8 x (8 + 4) bytes in flight).

// The entries of a row of a padded array (ELL, SELL, JAD) whose loads are issued together.
enum : int { kPaddedBatch = 8 };

// Full unrolling costs NVRTC 0.12 s at a width of 64 and 1 s at 256 (double, measured with NVRTC
// 13.0), and does not make the kernel faster.

// Loops over widths up to kUnrollFully are fully unrolled, longer ones by kUnrollWide.
enum : int {
  kUnrollFully = 64,
  kUnrollWide = 16,
  // The kernels of ELL for any width have code of their own for each width beyond one batch, to
  // kEllMostKnown. One of them serves those to kEllMostNarrow, which need fewer registers.
  kEllMostNarrow = 16,
  kEllMostKnown = 48,
};

// The number of entries of a row that a lane of CSR-vector loads together.
enum : int { kRowUnroll = 4 };

// The number of words of open rows that a lane collects together, so that it waits for memory only
// once.
enum : int { kCollectedTogether = 8 };

// The number of values whose loads a lane issues together: those of a 3 x 3 block. In double, a
// thread has 72 registers, and an SM runs three blocks of threads, which load 54 KB at a time. In
// float, a thread has at most 64, and an SM runs four blocks, which load 36 KB or more. An H200
// needs about 32 KB per SM: 4,247 GB/s times a latency of about a microsecond.
enum : int {
  kBcsrBatchF32 = 12,
  kBcsrBatchF64 = 9,
  // The most pieces of blocks that are loaded together, because each needs its own registers.
  kBcsrMostPieces = 4,
};

// The number of entries of a lane of CSR5 whose loads are issued together, as many as in ELL.
enum : int { kCsr5Batch = 8 };

// The number of bytes of a row of X that a thread reads at once in a product with several vectors;
// and the number of threads in a team, which together read the values of all vectors
// (shared/several.cuh).
enum : int { kBytesOfMember = 16 };
constexpr int teamOf(int vectors, int valueBytes) {
  return vectors * valueBytes <= kBytesOfMember ? 1 : vectors * valueBytes / kBytesOfMember;
}

// The number of threads of a block that copies vectors to rows of X.
enum : int { kRowsOfXThreads = 256 };

// The threads of a block that adds up the partial sums of a fused step (shared/fused.cuh), and the
// loads that each of them issues together.
enum : int { kSumThreads = 1024, kSumBatch = 4 };
// The threads of a block that only runs a step, without a product, and the rows of each thread.
enum : int { kStepThreads = 256, kStepRows = 4 };
// The most vectors, scalars and sums of a step.
enum : int { kStepVectors = 8, kStepWritten = 4, kStepScalars = 8, kStepSums = 4 };

// Means "no row" in a list of rows.
enum : int { kNoRow = -1 };

// The number of diagonals that a DIA kernel can have in its code, and the number of rows that share
// a set of holes: one bit each of a word.
enum : int {
  kMaxDiagonals = 256,
  kHoleRows = 32,
};

// The word of a batch of QCSR's slices: from bit 0 on, a bit for each line that ends a slice; then
// the number of lines; then the tile's column.
enum : int {
  kQcsrLinesBit = 8,
  kQcsrTileBit = 12,
  kQcsrLinesMask = (1 << (kQcsrTileBit - kQcsrLinesBit)) - 1,
  // The most lines of a batch: as many as there are bits for their ends, and enough loads to cover
  // the latency of memory, while a double kernel still has four blocks per SM (64 registers, ptxas
  // 13.0 for sm_90).
  kQcsrBatch = 8,
};

// A batch of column tiles: the entries of a lane, whose columns one load of 16 bytes fetches, and
// those of a warp. The number of a lane's ends has a bit for each entry. Columns of a tile, and one
// more number for padding, fit 16 bits.
enum : int {
  kCtileEntries = 8,
  kCtileBatch = 32 * kCtileEntries,
  kCtileEndMask = (1 << kCtileEntries) - 1,
  kCtileMostColumns = 65535,
  // The tiles whose sums of a row are loaded together.
  kCtileSumsBatch = 16,
};

} // namespace specmv
