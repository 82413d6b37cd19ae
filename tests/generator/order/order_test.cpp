// Tests orders of rows and columns: what a search gives, how plans with an order are packed and
// emitted, and what is refused.
#include "generator/order/order.h"

#include "generator/order/ordered_product.h"
#include "generator/order/search.h"
#include "models/base/error.h"
#include "models/lab/families/families.h"
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace specmv;
using namespace specmv::testing;

namespace {

CsrMatrix meshOrOther(const char *spec) { return llvm::cantFail(generateFamily(spec)); }

bool reaches(const CsrMatrix &a, int32_t from, int32_t to) {
  const auto begin = a.col.begin() + a.rowPtr[static_cast<size_t>(from)],
             end = a.col.begin() + a.rowPtr[static_cast<size_t>(from) + 1];
  return std::find(begin, end, to) != end;
}

// The first place whose row leads to the row at the place; the place itself if there is none.
size_t parentOf(const CsrMatrix &a, const Order &order, size_t place) {
  for (size_t before = 0; before < place; ++before)
    if (reaches(a, order.rowAt[before], order.rowAt[place]))
      return before;
  return place;
}

double meanDistance(const CsrView &a) {
  double sum = 0;
  visitPattern(a, [&](auto p) {
    for (int64_t row = 0; row < p.rows; ++row)
      for (auto e = p.rowPtr[row]; e < p.rowPtr[row + 1]; ++e)
        sum += static_cast<double>(std::abs(p.col[e] - row));
  });
  return sum / static_cast<double>(a.nnz);
}

std::string refusalOfOrder(const CsrView &a) {
  auto order = orderOf(a);
  if (order)
    return "";
  const auto [status, sentence] = describe(order.takeError());
  CHECK(status == Status::notApplicable);
  return sentence;
}

// The plans that formats with kernels offer for the matrix in order.
std::vector<FormatPlan> orderedPlansOf(const CsrMatrix &a, const Problem &problem) {
  const Order order = llvm::cantFail(orderOf(a.view()));
  std::vector<FormatPlan> out = plansOf(permuted(a.view(), order).view, problem, {{}});
  std::erase_if(out, [](const FormatPlan &each) { return each.format->library; });
  for (FormatPlan &each : out)
    each.plan.order = kBreadthFirst;
  return out;
}

} // namespace

namespace {
// A device whose kernels do nothing: a search on it never ends.
class DeadWorkspace : public Workspace {
public:
  using Workspace::Workspace;
  llvm::Error add(const std::string &, ElementType, int64_t, Contents) override { return done(); }
  llvm::Error lend(const std::string &, const std::string &) override { return done(); }
  void drop(const std::string &) override {}
  llvm::Error launch(const KernelSource &, const SetupKernel &, int64_t) override {
    ++launches;
    return done();
  }
  // A single number is the longest row; the state of a search has several, of four bytes each.
  llvm::Error read(const std::string &, int64_t, int64_t count, void *to) override {
    std::memset(to, 0, static_cast<size_t>(count == 1 ? 8 : 4 * count));
    return done();
  }
  llvm::Error write(const std::string &, const void *, int64_t) override { return done(); }
  int64_t launches = 0;

private:
  static llvm::Error done() { return llvm::Error::success(); }
};
} // namespace

// A former bug: the host launched rounds until a kernel said that the search had ended.
TEST_CASE("a search whose kernels do nothing ends with an error, after as many rounds as levels") {
  for (const int64_t rows : {1, 5, 300, 5000000}) {
    CAPTURE(rows);
    DeadWorkspace workspace(DeviceCsr{{rows, rows, rows}, IndexType::i32, ValueType::f64});
    auto order = orderOn(workspace);
    REQUIRE_FALSE(static_cast<bool>(order));
    const auto why = describe(order.takeError());
    CHECK(why.first == Status::internal);
    CHECK_MESSAGE(why.second.find("the search for an order of " + std::to_string(rows) +
                                  " rows has not ended after ") == 0,
                  why.second);
    CHECK(workspace.launches > std::min<int64_t>(rows, kMostLevels));
    CHECK(workspace.launches < 4 * (std::min<int64_t>(rows, kMostLevels) + 20));
  }
}

TEST_CASE("an order has every row once, and parents of later rows do not come earlier") {
  for (const char *spec : {"fem2d:rows=300,order=random", "stencil7:n=6", "random:k=3,rows=200",
                           "hypersparse:rows=200", "powerlaw:rows=150,avg=4", "diagonal:n=40",
                           "empty:rows=30,cols=30", "dense:n=1"}) {
    INFO(spec);
    const CsrMatrix a = meshOrOther(spec);
    const Order order = llvm::cantFail(orderOf(a.view()));
    std::vector<int32_t> sorted = order.rowAt, rows(static_cast<size_t>(a.rows));
    std::sort(sorted.begin(), sorted.end());
    std::iota(rows.begin(), rows.end(), 0);
    CHECK(sorted == rows);
    size_t before = 0;
    for (size_t place = 1; place < sorted.size(); ++place) {
      const size_t parent = parentOf(a, order, place);
      CHECK(parent >= before);
      before = parent;
    }
  }
}

TEST_CASE("a mesh in random order gets near columns, and a graph of hubs too few levels") {
  const CsrMatrix mesh = meshOrOther("fem2d:rows=20000,order=random");
  const Order order = llvm::cantFail(orderOf(mesh.view()));
  CHECK(bringsTogether(order));
  CHECK(meanDistance(permuted(mesh.view(), order).view) < meanDistance(mesh.view()) / 50);
  CHECK_FALSE(bringsTogether(llvm::cantFail(orderOf(meshOrOther("random:k=8,rows=20000").view()))));
}

TEST_CASE("the permuted matrix has the entries of the matrix at other places, in ascending order") {
  for (CsrMatrix &a : edgeMatrices()) {
    a.val.resize(a.col.size());
    std::iota(a.val.begin(), a.val.end(), 1);
    auto order = orderOf(a.view());
    if (!order) {
      llvm::consumeError(order.takeError());
      continue;
    }
    const PermutedCsr b = permuted(a.view(), *order);
    std::vector<int32_t> placeOf(order->rowAt.size());
    for (size_t i = 0; i < placeOf.size(); ++i)
      placeOf[static_cast<size_t>(order->rowAt[i])] = static_cast<int32_t>(i);
    const auto *rowPtr = static_cast<const int32_t *>(b.view.rowPtr);
    const auto *col = static_cast<const int32_t *>(b.view.col);
    const auto *val = static_cast<const double *>(b.view.val);
    for (int32_t row = 0; row < a.rows; ++row)
      for (int32_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
        const uint32_t at = b.placeOf[static_cast<size_t>(e)];
        const int32_t place = placeOf[static_cast<size_t>(row)];
        CHECK((rowPtr[place] <= int64_t{at} && int64_t{at} < rowPtr[place + 1]));
        CHECK(col[at] == placeOf[static_cast<size_t>(a.col[static_cast<size_t>(e)])]);
        CHECK(val[at] == a.val[static_cast<size_t>(e)]);
      }
    for (int64_t row = 0; row < a.rows; ++row)
      CHECK(std::is_sorted(col + rowPtr[row], col + rowPtr[row + 1]));
  }
}

TEST_CASE("matrices that cannot be ordered are refused in a sentence") {
  CHECK(refusalOfOrder(meshOrOther("dense:rows=3,cols=5").view()) ==
        "order=bfs takes square matrices; this one has 3 rows and 5 columns; use order=none");
  CHECK(refusalOfOrder(meshOrOther("dense:n=1025").view()) ==
        "order=bfs takes rows of at most 1024 entries; the longest has 1025; use order=none");
  CHECK(refusalOfOrder(meshOrOther("dense:n=1024").view()).empty());
}

TEST_CASE("plans that cannot have an order are refused in a sentence") {
  const auto refused = [](const std::string &plan, const Problem &problem) {
    const Plan given = *parsePlan(plan);
    return describe(findFormat(given.format)->check(given, problem)).second;
  };
  const std::string ell = "ell ell.width=3 block=256 offset=32 column=32 order=";
  CHECK(refused(ell + "bfs", {}).empty());
  CHECK(refused(ell + "rcm", {}) ==
        "order='rcm' is no order of rows and columns; use order=bfs or order=none");
  CHECK(refused(ell + "bfs", {.vectors = 4}) ==
        "products with several vectors permute none; pass them in the order of the plan, or use "
        "order=none");
  const std::string csr = "csr-vector csr.lanes=4 block=256 offset=32 column=32 order=bfs";
  CHECK(refused(csr, {.vectors = 4, .vectorsAreOrdered = true}).empty());
  CHECK(refused("cusparse-csr1 offset=32 column=32 order=bfs", {}) ==
        "cusparse-csr1 multiplies by the matrix as it is; use order=none");
  CHECK_FALSE(parsePlan(ell + "none"));
  CHECK(parsePlan(ell + "bfs")->text() == ell + "bfs");
}

TEST_CASE("a layout in order has each value in the slot of its entry, and the order") {
  const CsrMatrix a = meshOrOther("fem2d:rows=400,order=random");
  const Order order = llvm::cantFail(orderOf(a.view()));
  std::set<std::string> formats;
  for (const FormatPlan &each : orderedPlansOf(a, {})) {
    const Format *format = each.format;
    const Plan &plan = each.plan;
    INFO(plan.text());
    formats.insert(format->name);
    const Layout layout = llvm::cantFail(format->layout(a.view(), plan, {}));
    CHECK(layout.storedBytes() ==
          llvm::cantFail(format->layout(permuted(a.view(), order).view, unordered(plan), {}))
                  .storedBytes() +
              4 * a.rows);
    const LayoutArray &val = *layout.find(layout.valueArray), &rowAt = *layout.find(kOrderRowAt);
    for (size_t e = 0; e < a.val.size(); ++e)
      CHECK(val.as<double>()[layout.slots[e]] == a.val[e]);
    CHECK(std::equal(order.rowAt.begin(), order.rowAt.end(), rowAt.as<int32_t>()));
    // Whoever has made the order need not make it twice.
    const Layout again = llvm::cantFail(format->layout(a.view(), plan, {}, {.order = &order}));
    CHECK(again.slots == layout.slots);
  }
  CHECK(formats.size() > 8);
}

TEST_CASE("only plans with an order have kernels that permute vectors") {
  const CsrMatrix a = meshOrOther("fem2d:rows=400,order=random");
  const Problem own{.vectorsAreOrdered = true};
  for (const FormatPlan &each : orderedPlansOf(a, {})) {
    const Format *format = each.format;
    const Plan &plan = each.plan;
    INFO(plan.text());
    const Plan plain = unordered(plan);
    const std::string text = format->source(plain, {}).text;
    CHECK(format->sourceFor(plain, {}).text == text);
    CHECK(format->sourceFor(plan, own).text == text);
    const Layout layout = llvm::cantFail(format->layout(a.view(), plan, {}));
    const Steps steps = format->stepsFor(plan, {}, layout),
                inner = format->stepsFor(plan, own, layout);
    // A kernel that stores each row once also places it; only others need one behind them.
    const bool places = format->fuses != Fuses::nothing;
    REQUIRE(steps.size() == inner.size() + (places ? 1 : 2));
    CHECK(std::get<Launch>(steps.front().action).kernel == "specmv_orderX");
    CHECK((std::get<Launch>(steps.back().action).kernel == "specmv_orderedY") != places);
    const std::string ordered = format->sourceFor(plan, {}).text;
    CHECK(ordered.find("specmv_orderX(") != std::string::npos);
    CHECK((ordered.find("specmv_orderedY(") != std::string::npos) != places);
    CHECK((ordered.find("specmv::PlacedApart<") != std::string::npos) == places);
    // Working memory only where vectors are permuted.
    const Layout ofOwn = llvm::cantFail(format->layout(a.view(), plan, own));
    CHECK(layout.scratch.size() == ofOwn.scratch.size() + (places ? 1 : 2));
  }
}

TEST_CASE("rows that are stored out of order by the last wave of threads take time of their own") {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  SparsityProfile seen;
  seen.rows = seen.cols = 1000000;
  const Problem problem;
  const Fixed none;
  const PlanRequest request{seen, problem, gpu, none};
  const Plan plan{.format = "ell", .order = kBreadthFirst};
  const int64_t wave = gpu.sms * gpu.threadsPerSm, sectors = 32 * seen.rows;
  const auto withThreads = [&](int64_t threads) {
    return trafficInOrder({.threads = threads}, plan, request);
  };
  const Traffic one = withThreads(wave), fewer = withThreads(1), four = withThreads(4 * wave);
  CHECK(one.gatherBytes == 0);
  CHECK(fewer.gatherBytes == 0);
  CHECK(fewer.stagingUs == one.stagingUs);
  CHECK(four.gatherBytes == sectors * 3 / 4);
  const double us = static_cast<double>(sectors) / gpu.gatherGBs / 1000;
  CHECK(one.stagingUs - four.stagingUs == doctest::Approx(us * 3 / 4));
  // The threads of csr5 store the rows of each of their tiles.
  const Traffic inParts = trafficInOrder({.storedLast = 0.25, .threads = wave}, plan, request);
  CHECK(inParts.gatherBytes == four.gatherBytes);
  CHECK(inParts.stagingUs == four.stagingUs);
  // A kernel behind the product, which permutes the sums, stores none of them in the product.
  const Traffic apart =
      trafficInOrder({.threads = wave}, {.format = "coo", .order = kBreadthFirst}, request);
  CHECK(apart.gatherBytes == 0);
  CHECK(apart.launches == one.launches + 1);
}
