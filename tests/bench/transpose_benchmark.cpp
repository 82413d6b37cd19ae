// Compares plans of transposes with cuSPARSE's transposed CSR on a GPU. transpose_benchmark
// MATRIX... prints for each matrix, a .mtx file or a SPEC, in both types the time of a warm product
// of each, with cuSPARSE's best algorithm, and the geometric mean of the ratio.
#include "runtime/lab/yardstick/yardstick.h"
#include "runtime/machine.h"
#include "runtime/matrix.h"
#include "runtime/measure/measure.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <cstdio>

using namespace specmv;
using namespace specmv::bench;

namespace {

struct Outcome {
  double ours = 0, cusparse = 0, setupMs = 0, difference = 0;
  std::string format, algorithm;
};

// The largest difference of the two results, relative to the largest result.
template <class T>
llvm::Expected<double> difference(const GpuDevice &gpu, const DeviceBuffer &a,
                                  const DeviceBuffer &b) {
  std::vector<T> x(a.bytes() / sizeof(T)), y(x.size());
  if (llvm::Error error = gpu.download(x.data(), a.pointer(), a.bytes()))
    return error;
  if (llvm::Error error = gpu.download(y.data(), b.pointer(), b.bytes()))
    return error;
  double most = 0, largest = 1e-300;
  for (size_t i = 0; i < x.size(); ++i) {
    most = std::max<double>(most, std::abs(x[i] - y[i]));
    largest = std::max<double>(largest, std::abs(x[i]));
  }
  return most / largest;
}

template <class T> llvm::Expected<Outcome> compare(const CsrMatrix &given, Machine &machine) {
  const std::vector<T> val(given.val.begin(), given.val.end());
  CsrView view = given.view();
  view.valueType = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
  view.val = val.data();
  const SourceMatrix source(view);
  auto arrays = source.onGpu(machine.gpu);
  if (!arrays)
    return arrays.takeError();
  auto vectors = DeviceVectors::make(*machine.gpu, given.cols, given.rows, view.valueType);
  auto theirs = machine.gpu->allocate(static_cast<size_t>(given.cols) * sizeof(T));
  if (!vectors || !theirs)
    return llvm::joinErrors(vectors.takeError(), theirs.takeError());

  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.target = SPECMV_TARGET_GPU;
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  options.vectorsOnGpu = 1;
  if (llvm::Error error = createCsr(view, matrix))
    return error;
  if (llvm::Error error = apiError(specmvCreatePlan(&plan, matrix, &options)))
    return error;
  specmvDestroyMatrix(matrix);
  Outcome out;
  const char *text = nullptr;
  specmvGetPlanText(plan, &text);
  specmvGetPlanSetup(plan, &out.setupMs, nullptr);
  out.format = llvm::StringRef(text).split(' ').first.str();
  const T one = 1, zero = 0;
  auto ours = measureWarm(*machine.gpu, [&] {
    return apiError(specmvExecute(plan, &one, reinterpret_cast<const void *>(vectors->x.pointer()),
                                  &zero, reinterpret_cast<void *>(vectors->y.pointer()), nullptr));
  });
  view.rowPtr = reinterpret_cast<const void *>(arrays->rowPtr);
  view.col = reinterpret_cast<const void *>(arrays->col);
  view.val = reinterpret_cast<const void *>(arrays->val);
  auto times = timeTransposedCsr(machine.gpu, view, vectors->x.pointer(), theirs->pointer());
  specmvDestroyPlan(plan);
  if (!ours || !times)
    return llvm::joinErrors(ours.takeError(), times.takeError());
  const auto best =
      llvm::min_element(*times, [](const auto &a, const auto &b) { return a.us < b.us; });
  out.ours = *ours, out.cusparse = best->us, out.algorithm = best->algorithm;
  auto differs = difference<T>(*machine.gpu, vectors->y, *theirs);
  if (!differs)
    return differs.takeError();
  out.difference = *differs;
  return out;
}

llvm::Error run(llvm::ArrayRef<std::string> names) {
  double logs = 0;
  int cases = 0;
  std::printf(
      "| matrix | type | specmv us | format | cuSPARSE us | algorithm | ratio | set-up ms | "
      "differs by |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  const auto both = [&](const CsrMatrix &matrix, Machine &machine) -> llvm::Error {
    for (const bool isDouble : {false, true}) {
      auto o = isDouble ? compare<double>(matrix, machine) : compare<float>(matrix, machine);
      if (!o)
        return o.takeError();
      std::printf("| %s | %s | %.1f | %s | %.1f | %s | %.2f | %.1f | %.1e |\n", matrix.name.c_str(),
                  isDouble ? "f64" : "f32", o->ours, o->format.c_str(), o->cusparse,
                  o->algorithm.c_str(), o->cusparse / o->ours, o->setupMs, o->difference);
      std::fflush(stdout);
      logs += std::log(o->cusparse / o->ours);
      ++cases;
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = forMatricesOnGpu(names, both))
    return error;
  std::printf("\ngeometric mean of %d ratios: %.2f\n", cases, std::exp(logs / cases));
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) { return runOver(argc, argv, run); }
