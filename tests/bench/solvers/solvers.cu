// Times iterations of solvers, all by replays of CUDA graphs: with fused steps of specmv; with
// specmv's products and cuBLAS; and with cuSPARSE's fastest product and cuBLAS. Prints one JSON
// object for each solver and matrix. All three must agree, and the fused sums must be equal in
// every run. tests/bench/README.md has the figures and how to build this.
#include "gpu.h"

#include <specmv_fused.h>

using namespace solvers;

// --- Small kernels that the loops without fused steps need ---

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
static int blocksOf(int n) { return (n + 255) / 256; }

static void dot(int n, const double *x, const double *y, double *result) {
  CHECK(cublasDdot(cublas(), n, x, 1, y, 1, result));
}
static void axpy(int n, const double *alpha, const double *x, double *y) {
  CHECK(cublasDaxpy(cublas(), n, alpha, x, 1, y, 1));
}
static void scale(int n, const double *alpha, double *x) {
  CHECK(cublasDscal(cublas(), n, alpha, x, 1));
}
// z = d r
static void multiplyBy(int n, const double *d, const double *r, double *z) {
  CHECK(cublasDdgmm(cublas(), CUBLAS_SIDE_LEFT, n, 1, r, n, d, 1, z, n));
}

using Multiply = std::function<void(const double *x, double *y)>;

struct Figures {
  double us = 0;                  // of an iteration
  std::vector<double> at;         // numbers that must agree
  std::vector<double> parts = {}; // microseconds of each fused step, alone
};

static double difference(const std::vector<double> &a, const std::vector<double> &b) {
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
static void report(const char *solver, const Matrix &a, const Figures &fused,
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

static int launchesFor(const Matrix &a) { return a.host.nnz() > 5000000 ? 20 : 200; }

// --- Conjugate gradients, preconditioned by the diagonal ---

constexpr int kChecked = 30; // iterations after which loops are compared

static std::vector<double> inverseDiagonal(const Csr &a) {
  std::vector<double> d(a.rows, 1);
  for (int row = 0; row < a.rows; ++row)
    for (int e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
      if (a.col[e] == row)
        d[row] = 1 / a.val[e];
  return d;
}

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

static void cg(const Matrix &a) {
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

static void chebyshev(const Matrix &a) {
  const Figures fused = chebyshevFused(a), again = chebyshevFused(a);
  report("chebyshev", a, fused,
         chebyshevByBlas(a, [&](const double *x, double *r) { a.plan.run(-1, x, 1, r); }),
         chebyshevByBlas(a, [&](const double *x,
                                double *r) { a.theirs->run(constant(-1), x, constant(1), r); }),
         fused.at == again.at);
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

static void pdhg(const std::string &name, const Csr &host) {
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

static void pageRank(const Matrix &a) {
  const Figures fused = rankFused(a), again = rankFused(a);
  report("pagerank", a, fused, rankByBlas(a, a.ours()), rankByBlas(a, a.cusparse()),
         fused.at == again.at);
}

// solvers [small] [NAME]: small matrices are for a check, not for figures; NAME is one of the
// solvers.
int main(int argc, char **argv) {
  bool isSmall = false;
  std::string only;
  for (int i = 1; i < argc; ++i)
    (std::string(argv[i]) == "small" ? void(isSmall = true) : void(only = argv[i]));
  const auto wants = [&](const char *name) { return only.empty() || only == name; };
  const auto size = [&](int usual) { return isSmall ? std::max(8, usual / 10) : usual; };
  const auto onGrid = [&](const std::string &name, const Csr &host) {
    const Matrix a(name, host);
    if (wants("cg"))
      cg(a);
    if (wants("chebyshev"))
      chebyshev(a);
  };
  if (wants("cg") || wants("chebyshev")) {
    for (const int n : {300, 1000, 2000})
      onGrid("5-point " + std::to_string(size(n)) + "^2", grid(size(n), 2, false));
    for (const int n : {64, 160})
      onGrid("7-point " + std::to_string(size(n)) + "^3", grid(size(n), 3, false));
    onGrid("27-point " + std::to_string(size(100)) + "^3", grid(size(100), 3, true));
    for (const int n : {30, 60})
      onGrid("elasticity " + std::to_string(size(n)) + "^3", elasticity(size(n)));
  }
  if (wants("cg"))
    cg(Matrix("16 a row, anywhere", scattered(isSmall ? 3000 : 1000000, 16)));
  const int rows = isSmall ? 2000 : 400000;
  if (wants("pdhg")) {
    pdhg("uneven program", program(rows, rows * 3 / 2, 1.5, 4, 20000, 1));
    pdhg("wide program", program(rows / 20, rows, 1.3, 30, 50000, 2));
    pdhg("tall program", program(rows * 2, rows / 4, 2.5, 3, 500, 3));
  }
  if (wants("pagerank"))
    pageRank(Matrix("power law", graph(isSmall ? 5000 : 1500000, 12)));
  return 0;
}
