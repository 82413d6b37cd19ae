// Tests of the normal equations: lines through points, damping, and unknowns that are held.
#include "runtime/lab/evaluate/fit.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Weighted squares of a + b t - y at a = b = 0.
NormalEquations lineThrough(llvm::ArrayRef<std::pair<double, double>> points, double weight) {
  NormalEquations out(2);
  for (const auto &[t, y] : points)
    out.add(SparseRow{{0, 1.0}, {1, t}}, -y, weight);
  return out;
}

} // namespace

TEST_CASE("a step goes to the least squares") {
  const auto line = lineThrough({{0, 1}, {1, 3}, {2, 5}}, 0.5).step(0);
  REQUIRE(line);
  CHECK((*line)[0] == doctest::Approx(1));
  CHECK((*line)[1] == doctest::Approx(2));
}

TEST_CASE("unknowns that a row does not name have no slope") {
  NormalEquations equations(3);
  equations.add(SparseRow{{1, -2.0}, {2, 1.0}}, 3, 1);
  for (size_t i = 0; i < 3; ++i)
    equations.add(i, 0, 1e-9);
  const auto step = equations.step(0);
  REQUIRE(step);
  CHECK((*step)[0] == doctest::Approx(0));
  CHECK(-2 * (*step)[1] + (*step)[2] == doctest::Approx(-3));
}

TEST_CASE("damping shortens a step, and a held unknown has none") {
  NormalEquations equations = lineThrough({{0, 1}, {1, 3}, {2, 5}}, 1);
  const auto free = equations.step(0), damped = equations.step(1e3);
  REQUIRE(damped);
  CHECK((*damped)[1] > 0);
  CHECK((*damped)[1] < (*free)[1] / 100);
  equations.hold(0);
  const auto held = equations.step(0);
  REQUIRE(held);
  CHECK((*held)[0] == 0);
  CHECK((*held)[1] == doctest::Approx(13.0 / 5)); // sum of t y / sum of t^2
}

TEST_CASE("without curvature in some direction there is no step") {
  CHECK_FALSE(lineThrough({{1, 1}}, 1).step(0));
}
