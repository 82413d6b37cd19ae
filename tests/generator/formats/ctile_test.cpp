// Tests of column tiles: arrays that are read back as the kernel reads them, offers and refusals.
#include "generator/formats/ctile/layout.h"
#include "tests/generator/formats/ctile_plan.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Walks through a layout as the kernel does, and checks what each warp and block begins with.
class CtileReader {
public:
  CtileReader(const CsrMatrix &a, const Plan &plan, const Layout &layout)
      : a_(a), layout_(layout), columns_(plan.get(key::kCtileColumns)),
        width_(ctileWidth(plan, a.cols)), warps_(plan.get(key::kCtileThreads) / 32),
        ends_(numbersOf(layout, "ends")), local_(numbersOf(layout, "local")) {}

  std::vector<SlotEntry> entries() {
    const std::vector<int64_t> blockPiece = numbersOf(layout_, "blockPiece");
    for (size_t block = 0; block + 1 < blockPiece.size(); ++block) {
      checkOpen(static_cast<int64_t>(block));
      CHECK(blockPiece[block] < blockPiece[block + 1]);
      for (int64_t piece = blockPiece[block]; piece < blockPiece[block + 1]; ++piece)
        readPiece(piece);
    }
    CHECK(row_ == a_.rows * std::max<int64_t>(1, ceilDiv(a_.cols, width_)));
    CHECK(numbersOf(layout_, "shareRow").back() == row_);
    CHECK(numbersOf(layout_, "shareBatch").back() == ssize(ends_) / 32);
    std::sort(found_.begin(), found_.end());
    return found_;
  }
  int64_t padding() const { return padding_; }

private:
  // A row is open at the begin of the block if its last entry so far was not its last one.
  void checkOpen(int64_t block) {
    const int64_t first = numberAt(*layout_.find("openFirst"), block),
                  last = numberAt(*layout_.find("openLast"), block);
    CHECK((first != last) == isOpen_);
    if (isOpen_)
      CHECK((first < block && block <= last));
    else
      CHECK((first == block && last == block));
  }

  void readPiece(int64_t piece) {
    const int64_t column = numberAt(*layout_.find("pieceColumn"), piece);
    const auto firstBatch = [&](int64_t share) {
      return numberAt(*layout_.find("shareBatch"), share);
    };
    CHECK(firstBatch(piece * warps_) < firstBatch((piece + 1) * warps_));
    for (int64_t share = piece * warps_; share < (piece + 1) * warps_; ++share) {
      CHECK(numberAt(*layout_.find("shareRow"), share) == row_);
      CHECK(firstBatch(share) <= firstBatch(share + 1));
      for (int64_t batch = firstBatch(share); batch < firstBatch(share + 1); ++batch)
        readBatch(batch, column);
    }
  }

  void readBatch(int64_t batch, int64_t column) {
    int64_t before = 0;
    for (int64_t lane = 0; lane < 32; ++lane) {
      const int64_t ends = ends_[batch * 32 + lane];
      CHECK(ends / 256 == before);
      for (int64_t i = 0; i < 8; ++i) {
        const int64_t local = local_[(batch * 32 + lane) * 8 + i];
        CHECK(row_ / a_.rows == column / width_);
        if (local < width_)
          found_.push_back({row_ % a_.rows, column + local, batch * 256 + i * 32 + lane});
        else
          CHECK((local == columns_ && ++padding_ > 0));
        isOpen_ = !(ends >> i & 1);
        row_ += !isOpen_;
        before += !isOpen_;
      }
    }
  }

  const CsrMatrix &a_;
  const Layout &layout_;
  int64_t columns_, width_, warps_;
  std::vector<int64_t> ends_, local_;
  std::vector<SlotEntry> found_;
  int64_t row_ = 0, padding_ = 0; // row_ counts the rows of all tiles
  bool isOpen_ = false;
};

// Rows of all lengths: empty, short, and one with an entry in each column.
CsrMatrix unevenRows(int64_t rows, int64_t cols) {
  return matrixOf("uneven", rows, cols, [=](int64_t i) {
    return i % 7 == 3 ? Row{} : scattered(i, i == rows / 2 ? cols : i * i % 90, cols);
  });
}

} // namespace

TEST_CASE(
    "column tiles hold each entry once, in its row and tile, for every division of the work") {
  for (const CsrMatrix &a : {unevenRows(60, 100), unevenRows(300, 129), unevenRows(1, 1000),
                             unevenRows(40, 1), evenMatrix(500, 3),
                             matrixOf("empty tiles", 50, 900,
                                      [](int64_t i) { return run(i % 2 == 0 ? 0 : 800, i % 5); }),
                             matrixOf("descending", 30, 300, [](int64_t i) {
                               Row row = run(i, 40, 5);
                               std::reverse(row.begin(), row.end());
                               return row;
                             })})
    for (int64_t columns : {32, 64, 100, 1000})
      for (int64_t blocks : {1, 2, 3, 50})
        for (int64_t threads : {32, 128}) {
          const Plan plan = ctilePlan(columns, blocks, a.cols > columns, threads);
          const std::string what = a.name + ": " + plan.text();
          CAPTURE(what);
          auto layout = layoutOf(a, plan);
          if (!layout) // more padding than is allowed
            CHECK(contains(describe(layout.takeError()).second, "slots"));
          else
            CHECK(CtileReader(a, plan, *layout).entries() == slotEntriesOf(a, *layout));
        }
}

TEST_CASE("each row without an entry in a tile has one slot there") {
  const CsrMatrix a = matrixOf("every second row", 256, 64,
                               [](int64_t i) { return i % 2 == 0 ? run(0, 2) : Row{}; });
  for (int64_t columns : {32, 64}) {
    const Plan plan = ctilePlan(columns, 2, columns < 64);
    const Layout layout = llvm::cantFail(layoutOf(a, plan));
    CtileReader reader(a, plan, layout);
    CHECK(reader.entries().size() == 256);
    // 256 entries and 128 empty rows in the first tile, rounded up; 256 empty rows in the second.
    CHECK(layout.find("val")->count() == (columns == 64 ? 512 : 768));
    CHECK(reader.padding() == (columns == 64 ? 256 : 512));
  }
}

TEST_CASE("matrices without rows, columns or entries are packed") {
  for (const auto &[rows, cols] : {std::pair<int64_t, int64_t>{0, 0}, {0, 40}, {40, 0}, {40, 40}}) {
    const CsrMatrix a = matrixOf("empty", rows, cols, [](int64_t) { return Row{}; });
    const Plan plan = ctilePlan(64, 3, false);
    const Layout layout = llvm::cantFail(layoutOf(a, plan));
    CHECK(CtileReader(a, plan, layout).entries().empty());
    CHECK(findFormat("ctile")->steps(plan, kDouble, layout).size() == (rows > 0 ? 1 : 0));
  }
}

TEST_CASE("a matrix of several tiles needs a second kernel, which begins early") {
  for (int64_t cols : {63, 64, 65, 128, 129}) {
    CAPTURE(cols);
    const CsrMatrix a = unevenRows(40, cols);
    const std::vector<Plan> plans = offerOf(a, "ctile", {{"ctile.columns", 64}}).plans;
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].get(key::kCtileSums) == (cols > 64));
    const Layout layout = llvm::cantFail(layoutOf(a, plans[0]));
    const Steps steps = findFormat("ctile")->steps(plans[0], kDouble, layout);
    REQUIRE(steps.size() == (cols > 64 ? 2 : 1));
    if (cols <= 64)
      continue;
    CHECK(layout.scratch.front().count() == 40 * ctileTiles(plans[0], cols));
    CHECK(std::get<Launch>(steps[0].action).onY == OnY::nothing);
    CHECK(std::get<Launch>(steps[1].action).onY == OnY::stores);
  }
}

TEST_CASE("tiles are equally wide, in steps of 32 columns") {
  struct Tiles {
    int64_t cols, width, count;
  };
  for (const Tiles &t : {Tiles{0, 32, 1},
                         {1, 32, 1},
                         {96, 96, 1},
                         {100, 100, 1},
                         {101, 64, 2},
                         {200, 100, 2},
                         {201, 96, 3},
                         {1000, 100, 10}}) {
    CAPTURE(t.cols);
    CHECK(ctileWidth(ctilePlan(100, 1, true), t.cols) == t.width);
    CHECK(ctileTiles(ctilePlan(100, 1, true), t.cols) == t.count);
  }
}

TEST_CASE("a plan for one tile refuses a wider matrix, and each plan too much shared memory") {
  const CsrMatrix a = unevenRows(40, 65);
  const std::string wider = refusal(a, ctilePlan(64, 1, false));
  CHECK(contains(wider, "64 columns"));
  CHECK(contains(wider, "65 columns"));
  CHECK(contains(refusal(a, ctilePlan(40000, 1, false)), "232448"));
  CHECK(contains(offerOf(a, "ctile", {{"ctile.columns", 40000}}).why, "ctile.columns = 40000"));
  CHECK(static_cast<bool>(layoutOf(a, ctilePlan(40000, 1, false), {ValueType::f32})));
}

TEST_CASE("column tiles refuse more padding than a product should move") {
  const CsrMatrix a =
      matrixOf("an entry in each row", 4000, 4000, [](int64_t i) { return run(i, 1); });
  CHECK(contains(refusal(a, ctilePlan(64, 1, true)), "63 tiles"));
  CHECK(contains(offerOf(a, "ctile", {{"ctile.columns", 64}}).why, "63 tiles"));
}

TEST_CASE("column tiles are offered if the parts of rows are long enough") {
  const Offer many = offerOf(evenMatrix(1000, 3), "ctile");
  CHECK(many.plans.empty());
  CHECK(contains(many.why, "parts of rows"));
  CHECK(contains(many.why, "ctile.columns"));
  CHECK(offerOf(evenMatrix(1000, 4), "ctile").plans.size() == 1); // x is small: one size of tile
  SparsityProfile wide = profile(evenMatrix(1000, 40).view());
  wide.cols = 70000;
  const std::vector<Plan> plans = offerOf(wide, "ctile").plans;
  REQUIRE(plans.size() == 2);
  for (const Plan &plan : plans) {
    CHECK(plan.get(key::kCtileBlocks) == h200().sms);
    CHECK(ctileSharedBytes(plan, ValueType::f64) <= h200().sharedBytesPerBlock);
  }
}

TEST_CASE("column tiles of very many columns take 64 bits for columns") {
  WideMatrix wide(evenMatrix(200, 40));
  wide.cols = (int64_t(1) << 31) + 5;
  const Offer offer = offerOf(profile(wide.view()), "ctile", {{"ctile.columns", 28000}});
  CHECK(contains(offer.why, "slots"));
  Plan plan = ctilePlan(100, 3, true);
  wide.cols = 300;
  std::vector<double> ones(wide.col.size(), 1);
  CsrView view = wide.view();
  view.val = ones.data();
  for (int64_t bits : {32, 64}) {
    plan = planWith(planWith(plan, "offset", bits), "column", bits);
    CHECK(static_cast<bool>(findFormat("ctile")->layout(view, plan, kDouble)));
  }
}

TEST_CASE("a few blocks copy their tiles no faster than an SM can") {
  // One block copies the same tile, alone or beside 131 others, so their stages take equally long.
  const auto stagingUs = [](int64_t blocks) {
    const CsrMatrix a = matrixOf("wide", 40 * blocks, 24000, [](int64_t i) {
      return run(static_cast<int32_t>(i % 7), 3000, 7);
    });
    const Fixed fixed = {{"ctile.columns", 24576},
                         {"ctile.threads", 1024},
                         {"ctile.blocks", static_cast<double>(blocks)}};
    return trafficOf(a, offerOf(a, "ctile", fixed).plans.at(0), kDouble).stagingUs;
  };
  CHECK(stagingUs(1) == doctest::Approx(stagingUs(132)));
}
