// Tests turns of plans in simulated products: whose turn it is, who is out and when, what it costs,
// and that the fastest stays.
#include "runtime/choose/turns.h"

#include "models/base/numbers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>

using namespace specmv;

namespace {

// A program that multiplies: what its products take by each plan, by how much that varies, and how
// many products it puts on the stream before the first of them is over.
struct Program {
  std::vector<double> us;
  double varies = 0.02;
  size_t ahead = 0;
  double resolution = 0.5, eventUs = 3.3; // of events, and how long the stream takes for each
};

struct Learned {
  size_t best = 0;
  bool isOver = false;
  double cost = 0; // of the products, in times of the fastest plan's
  std::vector<int> products = {};
};

// Products that take longer read more than L2 holds (of an H200), so that nothing is kept for the
// next.
constexpr double kMostFromL2Us = 60;

// Runs products; the first of a turn takes a tenth longer if the caches are cold (measured on an
// H200: 1.0 to 1.15 times as long).
Learned learn(const Program &program, int products, uint64_t seed) {
  Turns turns(program.us.size(), program.us.front() >= 20);
  std::deque<std::pair<size_t, double>> running; // with a plan of no use if no turn ends
  const size_t none = program.us.size();
  Learned out{.products = std::vector<int>(program.us.size())};
  double sum = 0, begun = 0;
  size_t last = 0;
  for (int i = 0; i < products; ++i) {
    while (running.size() > program.ahead) {
      if (running.front().first != none)
        turns.take(running.front().first, running.front().second);
      running.pop_front();
    }
    const Turn turn = turns.next();
    Random random(seed, Drawn::values, i);
    const double us = program.us[turn.plan] * (1 + program.varies * std::abs(random.signedUnit())) *
                      (turn.plan == last || program.us[turn.plan] > kMostFromL2Us ? 1 : 1.1);
    if (turn.begins)
      begun = std::floor(sum / program.resolution);
    sum += us + (turn.begins ? program.eventUs : 0);
    const double timed = (std::floor(sum / program.resolution) - begun) * program.resolution;
    sum += turn.ends ? program.eventUs : 0;
    running.emplace_back(turn.ends ? turn.plan : none, timed);
    last = turn.plan;
    ++out.products[turn.plan];
  }
  const double least = *std::min_element(program.us.begin(), program.us.end());
  out.best = turns.best();
  out.isOver = turns.isOver();
  out.cost = sum / (least * (1 + program.varies / 2) * products);
  return out;
}

} // namespace

// Products of less than 9 us are not compared on any GPU, since they hide behind their launches.
TEST_CASE("after a hundred products the fastest plan stays, at a cost of a few percent") {
  const std::vector<Program> programs = {
      {{100, 112, 130}}, {{130, 100, 112}}, {{112, 130, 100}},    {{100, 104}},   {{104, 100, 101}},
      {{20, 21.5, 25}},  {{1000, 1003}},    {{1003, 1000, 1010}}, {{14, 17, 18}}, {{500, 900, 505}},
      {{37, 36, 38}},    {{27, 40, 36}},    {{25, 23.5, 28}},
  };
  for (const Program &program : programs) {
    CAPTURE(program.us.front());
    CAPTURE(program.us.back());
    double regret = 0, cost = 0;
    constexpr int kTrials = 50;
    const double least = *std::min_element(program.us.begin(), program.us.end());
    for (int trial = 0; trial < kTrials; ++trial) {
      const Learned learned = learn(program, 100, static_cast<uint64_t>(trial));
      CHECK(learned.isOver);
      regret += program.us[learned.best] / least / kTrials;
      cost += learned.cost / kTrials;
    }
    CHECK(regret <= 1.003);
    CHECK(cost <= 1.05);
  }
}

TEST_CASE(
    "a program that runs ahead learns later, and no plan has more than one short turn before") {
  const Program ahead{.us = {100, 130, 101}, .ahead = 60};
  const Learned before = learn(ahead, 60, 1);
  CHECK(before.products == std::vector<int>{54, 3, 3});
  CHECK(before.best == 0);
  const Learned after = learn({.us = {130, 100, 140}, .ahead = 60}, 400, 1);
  CHECK(after.isOver);
  CHECK(after.best == 1);
}

TEST_CASE("a plan that is hopelessly slower is out after its first turn") {
  const Learned learned = learn({.us = {100, 500, 300}}, 100, 1);
  CHECK(learned.best == 0);
  CHECK(learned.products == std::vector<int>{94, 3, 3});
}

TEST_CASE("a plan whose turns cannot be timed is out, and the first stays if none can be") {
  Turns turns(3, false);
  for (int i = 0; i < 9; ++i)
    if (const Turn turn = turns.next(); turn.ends)
      turns.lose(turn.plan);
  CHECK(turns.next().plan == 0);
  CHECK(turns.isOver());
  CHECK(turns.timed() == 0);
  CHECK(turns.us(0) == 0);
  Turns some(2, false);
  for (int i = 0; i < 6; ++i)
    if (const Turn turn = some.next(); turn.ends)
      turn.plan == 0 ? some.take(0, 100) : some.lose(turn.plan);
  CHECK(some.next().plan == 0);
  CHECK(some.isOver());
}

TEST_CASE("while times are on their way, the fastest so far has all products, untimed") {
  Turns turns(2, false);
  for (size_t plan : {0, 1})
    for (int product = 0; product < 3; ++product) {
      const Turn turn = turns.next();
      CHECK(turn.plan == plan);
      CHECK(turn.begins == (product == 1));
      CHECK(turn.ends == (product == 2));
    }
  const auto isUntimed = [&](size_t plan) {
    const Turn turn = turns.next();
    return turn.plan == plan && !turn.begins && !turn.ends;
  };
  for (int i = 0; i < 20; ++i)
    CHECK(isUntimed(0));
  turns.take(0, 200);
  CHECK(isUntimed(0)); // the time of the other is still awaited
  CHECK_FALSE(turns.isOver());
  turns.take(1, 100);
  CHECK(turns.us(0) == 100);
  CHECK(turns.us(1) == 50);
  CHECK(turns.next().plan == 1);
  CHECK(turns.isOver());
  CHECK(turns.timed() == 4);
  CHECK(Turns(1, true).isOver());
}

TEST_CASE("a plan that becomes hopeless during its turn still ends it, and a disturbed turn counts "
          "little") {
  Turns turns(2, false);
  const auto run = [&](double first, double second) {
    for (int i = 0; i < 100; ++i) {
      const Turn turn = turns.next();
      if (turn.ends)
        turns.take(turn.plan, turn.plan == 0 ? first : second);
      if (turn.ends && turn.plan == 1)
        return;
    }
  };
  run(2 * 100, 2 * 101);
  REQUIRE_FALSE(turns.isOver());
  run(6 * 300, 6 * 101); // another program had the GPU during the first plan's turn
  CHECK(turns.us(0) == doctest::Approx(100));
  CHECK(turns.us(1) == doctest::Approx(101));
}
