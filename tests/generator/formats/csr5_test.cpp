// Tests of CSR5's tiles: each descriptor against its definition, counted entry by entry; the matrix
// read back from the arrays alone; and which matrices a plan refuses.
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "generator/formats/csr5/layout.h"
#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

const Fixed kTileShapes[] = {{{"csr5.omega", 32}, {"csr5.sigma", 4}},
                             {{"csr5.omega", 32}, {"csr5.sigma", 17}},
                             {{"csr5.omega", 16}, {"csr5.sigma", 9}, {"csr5.tiles", 3}},
                             {{"csr5.omega", 8}, {"csr5.sigma", 1}},
                             {{"csr5.omega", 8}, {"csr5.sigma", 32}}};

std::vector<CsrMatrix> csr5Matrices() {
  std::vector<CsrMatrix> out = edgeMatrices();
  out.push_back(matrixOf("runs of empty rows", 5000, 99, [](int64_t i) {
    return i % 700 < 300 || i % 5 == 0 ? Row{} : scattered(i, 1 + i % 3, 99);
  }));
  out.push_back(matrixOf("single entries and a long row", 3000, 4000,
                         [](int64_t i) { return i == 2000 ? run(0, 4000) : Row{int32_t(i)}; }));
  return out;
}

// A packed matrix, its plan, and the row of each entry.
struct Packed {
  CsrMatrix a;
  Plan plan;
  Csr5Shape shape;
  Layout layout;
  std::vector<int64_t> rowOf;

  Packed(CsrMatrix matrix, const Fixed &fixed)
      : a(std::move(matrix)), plan(offerOf(a, "csr5", fixed).plans.at(0)), shape(plan, a.nnz()),
        layout(llvm::cantFail(layoutOf(a, plan))) {
    for (int64_t row = 0; row < a.rows; ++row)
      rowOf.insert(rowOf.end(), a.rowPtr[row + 1] - a.rowPtr[row], row);
  }
  int64_t at(const char *array, int64_t i) const { return numberAt(*layout.find(array), i); }
  // Returns true if entry e begins a row other than the first row of the matrix.
  bool begins(int64_t e) const { return e > 0 && e < a.nnz() && rowOf[e] != rowOf[e - 1]; }
  int64_t entry(int64_t tile, int64_t lane, int64_t s) const {
    return tile * shape.tileEntries() + lane * shape.sigma + s;
  }
  int64_t beginsIn(int64_t tile, int64_t lane) const {
    int64_t count = 0;
    for (int64_t s = 0; s < shape.sigma; ++s)
      count += begins(entry(tile, lane, s));
    return count;
  }
};

template <class Test> void forAllPacked(Test &&test) {
  for (const CsrMatrix &a : csr5Matrices())
    for (const Fixed &fixed : kTileShapes) {
      const Packed packed(a, fixed);
      const std::string planText = packed.plan.text();
      CAPTURE(a.name);
      CAPTURE(planText);
      test(packed);
    }
}

void checkLane(const Packed &p, int64_t tile, int64_t lane) {
  const int64_t own = tile * p.shape.omega + lane;
  const auto flags = static_cast<uint32_t>(p.at("bitFlag", own));
  for (int64_t s = 0; s < p.shape.sigma; ++s)
    CHECK((flags >> s & 1) == p.begins(p.entry(tile, lane, s)));
  int64_t yOffset = 0, segOffset = 0;
  for (int64_t before = 0; before < lane; ++before)
    yOffset += p.beginsIn(tile, before);
  while (segOffset < lane && p.beginsIn(tile, lane - segOffset) == 0)
    ++segOffset;
  CHECK(p.at("laneOffset", own) / p.shape.omega == yOffset);
  CHECK(p.at("laneOffset", own) % p.shape.omega == segOffset);
}

struct Triplet {
  int64_t row, col;
  double val;
  bool operator==(const Triplet &) const = default;
};

// Returns the entries in order, decoded from the arrays alone. Rows are found as the kernel finds
// them: where one row begins, another ends, and the tile knows its number.
std::vector<Triplet> decoded(const Packed &p) {
  std::vector<Triplet> out;
  size_t closed = 0; // entries before this one belong to rows that have ended
  auto close = [&](int64_t row) {
    for (; closed < out.size(); ++closed)
      out[closed].row = row;
  };
  for (int64_t tile = 0; tile < p.shape.tiles; ++tile) {
    const bool hasGaps = p.plan.get(key::kCsr5Empty) != 0 && p.at("emptyPtr", tile) >= 0;
    int64_t ends = 0;
    for (int64_t lane = 0; lane < p.shape.omega; ++lane)
      for (int64_t s = 0; s < p.shape.sigma; ++s) {
        if (p.at("bitFlag", tile * p.shape.omega + lane) >> s & 1) {
          const int64_t k = ends++;
          close(p.at("tilePtr", tile) +
                (hasGaps ? p.at("emptyOffset", p.at("emptyPtr", tile) + k) : k));
        }
        const int64_t slot = tile * p.shape.tileEntries() + s * p.shape.omega + lane;
        if (p.at("col", slot) >= 0)
          out.push_back({-1, p.at("col", slot), p.layout.find("val")->as<double>()[slot]});
      }
  }
  close(p.at("tilePtr", p.shape.tiles));
  return out;
}

} // namespace

TEST_CASE("descriptors of every lane of every tile are what their definitions count") {
  forAllPacked([](const Packed &p) {
    CHECK(p.layout.find("bitFlag")->count() == p.shape.tiles * p.shape.omega);
    for (int64_t tile = 0; tile < p.shape.tiles; ++tile) {
      CHECK(p.at("tilePtr", tile) == p.rowOf[std::max<int64_t>(p.entry(tile, 0, 0) - 1, 0)]);
      for (int64_t lane = 0; lane<p.shape.omega; lane += p.a.nnz()> 3000 ? 5 : 1)
        checkLane(p, tile, lane);
    }
  });
}

TEST_CASE("the arrays hold the matrix, entry by entry and in its order") {
  int64_t withGaps = 0, without = 0;
  forAllPacked([&](const Packed &p) {
    const Valued valued(p.a.view(), ValueType::f64, 1);
    std::vector<Triplet> want;
    for (int64_t e = 0; e < p.a.nnz(); ++e)
      want.push_back({p.rowOf[e], p.a.col[e], valued[e]});
    CHECK(decoded(p) == want);
    for (int64_t tile = 0; p.plan.get(key::kCsr5Empty) && tile < p.shape.tiles; ++tile)
      ++(p.at("emptyPtr", tile) >= 0 ? withGaps : without);
  });
  CHECK(withGaps > 50);
  CHECK(without > 50);
}

TEST_CASE("rows without entries are listed, and no row is listed or ends in a tile twice") {
  forAllPacked([](const Packed &p) {
    std::vector<int64_t> stored;
    for (int64_t i = 0; i < p.layout.find("emptyRow")->count(); ++i)
      stored.push_back(p.at("emptyRow", i));
    CHECK(static_cast<int64_t>(stored.size()) == p.layout.integer("emptyRows"));
    for (const Triplet &entry : decoded(p))
      if (stored.empty() || stored.back() != entry.row)
        stored.push_back(entry.row);
    std::sort(stored.begin(), stored.end());
    std::vector<int64_t> all(static_cast<size_t>(p.a.rows));
    std::iota(all.begin(), all.end(), 0);
    CHECK(stored == all);
  });
}

TEST_CASE("blocks are told of the rows that go on across their boundaries") {
  int64_t most = 0;
  forAllPacked([&](const Packed &p) {
    const int64_t share = p.shape.blockTiles() * p.shape.tileEntries(), blocks = p.shape.blocks();
    REQUIRE(p.layout.find("openFirst")->count() == blocks + 1);
    for (int64_t b = 0; b <= blocks; ++b) {
      // A row that ends with a block is still open at the boundary: it ends where the next row
      // begins.
      int64_t first = b, last = b;
      const bool isOpen = b > 0 && b < blocks;
      const int64_t row = isOpen ? p.rowOf[b * share - 1] : -1;
      while (isOpen && first > 0 && p.rowOf[first * share - 1] == row)
        --first;
      while (isOpen && last + 1 < blocks && p.rowOf[(last + 1) * share - 1] == row)
        ++last;
      CHECK(p.at("openFirst", b) == first);
      CHECK(p.at("openLast", b) == last);
      most = std::max(most, last - first);
    }
  });
  CHECK(most > 10);
}

TEST_CASE("the plan foretells the bytes to the last one where no row is empty, else nearly") {
  for (const CsrMatrix &a : csr5Matrices())
    for (ValueType type : kTypes)
      for (const Fixed &fixed : kTileShapes) {
        CAPTURE(a.name);
        const Plan plan = offerOf(a, "csr5", fixed, {type}).plans.at(0);
        const Layout layout = llvm::cantFail(layoutOf(a, plan, {type}));
        if (plan.get(key::kCsr5Empty) == 0)
          CHECK(trafficOf(a, plan, {type}).storedBytes == layout.storedBytes());
        else // how many tiles have gaps, the profile does not say
          CHECK(std::abs(trafficOf(a, plan, {type}).storedBytes - layout.storedBytes()) <=
                4 * (a.rows - layout.integer("emptyRows")));
      }
}

namespace {

// Returns the factor by which tiles of this many entries are read again: once more for each further
// batch of rows that end in them beyond the capacity of shared memory.
double countedAgain(const CsrMatrix &a, int64_t tile, int64_t held) {
  std::vector<int64_t> ends(static_cast<size_t>((a.nnz() + tile - 1) / tile));
  for (int64_t row = 0; row < a.rows; ++row)
    if (a.rowPtr[row + 1] > a.rowPtr[row])
      ++ends[static_cast<size_t>((a.rowPtr[row + 1] - 1) / tile)];
  int64_t again = 0;
  for (const int64_t each : ends)
    again += std::max<int64_t>(0, (each - 1) / held);
  return static_cast<double>(again) / static_cast<double>(ends.size());
}

} // namespace

TEST_CASE("how often tiles are read follows from how long rows are, where these are in any order") {
  for (const char *spec :
       {"powerlaw:rows=300000,avg=2,alpha=2.2,max=2000",
        "powerlaw:rows=300000,avg=3,alpha=1.8,max=5000", "rowlengths:dist=fixed,mean=3,rows=200000",
        "rowlengths:dist=fixed,mean=2,rows=200000", "rowlengths:dist=poisson,mean=4,rows=200000",
        "random:rows=100000,k=30"}) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const Fixed fixed{{"csr5.sigma", 32}};
    const Plan plan = offerOf(a, "csr5", fixed, {ValueType::f32}).plans.at(0);
    const SparsityProfile seen = profile(a.view());
    const Problem problem{ValueType::f32};
    GpuModel gpu = h200();
    const auto streamed = [&](double again) {
      gpu.rates.set("csr5.again", again);
      return static_cast<double>(
          findFormat("csr5")->traffic({seen, problem, gpu, fixed}, plan).streamBytes);
    };
    CAPTURE(spec);
    const double expected = countedAgain(a, 32 * 32, 8 * 32);
    CHECK(streamed(1) / streamed(0) - 1 == doctest::Approx(expected).epsilon(0.1).scale(1));
  }
}

TEST_CASE("only rows in tiles with empty rows between others cost the time of a gap") {
  const auto gapsOf = [](int64_t every) {
    const CsrMatrix a = matrixOf("gaps", 200000, 200000, [=](int64_t i) {
      return i % every == 0 ? Row{} : run(i, i < 199990 ? 5 : 1);
    });
    const SparsityProfile seen = profile(a.view());
    const auto workUs = [&](double gapNs) {
      return trafficWith(seen, "csr5", {ValueType::f32}, "csr5.gapNs", gapNs).workUs;
    };
    return 1000 * (workUs(1) - workUs(0.001)) / 0.999 / 200000;
  };
  CHECK(gapsOf(10) == doctest::Approx(0.9).epsilon(0.02)); // each tile of 256 entries has some
  CHECK(gapsOf(2000) < 0.05);
}

TEST_CASE("a plan that knows of empty rows, or of none, is refused where that is not so") {
  const CsrMatrix none = evenMatrix(64, 5);
  const CsrMatrix some =
      matrixOf("some", 64, 64, [](int64_t i) { return i == 9 ? Row{} : run(0, 5); });
  for (const auto &[planned, other] : {std::pair{none, some}, {some, none}})
    CHECK_FALSE(refusal(other, offerOf(planned, "csr5").plans.at(0)).empty());
  const Plan few = offerOf(none, "csr5", {{"csr5.omega", 8}}).plans.at(0);
  CHECK(
      contains(refusal(none, planWith(few, "block", 512)), "512")); // 512 / 8 groups, for 32 lanes
}
