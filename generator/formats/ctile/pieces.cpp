// Divides batches among blocks: the least load for which the blocks suffice is found by bisection.
#include "generator/formats/ctile/pieces.h"

#include <algorithm>

namespace specmv {

namespace {
struct CtileCosts {
  int64_t load; // what a block may do, in batches
  int64_t start;
};
} // namespace

// Blocks take as much of each tile as their load allows. A block that has room for a small piece
// only, which would cost more to begin than to multiply, takes none of the next tile.
static CtilePieces divideBatches(llvm::ArrayRef<int64_t> tileBatch, const CtileCosts &costs) {
  CtilePieces out;
  int64_t room = 0;
  for (size_t tile = 0; tile + 1 < tileBatch.size(); ++tile)
    for (int64_t batch = tileBatch[tile]; batch < tileBatch[tile + 1];) {
      const int64_t left = tileBatch[tile + 1] - batch;
      if (room <= costs.start + std::min(left, costs.start)) {
        out.blockPiece.push_back(out.pieces());
        room = costs.load;
      }
      const int64_t count = std::min(left, room - costs.start);
      out.tile.push_back(static_cast<int64_t>(tile));
      out.batch.push_back(batch);
      batch += count;
      room -= costs.start + count;
    }
  out.blockPiece.push_back(out.pieces());
  out.batch.push_back(tileBatch.back());
  return out;
}

CtilePieces ctilePieces(llvm::ArrayRef<int64_t> tileBatch, int64_t blocks, int64_t start,
                        int64_t warps) {
  const auto tiles = static_cast<int64_t>(tileBatch.size()) - 1;
  int64_t least = start + warps, most = least + tileBatch.back() + 2 * start * tiles;
  while (least < most) {
    const int64_t load = least + (most - least) / 2;
    divideBatches(tileBatch, {load, start}).blocks() <= blocks ? most = load : least = load + 1;
  }
  return divideBatches(tileBatch, {most, start});
}

} // namespace specmv
