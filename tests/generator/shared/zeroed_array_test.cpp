// Tests of the memory of packed arrays.
#include "generator/shared/typed_array.h"

#include "tests/sanitized.h"
#include <doctest/doctest.h>

#include <limits>

using namespace specmv;

TEST_CASE("an array is zero, of every size, also where memory was used before") {
  for (size_t size : {size_t(0), size_t(1), size_t(1000), size_t(5) << 20}) {
    for (int round = 0; round < 2; ++round) {
      ZeroedArray<uint32_t> array(size);
      CHECK(array.size() == size);
      CHECK(std::all_of(array.begin(), array.end(), [](uint32_t x) { return x == 0; }));
      std::fill(array.data(), array.data() + size, 7); // for who gets this memory next
    }
  }
}

TEST_CASE("a copy is another array, and what was moved from is empty") {
  ZeroedArray<uint32_t> a(3);
  a[1] = 5;
  ZeroedArray<uint32_t> copy = a;
  CHECK(copy == a);
  copy[1] = 6;
  CHECK(a[1] == 5);
  CHECK_FALSE(copy == a);
  const ZeroedArray<uint32_t> moved = std::move(a);
  CHECK(moved[1] == 5);
  CHECK(a.empty()); // NOLINT(bugprone-use-after-move): what is tested
  CHECK_FALSE(moved == ZeroedArray<uint32_t>(2));
  a = moved;
  CHECK(a == moved);
}

TEST_CASE("an array that no machine has memory for is refused as vectors are") {
  if (kSanitized) {
    MESSAGE("skipped: a sanitizer ends the process where memory is refused");
    return;
  }
  for (size_t size : {std::numeric_limits<size_t>::max(), size_t(1) << 60})
    CHECK_THROWS_AS(ZeroedArray<uint64_t>{size}, std::bad_alloc);
}
