// Divides work among blocks: the least load for which the blocks suffice is found by bisection.
#include "generator/formats/ctile/pieces.h"

#include <algorithm>
#include <numeric>

namespace specmv {

// Blocks take as much of each tile as their load allows. A block that has room for a small piece
// only, which would cost more to begin than to multiply or might have no batch, takes none of the
// next tile.
static CtilePieces dividedBy(int64_t load, llvm::ArrayRef<int64_t> tileWork,
                             const CtileWork &work) {
  CtilePieces out;
  int64_t room = 0;
  for (size_t tile = 0; tile < tileWork.size(); ++tile)
    for (int64_t done = 0; done < tileWork[tile];) {
      const int64_t left = tileWork[tile] - done;
      if (room < work.start + std::min(left, std::max(work.start + 1, work.batch))) {
        out.blockPiece.push_back(out.pieces());
        room = load;
      }
      const int64_t count = std::min(left, room - work.start);
      out.tile.push_back(static_cast<int64_t>(tile));
      out.begin.push_back(done);
      out.end.push_back(done + count);
      done += count;
      room -= work.start + count;
    }
  out.blockPiece.push_back(out.pieces());
  return out;
}

CtilePieces ctilePieces(llvm::ArrayRef<int64_t> tileWork, int64_t blocks, const CtileWork &work) {
  int64_t least = work.start + work.leastOfBlock(),
          most = std::accumulate(tileWork.begin(), tileWork.end(), least) +
                 2 * work.start * static_cast<int64_t>(tileWork.size());
  while (least < most) {
    const int64_t load = least + (most - least) / 2;
    dividedBy(load, tileWork, work).blocks() <= blocks ? most = load : least = load + 1;
  }
  return dividedBy(most, tileWork, work);
}

} // namespace specmv
