// Tests of JAD: its arrays by hand, that the kernel's last batch can be read, and its limit.
#include "tests/generator/formats/one_format.h"
#include "tests/generator/layout_numbers.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

const Plan kJadPlan{"jad", {{"block", 256}, {"offset", 32}, {"column", 32}}};

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
  const Layout layout = llvm::cantFail(layoutOf(a, kJadPlan));
  // 39 and 38 rows in two warps each, one row in one.
  CHECK(numbersOf(layout, "jdPtr", ElementType::i32) ==
        std::vector<int64_t>{0, 64, 128, 160, 160, 160, 160, 160, 160, 160});
  const std::vector<int64_t> perm = numbersOf(layout, "perm", ElementType::i32),
                             col = numbersOf(layout, "col", ElementType::i32);
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
  // The kernel reads jdPtr[k] .. jdPtr[k + 9] for the longest row if diagonal k exists.
  for (int64_t length : {0, 1, 7, 8, 9, 15, 16, 17}) {
    CAPTURE(length);
    const Layout layout = llvm::cantFail(layoutOf(rowOf(length), kJadPlan));
    const std::vector<int64_t> jdPtr = numbersOf(layout, "jdPtr", ElementType::i32);
    int64_t k = 0, batches = 1;
    for (; jdPtr.at(static_cast<size_t>(k + 8)) < jdPtr.at(static_cast<size_t>(k + 9)); k += 8)
      ++batches;
    CHECK(batches == std::max<int64_t>(1, (length + 7) / 8));
  }
}

TEST_CASE("JAD refuses more diagonals than a thread should walk through") {
  for (int64_t length : {16384, 16385}) {
    const CsrMatrix a = rowOf(length);
    const Offer offer = offerOf(a, "jad");
    CHECK(offer.plans.size() == (length == 16384 ? 1 : 0));
    if (length == 16384) {
      CHECK(static_cast<bool>(layoutOf(a, kJadPlan)));
      continue;
    }
    CHECK(contains(offer.why, "16385"));
    CHECK(contains(refusal(a, kJadPlan), "16385"));
  }
}
