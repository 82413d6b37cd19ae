// Divides the batches of column tiles among blocks.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace specmv {

// Pieces are consecutive; each belongs to one tile and one block.
struct CtilePieces {
  std::vector<int64_t> blockPiece; // blocks + 1: the first piece of each
  std::vector<int64_t> batch;      // pieces + 1: the first batch of each
  std::vector<int64_t> tile;       // of each piece
  int64_t blocks() const { return static_cast<int64_t>(blockPiece.size()) - 1; }
  int64_t pieces() const { return static_cast<int64_t>(tile.size()); }
};

// Tile t has batches tileBatch[t] .. tileBatch[t + 1] - 1. At most `blocks` blocks get pieces so
// that the most loaded one has as little to do as possible; to begin a piece costs as much as
// `start` batches, and blocks of `warps` warps are not worth fewer batches than these.
CtilePieces ctilePieces(llvm::ArrayRef<int64_t> tileBatch, int64_t blocks, int64_t start,
                        int64_t warps);

} // namespace specmv
