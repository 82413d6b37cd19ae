// The packing of column tiles: their numbers, arrays and batches.
#pragma once

#include "generator/emit.h"
#include "generator/formats/ctile/pieces.h"
#include "generator/layout.h"
#include "templates/shared/constants.cuh"

namespace specmv {

namespace key {
inline constexpr IntegerKey kCtileColumns{"ctile.columns"}, kCtileThreads{"ctile.threads"},
    kCtileBlocks{"ctile.blocks"}, kCtileSums{"sums"};
} // namespace key

// The tiles of a matrix, and the columns of each but the last. They are equally wide, since a
// narrow one would have very short parts of rows. A matrix without columns has a tile too, in which
// each row is padding. The rows of all tiles are numbered tile by tile, as in templates/ctile.cuh.
int64_t ctileWidth(const Plan &plan, int64_t cols);
int64_t ctileTiles(const Plan &plan, int64_t cols);
// True if the kernels have the columns of a tile as an argument.
inline bool ctileIsGeneral(const Plan &plan) { return plan.get(key::kCtileColumns) == kAsArgument; }
// True if a second kernel adds up the sums of several tiles.
inline bool ctileHasSums(const Plan &plan) { return plan.get(key::kCtileSums) != 0; }

// The name of the columns of a tile among the numbers of a layout.
constexpr const char *kCtileColumnsNumber = "columns";

struct CtileCounts {
  int64_t rows = 0, cols = 0, tiles = 0, blocks = 0, pieces = 0, batches = 0;
};
// The arrays and arguments of the kernel that multiplies, of the one that adds up the sums, and of
// all kernels of the plan.
Fields ctileFields(const Plan &plan, const Problem &problem, const CtileCounts &n);
Fields ctileSumsFields(const Plan &plan, const Problem &problem, const CtileCounts &n);
Fields ctileAllFields(const Plan &plan, const Problem &problem, const CtileCounts &n);

// The shared memory of a block, for vectors of this type: the dynamic array and all.
int64_t ctileWindowBytes(int64_t columns, ValueType type);
int64_t ctileSharedBytes(const Plan &plan, ValueType type);

// Why so many slots are too many; "" if they are not.
std::string whyNoCtile(int64_t rows, int64_t tiles, int64_t nnz, int64_t slots);

// The packings of the host and of the GPU check the plan before anything is packed, then the slots.
llvm::Error checkCtilePlan(const Plan &plan, const MatrixSize &a, const Problem &problem);
llvm::Error checkCtileSlots(const Plan &plan, const MatrixSize &a, int64_t slots);

// The slots that take as long as the end of a row.
int64_t ctileEndSlots(const Problem &problem);
// The work of all ends of rows of a tile, and what the division of the work depends on.
int64_t ctileWorkOfEnds(const Problem &problem, int64_t rows);
CtileWork ctileWorkOf(const Plan &plan, const Problem &problem, int64_t cols);
// The pieces of tiles, of which tile t has the batches tileBatch[t] to tileBatch[t + 1] - 1.
CtilePieces ctilePiecesOf(const Plan &plan, const Problem &problem, const MatrixSize &a,
                          llvm::ArrayRef<int64_t> tileBatch);

llvm::Expected<Layout> ctileLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
