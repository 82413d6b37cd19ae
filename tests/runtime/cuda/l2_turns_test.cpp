// Tests how plans that multiply in turn divide L2.
#include "runtime/cuda/l2_turns.h"

#include "models/predict/kept_in_l2.h"
#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

using namespace specmv;

namespace {

constexpr int64_t kTurnMb = 1 << 20, kL2OfTurns = 50 * kTurnMb;

struct TurnPlans {
  std::shared_ptr<L2Turns> turns = std::make_shared<L2Turns>(kL2OfTurns);
  std::unique_ptr<L2Place> plan() const {
    return std::make_unique<L2Place>(std::make_shared<L2Turn>(turns));
  }
};

int keptOf(int64_t arrayMb, int64_t vectorMb = 0) {
  return sixteenthsKept(arrayMb * kTurnMb, vectorMb * kTurnMb, kL2OfTurns);
}

int turn(const std::unique_ptr<L2Place> &plan, int64_t arrayMb, int64_t vectorMb = 0) {
  return plan->sixteenthsFor({arrayMb * kTurnMb, vectorMb * kTurnMb});
}

// Returns the number of the first product that keeps as much as a plan alone; 0 if none does.
int productsToRise(const std::unique_ptr<L2Place> &plan, int64_t arrayMb) {
  for (int i = 1; i <= 100; ++i)
    if (turn(plan, arrayMb) == keptOf(arrayMb))
      return i;
  return 0;
}

} // namespace

TEST_CASE("turns in L2: a plan alone keeps as much as there is room for") {
  const TurnPlans plans;
  const auto a = plans.plan(), idle = plans.plan();
  for (int i = 0; i < 3; ++i)
    CHECK(turn(a, 40, 2) == keptOf(40, 2));
}

TEST_CASE("turns in L2: plans in turn keep equal parts, which have room together") {
  const TurnPlans plans;
  const auto a = plans.plan(), b = plans.plan(), c = plans.plan();
  turn(a, 20, 1), turn(b, 40, 2), turn(c, 4, 0);
  for (int i = 0; i < 3; ++i) {
    CHECK(turn(a, 20, 1) == keptOf(64, 3));
    CHECK(turn(b, 40, 2) == keptOf(64, 3));
    CHECK(turn(c, 4, 0) == keptOf(64, 3));
  }
  CHECK(keptOf(64, 3) > 0);
  CHECK(keptOf(64, 3) < keptOf(40, 2));
}

TEST_CASE("turns in L2: a plan that multiplies several times in its turn keeps no more") {
  const TurnPlans plans;
  const auto fine = plans.plan(), coarse = plans.plan();
  turn(fine, 30);
  for (int cycle = 0; cycle < 20; ++cycle) {
    for (int i = 0; i < 4; ++i)
      turn(coarse, 20);
    for (int i = 0; i < 4; ++i)
      CHECK(turn(fine, 30) == keptOf(50));
  }
}

TEST_CASE("turns in L2: a plan keeps more again when the others have stopped") {
  const TurnPlans plans;
  const auto a = plans.plan(), b = plans.plan();
  turn(a, 20), turn(b, 30);
  CHECK(turn(a, 20) == keptOf(50));
  CHECK(productsToRise(a, 20) == 16);
  CHECK(turn(b, 30) == keptOf(50));
  CHECK(turn(a, 20) == keptOf(50));
}

TEST_CASE("turns in L2: what is kept rises to the least that was allowed meanwhile") {
  const TurnPlans plans;
  const auto a = plans.plan(), b = plans.plan(), c = plans.plan();
  turn(a, 20), turn(b, 60), turn(a, 20);
  for (int i = 0; i < 15; ++i)
    turn(a, 20);
  turn(c, 10); // makes the 16th product allow less than those before
  CHECK(turn(a, 20) == keptOf(30));
  CHECK(keptOf(80) < keptOf(30));
  turn(b, 60), turn(a, 20), turn(c, 10);
  for (int i = 0; i < 16; ++i)
    CHECK(turn(a, 20) == (i < 15 ? keptOf(80) : keptOf(30)));
}

TEST_CASE("turns in L2: plans that have not multiplied do not hide those that have") {
  const TurnPlans plans;
  const auto a = plans.plan(), b = plans.plan();
  turn(a, 20), turn(b, 30);
  std::vector<std::unique_ptr<L2Place>> idle;
  idle.reserve(100);
  for (int i = 0; i < 100; ++i)
    idle.push_back(plans.plan());
  CHECK(turn(a, 20) == keptOf(50));
}

TEST_CASE("turns in L2: rivals for one place do not divide L2") {
  const TurnPlans plans;
  const auto a = plans.plan(), rival = std::make_unique<L2Place>(a->turn()), other = plans.plan();
  for (int i = 0; i < 3; ++i) {
    CHECK(turn(a, 40) == keptOf(40));
    CHECK(turn(rival, 30) == keptOf(30));
  }
  turn(other, 10);
  CHECK(turn(a, 40) == keptOf(50));
  turn(other, 10);
  CHECK(turn(rival, 30) == keptOf(40));
}

TEST_CASE("turns in L2: a plan that was destroyed does not count") {
  const TurnPlans plans;
  const auto a = plans.plan();
  auto b = plans.plan();
  turn(b, 30);
  b.reset();
  CHECK(turn(a, 20) == keptOf(20));
}

TEST_CASE("turns in L2: a plan may outlive what else is known of the GPU") {
  auto turns = std::make_shared<L2Turns>(kL2OfTurns);
  L2Place plan(std::make_shared<L2Turn>(std::exchange(turns, nullptr)));
  CHECK(plan.sixteenthsFor({10 * kTurnMb, 0}) == keptOf(10));
}

TEST_CASE("turns in L2: threads multiply by their own plans and share one") {
  const TurnPlans plans;
  const auto shared = plans.plan();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto own = plans.plan();
        turn(own, 10);
        turn(shared, 10);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(productsToRise(shared, 10) > 0);
}
