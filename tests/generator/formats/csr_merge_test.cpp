// Tests of merge-path CSR on the host: the bits and starts that the kernel uses follow the merge
// path, the rows that blocks share are known, and the plan's numbers are as expected.
#include "generator/formats/csr_merge/layout.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include "models/lab/families/families.h"
#include "models/predict/traffic.h"

#include <doctest/doctest.h>

#include <map>

using namespace specmv;
using namespace specmv::testing;

namespace {

std::vector<CsrMatrix> mergeMatrices() {
  std::vector<CsrMatrix> out = edgeMatrices();
  out.push_back(matrixOf("a row of many blocks", 40, 3000,
                         [](int64_t i) { return i == 7 ? run(0, 3000) : run(i, i % 3); }));
  out.push_back(matrixOf("thousands of empty rows", 5000, 9,
                         [](int64_t i) { return i == 4321 ? run(0, 9) : Row{}; }));
  return out;
}

const std::vector<Fixed> kSets = {{},
                                  {{"merge.items", 1}, {"merge.threads", 32}},
                                  {{"merge.items", 8}, {"merge.threads", 64}},
                                  {{"merge.items", 9}, {"merge.threads", 32}},
                                  {{"merge.items", 21}, {"merge.threads", 128}}};

// Calls test(matrix, plan, layout) for every matrix and these plans.
template <class Test> void forAllPaths(Test &&test) {
  for (const CsrMatrix &a : mergeMatrices())
    for (const auto &[format, plan] : plansOf(a.view(), kDouble, kSets))
      if (plan.format == "csr-merge") {
        const std::string planText = plan.text();
        CAPTURE(a.name);
        CAPTURE(planText);
        test(a, plan, llvm::cantFail(layoutOf(a, plan)));
      }
}

// Returns the items of a matrix in the order of the path: true for the end of a row.
std::vector<bool> itemsOf(const CsrMatrix &a) {
  std::vector<bool> out;
  for (int64_t i = 0; i < a.rows; ++i) {
    out.insert(out.end(), static_cast<size_t>(a.rowPtr[i + 1] - a.rowPtr[i]), false);
    out.push_back(true);
  }
  return out;
}

// Rows of 2, 3, 0, 4 and 6 entries.
CsrMatrix exampleOfTemplate() {
  const int64_t lengths[] = {2, 3, 0, 4, 6};
  return matrixOf("example", 5, 9, [&](int64_t i) { return run(0, lengths[i]); });
}

double predictedUs(const CsrMatrix &a, const char *format) {
  double best = 1e30;
  for (const auto &[made, plan] : plansOf(a.view(), kDouble, {{}}))
    if (plan.format == format)
      best = std::min(best, predictUs(trafficOf(a, plan), h200()));
  return best;
}

} // namespace

TEST_CASE("a layout in place is described as it would be packed") {
  forAllPaths([](const CsrMatrix &a, const Plan &plan, const Layout &packed) {
    const Layout described =
        findFormat("csr-merge")->describedInPlace(dimensionsOf(a.view()), plan, kDouble);
    CHECK(described.storedBytes() == packed.storedBytes());
    CHECK(described.integers == packed.integers);
    CHECK(described.vectorElements == packed.vectorElements);
    CHECK(described.slots.empty());
    REQUIRE(described.arrays.size() == packed.arrays.size());
    for (size_t k = 0; k < packed.arrays.size(); ++k) {
      CHECK(described.arrays[k].name == packed.arrays[k].name);
      CHECK(described.arrays[k].count() == packed.arrays[k].count());
      CHECK(described.arrays[k].bytes.empty());
    }
  });
}

TEST_CASE("the path of the example in csr_merge.cuh is what its comment says") {
  const CsrMatrix a = exampleOfTemplate();
  const Plan plan = offerOf(a, "csr-merge", {{"merge.items", 4}}).plans.at(0);
  const Layout layout = llvm::cantFail(layoutOf(a, plan));
  const std::vector<int64_t> path = numbersOf(layout, "path");
  REQUIRE(path.size() >= 4);
  CHECK(path[0] == (0 << 4 | 0b0100));
  CHECK(path[1] == (1 << 4 | 0b1100));
  CHECK(path[2] == (3 << 4 | 0b0000));
  CHECK(path[3] == (3 << 4 | 0b0001));
}

TEST_CASE("the path has a bit for every item, and starts that agree with it") {
  forAllPaths([](const CsrMatrix &a, const Plan &plan, const Layout &layout) {
    std::vector<bool> items = itemsOf(a);
    const int64_t perThread = plan.get(key::kMergeItems);
    const LayoutArray &path = *layout.find("path"), &warpRow = *layout.find("warpRow");
    REQUIRE(path.count() % plan.get(key::kMergeThreads) == 0);
    REQUIRE(path.count() * perThread >= static_cast<int64_t>(items.size()));
    items.resize(static_cast<size_t>(path.count() * perThread), true); // ends behind the last row
    REQUIRE(warpRow.count() == path.count() / 32 + 1);

    int64_t ended = 0, wrong = 0;
    for (int64_t thread = 0; thread < path.count(); ++thread) {
      if (thread % 32 == 0)
        wrong += numberAt(warpRow, thread / 32) != ended;
      const int64_t before = ended - numberAt(warpRow, thread / 32);
      int64_t bits = before << perThread;
      for (int64_t k = 0; k < perThread; ++k) {
        const bool isEnd = items[static_cast<size_t>(thread * perThread + k)];
        bits |= int64_t{isEnd} << k;
        ended += isEnd;
      }
      wrong += numberAt(path, thread) != bits;
    }
    CHECK(wrong == 0);
    CHECK(numberAt(warpRow, warpRow.count() - 1) == ended);
  });
}

TEST_CASE(
    "at each boundary of blocks, the first and the last block of the row that is open there") {
  int64_t open = 0, wide = 0;
  forAllPaths([&](const CsrMatrix &a, const Plan &plan, const Layout &layout) {
    const int64_t share = plan.get(key::kMergeItems) * plan.get(key::kMergeThreads);
    const LayoutArray &first = *layout.find("openFirst"), &last = *layout.find("openLast");
    const int64_t blocks = first.count() - 1;
    REQUIRE(last.count() == blocks + 1);
    REQUIRE(blocks == (a.rows + a.nnz() + share - 1) / share);
    std::map<int64_t, std::pair<int64_t, int64_t>> want; // by boundary
    for (int64_t i = 0; i < a.rows; ++i) {
      const int64_t begin = (a.rowPtr[i] + i) / share, end = (a.rowPtr[i + 1] + i) / share;
      for (int64_t boundary = begin + 1; boundary <= end; ++boundary)
        want[boundary] = {begin, end};
      wide = std::max(wide, end - begin);
    }
    for (int64_t boundary = 0; boundary <= blocks; ++boundary) {
      const int64_t from = first.as<uint32_t>()[boundary], to = last.as<uint32_t>()[boundary];
      CAPTURE(boundary);
      if (want.contains(boundary))
        CHECK(want[boundary] == std::pair{from, to});
      else
        CHECK(from == to);
    }
    open += static_cast<int64_t>(want.size());
    CHECK(layout.find("partialSums")->count() == 2 * blocks);
    CHECK(layout.find("arrivals")->count() == blocks);
  });
  CHECK(open > 100);
  CHECK(wide > 90);
}

TEST_CASE("the plan foretells the bytes of merge-path CSR, fewer than CSR's where rows are short") {
  forAllPaths([](const CsrMatrix &a, const Plan &plan, const Layout &layout) {
    CHECK(trafficOf(a, plan).storedBytes == layout.storedBytes());
  });
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=100"));
  for (const auto &[format, plan] : plansOf(a.view(), kDouble, {{}}))
    if (plan.format == "csr-merge")
      CHECK(trafficOf(a, plan).storedBytes < 4 * (a.rows + 1) + 12 * a.nnz());
}

TEST_CASE("numbers of merge-path CSR that cannot be are refused in a sentence that has them") {
  const CsrMatrix a = evenMatrix(640, 27);
  const SparsityProfile seen = profile(a.view());
  for (const auto &[name, value] : {std::pair{"merge.items", 0.0},
                                    {"merge.items", -7.0},
                                    {"merge.items", 22.0},
                                    {"merge.items", 1e15},
                                    {"merge.threads", 0.0},
                                    {"merge.threads", 16.0},
                                    {"merge.threads", 96.0},
                                    {"merge.threads", 512.0}}) {
    const Offer offer = offerOf(seen, "csr-merge", {{name, value}});
    CAPTURE(offer.why);
    CHECK(offer.plans.empty());
    CHECK(offer.why.rfind(name, 0) == 0);
    CHECK(contains(offer.why, std::to_string(static_cast<int64_t>(value))));
  }
}

TEST_CASE("numbers that are fixed are kept, and stand in the source") {
  const CsrMatrix a = evenMatrix(640, 27);
  const Fixed fixed{{"merge.items", 5}, {"merge.threads", 64}};
  int seen = 0;
  for (const auto &[format, plan] : plansOf(a.view(), kDouble, {fixed}))
    if (plan.format == "csr-merge") {
      ++seen;
      CHECK(plan.get(key::kMergeItems) == 5);
      CHECK(plan.get(key::kMergeThreads) == 64);
      const std::string text = format->source(plan, kDouble).text;
      CHECK(contains(text, ".itemsPerThread = 5"));
      CHECK(contains(text, ".blockThreads = 64"));
    }
  CHECK(seen == 1);
}

TEST_CASE("merge-path CSR is foretold to win where rows are skewed, and not where all are alike") {
  const CsrMatrix longRow = matrixOf(
      "one full row", 20000, 20000, [](int64_t i) { return i == 100 ? run(0, 20000) : run(i, 1); });
  const CsrMatrix fewRows =
      matrixOf("few long rows", 100, 20000, [](int64_t i) { return run(i, 500 + 50 * i, 2); });
  for (const CsrMatrix &a : {longRow, fewRows}) {
    CAPTURE(a.name);
    CHECK(predictedUs(a, "csr-merge") < predictedUs(a, "csr-vector"));
    CHECK(predictedUs(a, "csr-merge") < predictedUs(a, "hyb"));
    CHECK(predictedUs(a, "csr-merge") < predictedUs(a, "coo"));
  }
  const CsrMatrix even = evenMatrix(20000, 5);
  CHECK(predictedUs(even, "csr-merge") > predictedUs(even, "csr-vector"));
}
