// Tests of QCSR's packing: its arrays are read back entry by entry, as the kernels read them; and
// their sizes.
#include "generator/formats/qcsr/cut.h"
#include "generator/formats/qcsr/qcsr.h"
#include "generator/formats/qcsr/tree.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/formats/qcsr_reader.h"
#include "tests/text.h"

#include "models/lab/families/families.h"
#include "models/predict/traffic.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;
using namespace specmv::testing;

namespace {

std::vector<Plan> qcsrPlans(const CsrMatrix &a, const Fixed &fixed = {}) {
  return offerOf(a, "qcsr", fixed).plans;
}

std::vector<Fixed> layouts() {
  std::vector<Fixed> out;
  for (double stage : {0, 1})
    for (double d : {16, 64, 256}) {
      for (double rows : {32, 64, 128, 512})
        if (stage == 1 || rows < 512)
          out.push_back(
              {{"qcsr.slices", 1}, {"qcsr.stage", stage}, {"qcsr.d", d}, {"qcsr.rows", rows}});
      for (double align : {1, 16})
        for (double halved : {0, 1})
          out.push_back({{"qcsr.slices", 0},
                         {"qcsr.stage", stage},
                         {"qcsr.d", d},
                         {"qcsr.align", align},
                         {"qcsr.halved", halved},
                         {"qcsr.fill", 0.3}});
    }
  return out;
}

} // namespace

TEST_CASE("QCSR's arrays hold the entries of the matrix, at their rows and columns") {
  std::vector<CsrMatrix> matrices = edgeMatrices();
  matrices.push_back(llvm::cantFail(generateFamily("stencil5:nx=23,ny=19")));
  matrices.push_back(matrixOf("long and short rows", 700, 900, [](int64_t i) {
    return i % 97 == 13 ? scattered(i, 250, 900) : scattered(i, i % 6, 900);
  }));
  std::set<std::pair<bool, bool>> seen;
  for (const CsrMatrix &a : matrices)
    for (const Fixed &fixed : layouts())
      for (const Plan &plan : qcsrPlans(a, fixed)) {
        CAPTURE(a.name);
        const std::string planText = plan.text();
        CAPTURE(planText);
        const Layout layout = llvm::cantFail(layoutOf(a, plan));
        if (layout.slotsAreShared)
          continue; // repeated entries are one in a Full leaf
        const Valued values(a.view(), kDouble.type, 1);
        CHECK((QcsrReader(plan, layout).read() == entriesOf(a, values)));
        seen.insert({qcsrHasSlices(plan), qcsrStages(plan)});
      }
  CHECK(seen.size() == 4);
}

TEST_CASE("Full leaves hold the entries of the matrix where none repeats") {
  const CsrMatrix a = matrixOf("dense blocks", 300, 300, [](int64_t i) {
    return run(i / 64 * 64, std::min<int64_t>(64, 300 - i / 64 * 64));
  });
  const Fixed fixed{{"qcsr.d", 64}, {"qcsr.fill", 0.5}};
  const std::vector<Plan> plans = qcsrPlans(a, fixed);
  REQUIRE_FALSE(plans.empty());
  for (const Plan &plan : plans) {
    const Layout layout = llvm::cantFail(layoutOf(a, plan));
    CHECK(layout.find("fullBits")->count() == 4 * 64 * 64 / 8); // the last block is not full
    CHECK((QcsrReader(plan, layout).read() == entriesOf(a, Valued(a.view(), kDouble.type, 1))));
  }
}

TEST_CASE("halves are Full leaves where the quadtree as printed has them, and hold the entries") {
  const CsrMatrix all = matrixOf("dense", 100, 100, [](int64_t) { return run(0, 100); });
  const CsrMatrix tall = matrixOf("tall", 300, 40, [](int64_t) { return run(0, 40); });
  const CsrMatrix mixed = matrixOf("mixed", 300, 300, [](int64_t i) {
    return i < 150 ? run(0, 150) : run(static_cast<int32_t>(i) - 1, 2);
  });
  for (const CsrMatrix *a : {&all, &tall, &mixed})
    for (double d : {64, 128})
      for (double fill : {0.5, 0.9}) {
        const Fixed fixed{
            {"qcsr.halved", 1}, {"qcsr.stage", 0}, {"qcsr.d", d}, {"qcsr.fill", fill}};
        const Plan plan = qcsrPlans(*a, fixed).at(0);
        CAPTURE(a->name);
        CAPTURE(plan.text());
        const Layout layout = llvm::cantFail(layoutOf(*a, plan));
        CHECK(
            (QcsrReader(plan, layout).read() == entriesOf(*a, Valued(a->view(), kDouble.type, 1))));
        const QcsrRanges rows(a->rows, plan.get(key::kQcsrD), QcsrBorders::halved);
        std::set<std::pair<int64_t, int64_t>> full; // rows and the first column
        for (int64_t c = 0; c + 1 < layout.find("chunkRow")->count(); ++c)
          for (int64_t t = numberAt(*layout.find("chunkTiles"), c);
               t < numberAt(*layout.find("chunkTiles"), c + 1); ++t)
            if (numberAt(*layout.find("tileFull"), t) >= 0)
              full.insert({rows.at(numberAt(*layout.find("chunkRow"), c)),
                           numberAt(*layout.find("tileColumn"), t)});
        CHECK(static_cast<int64_t>(full.size()) ==
              qcsrTreeAsPrinted(a->view(), plan.get(key::kQcsrD), fill).full);
        CHECK_FALSE(full.empty());
      }
}

TEST_CASE("halves that would store much more than CSR are refused in numbers") {
  const CsrMatrix column = matrixOf("column", 5000, 1, [](int64_t) { return Row{0}; });
  const Fixed fixed{{"qcsr.halved", 1}, {"qcsr.stage", 0}, {"qcsr.d", 8192}, {"qcsr.fill", 0.03}};
  const std::string why = refusal(column, qcsrPlans(column, fixed).at(0));
  CHECK(contains(why, "5000 entries; the limit is 2008576"));
}

TEST_CASE("the tiles of halves are the leaves of the quadtree as printed, and hold its entries") {
  // Halves of 300 are 150 and 75; those of 1000 500, 250 and 125; 23 x 19 is not square.
  std::vector<CsrMatrix> matrices = {
      llvm::cantFail(generateFamily("stencil5:nx=23,ny=19")),
      llvm::cantFail(generateFamily("random:rows=300,cols=1000,k=7")),
      llvm::cantFail(generateFamily("fem2d:rows=1000"))};
  for (const CsrMatrix &a : matrices)
    for (double d : {16, 64, 128, 1024}) {
      const Fixed fixed{{"qcsr.halved", 1}, {"qcsr.stage", 0}, {"qcsr.d", d}, {"qcsr.rows", 16}};
      for (const Plan &plan : qcsrPlans(a, fixed)) {
        CAPTURE(a.name);
        CAPTURE(plan.text());
        const Layout layout = llvm::cantFail(layoutOf(a, plan));
        CHECK((QcsrReader(plan, layout).read() == entriesOf(a, Valued(a.view(), kDouble.type, 1))));
        const QcsrRanges rows(a.rows, plan.get(key::kQcsrD), QcsrBorders::halved);
        std::set<std::pair<int64_t, int64_t>> leaves; // rows and the first column
        for (int64_t c = 0; c + 1 < layout.find("chunkRow")->count(); ++c) {
          const int64_t first = numberAt(*layout.find("chunkRow"), c),
                        end = numberAt(*layout.find("chunkRow"), c + 1);
          CHECK(end - first <= plan.get(key::kQcsrRows));
          CHECK(rows.at(first) == rows.at(end - 1)); // no chunk has rows of two leaves
          for (int64_t t = numberAt(*layout.find("chunkTiles"), c);
               t < numberAt(*layout.find("chunkTiles"), c + 1); ++t)
            leaves.insert({rows.at(first), numberAt(*layout.find("tileColumn"), t)});
        }
        const QcsrTree tree = qcsrTreeAsPrinted(a.view(), plan.get(key::kQcsrD), 1);
        CHECK(static_cast<int64_t>(leaves.size()) == tree.tiles());
      }
    }
}

TEST_CASE("halves have at most d rows, and the least has about half as many as the most") {
  for (int64_t n : {1, 16, 17, 1000, 34920})
    for (int64_t most : {16, 256, 65536}) {
      const QcsrRanges halves(n, most, QcsrBorders::halved);
      int64_t least = n, longest = 0;
      for (int64_t i = 0; i < halves.count(); ++i) {
        least = std::min(least, halves.size(i));
        longest = std::max(longest, halves.size(i));
        CHECK(halves.at(halves.begin(i)) == i);
        CHECK(halves.at(halves.end(i) - 1) == i);
      }
      CHECK(halves.end(halves.count() - 1) == n);
      CHECK(longest <= most);
      CHECK((n <= most ? halves.count() == 1 : 2 * least + 1 >= longest));
    }
  CHECK(QcsrRanges(0, 16, QcsrBorders::halved).count() == 0);
}

TEST_CASE("QCSR in slices foretells its bytes exactly where all rows are alike and have one tile") {
  for (int64_t rows : {32, 64, 128, 256})
    for (int64_t length : {1, 5, 8, 17}) {
      const CsrMatrix a =
          matrixOf("even", 4096, 1000, [=](int64_t i) { return run(i % 900, length, 2); });
      const Fixed fixed{
          {"qcsr.slices", 1}, {"qcsr.stage", 0}, {"qcsr.rows", static_cast<double>(rows)}};
      const Plan plan = qcsrPlans(a, fixed).at(0);
      const Layout layout = llvm::cantFail(layoutOf(a, plan));
      CAPTURE(rows);
      CAPTURE(length);
      CHECK(layout.find("val")->count() == a.nnz());
      // Values and 16-bit columns; a byte per row; batches of 8 lines; three offsets per stream.
      const int64_t streams = 4096 / rows, lines = rows / 32 * length;
      CHECK(layout.storedBytes() == a.nnz() * 10 + 4096 + 64 * std::min<int64_t>(4, rows / 32) +
                                        streams * ((lines + 7) / 8) * 4 + (streams + 1) * 12);
      CHECK(trafficOf(a, plan).storedBytes == doctest::Approx(layout.storedBytes()).epsilon(0.01));
    }
}

TEST_CASE("a segment that is longer than the others of its tile pads its own slice only") {
  const CsrMatrix a =
      matrixOf("one long row", 256, 600, [](int64_t i) { return run(0, i == 151 ? 600 : 2, 1); });
  const Plan plan = qcsrPlans(a, {{"qcsr.slices", 1}, {"qcsr.stage", 0}, {"qcsr.rows", 256}}).at(0);
  CHECK(llvm::cantFail(layoutOf(a, plan)).find("val")->count() == 32 * 600 + 7 * 32 * 2);
}

TEST_CASE("QCSR offers at most three plans, by ascending prediction, and one of them in slices") {
  for (const char *spec : {"stencil5:n=60", "stencil27:n=16", "band:k=17,half=300,rows=20000",
                           "random:k=9,rows=3000"}) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    const std::vector<Plan> plans = qcsrPlans(a);
    CHECK(plans.size() >= 2);
    CHECK(plans.size() <= 3);
    CHECK(std::any_of(plans.begin(), plans.end(), qcsrHasSlices));
  }
}

TEST_CASE("a plan of QCSR that needs more shared memory than a block has is refused in numbers") {
  const CsrMatrix a = evenMatrix(256, 5);
  const Plan paper = qcsrPlans(a, {{"qcsr.slices", 0}, {"qcsr.stage", 1}}).at(0);
  const Plan slices = qcsrPlans(a, {{"qcsr.slices", 1}, {"qcsr.stage", 1}}).at(0);
  CHECK(contains(refusal(a, planWith(paper, "qcsr.d", 8192)), "49152"));
  CHECK(contains(refusal(a, planWith(slices, "window", 30000)), "232448"));
}

TEST_CASE("a block stages no more of x than its plan says, and the plan says enough") {
  for (const char *spec : {"stencil5:n=60", "band:k=17,half=3000,rows=20000"})
    for (double rows : {512, 4096}) {
      const CsrMatrix a = llvm::cantFail(generateFamily(spec));
      const Plan plan =
          qcsrPlans(a, {{"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.rows", rows}}).at(0);
      CAPTURE(plan.text());
      const Layout layout = llvm::cantFail(layoutOf(a, plan));
      const LayoutArray &first = *layout.find("tileFirst"), &end = *layout.find("tileEnd");
      int64_t widest = 0;
      for (int64_t t = 0; t < first.count(); ++t)
        widest = std::max(widest, numberAt(end, t) - numberAt(first, t));
      CHECK(widest <= plan.get(key::kQcsrWindow));
      CHECK(contains(refusal(a, planWith(plan, "window", widest - 1)), std::to_string(widest)));
    }
}

TEST_CASE("a chunk that reaches no more columns than d stages one tile, wherever it lies") {
  const CsrMatrix band = evenMatrix(8192, 9); // 512 rows reach 520 columns
  for (const auto &c : {std::pair{1024, 1}, {512, 2}}) {
    const int64_t d = c.first, tilesPerChunk = c.second; // clang captures no bindings
    CAPTURE(d);
    const Fixed fixed{{"qcsr.slices", 1},
                      {"qcsr.stage", 1},
                      {"qcsr.d", static_cast<double>(d)},
                      {"qcsr.rows", 512}};
    const Plan plan = qcsrPlans(band, fixed).at(0);
    const Layout layout = llvm::cantFail(layoutOf(band, plan));
    CHECK(layout.find("tileFirst")->count() == 16 * tilesPerChunk);
    const auto stored = static_cast<double>(layout.storedBytes());
    CHECK(static_cast<double>(trafficOf(band, plan).storedBytes) ==
          doctest::Approx(stored).epsilon(0.03));
  }
}

TEST_CASE("QCSR foretells the bytes of its Full leaves, and refuses where they are too many") {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=200"));
  for (double fill : {0.0, 0.01})
    for (const Plan &plan : qcsrPlans(a, {{"qcsr.fill", fill}, {"qcsr.d", 256}})) {
      CAPTURE(plan.text());
      const auto stored = static_cast<double>(llvm::cantFail(layoutOf(a, plan)).storedBytes());
      CHECK(static_cast<double>(trafficOf(a, plan).storedBytes) ==
            doctest::Approx(stored).epsilon(0.5));
    }
  const CsrMatrix sparse = llvm::cantFail(generateFamily("random:rows=100000,k=4"));
  CHECK(qcsrPlans(sparse, {{"qcsr.fill", 0}, {"qcsr.d", 16384}}).empty());
}

TEST_CASE("the words of batches are wide enough for the tiles of very many columns") {
  WideMatrix wide(evenMatrix(256, 40));
  wide.cols = int64_t(1) << 26; // 2^22 tiles of 16
  const Fixed fixed{{"qcsr.slices", 1}, {"qcsr.stage", 0}, {"qcsr.d", 16}};
  const Plan plan = offerOf(profile(wide.view()), "qcsr", fixed).plans.at(0);
  CHECK(plan.get(key::kColumn) == 64);
  std::vector<double> ones(wide.col.size(), 1);
  CsrView view = wide.view();
  view.val = ones.data();
  CHECK(static_cast<bool>(findFormat("qcsr")->layout(view, plan, kDouble)));
  auto narrow = findFormat("qcsr")->layout(view, planWith(plan, "column", 32), kDouble);
  REQUIRE_FALSE(static_cast<bool>(narrow));
  CHECK(describe(narrow.takeError()).first == Status::notApplicable);
}

TEST_CASE("zero-copy changes where the arrays lie and what the bus costs, nothing else") {
  const CsrMatrix a = evenMatrix(256, 5);
  for (Fixed fixed : layouts()) {
    const std::vector<Plan> copied = qcsrPlans(a, fixed);
    fixed.emplace_back("qcsr.zerocopy", 1);
    const std::vector<Plan> mapped = qcsrPlans(a, fixed);
    REQUIRE(copied.size() == mapped.size());
    for (size_t i = 0; i < copied.size(); ++i) {
      CAPTURE(mapped[i].text());
      const Layout on = llvm::cantFail(layoutOf(a, copied[i])),
                   off = llvm::cantFail(layoutOf(a, mapped[i]));
      CHECK_FALSE(on.zeroCopy);
      CHECK(off.zeroCopy);
      for (const LayoutArray &array : on.arrays)
        CHECK(off.find(array.name)->bytes == array.bytes);
      const Traffic t = trafficOf(a, mapped[i]);
      CHECK(t.hostUs == doctest::Approx(static_cast<double>(t.storedBytes) / 64000));
      CHECK(predictUs(t, h200()) > predictUs(trafficOf(a, copied[i]), h200()));
    }
  }
}

TEST_CASE("zero-copy is never offered by itself, and refused for more than it is meant for") {
  const CsrMatrix small = evenMatrix(256, 5);
  for (const Plan &plan : qcsrPlans(small))
    CHECK_FALSE(qcsrZeroCopy(plan));
  const CsrMatrix large = llvm::cantFail(generateFamily("stencil27:n=48"));
  const Offer offer = offerOf(large, "qcsr", {{"qcsr.zerocopy", 1}});
  CHECK(offer.plans.empty());
  CHECK(contains(offer.why, std::to_string(kQcsrZeroCopyBytes)));
  const Plan plan = planWith(qcsrPlans(large).at(0), "qcsr.zerocopy", 1);
  CHECK_FALSE(refusal(large, plan).empty());
}

// A former bug: the bytes of plain values were weighed, so that there was no plan.
TEST_CASE("zero-copy is refused for the bytes that the coding of the values stores") {
  CsrMatrix a = llvm::cantFail(generateFamily("stencil27:n=48"));
  std::fill(a.val.begin(), a.val.end(), 3.0);
  const Offer offer = offerOf(a, "qcsr", {{"qcsr.zerocopy", 1}}, kDouble, "ones");
  REQUIRE_FALSE(offer.plans.empty());
  CHECK(static_cast<bool>(findFormat("qcsr")->layout(a.view(), offer.plans.at(0), kDouble)));
}

TEST_CASE("what zero-copy would keep on the host is counted, not estimated, where it is near") {
  const CsrMatrix near = llvm::cantFail(generateFamily("stencil27:n=42"));
  REQUIRE(near.nnz() * 8 < kQcsrZeroCopyBytes);
  const Offer offer = offerOf(near, "qcsr", {{"qcsr.zerocopy", 1}});
  REQUIRE_FALSE(offer.plans.empty());
  const Plan &plan = offer.plans[0];
  const Layout copied = llvm::cantFail(layoutOf(near, planWith(plan, "qcsr.zerocopy", 0)));
  REQUIRE(copied.storedBytes() > kQcsrZeroCopyBytes);
  CHECK(contains(refusal(near, plan), std::to_string(copied.storedBytes())));
}

TEST_CASE("QCSR either stages x or gathers it, and stages what its chunks reach") {
  // Every chunk of 512 rows but the last reaches 512 + 16 columns.
  const CsrMatrix a = evenMatrix(5120, 17);
  for (int64_t stage : {0, 1}) {
    const Fixed fixed{{"qcsr.slices", 1},
                      {"qcsr.stage", static_cast<double>(stage)},
                      {"qcsr.rows", stage ? 512 : 32}};
    const Offer offer = offerOf(a, "qcsr", fixed);
    REQUIRE_FALSE(offer.plans.empty());
    const Traffic t = trafficOf(a, offer.plans[0]);
    CHECK((t.gatherBytes > 0) == (stage == 0));
    CHECK((t.stagedBytes > 0) == (stage == 1));
    if (stage) {
      CHECK(t.stagedBytes >= 10 * (512 + 16) * 8);
      CHECK(t.stagedBytes <= 10 * (512 + 17) * 8);
    }
  }
}

TEST_CASE("no two QCSR plans differ only in a tile size that decides nothing") {
  for (const char *spec : {"band:k=9,half=300,rows=100000", "band:k=17,half=2000,rows=100000"}) {
    CAPTURE(spec);
    std::set<std::string> seen;
    bool anyStaged = false;
    for (const Plan &plan : qcsrPlans(llvm::cantFail(generateFamily(spec)))) {
      if (!qcsrHasSlices(plan) || !qcsrStages(plan))
        continue;
      anyStaged = true;
      CHECK(seen.insert(planWith(plan, "qcsr.d", 0).text()).second);
    }
    CHECK(anyStaged);
  }
}

TEST_CASE("blocks that stage x are priced for the chunk with the longest rows") {
  const auto efficiencyOf = [](bool (*isLong)(int64_t)) {
    const CsrMatrix a = matrixOf("two lengths", 1 << 16, (1 << 16) + 64, [=](int64_t i) {
      return run(static_cast<int32_t>(i), isLong(i) ? 33 : 3, 1);
    });
    const Fixed staged = {{"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.rows", 512}};
    return trafficOf(a, qcsrPlans(a, staged).at(0)).pace.efficiency;
  };
  const double runs = efficiencyOf([](int64_t i) { return i / 8192 % 2 == 1; }),
               mixed = efficiencyOf([](int64_t i) { return i % 2 == 1; });
  CHECK(runs < 0.85 * mixed);
}

TEST_CASE("slices that are cut without staging x are trusted less") {
  const auto cautionOf = [](int32_t apart) {
    const CsrMatrix a = matrixOf("two places", 20000, 200000,
                                 [=](int64_t i) { return run(static_cast<int32_t>(i), 8, apart); });
    const Fixed direct = {{"qcsr.slices", 1}, {"qcsr.stage", 0}};
    return trafficOf(a, qcsrPlans(a, direct).at(0)).caution;
  };
  CHECK(cautionOf(20000) > 1.01 * cautionOf(1)); // tiles have 32,768 columns
}
