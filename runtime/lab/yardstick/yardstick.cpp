// Builds and times the formats and products that call cuSPARSE.
#include "runtime/lab/yardstick/yardstick.h"

#include "runtime/build.h"
#include "runtime/lab/yardstick/contender.h"
#include "runtime/measure/measure.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

// --- Several -------------------------------------------------------------------------------------

// Describes the matrix and the dense vectors to cuSPARSE and times its SpMM.

namespace {
constexpr std::pair<cusparseSpMMAlg_t, const char *> kSpmmAlgorithms[] = {
    {CUSPARSE_SPMM_ALG_DEFAULT, "default"},
    {CUSPARSE_SPMM_CSR_ALG1, "alg1"},
    {CUSPARSE_SPMM_CSR_ALG2, "alg2"},
    {CUSPARSE_SPMM_CSR_ALG3, "alg3"}};

// The descriptions for one product, destroyed with it.
class Spmm {
public:
  Spmm(const CusparseLibrary &library, const GpuDevice &gpu, cusparseHandle_t handle,
       ValueType type)
      : library_(library), gpu_(gpu), handle_(handle), a_(library, type) {}
  Spmm(const Spmm &) = delete;
  Spmm &operator=(const Spmm &) = delete;
  ~Spmm() {
    for (cusparseDnMatDescr_t dense : {x_, y_})
      if (dense)
        library_.cusparseDestroyDnMat(dense);
  }

  llvm::Error describe(const CsrView &a, const DenseVectors &v) {
    if (llvm::Error error =
            library_.checkHas(library_.cusparseSpMM && library_.cusparseSpMM_preprocess &&
                                  library_.cusparseSpMM_bufferSize &&
                                  library_.cusparseCreateDnMat && library_.cusparseDestroyDnMat,
                              "cusparseSpMM"))
      return error;
    if (llvm::Error error = a_.describe(a))
      return error;
    if (llvm::Error error = dense(x_, a.cols, v, v.x))
      return error;
    return dense(y_, a.rows, v, v.y);
  }

  llvm::Expected<double> time(cusparseSpMMAlg_t algorithm) {
    size_t bytes = 0;
    if (llvm::Error error = library_.check(
            call(library_.cusparseSpMM_bufferSize, algorithm, &bytes), "cusparseSpMM_bufferSize"))
      return error;
    auto buffer = gpu_.allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    auto *const memory = reinterpret_cast<void *>(buffer->pointer());
    if (llvm::Error error = library_.check(
            call(library_.cusparseSpMM_preprocess, algorithm, memory), "cusparseSpMM_preprocess"))
      return error;
    return measureWarm(gpu_, [&] {
      return library_.check(call(library_.cusparseSpMM, algorithm, memory), "cusparseSpMM");
    });
  }

private:
  llvm::Error dense(cusparseDnMatDescr_t &out, int64_t length, const DenseVectors &v,
                    DevicePointer at) const {
    return library_.check(
        library_.cusparseCreateDnMat(&out, length, v.count, v.areRows ? v.count : length,
                                     reinterpret_cast<void *>(at), a_.type,
                                     v.areRows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
  }
  template <class Function, class Last>
  cusparseStatus_t call(Function function, cusparseSpMMAlg_t algorithm, Last last) const {
    return function(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                    a_.one(), a_.matrix, x_, a_.zero(), y_, a_.type, algorithm, last);
  }

  const CusparseLibrary &library_;
  const GpuDevice &gpu_;
  cusparseHandle_t handle_;
  DescribedCsr a_;
  cusparseDnMatDescr_t x_ = nullptr, y_ = nullptr;
};
} // namespace

AlgorithmTimes timeSeveral(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                           const DenseVectors &vectors) {
  return timesOf<Spmm>(gpu, a.valueType, kSpmmAlgorithms,
                       [&](Spmm &product) { return product.describe(a, vectors); });
}

// --- Transposed ----------------------------------------------------------------------------------

// Describes the matrix and the vectors to cuSPARSE and times CUSPARSE_OPERATION_TRANSPOSE.

namespace {
constexpr std::pair<cusparseSpMVAlg_t, const char *> kAlgorithms[] = {
    {CUSPARSE_SPMV_ALG_DEFAULT, "default"},
    {CUSPARSE_SPMV_CSR_ALG1, "alg1"},
    {CUSPARSE_SPMV_CSR_ALG2, "alg2"}};

// The descriptions for one product, destroyed with it.
class Transposed {
public:
  Transposed(const CusparseLibrary &library, const GpuDevice &gpu, cusparseHandle_t handle,
             ValueType type)
      : library_(library), gpu_(gpu), handle_(handle), a_(library, type) {}
  Transposed(const Transposed &) = delete;
  Transposed &operator=(const Transposed &) = delete;
  ~Transposed() {
    for (cusparseDnVecDescr_t vector : {x_, y_})
      if (vector)
        library_.cusparseDestroyDnVec(vector);
  }

  llvm::Error describe(const CsrView &a, DevicePointer x, DevicePointer y) {
    if (llvm::Error error = a_.describe(a))
      return error;
    if (llvm::Error error = vector(x_, a.rows, x))
      return error;
    return vector(y_, a.cols, y);
  }

  llvm::Expected<double> time(cusparseSpMVAlg_t algorithm) {
    size_t bytes = 0;
    if (llvm::Error error = library_.check(
            call(library_.cusparseSpMV_bufferSize, algorithm, &bytes), "cusparseSpMV_bufferSize"))
      return error;
    auto buffer = gpu_.allocate(bytes);
    if (!buffer)
      return buffer.takeError();
    auto *const memory = reinterpret_cast<void *>(buffer->pointer());
    if (library_.cusparseSpMV_preprocess)
      if (llvm::Error error = library_.check(
              call(library_.cusparseSpMV_preprocess, algorithm, memory), "cusparseSpMV_preprocess"))
        return error;
    return measureWarm(gpu_, [&] {
      return library_.check(call(library_.cusparseSpMV, algorithm, memory), "cusparseSpMV");
    });
  }

private:
  llvm::Error vector(cusparseDnVecDescr_t &out, int64_t count, DevicePointer at) const {
    return library_.check(
        library_.cusparseCreateDnVec(&out, count, reinterpret_cast<void *>(at), a_.type),
        "cusparseCreateDnVec");
  }
  template <class Function, class Last>
  cusparseStatus_t call(Function function, cusparseSpMVAlg_t algorithm, Last last) const {
    return function(handle_, CUSPARSE_OPERATION_TRANSPOSE, a_.one(), a_.matrix, x_, a_.zero(), y_,
                    a_.type, algorithm, last);
  }

  const CusparseLibrary &library_;
  const GpuDevice &gpu_;
  cusparseHandle_t handle_;
  DescribedCsr a_;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
};
} // namespace

AlgorithmTimes timeTransposedCsr(const std::shared_ptr<const GpuDevice> &gpu, const CsrView &a,
                                 DevicePointer x, DevicePointer y) {
  return timesOf<Transposed>(gpu, a.valueType, kAlgorithms,
                             [&](Transposed &product) { return product.describe(a, x, y); });
}

// --- Yardstick -----------------------------------------------------------------------------------

// Builds and times the formats that call cuSPARSE.

std::vector<std::string> cusparseFormats() {
  std::vector<std::string> names;
  for (const Format &format : formats())
    if (format.library)
      names.emplace_back(format.name);
  return names;
}

const YardstickTime *Yardstick::best() const {
  auto least = std::min_element(times.begin(), times.end(),
                                [](const auto &a, const auto &b) { return a.us < b.us; });
  return least == times.end() ? nullptr : &*least;
}

const YardstickTime *Yardstick::bestReplay() const {
  const YardstickTime *least = nullptr;
  for (const YardstickTime &time : times)
    if (time.replay.us > 0 && (!least || time.replay.us < least->replay.us))
      least = &time;
  return least;
}

const YardstickTime *Yardstick::find(const std::string &format) const {
  auto found =
      std::find_if(times.begin(), times.end(), [&](const auto &t) { return t.format == format; });
  return found == times.end() ? nullptr : &*found;
}

llvm::Expected<Yardstick> measureSpmm(const CsrView &a, Machine &machine,
                                      const DeviceVectors &vectors) {
  const SourceMatrix source(a);
  auto arrays = source.onGpu(machine.gpu);
  if (!arrays)
    return arrays.takeError();
  CsrView onGpu = a;
  onGpu.rowPtr = reinterpret_cast<const void *>(arrays->rowPtr);
  onGpu.col = reinterpret_cast<const void *>(arrays->col);
  onGpu.val = reinterpret_cast<const void *>(arrays->val);
  Yardstick out;
  auto times = timeSeveral(machine.gpu, onGpu,
                           {vectors.count, true, vectors.x.pointer(), vectors.y.pointer()});
  if (!times) {
    out.notes.push_back("cusparse-spmm: " + describe(times.takeError()).second);
    return out;
  }
  for (const AlgorithmTime &time : *times)
    out.times.push_back({.format = "cusparse-spmm-" + time.algorithm,
                         .us = time.us,
                         .replay = {.why = "products with several vectors are not captured"}});
  return out;
}

static llvm::Expected<YardstickTime> timeOf(const Built &built, const CsrView &a, Machine &machine,
                                            const DeviceVectors &vectors) {
  auto time = measureProduct(*built.product, vectors, csrBytes(a));
  if (!time)
    return time.takeError();
  YardstickTime out{built.plan.format, time->us, std::move(time->replay)};
  if (llvm::Error error =
          preparationUs(machine.gpu, built.plan.format, built.layout, built.problem.type)
              .moveInto(out.prepareUs))
    return error;
  return out;
}

llvm::Expected<Yardstick> measureCusparse(const CsrView &a, const SparsityProfile &profile,
                                          const Problem &problem, Machine &machine,
                                          const DeviceVectors &vectors) {
  if (vectors.count > 1)
    return measureSpmm(a, machine, vectors);
  const Fixed none;
  auto offered = offers({profile, problem, machine.model, none}, cusparseFormats());
  if (!offered)
    return offered.takeError();
  Yardstick out;
  for (const Offer &offer : *offered) {
    if (offer.plans.empty()) {
      out.notes.push_back(offer.why);
      continue;
    }
    auto built = build(a, offer.plans.front(), problem, machine);
    if (!built) {
      out.notes.push_back(std::string(offer.format->name) + ": " +
                          describe(built.takeError()).second);
      continue;
    }
    llvm::append_range(out.notes, built->warnings);
    auto time = timeOf(*built, a, machine, vectors);
    if (!time)
      return time.takeError();
    out.times.push_back(std::move(*time));
  }
  return out;
}

int64_t csrBytes(const CsrView &a, int64_t vectors) {
  const auto v = static_cast<int64_t>(sizeOf(a.valueType));
  return a.nnz * (v + 4) + 4 * (a.rows + 1) + vectors * v * (a.cols + a.rows);
}

} // namespace specmv
