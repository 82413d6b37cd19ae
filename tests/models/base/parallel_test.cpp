// Tests parallelFor: every index once, in aligned ranges, and exceptions reach the caller.
#include "models/base/parallel.h"

#include <atomic>
#include <doctest/doctest.h>
#include <stdexcept>
#include <vector>

using namespace specmv;

TEST_CASE("every index is visited once, in ranges that start at multiples of the grain") {
  for (int64_t count : {0, 1, 99, 100, 101, 12345}) {
    std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
    std::atomic<int> misaligned{0};
    parallelFor(count, 100, [&](int64_t begin, int64_t end) {
      misaligned += begin % 100 != 0 || end - begin > 100 || end <= begin;
      for (int64_t i = begin; i < end; ++i)
        ++visits[static_cast<size_t>(i)];
    });
    CHECK(misaligned == 0);
    for (const std::atomic<int> &n : visits)
      REQUIRE(n == 1);
  }
}

TEST_CASE("what a body throws is thrown to the caller, and the loop stops early") {
  std::atomic<int> ranges{0};
  auto loop = [&] {
    parallelFor(1000000, 1, [&](int64_t begin, int64_t) {
      ++ranges;
      if (begin == 10)
        throw std::runtime_error("ten");
    });
  };
  CHECK_THROWS_WITH_AS(loop(), "ten", std::runtime_error);
  CHECK(ranges < 1000000);
}

TEST_CASE("limits of threads within one another end one by one") {
  const unsigned all = threadCount();
  {
    const ThreadLimit one(1);
    { const ThreadLimit more(8); }
    CHECK(threadCount() == 1);
    { const ThreadLimit none(0); }
    CHECK(threadCount() == 1);
  }
  CHECK(threadCount() == all);
}
