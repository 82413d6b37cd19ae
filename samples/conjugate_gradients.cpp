// Conjugate gradients in C++20 with specmv.hpp: owning objects, spans, results instead of statuses,
// and a context whose warnings are printed. Solves the problem of poisson_cg.c with vectors on the
// host.
//
//   conjugate_gradients [n]        (default 200)
#include "specmv.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

using Vector = std::vector<double>;

struct Grid {
  std::vector<int> rowPtr{0}, col = {};
  Vector val = {};
};

// The five-point stencil on an n x n grid.
Grid makeGrid(int n) {
  Grid a;
  for (int row = 0; row < n * n; ++row) {
    const auto add = [&](bool isInside, int col, double value) {
      if (!isInside)
        return;
      a.col.push_back(col);
      a.val.push_back(value);
    };
    add(row >= n, row - n, -1);
    add(row % n > 0, row - 1, -1);
    add(true, row, 4);
    add(row % n < n - 1, row + 1, -1);
    add(row < n * (n - 1), row + n, -1);
    a.rowPtr.push_back(static_cast<int>(a.col.size()));
  }
  return a;
}

double dot(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// y = x + factor y
void addTo(Vector &y, double factor, const Vector &x) {
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = x[i] + factor * y[i];
}

// Iterates from x = 0 until |r| <= 1e-8 |b|. Returns the number of iterations, or the error.
specmv::Result<int> solve(specmv::Plan<double> &plan, const Vector &b, Vector &x) {
  Vector r = b, p = b, q(b.size());
  x.assign(b.size(), 0);
  double rr = dot(r, r);
  const double goal = 1e-16 * rr;
  int iterations = 0;
  for (; rr > goal && iterations < static_cast<int>(b.size()); ++iterations) {
    if (auto done = plan.multiply(p, q); !done)
      return done.error();
    const double alpha = rr / dot(p, q);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    addTo(p, next / rr, r);
    rr = next;
  }
  return iterations;
}

int failed(const specmv::Error &error) {
  std::cerr << "error: " << error.detail << '\n';
  return 1;
}

// Makes a plan, solves the problem and prints the result; `formats` is as in PlanOptions.
int tell(const specmv::Matrix<double> &a, const specmv::Context &context, const char *formats) {
  specmv::PlanOptions options;
  options.context = context.get();
  options.formats = formats;
  auto plan = specmv::Plan<double>::create(a, options);
  if (!plan)
    return failed(plan.error());
  const Vector b(static_cast<size_t>(a.rows()), 1);
  Vector x, ax(b.size());
  const auto begin = std::chrono::steady_clock::now();
  const auto iterations = solve(*plan, b, x);
  if (!iterations)
    return failed(iterations.error());
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  if (auto done = plan->multiply(x, ax); !done)
    return failed(done.error());
  addTo(ax, -1, b);
  const double error = std::sqrt(dot(ax, ax) / dot(b, b));
  std::cout << plan->text() << ", on the " << (plan->isOnGpu() ? "GPU" : "host") << ": "
            << *iterations << " iterations, " << ms.count() << " ms, residual " << error << '\n';
  if (!formats && plan->isOnGpu())
    return error <= 1e-7 ? tell(a, context, "cusparse-csr") : 1;
  if (!formats)
    std::cout << "cuSPARSE was not compared: the products ran on the host\n";
  return error <= 1e-7 ? 0 : 1;
}

// The number in argv[1], or the default.
int sizeFrom(int argc, char **argv) {
  constexpr int kMost = 20000;
  const std::string_view text = argc > 1 ? argv[1] : "200";
  if (argc == 2 && text == "--help") {
    std::cout << "usage: " << argv[0] << " [n]        (n is a whole number in 1.." << kMost
              << ", default 200)\n";
    std::exit(0);
  }
  if (argc > 2) {
    std::cerr << "error: '" << argv[2] << "' is one argument too many; give n alone\n";
    std::exit(2);
  }
  int n = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (wrong != std::errc() || end != text.data() + text.size() || n < 1 || n > kMost) {
    std::cerr << "error: n = '" << text << "' is no whole number in 1.." << kMost << '\n';
    std::exit(2);
  }
  return n;
}

} // namespace

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv);
  const Grid grid = makeGrid(n);
  const auto a = specmv::Matrix<double>::csr(n * n, n * n, grid.rowPtr, grid.col, grid.val);
  if (!a)
    return failed(a.error());
  specmv::ContextOptions options;
  options.log = [](specmvLogLevel_t, std::string_view sentence) {
    std::cerr << "specmv: " << sentence << '\n';
  };
  const auto context = specmv::Context::create(std::move(options));
  if (!context)
    return failed(context.error());
  return tell(*a, *context, nullptr);
}
