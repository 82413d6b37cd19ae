// The shape of CSR5's tiles for a plan and a matrix, and their packing.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"
#include "templates/shared/constants.cuh"

#include <limits>

namespace specmv {

namespace key {
inline constexpr IntegerKey kCsr5Omega{"csr5.omega"}, kCsr5Sigma{"csr5.sigma"},
    kCsr5Tiles{"csr5.tiles"}, kCsr5Empty{"empty"}, kCsr5Hot{"csr5.hot"};
} // namespace key

// The names of numbers that general kernels read, in a layout.
constexpr const char *kCsr5GroupTiles = "tilesPerGroup", *kCsr5HotCount = "hotColumns";

struct Csr5Shape {
  int64_t omega, sigma, groupTiles, block; // groupTiles: tiles that one group of omega lanes takes
  int64_t tiles;
  // The empty rows of the matrix and, if there are any, the number of rows that end in tiles where
  // they are not consecutive.
  int64_t emptyRows = 0, gaps = 0;
  int64_t hot; // columns whose x is in shared memory, or kAsArgument

  Csr5Shape(const Plan &plan, int64_t nnz);
  int64_t tileEntries() const { return omega * sigma; }
  int64_t slots() const { return tiles * tileEntries(); }
  int64_t blockTiles() const { return block / omega * groupTiles; }
  int64_t blocks() const { return ceilDiv(tiles, blockTiles()); }
  // Rows of a lane whose sums fit shared memory at a time, as csr5Staged() in templates/csr5.cuh
  // says.
  int64_t stagedRows() const {
    return std::min<int64_t>(hot != 0 ? kCsr5Batch / 2 : kCsr5Batch, sigma);
  }
};

// The bytes of shared memory for x of the hot columns. With 200 KB, what is left of L1 for the
// other columns is too little, and products were slower (measured on an H200).
constexpr int64_t kMaxHotBytes = 160 * 1024;
// The other shared memory of a block of csr5-hot, as templates/csr5.cuh declares it.
int64_t csr5StaticBytes(const Plan &plan, int64_t valueBytes);
// Columns of a matrix that is packed with hot columns: their new numbers have 32 bits.
constexpr int64_t kMaxHotCols = std::numeric_limits<int32_t>::max() - kMaxHotBytes / 4;

constexpr int64_t kMaxCsr5Sigma = 32; // bits of the widest bit_flag
constexpr int64_t kMaxCsr5Tiles = 64; // tiles of a group; with more, SMs are idle at the end

constexpr Parameter kCsr5Omega{.name = key::kCsr5Omega.name,
                               .least = 8,
                               .most = 32,
                               .isPowerOfTwo = true,
                               .isSettable = true,
                               .tried = {8, 16}}; // 32 is offered
constexpr Parameter kCsr5Sigma{.name = key::kCsr5Sigma.name,
                               .least = 1,
                               .most = kMaxCsr5Sigma,
                               .isSettable = true,
                               .tried = {1, 4, 12, 19}};
constexpr Parameter kCsr5Tiles{.name = key::kCsr5Tiles.name,
                               .least = 1,
                               .most = kMaxCsr5Tiles,
                               .isSettable = true,
                               .tried = {3}};
constexpr Parameter kCsr5Empty{.name = key::kCsr5Empty.name, .least = 0, .most = 1};
constexpr Parameter kCsr5Parameters[] = {kCsr5Omega, kCsr5Sigma, kCsr5Tiles, kCsr5Empty,
                                         kBlockParameter};
constexpr Parameter kCsr5HotParameters[] = {kCsr5Omega,
                                            kCsr5Sigma,
                                            kCsr5Tiles,
                                            kCsr5Empty,
                                            {.name = key::kCsr5Hot.name,
                                             .least = 1,
                                             .most = kMaxHotBytes / 4,
                                             .isSettable = true,
                                             .tried = {1, 7}},
                                            {.name = key::kBlock.name,
                                             .least = 32,
                                             .most = 1024,
                                             .isPowerOfTwo = true,
                                             .isSettable = true}};

// The narrowest type that has sigma bits.
constexpr ElementType csr5FlagType(int64_t sigma) {
  return sigma <= 8 ? ElementType::u8 : sigma <= 16 ? ElementType::u16 : ElementType::i32;
}

// The arrays and arguments of the kernel that collects x of the hot columns.
Fields csr5HotFields(const Plan &plan, const Problem &problem);
// The arrays and arguments of the kernel.
Fields csr5Fields(const Plan &plan, const Problem &problem, const Csr5Shape &shape);

// The arrays and arguments of both kernels.
Fields allCsr5Fields(const Plan &plan, const Problem &problem, const Csr5Shape &shape);

// Fails if a matrix with this many empty rows cannot be packed for the plan.
llvm::Error checkCsr5Plan(const MatrixSize &a, const Plan &plan, const Problem &problem,
                          int64_t emptyRows);

llvm::Expected<Layout> csr5Layout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
