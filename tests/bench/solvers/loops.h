// The loops of this folder share this: matrices with both products, cuBLAS's vector operations, and
// the line that is printed for a solver.
#pragma once

#include "gpu.h"

#include <specmv_fused.h>

namespace solvers {

constexpr int kChecked = 30; // iterations after which loops are compared

inline int blocksOf(int n) { return (n + 255) / 256; }

inline void dot(int n, const double *x, const double *y, double *result) {
  CHECK(cublasDdot(cublas(), n, x, 1, y, 1, result));
}
inline void axpy(int n, const double *alpha, const double *x, double *y) {
  CHECK(cublasDaxpy(cublas(), n, alpha, x, 1, y, 1));
}
inline void scale(int n, const double *alpha, double *x) {
  CHECK(cublasDscal(cublas(), n, alpha, x, 1));
}
// z = d r
inline void multiplyBy(int n, const double *d, const double *r, double *z) {
  CHECK(cublasDdgmm(cublas(), CUBLAS_SIDE_LEFT, n, 1, r, n, d, 1, z, n));
}

using Multiply = std::function<void(const double *x, double *y)>;

struct Figures {
  double us = 0;                  // of an iteration
  std::vector<double> at;         // numbers that must agree
  std::vector<double> parts = {}; // microseconds of each fused step, alone
};

inline double difference(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0;
  for (size_t k = 0; k < a.size(); ++k)
    most = std::max(most, std::fabs(a[k] - b[k]) / std::max(1e-300, std::fabs(b[k])));
  return most;
}

// A matrix with the products that solvers use.
struct Matrix {
  Matrix(std::string name, Csr from)
      : name(std::move(name)), host(std::move(from)), device(host), plan(device),
        theirs(CusparseProduct::best(device, host)) {}
  Multiply ours() const {
    return [this](const double *x, double *y) { plan.run(1, x, 0, y); };
  }
  Multiply cusparse() const {
    return [this](const double *x, double *y) { theirs->run(constant(1), x, constant(0), y); };
  }
  double timeOfProduct(const Multiply &multiply) const {
    Vector x(host.cols, 1), y(host.rows);
    const Graph graph([&] { multiply(x, y); });
    return timeOf(graph, 20);
  }
  std::string name;
  Csr host;
  DeviceCsr device;
  Plan plan;
  std::unique_ptr<CusparseProduct> theirs;
};

// The members of the object, in their order.
inline void report(const char *solver, const Matrix &a, const Figures &fused,
                   const Figures &product, const Figures &theirs, bool isSame) {
  const double worst = std::max(difference(fused.at, theirs.at), difference(product.at, theirs.at));
  std::string steps;
  for (const double us : fused.parts)
    steps += (steps.empty() ? "" : ", ") + std::to_string(us);
  std::printf("{\"solver\": \"%s\", \"matrix\": \"%s\", \"rows\": %d, \"nnz\": %d, ", solver,
              a.name.c_str(), a.host.rows, a.host.nnz());
  std::printf("\"plan\": \"%s\", \"cusparse\": \"%s\", ", a.plan.text().c_str(), a.theirs->name());
  std::printf("\"productUs\": %.2f, \"cusparseProductUs\": %.2f, ", a.timeOfProduct(a.ours()),
              a.timeOfProduct(a.cusparse()));
  std::printf("\"fusedUs\": %.2f, \"stepsUs\": [%s], \"unfusedUs\": %.2f, ", fused.us,
              steps.c_str(), product.us);
  std::printf("\"cusparseUs\": %.2f, \"ratio\": %.3f, \"difference\": %.2e, \"sumsEqual\": %s}\n",
              theirs.us, theirs.us / fused.us, worst, isSame ? "true" : "false");
  std::fflush(stdout);
}

inline int launchesFor(const Matrix &a) { return a.host.nnz() > 5000000 ? 20 : 200; }

inline std::vector<double> inverseDiagonal(const Csr &a) {
  std::vector<double> d(a.rows, 1);
  for (int row = 0; row < a.rows; ++row)
    for (int e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      if (a.col[e] == row)
        d[row] = 1 / a.val[e];
  return d;
}

// The solvers; each prints one line.
void cg(const Matrix &a);
void chebyshev(const Matrix &a);
void pdhg(const std::string &name, const Csr &host);
void pageRank(const Matrix &a);
// Whole solutions by conjugate gradients, set-up included.
void solution(const Matrix &a);

} // namespace solvers
