// Divides the work of column tiles among blocks.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace specmv {

// Pieces are consecutive; each belongs to one tile and one block.
struct CtilePieces {
  std::vector<int64_t> blockPiece; // blocks + 1: the first piece of each
  std::vector<int64_t> tile;       // of each piece
  std::vector<int64_t> begin, end; // the part of the tile's work
  int64_t blocks() const { return static_cast<int64_t>(blockPiece.size()) - 1; }
  int64_t pieces() const { return static_cast<int64_t>(tile.size()); }
};

// Work, in units of that of a batch in which no row ends.
struct CtileWork {
  int64_t start; // to begin a piece
  int64_t least; // of a block: rather fewer blocks than less work for each
  int64_t batch; // the most that a batch may take

  int64_t leastOfBlock() const { return std::max(least, batch); }
};

// Divides the work of each tile. At most `blocks` blocks get pieces so that the most loaded one has
// as little to do as possible. Each piece has a batch at least.
CtilePieces ctilePieces(llvm::ArrayRef<int64_t> tileWork, int64_t blocks, const CtileWork &work);

} // namespace specmv
