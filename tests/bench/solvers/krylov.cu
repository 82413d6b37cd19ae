// Conjugate gradients and a Chebyshev smoother: fused, and by products and cuBLAS.
#include "loops.h"

namespace solvers {

// alpha = rz / pq, and -alpha.
__global__ void alphaKernel(const double *rz, const double *pq, double *alpha, double *minus) {
  *alpha = *rz / *pq;
  *minus = -*alpha;
}
// beta = rzNew / rz, and rz = rzNew.
__global__ void betaKernel(const double *rzNew, double *rz, double *beta) {
  *beta = *rzNew / *rz;
  *rz = *rzNew;
}
// --- Conjugate gradients, preconditioned by the diagonal ---

static Figures cgByBlas(const Matrix &a, const Multiply &multiply) {
  const int n = a.host.rows;
  Vector d(inverseDiagonal(a.host)), x(n), r(n, 1), z(n), p(n), q(n);
  Vector rz(1), rzNew(1), pq(1), alpha(1), minus(1), beta(1);
  multiplyBy(n, d, r, z);
  CHECK(cudaMemcpyAsync(p, z, n * sizeof(double), cudaMemcpyDeviceToDevice, stream()));
  dot(n, r, z, rz);
  const auto iteration = [&] {
    multiply(p, q);
    dot(n, p, q, pq);
    alphaKernel<<<1, 1, 0, stream()>>>(rz, pq, alpha, minus);
    axpy(n, alpha, p, x);
    axpy(n, minus, q, r);
    multiplyBy(n, d, r, z);
    dot(n, r, z, rzNew);
    betaKernel<<<1, 1, 0, stream()>>>(rzNew, rz, beta);
    scale(n, beta, p);
    axpy(n, constant(1), z, p);
  };
  for (int i = 0; i < kChecked; ++i)
    iteration();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, {rz.get()[0], pq.get()[0]}};
  const Graph graph([&] {
    iteration();
    iteration();
  });
  out.us = timeOf(graph, launchesFor(a)) / 2;
  return out;
}

static Figures cgFused(const Matrix &a) {
  const int n = a.host.rows;
  const Step product(a.plan, SPECMV_FUSED_CG_PRODUCT), update(a.plan, SPECMV_FUSED_CG_UPDATE);
  const std::vector<double> inverse = inverseDiagonal(a.host);
  Vector d(inverse), x(n), r(n, 1), z(inverse), p0(n), p1(n), q(n), rr(1);
  Vector rz0(1, std::accumulate(inverse.begin(), inverse.end(), 0.0)), rz1(1, 1), pq0(1, 1),
      pq1(1, 1);
  const auto iterations = [&] { // two
    product.run({z, p0, p1, q, x}, {rz0, rz1, pq1, pq0});
    update.run({r, z, q, d}, {rz0, pq0, rz1, rr});
    product.run({z, p1, p0, q, x}, {rz1, rz0, pq0, pq1});
    update.run({r, z, q, d}, {rz1, pq1, rz0, rr});
  };
  for (int i = 0; i < kChecked; i += 2)
    iterations();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, {rz0.get()[0], pq1.get()[0]}};
  const Graph graph(iterations);
  out.us = timeOf(graph, launchesFor(a)) / 2;
  const auto timed = [&](const Work &work) { return timeOf(Graph(work), launchesFor(a)); };
  out.parts = {timed([&] {
                 product.run({z, p0, p1, q, x}, {rz0, rz1, pq1, pq0});
               }),
               timed([&] {
                 update.run({r, z, q, d}, {rz0, pq0, rz1, rr});
               })};
  return out;
}

void cg(const Matrix &a) {
  const Figures fused = cgFused(a), again = cgFused(a);
  report("cg", a, fused, cgByBlas(a, a.ours()), cgByBlas(a, a.cusparse()), fused.at == again.at);
}

// --- A Chebyshev smoother of degree 4 ---

constexpr int kDegree = 4;

struct Chebyshev {
  double c1[kDegree], c2[kDegree];
  Chebyshev() {
    const double high = 2.1, low = 0.2, theta = (high + low) / 2, delta = (high - low) / 2;
    double rho = delta / theta;
    c1[0] = 0;
    c2[0] = 1 / theta;
    for (int k = 1; k < kDegree; ++k) {
      const double next = 1 / (2 * theta / delta - rho);
      c1[k] = next * rho;
      c2[k] = 2 * next / delta;
      rho = next;
    }
  }
};

static double norm(const Vector &x) {
  double sum = 0;
  for (const double v : x.get())
    sum += v * v;
  return std::sqrt(sum);
}

static Figures chebyshevByBlas(const Matrix &a,
                               const std::function<void(const double *, double *)> &residual) {
  const int n = a.host.rows;
  const Chebyshev of;
  Vector d(inverseDiagonal(a.host)), b(n, 1), x(n), s(n), r(n), t(n);
  const auto smooth = [&] {
    for (int k = 0; k < kDegree; ++k) {
      CHECK(cudaMemcpyAsync(r, b, n * sizeof(double), cudaMemcpyDeviceToDevice, stream()));
      residual(x, r);
      multiplyBy(n, d, r, t);
      scale(n, constant(of.c1[k]), s);
      axpy(n, constant(of.c2[k]), t, s);
      axpy(n, constant(1), s, x);
    }
  };
  smooth();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, {norm(x)}};
  out.us = timeOf(Graph(smooth), launchesFor(a)) / kDegree;
  return out;
}

static Figures chebyshevFused(const Matrix &a) {
  const int n = a.host.rows;
  const Chebyshev of;
  const Step step(a.plan, SPECMV_FUSED_CHEBYSHEV);
  Vector d(inverseDiagonal(a.host)), b(n, 1), x0(n), x1(n), s(n);
  const auto smooth = [&] {
    for (int k = 0; k < kDegree; ++k)
      step.run({k % 2 == 0 ? x0 : x1, k % 2 == 0 ? x1 : x0, s, b, d}, {&of.c1[k], &of.c2[k]});
  };
  smooth();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, {norm(x0)}};
  out.us = timeOf(Graph(smooth), launchesFor(a)) / kDegree;
  return out;
}

void chebyshev(const Matrix &a) {
  const Figures fused = chebyshevFused(a), again = chebyshevFused(a);
  report("chebyshev", a, fused,
         chebyshevByBlas(a, [&](const double *x, double *r) { a.plan.run(-1, x, 1, r); }),
         chebyshevByBlas(a, [&](const double *x,
                                double *r) { a.theirs->run(constant(-1), x, constant(1), r); }),
         fused.at == again.at);
}

} // namespace solvers
