// Tests that the solvers among the ready-made steps of specmv_fused.h do what their comments say:
// their texts, as functions on the host, solve linear systems whose solutions are known.
#include "tests/api/fused_steps_testing.h"

#include <doctest/doctest.h>

#include <numbers>
#include <string>

using namespace fusedtest;

extern "C" const char *fusedHeaderTest(void);

TEST_CASE("a C99 program may include the header of fused steps first") {
  const char *breach = fusedHeaderTest();
  CHECK_MESSAGE(breach == nullptr, std::string(breach ? breach : ""));
}

namespace {

constexpr size_t kSide = 20; // of the grid

// The five-point stencil on the grid; `wind` makes it nonsymmetric, and the diagonal has scale(i)
// in the sense of S A S.
template <class Scale> Sparse gridOf(real wind, const Scale &scale) {
  Sparse a{kSide * kSide};
  for (size_t i = 0; i < a.cols; ++i) {
    const auto add = [&](bool isInside, size_t j, real value) {
      if (isInside)
        a.add(j, value * scale(i) * scale(j));
    };
    add(i >= kSide, i - kSide, -1);
    add(i % kSide > 0, i - 1, -1 - wind);
    add(true, i, 4);
    add(i % kSide + 1 < kSide, i + 1, -1 + wind);
    add(i + kSide < a.cols, i + kSide, -1);
    a.endRow();
  }
  return a;
}
Sparse plainGrid() {
  return gridOf(0, [](size_t) { return 1; });
}
Sparse identity() {
  Sparse a{7};
  for (size_t i = 0; i < a.cols; ++i) {
    a.add(i, 1);
    a.endRow();
  }
  return a;
}

Vector inverseDiagonalOf(const Sparse &a) {
  Vector d(a.rows());
  for (size_t i = 0; i < a.rows(); ++i)
    for (size_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      if (a.col[e] == i)
        d[i] = 1 / a.val[e];
  return d;
}

// --- Conjugate gradients ---

// Runs so many iterations of conjugate gradients from x, and returns the sum rr of the last one.
real runCg(const Sparse &a, const Vector &b, Vector &x, int iterations) {
  Vector d = inverseDiagonalOf(a), r = minus(b, times(a, x)), z(r.size()), p(r.size()),
         pNew(r.size()), q(r.size());
  real rz = 0, rzOld = 0, pq = 0, pqOld = 0, rr = 0;
  steps::CG_UPDATE(a, dataOf(r, z, q, d), {&rzOld, &pqOld, &rz, &rr});
  CHECK(rr == doctest::Approx(dotOf(r, r)));
  for (int k = 0; k < iterations; ++k) {
    steps::CG_PRODUCT(a, dataOf(z, p, pNew, q, x), {&rz, &rzOld, &pqOld, &pq});
    steps::CG_UPDATE(a, dataOf(r, z, q, d), {&rz, &pq, &rzOld, &rr});
    std::swap(p, pNew);
    std::swap(rz, rzOld);
    std::swap(pq, pqOld);
  }
  steps::CG_END(a, dataOf(p, x), {&rzOld, &pqOld});
  return rr;
}

} // namespace

TEST_CASE("ready-made steps: conjugate gradients solve a Poisson problem") {
  const Sparse a = gridOf(0, [](size_t i) { return static_cast<real>(1 + i % 5); });
  const Vector b = someNumbers(a.rows());
  Vector x = someNumbers(a.rows());
  const real rr = runCg(a, b, x, 90);
  const real residual = normOf(minus(b, times(a, x)));
  CHECK(residual <= 1e-10 * normOf(b));
  CHECK(std::sqrt(rr) <= 1e-10 * normOf(b));

  // The sum is that of this x while rounding errors are small.
  Vector early(a.rows());
  const real square = runCg(a, b, early, 25);
  const real is = normOf(minus(b, times(a, early)));
  CHECK(std::sqrt(square) == doctest::Approx(is).epsilon(1e-9));
  CHECK(is > 1e-4 * normOf(b));
}

TEST_CASE("ready-made steps: conjugate gradients may go on when the residual is 0") {
  const Sparse a = identity();
  const Vector b = someNumbers(a.rows());
  for (const int iterations : {1, 2, 3, 10}) {
    Vector x(a.rows());
    CHECK(runCg(a, b, x, iterations) == 0);
    CHECK(x == b);
  }
}

// --- Smoothers ---

namespace {

// An eigenvector of d A, for the grid, and its eigenvalue.
struct Mode {
  Vector values = {};
  real eigenvalue = 0;
};
Mode modeOf(int k, int l) {
  const real h = std::numbers::pi / (kSide + 1);
  Mode out;
  for (int row = 1; row <= static_cast<int>(kSide); ++row)
    for (int col = 1; col <= static_cast<int>(kSide); ++col)
      out.values.push_back(std::sin(k * h * col) * std::sin(l * h * row));
  out.eigenvalue = 1 - (std::cos(k * h) + std::cos(l * h)) / 2;
  return out;
}

// The factor by which smoothing changes the mode as an error of A x = b.
template <class Smooth> real factorOf(const Mode &mode, const Smooth &smooth) {
  const Vector solution = someNumbers(mode.values.size());
  Vector b = times(plainGrid(), solution), x = solution;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += mode.values[i];
  const Vector error = minus(smooth(b, x), solution);
  const real factor = dotOf(error, mode.values) / dotOf(mode.values, mode.values);
  Vector expected = mode.values;
  for (real &v : expected)
    v *= factor;
  CHECK(normOf(minus(error, expected)) <= 1e-12 * normOf(mode.values));
  return factor;
}

} // namespace

TEST_CASE("ready-made steps: Jacobi reduces each mode of the error as theory says") {
  const Sparse a = plainGrid();
  for (const Mode &mode : {modeOf(1, 1), modeOf(3, 7), modeOf(20, 20)}) {
    real omega = 0.8;
    const real factor = factorOf(mode, [&](Vector &b, Vector &x) {
      Vector xNew(x.size()), d = inverseDiagonalOf(a);
      steps::JACOBI(a, dataOf(x, xNew, b, d), {&omega});
      return xNew;
    });
    CHECK(factor == doctest::Approx(1 - omega * mode.eigenvalue).epsilon(1e-10));
  }
}

TEST_CASE("ready-made steps: Chebyshev reduces each mode by the polynomial of its degree") {
  const Sparse a = plainGrid();
  const real high = 2, low = 0.3, theta = (high + low) / 2, delta = (high - low) / 2;
  for (const Mode &mode : {modeOf(4, 9), modeOf(12, 3), modeOf(20, 19)})
    for (int degree = 1; degree <= 5; ++degree) {
      const real factor = factorOf(mode, [&](Vector &b, Vector &x) {
        Vector xNew(x.size()), s(x.size()), d = inverseDiagonalOf(a);
        real c1 = 0, c2 = 1 / theta, rho = delta / theta;
        for (int k = 0; k < degree; ++k) {
          steps::CHEBYSHEV(a, dataOf(x, xNew, s, b, d), {&c1, &c2});
          std::swap(x, xNew);
          const real next = 1 / (2 * theta / delta - rho);
          c1 = next * rho, c2 = 2 * next / delta, rho = next;
        }
        return x;
      });
      // T_n(t / delta) / T_n(theta / delta), with t = theta - eigenvalue.
      const real t = std::cos(degree * std::acos((theta - mode.eigenvalue) / delta));
      CHECK(factor ==
            doctest::Approx(t / std::cosh(degree * std::acosh(theta / delta))).epsilon(1e-9));
    }
}

// --- BiCGSTAB ---

namespace {

real runBicgstab(const Sparse &a, const Vector &b, Vector &x, int iterations) {
  const size_t n = b.size();
  Vector r0 = minus(b, times(a, x)), r(n), p(n), pNew(n), v(n), vNew(n), s(n), t(n);
  real rho = 0, rhoNew = 0, r0v = 0, r0vOld = 0, ts = 0, tsOld = 0, tt = 0, ttOld = 0, rr = 0;
  steps::BICGSTAB_UPDATE(a, dataOf(x, r, p, r0, t, r0),
                         {&rhoNew, &r0vOld, &tsOld, &ttOld, &rho, &rr});
  CHECK(rr == doctest::Approx(dotOf(r0, r0)));
  for (int k = 0; k < iterations; ++k) {
    steps::BICGSTAB_DIRECTION(a, dataOf(r, p, v, pNew, vNew, r0),
                              {&rho, &r0vOld, &tsOld, &ttOld, &r0v});
    steps::BICGSTAB_STABILIZE(a, dataOf(r, vNew, s, t), {&rho, &r0v, &ts, &tt});
    steps::BICGSTAB_UPDATE(a, dataOf(x, r, pNew, s, t, r0), {&rho, &r0v, &ts, &tt, &rhoNew, &rr});
    std::swap(p, pNew);
    std::swap(v, vNew);
    std::swap(rho, rhoNew);
    std::swap(r0v, r0vOld);
    std::swap(ts, tsOld);
    std::swap(tt, ttOld);
  }
  return rr;
}

} // namespace

TEST_CASE("ready-made steps: BiCGSTAB solves a nonsymmetric problem") {
  const Sparse a = gridOf(0.4, [](size_t) { return 1; });
  const Vector b = someNumbers(a.rows());
  Vector x = someNumbers(a.rows());
  const real rr = runBicgstab(a, b, x, 60);
  CHECK(normOf(minus(b, times(a, x))) <= 1e-10 * normOf(b));
  CHECK(std::sqrt(rr) <= 1e-10 * normOf(b));
}

TEST_CASE(
    "ready-made steps: BiCGSTAB may go on when the residual is 0, or r0 and A r0 orthogonal") {
  const Vector b = someNumbers(identity().rows());
  for (const int iterations : {1, 2, 10}) {
    Vector x(b.size());
    CHECK(runBicgstab(identity(), b, x, iterations) == 0);
    CHECK(x == b);
  }
  Sparse turn{2}; // r0 is orthogonal to A r0 for each r0
  turn.add(1, 1), turn.endRow();
  turn.add(0, -1), turn.endRow();
  Vector x(2);
  CHECK(std::isfinite(runBicgstab(turn, {1, 0}, x, 20)));
  CHECK(std::isfinite(x[0] + x[1]));
}
