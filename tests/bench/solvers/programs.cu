// PDHG for linear programs, and PageRank: fused, and by products, cuBLAS and kernels for what
// cuBLAS lacks.
#include "loops.h"

namespace solvers {

__global__ void primalKernel(int n, const double *aty, double *x, double *xBar, double *xSum,
                             double *step, const double *c, const double *low, const double *high,
                             double tau) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double old = x[i], next = fmin(fmax(old - tau * (c[i] - aty[i]), low[i]), high[i]);
  step[i] = next - old;
  xBar[i] = 2 * next - old;
  x[i] = next;
  xSum[i] += next;
}
__global__ void dualKernel(int n, const double *ax, double *y, double *ySum, double *step,
                           const double *b, const double *least, double sigma) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double old = y[i], next = fmax(old + sigma * (b[i] - ax[i]), least[i]);
  step[i] = next - old;
  y[i] = next;
  ySum[i] += next;
}
__global__ void rankKernel(int n, const double *ax, const double *rank, double *next,
                           double *change, const double *ends, double damping) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  next[i] = damping * (ax[i] + *ends / n) + (1 - damping) / n;
  change[i] = next[i] - rank[i];
}
// --- Linear programs by PDHG ---

struct Program {
  explicit Program(const Matrix &a)
      : c(numbers(a.host.cols, 1, 0.1)), low(a.host.cols), high(a.host.cols, 10),
        b(numbers(a.host.rows, 2, 0.5)), least(a.host.rows) {}
  static std::vector<double> numbers(int count, uint64_t seed, double from) {
    std::vector<double> out;
    for (int i = 0; i < count; ++i)
      out.push_back(from + uniform(seed * 1000003 + i));
    return out;
  }
  Vector c, low, high, b, least;
  double tau = 0.01, sigma = 0.01;
};

static Figures pdhgByBlas(const Matrix &a, const Program &lp, const Multiply &multiply,
                          const Multiply &transposed) {
  const int rows = a.host.rows, cols = a.host.cols;
  Vector x(cols), xBar(cols), xSum(cols), dx(cols), aty(cols), y(rows), ySum(rows), dy(rows),
      ax(rows), sums(4);
  const auto iteration = [&] {
    transposed(y, aty);
    primalKernel<<<blocksOf(cols), 256, 0, stream()>>>(cols, aty, x, xBar, xSum, dx, lp.c, lp.low,
                                                       lp.high, lp.tau);
    dot(cols, dx, dx, sums);
    dot(cols, lp.c, x, sums + 1);
    multiply(xBar, ax);
    dualKernel<<<blocksOf(rows), 256, 0, stream()>>>(rows, ax, y, ySum, dy, lp.b, lp.least,
                                                     lp.sigma);
    dot(rows, dy, dy, sums + 2);
    dot(rows, lp.b, y, sums + 3);
  };
  for (int i = 0; i < kChecked; ++i)
    iteration();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, sums.get()};
  out.us = timeOf(Graph(iteration), launchesFor(a));
  return out;
}

static Figures pdhgFused(const Matrix &a, const Matrix &t, const Program &lp) {
  const Step primal(t.plan, SPECMV_FUSED_PDHG_PRIMAL), dual(a.plan, SPECMV_FUSED_PDHG_DUAL);
  Vector x(a.host.cols), xBar(a.host.cols), xSum(a.host.cols), y(a.host.rows), ySum(a.host.rows),
      sums(4);
  const auto iteration = [&] {
    primal.run({y, x, xBar, xSum, lp.c, lp.low, lp.high}, {&lp.tau, sums, sums + 1});
    dual.run({xBar, y, ySum, lp.b, lp.least}, {&lp.sigma, sums + 2, sums + 3});
  };
  for (int i = 0; i < kChecked; ++i)
    iteration();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, sums.get()};
  out.us = timeOf(Graph(iteration), launchesFor(a));
  const auto timed = [&](const Work &work) { return timeOf(Graph(work), launchesFor(a)); };
  out.parts = {timed([&] {
                 primal.run({y, x, xBar, xSum, lp.c, lp.low, lp.high}, {&lp.tau, sums, sums + 1});
               }),
               timed([&] {
                 dual.run({xBar, y, ySum, lp.b, lp.least}, {&lp.sigma, sums + 2, sums + 3});
               }),
               t.timeOfProduct(t.ours()), t.timeOfProduct(t.cusparse())};
  return out;
}

void pdhg(const std::string &name, const Csr &host) {
  const Matrix a(name, host), t(name + ", transposed", transposed(host));
  const Program lp(a);
  const Figures fused = pdhgFused(a, t, lp), again = pdhgFused(a, t, lp);
  report("pdhg", a, fused, pdhgByBlas(a, lp, a.ours(), t.ours()),
         pdhgByBlas(a, lp, a.cusparse(), t.cusparse()), fused.at == again.at);
}

// --- PageRank ---

static std::vector<double> endsOf(const Csr &a) {
  std::vector<double> out(a.cols, 1);
  for (const int c : a.col)
    out[c] = 0;
  return out;
}

static Figures rankByBlas(const Matrix &a, const Multiply &multiply) {
  const int n = a.host.rows;
  Vector isEnd(endsOf(a.host)), r0(n, 1.0 / n), r1(n), ax(n), change(n), ends(1), moved(1);
  dot(n, isEnd, r0, ends);
  const auto iterations = [&] {
    for (int k = 0; k < 2; ++k) {
      const Vector &from = k == 0 ? r0 : r1, &to = k == 0 ? r1 : r0;
      multiply(from, ax);
      rankKernel<<<blocksOf(n), 256, 0, stream()>>>(n, ax, from, to, change, ends, 0.85);
      dot(n, isEnd, to, ends);
      CHECK(cublasDasum(cublas(), n, change, 1, moved));
    }
  };
  for (int i = 0; i < 10; i += 2)
    iterations();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, {ends.get()[0], moved.get()[0]}};
  out.us = timeOf(Graph(iterations), launchesFor(a)) / 2;
  return out;
}

static Figures rankFused(const Matrix &a) {
  const int n = a.host.rows;
  const double damping = 0.85, pages = n;
  const std::vector<double> isEndHost = endsOf(a.host);
  const Step step(a.plan, SPECMV_FUSED_PAGERANK);
  Vector isEnd(isEndHost), r0(n, 1.0 / n), r1(n), ends1(1), moved(1);
  Vector ends0(1, std::accumulate(isEndHost.begin(), isEndHost.end(), 0.0) / n);
  const auto iterations = [&] {
    step.run({r0, r1, isEnd}, {&damping, &pages, ends0, ends1, moved});
    step.run({r1, r0, isEnd}, {&damping, &pages, ends1, ends0, moved});
  };
  for (int i = 0; i < 10; i += 2)
    iterations();
  CHECK(cudaStreamSynchronize(stream()));
  Figures out{0, {ends0.get()[0], moved.get()[0]}};
  out.us = timeOf(Graph(iterations), launchesFor(a)) / 2;
  return out;
}

void pageRank(const Matrix &a) {
  const Figures fused = rankFused(a), again = rankFused(a);
  report("pagerank", a, fused, rankByBlas(a, a.ours()), rankByBlas(a, a.cusparse()),
         fused.at == again.at);
}

} // namespace solvers
