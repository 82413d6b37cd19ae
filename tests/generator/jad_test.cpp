// Tests of JAD: its arrays by hand, that the kernel's last batch can be read, and its limit.
#include "tests/generator/edge_matrices.h"

#include "models/error.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

const Problem kDouble{ValueType::f64};
const Plan kPlan{"jad", {{"block", 256}, {"offset", 32}, {"column", 32}}};

llvm::Expected<Layout> layoutOf(const CsrMatrix &a) {
  return findFormat("jad")->layout(Valued(a.view(), ValueType::f64, 1).view(), kPlan, kDouble);
}

std::vector<int64_t> numbers(const Layout &layout, const char *name) {
  const LayoutArray *array = layout.find(name);
  REQUIRE(array);
  return {array->as<int32_t>(), array->as<int32_t>() + array->count()};
}

// One row of this many entries.
CsrMatrix rowOf(int64_t length) {
  return matrixOf("one row", 1, length, [=](int64_t) { return run(0, length); });
}

} // namespace

TEST_CASE("JAD's diagonals hold the k-th entries of rows by descending length, in whole warps") {
  // 40 rows: row 0 has 1 entry, row 1 has 3, row 2 none, the others 2.
  const CsrMatrix a = matrixOf("40 rows", 40, 400, [](int64_t i) {
    return run(10 * i, i == 0 ? 1 : i == 1 ? 3 : i == 2 ? 0 : 2);
  });
  const Layout layout = llvm::cantFail(layoutOf(a));
  // 39 and 38 rows in two warps each, one row in one.
  CHECK(numbers(layout, "jdPtr") ==
        std::vector<int64_t>{0, 64, 128, 160, 160, 160, 160, 160, 160, 160});
  const std::vector<int64_t> perm = numbers(layout, "perm"), col = numbers(layout, "col");
  REQUIRE(perm.size() == 40);
  CHECK(perm[0] == 1);
  CHECK(perm[1] == 3);
  CHECK(perm[37] == 39);
  CHECK(perm[38] == 0);
  CHECK(perm[39] == 2);
  REQUIRE(col.size() == 160);
  for (int64_t place = 0; place < 64; ++place) {
    const int64_t first = place < 39 ? 10 * perm[static_cast<size_t>(place)] : -1;
    CHECK(col[static_cast<size_t>(place)] == first);
    CHECK(col[static_cast<size_t>(64 + place)] == (place < 38 ? first + 1 : -1));
  }
  CHECK(col[128] == 12);
  CHECK(std::count(col.begin() + 129, col.end(), -1) == 31);
}

TEST_CASE("a batch of JAD's kernel, and one start more, can always be read") {
  // What the kernel reads for the longest row: jdPtr[k] .. jdPtr[k + 9], where diagonal k exists.
  for (int64_t length : {0, 1, 7, 8, 9, 15, 16, 17}) {
    CAPTURE(length);
    const std::vector<int64_t> jdPtr = numbers(llvm::cantFail(layoutOf(rowOf(length))), "jdPtr");
    int64_t k = 0, batches = 1;
    for (; jdPtr.at(static_cast<size_t>(k + 8)) < jdPtr.at(static_cast<size_t>(k + 9)); k += 8)
      ++batches;
    CHECK(batches == std::max<int64_t>(1, (length + 7) / 8));
  }
}

TEST_CASE("JAD refuses more diagonals than a thread should walk through") {
  const Fixed none;
  for (int64_t length : {16384, 16385}) {
    const CsrMatrix a = rowOf(length);
    const SparsityProfile seen = profile(a.view());
    const auto offer = llvm::cantFail(offers({seen, kDouble, h200(), none}, {"jad"}));
    auto layout = layoutOf(a);
    CHECK(offer.at(0).plans.size() == (length == 16384 ? 1 : 0));
    if (length == 16384) {
      CHECK(static_cast<bool>(layout));
      continue;
    }
    CHECK(offer.at(0).why.find("16385") != std::string::npos);
    const auto [status, sentence] = describe(layout.takeError());
    CHECK(status == Status::notApplicable);
    CHECK(sentence.find("16385") != std::string::npos);
  }
}
