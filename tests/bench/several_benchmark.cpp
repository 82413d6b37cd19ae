// Compares products with several vectors with cuSPARSE's SpMM on a GPU. several_benchmark COUNT
// MATRIX... prints for each matrix, a .mtx file or a SPEC, in both types a JSON line with the times
// of warm products: of the chosen plan by rows and by columns, of each format, of one vector, and
// of each algorithm of cuSPARSE. The geometric means follow on standard error.
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/machine.h"
#include "runtime/matrix.h"
#include "runtime/measure/measure.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace specmv;
using namespace specmv::bench;

namespace {

constexpr const char *kFormats[] = {"csr-scalar", "csr-vector", "csr-merge", "sell", "dia", "bcsr"};

struct PlanHandle {
  specmvPlan_t plan = nullptr;
  PlanHandle() = default;
  PlanHandle(const PlanHandle &) = delete;
  ~PlanHandle() { specmvDestroyPlan(plan); }
  std::string format() const {
    const char *text = "";
    specmvGetPlanText(plan, &text);
    return text;
  }
};

// One matrix in one type on the GPU, with dense vectors.
struct Bed {
  const Machine &machine;
  CsrView onGpu;
  int64_t count;
  DeviceVectors vectors;
  DeviceBuffer theirs;
  specmvMatrix_t matrix = nullptr;

  void *x() const { return reinterpret_cast<void *>(vectors.x.pointer()); }
  void *y() const { return reinterpret_cast<void *>(vectors.y.pointer()); }
};

llvm::Error makePlan(const Bed &bed, const char *format, int64_t count, PlanHandle &out) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_GPU;
  options.vectors = count;
  options.vectorsOnGpu = 1;
  options.formats = format;
  return apiError(specmvCreatePlan(&out.plan, bed.matrix, &options));
}

template <class T> llvm::Expected<double> timeOne(const Bed &bed) {
  PlanHandle plan;
  if (llvm::Error error = makePlan(bed, nullptr, 1, plan))
    return error;
  const T one = 1, zero = 0;
  return measureWarm(*bed.machine.gpu, [&] {
    return apiError(specmvExecute(plan.plan, &one, bed.x(), &zero, bed.y(), nullptr));
  });
}

template <class T>
llvm::Expected<double> timePlan(const Bed &bed, const PlanHandle &plan, specmvOrder_t order) {
  const T one = 1, zero = 0;
  const bool areRows = order == SPECMV_ORDER_ROW;
  return measureWarm(*bed.machine.gpu, [&] {
    return apiError(specmvExecuteMulti(plan.plan, bed.count, &one, bed.x(),
                                       areRows ? bed.count : bed.onGpu.cols, &zero, bed.y(),
                                       areRows ? bed.count : bed.onGpu.rows, order, nullptr));
  });
}

// The largest difference of our Y from cuSPARSE's, relative to the largest value.
template <class T> llvm::Expected<double> difference(const Bed &bed) {
  std::vector<T> a(bed.theirs.bytes() / sizeof(T)), b(a.size());
  const GpuDevice &gpu = *bed.machine.gpu;
  if (llvm::Error error = gpu.download(a.data(), bed.vectors.y.pointer(), bed.theirs.bytes()))
    return error;
  if (llvm::Error error = gpu.download(b.data(), bed.theirs.pointer(), bed.theirs.bytes()))
    return error;
  double most = 0, largest = 1e-300;
  for (size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    most = apart <= most ? most : apart; // also a NaN
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  }
  return most / largest;
}

llvm::Expected<llvm::json::Object> cusparseTimes(const Bed &bed, bool areRows, double &best) {
  auto times = timeSeveral(bed.machine.gpu, bed.onGpu,
                           {bed.count, areRows, bed.vectors.x.pointer(), bed.theirs.pointer()});
  if (!times)
    return times.takeError();
  llvm::json::Object out;
  best = 1e300;
  for (const AlgorithmTime &t : *times) {
    out[t.algorithm] = t.us;
    best = std::min(best, t.us);
  }
  return out;
}

struct Means {
  double rows = 0, columns = 0, ofOne = 0, worst = 1e300;
  int cases = 0, beyond = 0;
};

template <class T>
llvm::Error compare(const CsrMatrix &given, const Machine &machine, int64_t count, Means &means) {
  const std::vector<T> val(given.val.begin(), given.val.end());
  CsrView view = given.view();
  view.valueType = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
  view.val = val.data();
  const SourceMatrix source(view);
  auto arrays = source.onGpu(machine.gpu);
  auto vectors =
      DeviceVectors::make(*machine.gpu, given.rows * count, given.cols * count, view.valueType);
  auto theirs = machine.gpu->allocate(static_cast<size_t>(given.rows * count) * sizeof(T));
  if (!arrays || !vectors || !theirs)
    return llvm::joinErrors(arrays.takeError(),
                            llvm::joinErrors(vectors.takeError(), theirs.takeError()));
  view.rowPtr = reinterpret_cast<const void *>(arrays->rowPtr);
  view.col = reinterpret_cast<const void *>(arrays->col);
  view.val = reinterpret_cast<const void *>(arrays->val);
  Bed bed{machine, view, count, std::move(*vectors), std::move(*theirs)};
  if (llvm::Error error = createCsr(view, bed.matrix))
    return error;

  llvm::json::Object line{{"matrix", given.name},
                          {"type", nameOf(view.valueType)},
                          {"count", count},
                          {"rows", view.rows},
                          {"nnz", view.nnz}};
  auto one = timeOne<T>(bed);
  if (!one)
    return one.takeError();
  line["oneUs"] = *one;
  double rowsBest = 0, columnsBest = 0;
  auto rows = cusparseTimes(bed, true, rowsBest);
  if (!rows)
    return rows.takeError();
  PlanHandle plan;
  if (llvm::Error error = makePlan(bed, nullptr, count, plan))
    return error;
  auto us = timePlan<T>(bed, plan, SPECMV_ORDER_ROW);
  if (!us)
    return us.takeError();
  auto differs = difference<T>(bed);
  auto columns = cusparseTimes(bed, false, columnsBest);
  auto columnUs = timePlan<T>(bed, plan, SPECMV_ORDER_COLUMN);
  if (!differs || !columns || !columnUs)
    return llvm::joinErrors(differs.takeError(),
                            llvm::joinErrors(columns.takeError(), columnUs.takeError()));
  auto columnsDiffer = difference<T>(bed);
  if (!columnsDiffer)
    return columnsDiffer.takeError();
  llvm::json::Object formats;
  for (const char *format : kFormats) {
    PlanHandle other;
    if (llvm::Error error = makePlan(bed, format, count, other)) {
      llvm::consumeError(std::move(error)); // it does not apply
      continue;
    }
    auto its = timePlan<T>(bed, other, SPECMV_ORDER_ROW);
    if (!its)
      return its.takeError();
    formats[other.format()] = *its;
  }
  specmvDestroyMatrix(bed.matrix);
  line["plan"] = plan.format();
  line["us"] = *us;
  line["columnUs"] = *columnUs;
  line["differs"] = std::max(*differs, *columnsDiffer);
  line["formats"] = std::move(formats);
  line["cusparse"] = std::move(*rows);
  line["cusparseColumns"] = std::move(*columns);
  line["ratio"] = rowsBest / *us;
  line["columnRatio"] = columnsBest / *columnUs;
  llvm::outs() << llvm::json::Value(std::move(line)) << "\n";
  llvm::outs().flush();
  means.rows += std::log(rowsBest / *us);
  means.columns += std::log(columnsBest / *columnUs);
  means.worst = std::min(means.worst, rowsBest / *us);
  ++means.cases;
  if (view.nnz * static_cast<int64_t>(4 + sizeof(T)) > machine.gpu->info().l2Bytes) {
    means.ofOne += std::log(*us / *one);
    ++means.beyond;
  }
  return llvm::Error::success();
}

llvm::Error run(int64_t count, llvm::ArrayRef<std::string> names) {
  Means means;
  const auto both = [&](const CsrMatrix &matrix, Machine &machine) -> llvm::Error {
    if (llvm::Error error = compare<float>(matrix, machine, count, means))
      return error;
    return compare<double>(matrix, machine, count, means);
  };
  if (llvm::Error error = forMatricesOnGpu(names, both))
    return error;
  std::fprintf(stderr,
               "%d cases of %d vectors: %.2f times cuSPARSE's SpMM by rows (worst %.2f), %.2f by "
               "columns; beyond L2 %.2f times one product (%d cases)\n",
               means.cases, static_cast<int>(count), std::exp(means.rows / means.cases),
               means.worst, std::exp(means.columns / means.cases),
               means.beyond ? std::exp(means.ofOne / means.beyond) : 0, means.beyond);
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  if (names.empty() || count < 2)
    return badCall("say how many vectors, 2 or more, and name matrices: .mtx files or "
                   "SPECs");
  return statusOf(run(count, names));
}
