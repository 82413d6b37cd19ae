// Tests of HCGHYB: where it splits rows, the tail that the host receives, the host's sums, and that
// only the adding step waits for them.
#include "generator/shared/lengths.h"
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

const Format &hcghyb() { return *findFormat("hcghyb"); }

Plan hcghybPlan(int64_t k, int64_t bits = 32) {
  return {"hcghyb", {{"hyb.k", k}, {"block", 256}, {"offset", bits}, {"column", bits}}};
}

// Rows of 0 to 33 entries, and one of 600.
CsrMatrix uneven() {
  return matrixOf("uneven", 242, 700,
                  [](int64_t i) { return i == 100 ? run(0, 600) : scattered(i, i % 34, 700); });
}

const Launch &launchAt(const Steps &steps, size_t i) { return std::get<Launch>(steps[i].action); }

// Returns the result of the format's host function for these products.
template <class Offset, class Value>
std::vector<Value> summed(std::vector<Offset> start, std::vector<Value> products) {
  const Layout layout = llvm::cantFail(layoutOf(uneven(), hcghybPlan(3)));
  const Steps steps = hcghyb().steps(hcghybPlan(3), {}, layout);
  const auto &detour = std::get<HostDetour>(steps.at(1).action);
  std::vector<Value> sums(start.size() - 1, -1);
  auto arrayOf = [](ElementType type, auto &values) {
    return HostArray{type, std::ssize(values), reinterpret_cast<std::byte *>(values.data())};
  };
  const ElementType value = sizeof(Value) == 4 ? ElementType::f32 : ElementType::f64;
  detour.call(arrayOf(sizeof(Offset) == 4 ? ElementType::i32 : ElementType::i64, start),
              arrayOf(value, products), arrayOf(value, sums));
  return sums;
}

template <class Offset, class Value> void checkSums(const std::vector<int64_t> &lengths) {
  std::vector<Offset> start{0};
  std::vector<Value> products, want;
  for (int64_t length : lengths) {
    Value sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      products.push_back(static_cast<Value>((i * 7 + length) % 13 - 6));
      sum += products.back();
    }
    want.push_back(sum);
    start.push_back(static_cast<Offset>(products.size()));
  }
  CHECK(summed(start, products) == want);
}

} // namespace

TEST_CASE("HCGHYB splits where HYB does, and offers nothing where nothing is left for the host") {
  for (const CsrMatrix &a : edgeMatrices()) {
    CAPTURE(a.name);
    const SparsityProfile seen = profile(a.view());
    const Fixed none;
    const auto offered = llvm::cantFail(offers({seen, {}, h200(), none}, {"hyb", "hcghyb"}));
    std::vector<int64_t> want, got;
    for (const Plan &plan : offered[0].plans)
      if (plan.get(key::kHybTail))
        want.push_back(plan.get(key::kHybK));
    for (const Plan &plan : offered[1].plans)
      got.push_back(plan.get(key::kHybK));
    CHECK(got == want);
    CHECK(got.empty() != offered[1].why.empty());
  }
  CHECK(contains(offerOf(evenMatrix(64, 5), "hcghyb", {{"hyb.k", 5}}).why, "hyb.k = 5"));
}

TEST_CASE("the host gets the products of each longer row, one after another") {
  const CsrMatrix a = uneven();
  const int64_t k = 30;
  std::vector<int64_t> rows, start{0};
  for (int64_t i = 0; i < a.rows; ++i)
    if (const int64_t length = a.rowPtr[i + 1] - a.rowPtr[i]; length > k) {
      rows.push_back(i);
      start.push_back(start.back() + length - k);
    }
  REQUIRE(rows.size() > 10);
  const Layout narrow = llvm::cantFail(layoutOf(a, hcghybPlan(k)));
  const Layout wide = llvm::cantFail(layoutOf(a, hcghybPlan(k, 64)));
  CHECK(numbersOf(narrow, "row", ElementType::i32) == rows);
  CHECK(numbersOf(wide, "row", ElementType::i64) == rows);
  CHECK(numbersOf(narrow, "tailStart", ElementType::i32) == start);
  CHECK(numbersOf(wide, "tailStart", ElementType::i64) == start);
  for (const LayoutArray &array : narrow.arrays)
    CHECK(array.staysOnHost == (array.name == "tailStart"));
  CHECK(narrow.find("products")->count() == start.back());
  CHECK(narrow.find("sums")->count() == std::ssize(rows));
}

TEST_CASE("the host sums every row, with rows for all its threads and with one for all products") {
  std::vector<int64_t> many;
  for (int64_t i = 0; i < 40000; ++i)
    many.push_back(1 + i % 9);
  for (const std::vector<int64_t> &lengths :
       {std::vector<int64_t>{1}, {4, 1, 3, 5, 8, 7}, {300000}, {1, 200000, 2}, many}) {
    checkSums<int32_t, float>(lengths);
    checkSums<int32_t, double>(lengths);
    checkSums<int64_t, float>(lengths);
    checkSums<int64_t, double>(lengths);
  }
}

TEST_CASE("the host's sums have the same bits every time") {
  std::vector<int32_t> start{0};
  std::vector<double> products;
  for (int64_t i = 0; i < 300000; ++i) {
    products.push_back(1.0 / static_cast<double>(3 + i * 7919 % 10007) * (i % 2 ? 1 : -1));
    if (i % 100 == 99)
      start.push_back(static_cast<int32_t>(i + 1));
  }
  const std::vector<double> first = summed(start, products);
  for (int round = 0; round < 5; ++round)
    CHECK(summed(start, products) == first);
}

TEST_CASE("ELL is between the products and the adding, which alone waits for the host") {
  const Layout layout = llvm::cantFail(layoutOf(uneven(), hcghybPlan(3)));
  const Steps steps = hcghyb().steps(hcghybPlan(3), {}, layout);
  REQUIRE(steps.size() == 4);
  CHECK(launchAt(steps, 0).kernel == "specmv_products");
  const auto &detour = std::get<HostDetour>(steps[1].action);
  CHECK(detour.from == "products");
  CHECK(detour.to == "sums");
  CHECK(launchAt(steps, 2).kernel == "specmv_kernel");
  CHECK(launchAt(steps, 3).kernel == "specmv_add");
  for (size_t i = 0; i < steps.size(); ++i)
    CHECK(steps[i].waitsForHost == (i == 3));
}

TEST_CASE("what a product waits for the host is priced, less what ELL covers") {
  const SparsityProfile seen = profile(uneven().view());
  GpuModel slow = h200();
  slow.pcieGBs = h200().pcieGBs / 1000;
  const Fixed fixed{{"hyb.k", 3}};
  auto hostUs = [&](const GpuModel &gpu) {
    const PlanRequest request{seen, {}, gpu, fixed};
    return rank(llvm::cantFail(offers(request, {"hcghyb"})), request).at(0).traffic.hostUs;
  };
  CHECK(hostUs(h200()) > 10);
  // 600 - 3 and the other rows' entries beyond 3, and one sum per row, of 8 bytes each.
  int64_t values = 0;
  for (const LengthCount &l : seen.lengths)
    values += l.length > 3 ? l.rows * (l.length - 3 + 1) : 0;
  CHECK(hostUs(slow) - hostUs(h200()) ==
        doctest::Approx(999 * static_cast<double>(values) * 8 / h200().pcieGBs / 1000));
}
