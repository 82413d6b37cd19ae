// The solvers of this folder use this of CUDA: arrays, cuSPARSE's products, graphs and time.
#pragma once

#include "problems.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <specmv.h>

#include <cstdio>
#include <functional>
#include <memory>

namespace solvers {

[[noreturn]] inline void stop(const char *what, const char *why) {
  std::fprintf(stderr, "error: %s: %s\n", what, why);
  std::exit(1);
}
inline void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess)
    stop(what, cudaGetErrorString(e));
}
inline void check(cusparseStatus_t e, const char *what) {
  if (e != CUSPARSE_STATUS_SUCCESS)
    stop(what, cusparseGetErrorString(e));
}
inline void check(cublasStatus_t e, const char *what) {
  if (e != CUBLAS_STATUS_SUCCESS)
    stop(what, cublasGetStatusString(e));
}
inline void check(specmvStatus_t e, const char *what) {
  if (e != SPECMV_STATUS_SUCCESS)
    stop(what, specmvGetLastErrorDetail());
}
#define CHECK(call) ::solvers::check(call, #call)

template <class T> class Array {
public:
  explicit Array(size_t count = 0, T value = 0) : Array(std::vector<T>(count, value)) {}
  explicit Array(const std::vector<T> &from) : count_(from.size()) {
    CHECK(cudaMalloc(&at_, std::max<size_t>(1, count_) * sizeof(T)));
    set(from);
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { cudaFree(at_); }
  void set(const std::vector<T> &from) {
    CHECK(cudaMemcpy(at_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> out(count_);
    CHECK(cudaMemcpy(out.data(), at_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
  operator T *() const { return at_; }
  T *at() const { return at_; }

private:
  T *at_ = nullptr;
  size_t count_;
};
using Vector = Array<double>;

struct DeviceCsr {
  explicit DeviceCsr(const Csr &a)
      : rows(a.rows), cols(a.cols), nnz(a.nnz()), rowPtr(a.rowPtr), col(a.col), val(a.val) {}
  int rows, cols, nnz;
  Array<int> rowPtr, col;
  Vector val;
};

inline cudaStream_t stream() {
  static cudaStream_t s = [] {
    cudaStream_t made = nullptr;
    CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return s;
}

using Work = std::function<void()>;

// Work captured into a graph.
class Graph {
public:
  // Unless the work is prepared, it runs once before, which allocates what it needs.
  explicit Graph(const Work &work, bool mustPrepare = true) {
    if (mustPrepare)
      work();
    CHECK(cudaStreamSynchronize(stream()));
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    work();
    CHECK(cudaStreamEndCapture(stream(), &graph));
    CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph() { cudaGraphExecDestroy(exec_); }
  void launch() const { CHECK(cudaGraphLaunch(exec_, stream())); }

private:
  cudaGraphExec_t exec_ = nullptr;
};

// Microseconds of a launch of the graph: the median of five batches.
inline double timeOf(const Graph &graph, int launches) {
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> us;
  for (int batch = 0; batch < 6; ++batch) {
    CHECK(cudaEventRecord(begin, stream()));
    for (int i = 0; i < launches; ++i)
      graph.launch();
    CHECK(cudaEventRecord(end, stream()));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    us.push_back(1000.0 * ms / launches);
  }
  us.erase(us.begin());
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

// y = alpha A x + beta y by cuSPARSE, in CSR or in sliced ELL; alpha and beta on the GPU.
class CusparseProduct {
public:
  CusparseProduct(const DeviceCsr &a, const Csr &host, cusparseSpMVAlg_t alg);
  void run(const double *alpha, const double *x, const double *beta, double *y) const;
  const char *name() const { return name_; }

  // The fastest of all algorithms for this matrix, by replays of a graph.
  static std::unique_ptr<CusparseProduct> best(const DeviceCsr &a, const Csr &host);

private:
  static cusparseHandle_t handle();
  int rows_, cols_;
  cusparseSpMVAlg_t alg_;
  const char *name_;
  cusparseSpMatDescr_t matrix_ = nullptr;
  std::vector<std::unique_ptr<Array<int>>> indices_;
  std::unique_ptr<Vector> values_;
  void *buffer_ = nullptr; // freed by the end of the process
};

cublasHandle_t cublas(); // with scalars on the GPU
// A number on the GPU that stays.
const double *constant(double value);

class Plan {
public:
  explicit Plan(const DeviceCsr &a, specmvRigor_t rigor = SPECMV_RIGOR_TRIAL) {
    specmvMatrix_t m = nullptr;
    CHECK(specmvCreateCsr(&m, a.rows, a.cols, a.nnz, a.rowPtr.at(), a.col.at(), a.val.at(),
                          SPECMV_INDEX_32I, SPECMV_R_64F));
    specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
    options.target = SPECMV_TARGET_GPU;
    options.vectorsOnGpu = 1;
    options.rigor = rigor;
    specmvContext_t context = nullptr;
    if (std::getenv("SOLVERS_LOG")) { // what specmv says about its choices
      specmvContextOptions_t of = SPECMV_CONTEXT_OPTIONS_INIT;
      of.logLevel = SPECMV_LOG_INFO;
      of.log = [](void *, specmvLogLevel_t, const char *sentence) {
        std::fprintf(stderr, "note: %s\n", sentence);
      };
      CHECK(specmvCreateContext(&context, &of));
      options.context = context;
    }
    CHECK(specmvCreatePlan(&plan_, m, &options));
    CHECK(specmvDestroyMatrix(m));
  }
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  ~Plan() { CHECK(specmvDestroyPlan(plan_)); }
  operator specmvPlan_t() const { return plan_; }
  void run(double alpha, const double *x, double beta, double *y) const {
    CHECK(specmvExecute(plan_, &alpha, x, &beta, y, stream()));
  }
  std::string text() const {
    const char *text = nullptr;
    CHECK(specmvGetPlanText(plan_, &text));
    return text;
  }

private:
  specmvPlan_t plan_ = nullptr;
};

class Step {
public:
  Step(const Plan &plan, const specmvFusion_t &fusion) {
    CHECK(specmvCreateFused(&step_, plan, &fusion));
  }
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;
  ~Step() { CHECK(specmvDestroyFused(step_)); }
  void run(std::vector<const void *> vectors, std::vector<const void *> scalars) const {
    CHECK(specmvExecuteFused(step_, const_cast<void *const *>(vectors.data()),
                             const_cast<void *const *>(scalars.data()), stream()));
  }

private:
  specmvFused_t step_ = nullptr;
};

} // namespace solvers
