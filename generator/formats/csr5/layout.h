// The shape of CSR5's tiles for a plan and a matrix, and their packing.
#pragma once

#include "generator/emit.h"
#include "generator/format.h"

namespace specmv {

struct Csr5Shape {
  int64_t omega, sigma, groupTiles, block; // groupTiles: tiles that one group of omega lanes takes
  int64_t tiles;

  Csr5Shape(const Plan &plan, int64_t nnz);
  int64_t tileEntries() const { return omega * sigma; }
  int64_t slots() const { return tiles * tileEntries(); }
  int64_t blockTiles() const { return block / omega * groupTiles; }
  int64_t blocks() const { return ceilDiv(tiles, blockTiles()); }
};

constexpr int64_t kMaxCsr5Sigma = 32; // bits of the widest bit_flag
constexpr int64_t kMaxCsr5Tiles = 64; // of a group; more would only leave SMs idle at the end

constexpr PlanNumber kCsr5Numbers[] = {{"csr5.omega", 8, 32, /*isPowerOfTwo=*/true},
                                       {"csr5.sigma", 1, kMaxCsr5Sigma},
                                       {"csr5.tiles", 1, kMaxCsr5Tiles},
                                       {"empty", 0, 1},
                                       kBlockNumber};

// The type that holds sigma bits.
constexpr ElementType csr5FlagType(int64_t sigma) {
  return sigma <= 8 ? ElementType::u8 : sigma <= 16 ? ElementType::u16 : ElementType::i32;
}

llvm::Expected<Layout> csr5Layout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
