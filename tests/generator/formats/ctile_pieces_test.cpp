// Tests of the division of the work of column tiles among blocks and warps.
#include "generator/formats/ctile/layout.h"
#include "tests/generator/formats/ctile_plan.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("pieces cover the work of all tiles, each in one tile, and load blocks evenly") {
  const std::vector<int64_t> lists[] = {
      {}, {1}, {0, 0, 7}, {1000}, {3, 997, 1, 499}, {100, 100, 100, 100, 100}};
  for (const std::vector<int64_t> &tileWork : lists)
    for (int64_t blocks : {1, 2, 7, 132})
      for (int64_t start : {1, 50})
        for (int64_t least : {1, 32})
          for (int64_t batch : {1, 5}) {
            CAPTURE(blocks);
            CAPTURE(start);
            CAPTURE(least);
            CAPTURE(batch);
            CAPTURE(tileWork.size());
            const CtilePieces p = ctilePieces(tileWork, blocks, {start, least, batch});
            CHECK(p.blocks() <= blocks);
            CHECK(p.blockPiece.back() == p.pieces());
            std::vector<int64_t> done(tileWork.size()), loads(p.blocks());
            for (int64_t block = 0; block < p.blocks(); ++block)
              for (int64_t i = p.blockPiece[block]; i < p.blockPiece[block + 1]; ++i) {
                const int64_t tile = p.tile[i];
                CHECK((i == 0 || p.tile[i - 1] <= tile));
                CHECK(p.begin[i] == done[tile]);
                done[tile] = p.end[i];
                // It has a batch, since the last of a tile has, and work of `batch` too.
                CHECK((p.end[i] == tileWork[tile] ? p.begin[i] < p.end[i]
                                                  : p.end[i] - p.begin[i] >= batch));
                loads[block] += start + p.end[i] - p.begin[i];
              }
            CHECK(done == tileWork);
            // No block has more than its even share, the begin of one piece more than that, and
            // what a small piece at its end would be.
            int64_t total = start * p.pieces();
            for (int64_t work : tileWork)
              total += work;
            for (int64_t load : loads)
              CHECK(load <= std::max(start + std::max(least, batch),
                                     ceilDiv(total, blocks) + 2 * start + std::max(start, batch)));
          }
}

// The most work of a warp and of a block, in slots: that of their batches and of the ends of rows.
static std::pair<int64_t, int64_t> mostWork(const CsrMatrix &a, const Plan &plan,
                                            const Problem &problem) {
  const Layout layout = llvm::cantFail(layoutOf(a, plan, problem));
  const std::vector<int64_t> batch = numbersOf(layout, "shareBatch"),
                             row = numbersOf(layout, "shareRow"),
                             blockPiece = numbersOf(layout, "blockPiece");
  const int64_t warps = plan.get(key::kCtileThreads) / 32;
  const auto workOf = [&](int64_t from, int64_t to) {
    return (batch[to] - batch[from]) * kCtileBatch + ctileEndSlots(problem) * (row[to] - row[from]);
  };
  std::pair<int64_t, int64_t> most;
  for (int64_t share = 0; share + 1 < ssize(batch); ++share)
    most.first = std::max(most.first, workOf(share, share + 1));
  for (size_t block = 0; block + 1 < blockPiece.size(); ++block)
    most.second =
        std::max(most.second, workOf(blockPiece[block] * warps, blockPiece[block + 1] * warps));
  return most;
}

TEST_CASE("blocks and warps of column tiles have equal work where many rows end in one place") {
  // The rows of a band are empty in all tiles but one or two. And long rows come before short ones.
  const CsrMatrix band = matrixOf(
                      "band", 8000, 8000,
                      [](int64_t i) { return run(std::clamp<int64_t>(i - 10, 0, 7980), 20); }),
                  sorted = matrixOf("long rows first", 8000, 1000,
                                    [](int64_t i) { return run(0, i < 400 ? 400 : 1); });
  for (const CsrMatrix *a : {&band, &sorted})
    for (const Problem &problem : {Problem{ValueType::f32}, kDouble}) {
      CAPTURE(a->name);
      const Plan plan = a == &band ? ctilePlan(2000, 8, true, 128) : ctilePlan(1000, 8, false, 128);
      const Layout layout = llvm::cantFail(layoutOf(*a, plan, problem));
      const int64_t work = layout.find("val")->count() +
                           ctileEndSlots(problem) * a->rows * ctileTiles(plan, a->cols),
                    batch = (1 + ctileEndSlots(problem)) * kCtileBatch;
      const auto [ofWarp, ofBlock] = mostWork(*a, plan, problem);
      CHECK(ofBlock <= work / 8 + 6 * batch);
      CHECK(ofWarp <= work / 8 / 4 + 4 * batch);
    }
}
