// Compares residuals of conjugate gradients with those in long double, within a bound on what
// rounding may change: cg_bound MATRIX FILE...; each file has |r| of every iteration.
//
// The bound holds to first order for any order of additions, and so for any number of ranks. Every
// operation of the iteration errs by at most a known multiple of u = 2^-53; how much that moves r .
// r of iteration k follows from the derivative of r . r by the result of the operation. One pass
// from iteration k back to the first gives all of these derivatives.
#include "samples/distributed/matrix.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

using distributed::Entry;
using Real = long double;
using Vector = std::vector<Real>;

constexpr Real kU = 0x1p-53L;

struct System {
  std::vector<std::vector<Entry>> rows;
  Vector b;
};

Real dot(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

Real absoluteDot(const Vector &a, const Vector &b) {
  Real sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += std::fabs(a[i] * b[i]);
  return sum;
}

Vector multiply(const System &s, const Vector &x) {
  Vector y(x.size());
  for (size_t i = 0; i < y.size(); ++i)
    for (const Entry &e : s.rows[i])
      y[i] += e.value * x[e.col];
  return y;
}

// y += factor x
void add(Vector &y, Real factor, const Vector &x) {
  for (size_t i = 0; i < y.size(); ++i)
    y[i] += factor * x[i];
}

// Iteration j computes q = A p, alpha = rho / p.q, the next r = r - alpha q, the next
// rho = r . r, beta = next rho / rho, the next p = r + beta p.
struct Iteration {
  Vector r, p, q;
  Real rho = 0, alpha = 0, beta = 0;
};

// Computes the iterations 0 .. last. Of the last one only r and rho are set.
std::vector<Iteration> iterate(const System &s, size_t last) {
  std::vector<Iteration> all(last + 1);
  all[0].r = all[0].p = s.b;
  all[0].rho = dot(s.b, s.b);
  for (size_t j = 0; j < last; ++j) {
    Iteration &now = all[j], &next = all[j + 1];
    now.q = multiply(s, now.p);
    now.alpha = now.rho / dot(now.p, now.q);
    next.r = now.r;
    add(next.r, -now.alpha, now.q);
    next.rho = dot(next.r, next.r);
    now.beta = next.rho / now.rho;
    next.p = next.r;
    add(next.p, now.beta, now.p);
  }
  return all;
}

// Tells how far an update a + factor b of a vector may be off, where `by` is the derivative.
Real updateError(const Vector &by, const Vector &a, Real factor, const Vector &b) {
  return kU * (absoluteDot(by, a) + 2 * std::fabs(factor) * absoluteDot(by, b));
}

// Tells how far a product may be off: each row errs by as many u as it has entries.
Real productError(const System &s, const Vector &by, const Vector &x) {
  Real sum = 0;
  for (size_t i = 0; i < by.size(); ++i)
    for (const Entry &e : s.rows[i])
      sum += std::fabs(by[i] * e.value * x[e.col]) * kU * static_cast<Real>(s.rows[i].size());
  return sum;
}

// Computes the bound for rho of iteration k. The names are those of Iteration; By... is the
// derivative by it.
Real boundOf(const System &s, const std::vector<Iteration> &all, size_t k) {
  const Real dotU = kU * static_cast<Real>(s.b.size());
  Vector byR(s.b.size()), byP(s.b.size());
  Real byRho = 1, bound = 0;
  for (size_t j = k; j-- > 0;) {
    const Iteration &now = all[j], &next = all[j + 1];
    bound += updateError(byP, next.r, now.beta, now.p);
    add(byR, 1, byP);
    const Real byBeta = dot(byP, now.p);
    bound += kU * std::fabs(byBeta * now.beta);
    byRho += byBeta / now.rho;
    bound += dotU * std::fabs(byRho) * next.rho;
    add(byR, 2 * byRho, next.r);
    bound += updateError(byR, now.r, now.alpha, now.q);
    const Real byAlpha = -dot(byR, now.q), pq = now.rho / now.alpha;
    bound += kU * std::fabs(byAlpha * now.alpha);
    const Real byPq = -byAlpha * now.alpha / pq;
    bound += dotU * std::fabs(byPq) * absoluteDot(now.p, now.q);
    Vector byQ(byR.size());
    add(byQ, -now.alpha, byR);
    add(byQ, byPq, now.p);
    bound += productError(s, byQ, now.p);
    for (Real &by : byP)
      by *= now.beta;
    add(byP, byPq, now.q);
    add(byP, 1, multiply(s, byQ)); // A is symmetric
    byRho = byAlpha / pq - byBeta * now.beta / now.rho;
  }
  return bound + dotU * std::fabs(byRho) * all[0].rho;
}

std::vector<double> numbersOf(const char *path) {
  std::ifstream in(path);
  std::vector<double> numbers;
  for (double number = 0; in >> number;)
    numbers.push_back(number);
  return numbers;
}

System systemOf(const char *name) {
  const distributed::RowSource source = distributed::rowsOf(name);
  System s;
  s.rows.resize(source.rows);
  for (int64_t i = 0; i < source.rows; ++i) {
    source.read(i, s.rows[i]);
    s.b.push_back(1 + 0.125L * static_cast<Real>(i % 7)); // the sample's right-hand side
  }
  return s;
}

// Tells how far the residuals of a file are off at most, in bounds.
Real compare(const char *path, const std::vector<Iteration> &all, const Vector &bounds) {
  const std::vector<double> found = numbersOf(path);
  Real worst = found.size() >= bounds.size() ? 0 : HUGE_VALL;
  for (size_t k = 0; k < bounds.size() && k < found.size(); ++k) {
    const Real norm = std::sqrt(all[k].rho);
    const Real off = std::fabs(found[k] - norm) / (bounds[k] / (2 * norm) + kU * norm);
    if (!(off <= 1))
      std::printf(
          "%s: |r| of iteration %zu is %.17g instead of %.17Lg, %.3Lg times the bound off\n", path,
          k, found[k], norm, off);
    worst = std::isnan(off) ? HUGE_VALL : std::max(worst, off);
  }
  return worst;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const System s = systemOf(argv[1]);
  // The bounds are right to first order only, so what comes after a bound of 10^-6 is not compared.
  const std::vector<Iteration> all = iterate(s, numbersOf(argv[2]).size() - 1);
  Vector bounds;
  for (size_t k = 0; k < all.size(); ++k) {
    const Real bound = boundOf(s, all, k);
    if (bound > 1e-6L * all[k].rho)
      break;
    bounds.push_back(bound);
  }
  Real worst = bounds.size() > 1 || all.size() == 1 ? 0 : HUGE_VALL;
  for (int i = 2; i < argc; ++i)
    worst = std::max(worst, compare(argv[i], all, bounds));
  std::printf(
      "%s: compared %zu of %zu iterations; |r| of the last of them may be off by %.1Lg of it, and "
      "at most %.1Lg of a bound is used\n",
      argv[1], bounds.size(), all.size(),
      bounds.empty() ? 0 : bounds.back() / (2 * all[bounds.size() - 1].rho), worst);
  return worst <= 1 ? 0 : 1;
}
