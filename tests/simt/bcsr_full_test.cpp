// Tests of BCSR's packing on a GPU of matrices whose blocks are all full: it needs no merge, and
// other matrices are packed, left to the host or refused as they would be without it.
#include "generator/formats/bcsr/layout.h"
#include "tests/shard.h"
#include "tests/simt/bcsr_cases.h"
#include "tests/simt/packing_testing.h"

#include <algorithm>

using namespace specmv;
using namespace specmv::simt;

namespace {

// Returns the kernels that are launched when the matrix is packed for the plan of the case.
std::vector<std::string> launched(const TestMatrix &a, const FullBlocksCase &of) {
  return withView(a, of.problem.type, integerValues(a), [&](const CsrView &given) {
    return withIndices(given, of.csrIndex, [&](const CsrView &view) {
      HostWorkspace workspace(view, 1);
      llvm::consumeError(findFormat("bcsr")->layoutOn(workspace, of.plan, of.problem).takeError());
      return workspace.launched();
    });
  });
}

bool has(const std::vector<std::string> &names, const char *name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Packs packsBlocks(const TestMatrix &a, const FullBlocksCase &of, unsigned seed = 0) {
  return checkPacking(a, of.plan, of.problem, of.csrIndex, seed);
}

const FullBlocksCase &caseOf(const std::vector<FullBlocksCase> &cases, int64_t r, int64_t c) {
  return cases.at(static_cast<size_t>((r - 1) * 8 + c - 1));
}

// Returns the first entry of a row in the middle that has entries, and the row.
std::pair<size_t, size_t> middleOf(const TestMatrix &a) {
  size_t row = a.rowPtr.size() / 2;
  while (a.rowPtr[row + 1] - a.rowPtr[row] < 12)
    ++row;
  return {static_cast<size_t>(a.rowPtr[row]), row};
}

TestMatrix withoutEntry(TestMatrix a) {
  const auto [entry, row] = middleOf(a);
  a.col.erase(a.col.begin() + static_cast<int64_t>(entry));
  for (size_t i = row + 1; i < a.rowPtr.size(); ++i)
    --a.rowPtr[i];
  return a;
}

// Changes the columns of each row of the block row in the middle.
template <class Change> TestMatrix inBlockRow(TestMatrix a, int64_t r, const Change &change) {
  const auto ofMiddle = static_cast<int64_t>(middleOf(a).second);
  for (int64_t row = ofMiddle / r * r; row < ofMiddle / r * r + r; ++row)
    change(a.col.begin() + a.rowPtr[static_cast<size_t>(row)],
           a.col.begin() + a.rowPtr[static_cast<size_t>(row) + 1]);
  return a;
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE("a GPU packs full blocks of every shape without a merge, as the host does") {
    const std::vector<FullBlocksCase> cases = fullBlocksCases();
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < cases.size(); i += count) {
      CHECK(packsBlocks(cases[i].matrix, cases[i], static_cast<unsigned>(i % 3)) == Packs::device);
      const std::vector<std::string> names = launched(cases[i].matrix, cases[i]);
      CHECK(has(names, "specmv_bcsrFillFull"));
      CHECK_FALSE(has(names, "specmv_bcsrCount"));
    }
  }
} // TEST_SUITE

TEST_CASE(
    "what is not full in one entry is refused or left to the host, as without the short way") {
  const std::vector<FullBlocksCase> cases = fullBlocksCases();
  for (const auto &[r, c] : {std::pair<int64_t, int64_t>{3, 3}, {1, 4}, {8, 8}, {5, 2}, {6, 7}}) {
    const FullBlocksCase &of = caseOf(cases, r, c);
    const auto [entry, row] = middleOf(of.matrix);
    TestMatrix moved = of.matrix, repeated = of.matrix, unsorted = of.matrix;
    moved.col[static_cast<size_t>(of.matrix.rowPtr[row + 1]) - 1] =
        static_cast<int32_t>(of.matrix.cols - 1);
    repeated.col[entry + 1] = repeated.col[entry];
    std::swap(unsorted.col[entry], unsorted.col[entry + 1]);
    CHECK(packsBlocks(moved, of) == Packs::nobody);
    CHECK(packsBlocks(repeated, of) == Packs::host);
    CHECK(packsBlocks(unsorted, of) == Packs::host);
    CHECK(packsBlocks(withoutEntry(of.matrix), of) == Packs::nobody);
    CHECK(has(launched(moved, of), "specmv_bcsrFillFull"));
    CHECK(has(launched(moved, of), "specmv_bcsrCount"));
    CHECK_FALSE(has(launched(withoutEntry(of.matrix), of), "specmv_bcsrFillFull"));
  }
}

TEST_CASE("rows that are alike and still not full are refused or left to the host") {
  const std::vector<FullBlocksCase> cases = fullBlocksCases();
  using Sides = std::pair<int64_t, int64_t>;
  for (const Sides &sides : {Sides{3, 3}, {8, 8}, {4, 3}, {2, 5}}) {
    const int64_t r = sides.first, c = sides.second;
    const FullBlocksCase &of = caseOf(cases, r, c);
    const auto last = inBlockRow(of.matrix, r, [&](auto begin, auto end) { // a shifted block
      std::for_each(end - c, end, [](int32_t &col) { ++col; });
      static_cast<void>(begin);
    });
    CHECK(packsBlocks(last, of) == Packs::nobody);
    // Tries each pair of neighbouring blocks, including those of two rounds or of two tiles.
    const auto [entry, row] = middleOf(of.matrix);
    for (int64_t at = 0; at + 2 * c <= of.matrix.rowPtr[row + 1] - static_cast<int64_t>(entry);
         at += c) {
      const TestMatrix swapped = inBlockRow(of.matrix, r, [&](auto begin, auto) {
        std::rotate(begin + at, begin + at + c, begin + at + 2 * c);
      });
      CHECK(packsBlocks(swapped, of) == Packs::host);
    }
    const TestMatrix reversed =
        inBlockRow(of.matrix, r, [](auto begin, auto end) { std::reverse(begin, end); });
    CHECK(packsBlocks(reversed, of) == Packs::host);
  }
}

TEST_CASE("full blocks but for a block row that lacks rows") {
  const FullBlocksCase of = fullBlocksCases().at(2 * 8 + 2); // 3 x 3
  TestMatrix a = of.matrix;
  --a.rows;
  a.rowPtr.pop_back();
  a.col.resize(static_cast<size_t>(a.rowPtr.back()));
  CHECK(packsBlocks(a, of) == Packs::nobody);
  TestMatrix empty = of.matrix; // its rows have no entries
  empty.rows += 2;
  empty.rowPtr.insert(empty.rowPtr.end(), 2, empty.rowPtr.back());
  CHECK(packsBlocks(empty, of) == Packs::device);
  CHECK_FALSE(has(launched(empty, of), "specmv_bcsrCount"));
  const TestMatrix none{"no entries", 7, 9, std::vector<int32_t>(8, 0), {}, false};
  CHECK(packsBlocks(none, of) == Packs::device);
}

TEST_CASE("columns that ascend only in their last 16 bits are not taken for full blocks") {
  const FullBlocksCase of = fullBlocksCases().at(2 * 8 + 2);
  REQUIRE(of.plan.get(key::kBcsrLocal) == 1);
  const int32_t far = 3 * (65536 + 1);
  TestMatrix a{"far", 3, 300000, {0}, {}, false};
  for (int i = 0; i < 3; ++i) {
    for (int32_t begin : {0, far, 6})
      a.col.insert(a.col.end(), {begin, begin + 1, begin + 2});
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  CHECK(packsBlocks(a, of) == Packs::host);
}
