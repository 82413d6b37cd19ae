// Tests of the random numbers: the published sequence, the ranges, and distinct draws.
#include "models/base/numbers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

using namespace specmv;

namespace {

// Counts how often each of n numbers occurs in `draws` draws of `count` distinct ones.
std::vector<int64_t> frequencies(size_t count, int64_t n, int64_t draws) {
  std::vector<int64_t> times(static_cast<size_t>(n));
  std::vector<int32_t> drawn(count);
  for (int64_t draw = 0; draw < draws; ++draw) {
    Random random(7, Drawn::columns, draw);
    drawDistinct(random, drawn, n);
    for (const int32_t number : drawn)
      ++times.at(static_cast<size_t>(number));
  }
  return times;
}

} // namespace

TEST_CASE("the sequence is that of splitmix64 as published for the state 1234567") {
  Random random(1234567);
  for (const uint64_t expected : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                  4593380528125082431U, 16408922859458223821U})
    CHECK(random.next() == expected);
}

TEST_CASE("below is the exact product with a 64-bit fraction") {
  for (const int64_t n : {int64_t{1}, int64_t{3}, int64_t{1} << 31, (int64_t{1} << 32) - 1}) {
    Random random(99), same(99);
    for (int i = 0; i < 1000; ++i) {
      const auto product = static_cast<unsigned __int128>(same.next()) * static_cast<uint64_t>(n);
      REQUIRE(random.below(n) == static_cast<int64_t>(product >> 64));
    }
  }
}

TEST_CASE("signed units are odd multiples of 2^-52 between -1 and 1, of either sign") {
  Random random(5);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.signedUnit();
    REQUIRE(std::fabs(value) < 1);
    REQUIRE(std::fmod(value * 0x1p52, 2) != 0);
    sum += value;
  }
  CHECK(std::fabs(sum) < 5 * std::sqrt(10000 / 3.0));
}

TEST_CASE("rows, streams and seeds have sequences of their own") {
  std::set<uint64_t> first;
  for (const uint64_t seed : {0, 1, 2})
    for (const Drawn what : {Drawn::lengths, Drawn::columns, Drawn::values})
      for (const int64_t row : {0, 1, 2})
        first.insert(Random(seed, what, row).next());
  CHECK(first.size() == 27);
}

TEST_CASE("distinct draws take every number equally often, few of them or nearly all") {
  for (const size_t count : {1, 3, 5, 6, 9, 10}) {
    CAPTURE(count);
    const double p = static_cast<double>(count) / 10; // binomial: 5 standard deviations
    for (const int64_t times : frequencies(count, 10, 40000))
      CHECK(std::fabs(static_cast<double>(times) - 40000 * p) <=
            5 * std::sqrt(40000 * p * (1 - p)));
  }
}

TEST_CASE("every set of distinct draws is equally likely") {
  for (const size_t count : {2, 3}) { // both ways to draw: by rejection and in order
    std::vector<int64_t> times(32);
    std::vector<int32_t> drawn(count);
    for (int64_t draw = 0; draw < 40000; ++draw) {
      Random random(3, Drawn::columns, draw);
      drawDistinct(random, drawn, 5);
      size_t set = 0;
      for (const int32_t number : drawn)
        set |= size_t{1} << number;
      ++times[set];
    }
    int sets = 0;
    for (const int64_t t : times)
      if (t > 0) { // 10 sets, 4000 expected of each; 5 standard deviations
        ++sets;
        CHECK(std::llabs(t - 4000) < 300);
      }
    CHECK(sets == 10);
  }
}

TEST_CASE("an extended draw keeps what was taken and fills the range evenly") {
  std::vector<int64_t> times(12);
  for (int64_t draw = 0; draw < 30000; ++draw) {
    Random random(1, Drawn::columns, draw);
    std::vector<int32_t> drawn{4, 7, 0, 0, 0};
    extendDistinct(random, drawn, 2, 3, 11);
    REQUIRE(std::set<int32_t>(drawn.begin(), drawn.end()).size() == 5);
    REQUIRE(std::is_sorted(drawn.begin(), drawn.end()));
    for (const int32_t number : drawn)
      ++times.at(static_cast<size_t>(number));
  }
  CHECK(times[4] == 30000);
  CHECK(times[7] == 30000);
  for (const size_t number : {0, 1, 2, 11})
    CHECK(times[number] == 0);
  for (const size_t number : {3, 5, 6, 8, 9, 10}) // a half each; 5 standard deviations
    CHECK(std::llabs(times[number] - 15000) < 433);
}

TEST_CASE("a draw of nothing and of everything is possible") {
  Random random(1);
  std::vector<int32_t> nothing, everything(4);
  drawDistinct(random, nothing, 0);
  drawDistinct(random, everything, 4);
  CHECK(everything == std::vector<int32_t>{0, 1, 2, 3});
  extendDistinct(random, everything, 4, 0, 4);
  CHECK(everything == std::vector<int32_t>{0, 1, 2, 3});
}
