// The time to a solution by conjugate gradients from CSR on the GPU, set-up included: the plan and
// its steps, or what cuSPARSE prepares; the graph; and iterations until the residual is small. The
// number on the GPU is looked at after every 20 iterations.
#include "loops.h"

#include <chrono>

namespace solvers {

constexpr double kTolerance = 1e-8;
constexpr int kLooks = 20, kMost = 5000;

namespace {
// The vectors of a solution.
struct Vectors {
  explicit Vectors(const Csr &a)
      : d(inverseDiagonal(a)), x(a.rows), r(a.rows, 1), z(a.rows), p(a.rows), next(a.rows),
        q(a.rows), rz(1), rzNew(1), pq(1), pqNew(1), rr(1) {}
  Vector d, x, r, z, p, next, q, rz, rzNew, pq, pqNew, rr;
};
struct Timed {
  double setupMs = 0, totalMs = 0;
  int iterations = 0;
};
} // namespace

static double now() {
  CHECK(cudaStreamSynchronize(stream()));
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static double read(const double *at) {
  double value = 0;
  CHECK(cudaMemcpyAsync(&value, at, sizeof value, cudaMemcpyDeviceToHost, stream()));
  CHECK(cudaStreamSynchronize(stream()));
  return value;
}

// Launches the graph, of kLooks iterations, until rr is small.
static Timed iterate(double begin, double setup, const Graph &graph, const double *rr,
                     double first) {
  Timed out{setup - begin};
  while (out.iterations < kMost) {
    graph.launch();
    out.iterations += kLooks;
    if (read(rr) <= kTolerance * kTolerance * first)
      break;
  }
  out.totalMs = now() - begin;
  return out;
}

static Timed fusedSolution(const Matrix &a) {
  Vectors v(a.host);
  multiplyBy(a.host.rows, v.d, v.r, v.z);
  dot(a.host.rows, v.r, v.z, v.rz);
  for (const Vector *one : {&v.rzNew, &v.pq, &v.pqNew})
    CHECK(cudaMemcpyAsync(one->at(), constant(1), sizeof(double), cudaMemcpyDeviceToDevice,
                          stream()));
  const double begin = now();
  const Plan plan(a.device, SPECMV_RIGOR_ESTIMATE);
  const Step product(plan, SPECMV_FUSED_CG_PRODUCT), update(plan, SPECMV_FUSED_CG_UPDATE);
  const Graph graph(
      [&] {
        for (int i = 0; i < kLooks; i += 2) {
          product.run({v.z, v.p, v.next, v.q, v.x}, {v.rz, v.rzNew, v.pqNew, v.pq});
          update.run({v.r, v.z, v.q, v.d}, {v.rz, v.pq, v.rzNew, v.rr});
          product.run({v.z, v.next, v.p, v.q, v.x}, {v.rzNew, v.rz, v.pq, v.pqNew});
          update.run({v.r, v.z, v.q, v.d}, {v.rzNew, v.pqNew, v.rz, v.rr});
        }
      },
      false);
  return iterate(begin, now(), graph, v.rr, a.host.rows);
}

__global__ void alphaOf(const double *rz, const double *pq, double *alpha, double *minus) {
  *alpha = *rz / *pq;
  *minus = -*alpha;
}
__global__ void betaOf(const double *rzNew, double *rz, double *beta) {
  *beta = *rzNew / *rz;
  *rz = *rzNew;
}

// `prepare` makes the product.
static Timed solutionByBlas(const Matrix &a, const std::function<Multiply()> &prepare) {
  const int n = a.host.rows;
  Vectors v(a.host);
  Vector minus(1), beta(1);
  const Vector &alpha = v.pqNew;
  multiplyBy(n, v.d, v.r, v.z);
  CHECK(cudaMemcpyAsync(v.p, v.z, n * sizeof(double), cudaMemcpyDeviceToDevice, stream()));
  dot(n, v.r, v.z, v.rz);
  const double begin = now();
  const Multiply multiply = prepare();
  const Graph graph(
      [&] {
        for (int i = 0; i < kLooks; ++i) {
          multiply(v.p, v.q);
          dot(n, v.p, v.q, v.pq);
          alphaOf<<<1, 1, 0, stream()>>>(v.rz, v.pq, alpha, minus);
          axpy(n, alpha, v.p, v.x);
          axpy(n, minus, v.q, v.r);
          multiplyBy(n, v.d, v.r, v.z);
          dot(n, v.r, v.z, v.rzNew);
          betaOf<<<1, 1, 0, stream()>>>(v.rzNew, v.rz, beta);
          scale(n, beta, v.p);
          axpy(n, constant(1), v.z, v.p);
        }
        dot(n, v.r, v.r, v.rr);
      },
      false);
  return iterate(begin, now(), graph, v.rr, n);
}

static void tell(const char *name, const Timed &t) {
  std::printf(", \"%s\": {\"setupMs\": %.2f, \"totalMs\": %.2f, \"iterations\": %d}", name,
              t.setupMs, t.totalMs, t.iterations);
}

// The first solution of the process finds no kernel loaded; the second one knows the pattern.
void solution(const Matrix &a) {
  std::printf("{\"solver\": \"solution\", \"matrix\": \"%s\", \"rows\": %d", a.name.c_str(),
              a.host.rows);
  tell("fusedFirst", fusedSolution(a));
  tell("fused", fusedSolution(a));
  std::unique_ptr<Plan> plan;
  tell("unfused", solutionByBlas(a, [&]() -> Multiply {
         plan = std::make_unique<Plan>(a.device, SPECMV_RIGOR_ESTIMATE);
         return [&](const double *x, double *y) { plan->run(1, x, 0, y); };
       }));
  std::unique_ptr<CusparseProduct> theirs;
  // Sliced ELL would have to be made on the host first.
  for (const cusparseSpMVAlg_t alg :
       {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
    const auto prepare = [&]() -> Multiply {
      theirs = std::make_unique<CusparseProduct>(a.device, a.host, alg);
      return [&](const double *x, double *y) { theirs->run(constant(1), x, constant(0), y); };
    };
    solutionByBlas(a, prepare); // loads the kernels
    tell(theirs->name(), solutionByBlas(a, prepare));
  }
  std::printf("}\n");
  std::fflush(stdout);
}

} // namespace solvers
