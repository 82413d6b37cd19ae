// Tests products before the plan (SPECMV_START_NOW) on a GPU: the first products, those around the
// change, and the ends. Each runs in its own process, since the first product depends on the
// kernels that are loaded.
#include "runtime/include/specmv.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/graph.h"
#include "tests/gpu/whole_values.h"

#include "runtime/cuda/overlap.h"

#include <cmath>

using namespace specmv;

namespace {

constexpr const char *kSpecs[] = {"powerlaw:rows=30000,cols=30000,avg=8,max=2000",
                                  "stencil9:n=200"};

template <class T> DeviceBuffer put(const GpuDevice &gpu, const std::vector<T> &v) {
  return llvm::cantFail(gpu.uploaded(v.data(), v.size() * sizeof(T)));
}

template <class T = void> T *at(const DeviceBuffer &buffer) {
  return reinterpret_cast<T *>(buffer.pointer());
}

// A matrix on the GPU or on the host, with indices of 32 or 64 bits, and a plan that starts
// immediately.
class Started {
public:
  Started(const CsrMatrix &a, bool onDevice, bool isWide, const char *formats = nullptr)
      : a_(a), gpu_(gpuMachine().gpu), stream_(llvm::cantFail(makeStream(*gpu_))),
        wideRowPtr_(a.rowPtr.begin(), a.rowPtr.end()), wideCol_(a.col.begin(), a.col.end()),
        narrowRowPtr_(a.rowPtr.begin(), a.rowPtr.end()), narrowCol_(a.col.begin(), a.col.end()),
        x_(wholes(a.cols, 5)), dx_(put(*gpu_, x_)),
        dy_(put(*gpu_, std::vector<double>(static_cast<size_t>(a.rows)))) {
    rowPtr_ = isWide ? put(*gpu_, wideRowPtr_) : put(*gpu_, narrowRowPtr_);
    col_ = isWide ? put(*gpu_, wideCol_) : put(*gpu_, narrowCol_);
    val_ = put(*gpu_, a.val);
    const void *rowPtr =
        isWide ? static_cast<const void *>(wideRowPtr_.data()) : narrowRowPtr_.data();
    const void *col = isWide ? static_cast<const void *>(wideCol_.data()) : narrowCol_.data();
    specmvMatrix_t matrix = nullptr;
    specmvPlanOptions_t options{};
    options.structSize = sizeof options;
    options.target = SPECMV_TARGET_GPU;
    options.formats = formats;
    options.start = SPECMV_START_NOW;
    REQUIRE(specmvCreateCsr(&matrix, a.rows, a.cols, a.nnz(), onDevice ? at(rowPtr_) : rowPtr,
                            onDevice ? at(col_) : col, onDevice ? at(val_) : a.val.data(),
                            isWide ? SPECMV_INDEX_64I : SPECMV_INDEX_32I,
                            SPECMV_R_64F) == SPECMV_STATUS_SUCCESS);
    const specmvStatus_t made = specmvCreatePlan(&plan, matrix, &options);
    REQUIRE_MESSAGE(made == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
    specmvDestroyMatrix(matrix);
  }
  Started(const Started &) = delete;
  Started &operator=(const Started &) = delete;
  ~Started() { specmvDestroyPlan(plan); }

  void multiply() {
    const double alpha = 1, beta = 0;
    const specmvStatus_t status =
        specmvExecute(plan, &alpha, at(dx_), &beta, at(dy_), stream_.get());
    REQUIRE_MESSAGE(status == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  }
  std::vector<double> y() const {
    std::vector<double> out(static_cast<size_t>(a_.rows));
    llvm::cantFail(gpu_->synchronize(stream_.get()));
    llvm::cantFail(gpu_->download(out.data(), dy_.pointer(), dy_.bytes()));
    return out;
  }
  bool multipliesRight() {
    multiply();
    return y() == hostProduct(a_, a_.val, x_);
  }
  // Gives x values that cause rounding in every product.
  void makeRough() {
    for (double &v : x_)
      v = std::sqrt(std::fabs(v) + 0.3);
    llvm::cantFail(gpu_->upload(dx_.pointer(), x_.data(), dx_.bytes()));
  }
  // Overwrites the arrays on the GPU.
  void spoilArrays() {
    for (const DeviceBuffer *buffer : {&rowPtr_, &col_, &val_})
      llvm::cantFail(gpu_->fill(buffer->pointer(), 0, buffer->bytes(), nullptr));
    llvm::cantFail(gpu_->synchronize(nullptr));
  }
  bool isReady() const {
    int ready = 0;
    CHECK_MESSAGE(specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS,
                  specmvGetLastErrorDetail());
    return ready == 1;
  }
  std::string report() const {
    const char *sentence = "";
    CHECK(specmvGetPlanReport(plan, &sentence) == SPECMV_STATUS_SUCCESS);
    return sentence;
  }
  void wait() const {
    const specmvStatus_t status = specmvPlanWait(plan);
    CHECK_MESSAGE(status == SPECMV_STATUS_SUCCESS, specmvGetLastErrorDetail());
  }
  StreamHandle stream() const { return stream_.get(); }
  const GpuDevice &gpu() const { return *gpu_; }

  specmvPlan_t plan = nullptr;

private:
  const CsrMatrix &a_;
  std::shared_ptr<const GpuDevice> gpu_;
  GpuHandle<void *> stream_;
  std::vector<int64_t> wideRowPtr_, wideCol_;
  std::vector<int32_t> narrowRowPtr_, narrowCol_;
  std::vector<double> x_;
  DeviceBuffer dx_, dy_, rowPtr_, col_, val_;
};

// Checks products before, while and after the plan takes over, and a graph of one product.
void checkStart(const CsrMatrix &a, bool onDevice, bool isWide) {
  CAPTURE(a.name);
  CAPTURE(onDevice);
  CAPTURE(isWide);
  Started s(a, onDevice, isWide);
  MESSAGE(s.report());
  do
    REQUIRE(s.multipliesRight());
  while (!s.isReady());
  s.wait();
  MESSAGE(s.report());
  s.spoilArrays();
  CHECK(s.multipliesRight());
  runAsGraph(s.gpu(), s.stream(), 2, [&] { s.multiply(); });
  s.makeRough();
  s.multiply();
  const std::vector<double> first = s.y();
  for (int i = 0; i < 5; ++i) {
    s.multiply();
    CHECK(s.y() == first);
  }
}

void checkStarts() {
  for (const char *spec : kSpecs)
    for (const bool onDevice : {true, false})
      for (const bool isWide : {false, true})
        checkStart(wholeMatrix(spec), onDevice, isWide);
}

bool reportHas(const CsrMatrix &a, const char *text) {
  Started s(a, true, false);
  const std::string report = s.report();
  INFO(report);
  CHECK(s.multipliesRight());
  return report.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("child: a start without kernels" * doctest::skip()) {
  const CsrMatrix a = wholeMatrix(kSpecs[0]);
  CHECK(reportHas(a, "cusparse-csr on the arrays as they are runs now"));
  checkStarts();
  Started merge(a, true, false, "csr-merge");
  merge.wait();
  Started other(a, true, false, "csr-merge"); // most likely with other items
  other.wait();
}

TEST_CASE("child: a start with csr-merge in the cache" * doctest::skip()) {
  CHECK(reportHas(wholeMatrix(kSpecs[0]), "csr-merge on the arrays as they are runs now"));
  checkStarts();
}

TEST_CASE("first products are right, with and without kernels in the cache, and so is the change") {
  passesInTurn({"child: a start without kernels", "child: a start with csr-merge in the cache"});
}

TEST_CASE("plans that start at once end at any moment") {
  const CsrMatrix a = wholeMatrix(kSpecs[1]);
  for (int i = 0; i < 20; ++i) {
    Started s(a, i % 2 == 0, false);
    for (int products = i % 4; products > 0; --products)
      s.multiply();
    if (i % 3 == 0)
      CHECK(specmvPlanCancel(s.plan) == SPECMV_STATUS_SUCCESS);
    if (i % 3 == 0)
      CHECK(s.multipliesRight());
  }
}

TEST_CASE("a column that is out of range is found beside the products") {
  CsrMatrix a = wholeMatrix(kSpecs[1]);
  a.col[17] = static_cast<int32_t>(a.cols);
  for (const bool onDevice : {true, false}) {
    Started s(a, onDevice, false);
    CHECK(specmvPlanWait(s.plan) == SPECMV_STATUS_INVALID_MATRIX);
    CHECK(std::string(specmvGetLastErrorDetail()).find("out of range") != std::string::npos);
  }
}
