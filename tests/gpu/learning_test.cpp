// Tests plans that take turns in a program's products (SPECMV_RIGOR_ONLINE) on a GPU: products are
// right before, during and after the change, and graphs keep the kernels that they were captured
// with.
#include "runtime/cuda/overlap.h"
#include "tests/gpu/device_vectors.h"
#include "tests/gpu/graph.h"
#include "tests/runtime/slow_kernels.h"

using namespace apitest;
using namespace specmv;

namespace {

std::string learnedIn(specmvPlan_t plan) {
  const char *json = nullptr;
  REQUIRE(specmvGetPlanJson(plan, &json) == SPECMV_STATUS_SUCCESS);
  const std::string text = json;
  const size_t at = text.find("\"learning\":{");
  return at == std::string::npos ? "" : text.substr(at, text.find('}', text.find("\"state\"", at)));
}

bool isLearning(specmvPlan_t plan) {
  return learnedIn(plan).find("\"state\":\"running\"") != std::string::npos;
}

// These matrices are small, so that launches would hide what their plans take.
specmvContext_t withSlowKernels() {
  static const specmvContext_t context = [] {
    const ScratchDirectory scratch("specmv-slow-kernels");
    const std::string model = scratch.path() + "/model.json";
    testing::writeSlowKernels(model);
    specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
    options.gpuModel = model.c_str();
    specmvContext_t made = nullptr;
    REQUIRE(specmvCreateContext(&made, &options) == SPECMV_STATUS_SUCCESS);
    return made;
  }();
  return context;
}

// A plan with vectors on the GPU, on a stream of its own, whose products are compared with the
// definition. Values and x are whole numbers, so that the order of additions does not matter.
class Learner {
public:
  explicit Learner(const Csr<int32_t, double> &a, bool updatable = false)
      : a_(a), x_(integers<double>(a.cols, 3)),
        dx_(llvm::cantFail(gpu_->uploaded(x_.data(), x_.size() * sizeof(double)))),
        dy_(llvm::cantFail(gpu_->allocate(static_cast<size_t>(a.rows) * sizeof(double)))) {
    specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
    options.target = SPECMV_TARGET_GPU;
    options.context = withSlowKernels();
    options.rigor = SPECMV_RIGOR_ONLINE;
    options.kernels = SPECMV_KERNELS_SPECIALIZED;
    options.vectorsOnGpu = 1;
    options.updatable = updatable;
    options.maxBytes = int64_t{1} << 40; // so that no earlier choice is known
    REQUIRE_MESSAGE(specmvCreatePlan(&plan, Matrix(a), &options) == SPECMV_STATUS_SUCCESS,
                    specmvGetLastErrorDetail());
  }
  Learner(const Learner &) = delete;
  Learner &operator=(const Learner &) = delete;
  ~Learner() { specmvDestroyPlan(plan); }

  void multiply(double alpha = 1) {
    const double zero = 0;
    CHECK(specmvExecute(plan, &alpha, reinterpret_cast<void *>(dx_.pointer()), &zero,
                        reinterpret_cast<void *>(dy_.pointer()),
                        stream_.get()) == SPECMV_STATUS_SUCCESS);
  }
  bool isRight(double alpha = 1) {
    std::vector<double> y(static_cast<size_t>(a_.rows));
    llvm::cantFail(gpu_->synchronize(stream_.get()));
    llvm::cantFail(gpu_->download(y.data(), dy_.pointer(), dy_.bytes()));
    return y == naiveProduct(a_, alpha, x_, 0.0, y);
  }
  void learn() {
    for (int i = 0; i < 2000 && isLearning(plan); ++i) {
      multiply(i % 5 + 1);
      if (i % 7 == 0)
        CHECK(isRight(i % 5 + 1));
    }
    CHECK_FALSE(isLearning(plan));
  }
  const GpuDevice &gpu() const { return *gpu_; }
  StreamHandle stream() const { return stream_.get(); }

  specmvPlan_t plan = nullptr;

private:
  const Csr<int32_t, double> &a_;
  std::shared_ptr<const GpuDevice> gpu_ = gpuMachine().gpu;
  GpuHandle<void *> stream_ = llvm::cantFail(makeStream(*gpu_));
  std::vector<double> x_;
  DeviceBuffer dx_, dy_;
};

const std::vector<Csr<int32_t, double>> &matrices() {
  static const auto &all = *new std::vector<Csr<int32_t, double>>{
      bandCsr<double>(30000), randomCsr<int32_t, double>(20000, 20000, 9), longRowCsr<double>()};
  return all;
}

} // namespace

TEST_CASE("products are right while plans take turns and after the fastest has stayed") {
  for (const auto &a : matrices()) {
    CAPTURE(a.rows);
    Learner learner(a);
    REQUIRE(isLearning(learner.plan));
    learner.learn();
    for (int i = 0; i < 5; ++i)
      learner.multiply();
    CHECK(learner.isRight());
  }
}

TEST_CASE("new values while plans take turns are those of all plans") {
  for (const auto &a : matrices()) {
    Csr<int32_t, double> changed = a;
    Learner learner(changed, true);
    for (int update = 0; update < 4; ++update) {
      for (double &value : changed.val)
        value += 1;
      CHECK(specmvUpdateValues(learner.plan, changed.val.data(), learner.stream()) ==
            SPECMV_STATUS_SUCCESS);
      for (int i = 0; i < 5; ++i) {
        learner.multiply();
        CHECK(learner.isRight());
      }
    }
    learner.learn();
  }
}

TEST_CASE("a graph of a product that ended the learning stays right") {
  for (const auto &a : matrices()) {
    Learner learner(a);
    for (int i = 0; i < 8; ++i)
      learner.multiply();
    runAsGraph(learner.gpu(), learner.stream(), 3, [&] { learner.multiply(2); });
    CHECK(learner.isRight(2));
    CHECK_FALSE(isLearning(learner.plan));
    learner.multiply(3);
    CHECK(learner.isRight(3));
  }
}
