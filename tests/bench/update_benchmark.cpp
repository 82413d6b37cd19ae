// Times new values on a GPU. update_benchmark MATRIX... prints for each matrix, a .mtx file or a
// SPEC, in both types a JSON line with the time of a warm product of the chosen plan, and that of
// replacing its values by others on the GPU. The geometric mean of the ratio follows on standard
// error.
#include "runtime/machine.h"
#include "runtime/measure/measure.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace specmv;
using namespace specmv::bench;

namespace {

struct Means {
  double log = 0, worst = 0;
  int cases = 0;
};

template <class T> llvm::Error compare(const CsrMatrix &given, const GpuDevice &gpu, Means &means) {
  const std::vector<T> val(given.val.begin(), given.val.end());
  CsrView view = given.view();
  view.valueType = sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
  view.val = val.data();
  auto vectors = DeviceVectors::make(gpu, given.rows, given.cols, view.valueType);
  auto values = gpu.uploaded(val.data(), val.size() * sizeof(T));
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.updatable = 1;
  auto plan = gpuPlan(view, options);
  if (!vectors || !values || !plan)
    return llvm::joinErrors(vectors.takeError(),
                            llvm::joinErrors(values.takeError(), plan.takeError()));
  const T one = 1, zero = 0;
  auto product = measureWarm(gpu, [&] {
    return apiError(specmvExecute(*plan, &one, reinterpret_cast<void *>(vectors->x.pointer()),
                                  &zero, reinterpret_cast<void *>(vectors->y.pointer()), nullptr));
  });
  auto update = measureWarm(gpu, [&] {
    return apiError(
        specmvUpdateValues(*plan, reinterpret_cast<void *>(values->pointer()), nullptr));
  });
  const std::string format = textOf(*plan);
  specmvDestroyPlan(*plan);
  if (!product || !update)
    return llvm::joinErrors(product.takeError(), update.takeError());
  llvm::outs() << llvm::json::Value(llvm::json::Object{{"matrix", given.name},
                                                       {"type", nameOf(view.valueType)},
                                                       {"nnz", view.nnz},
                                                       {"plan", format},
                                                       {"us", *product},
                                                       {"updateUs", *update}})
               << "\n";
  llvm::outs().flush();
  means.log += std::log(*update / *product);
  means.worst = std::max(means.worst, *update / *product);
  ++means.cases;
  return llvm::Error::success();
}

llvm::Error run(llvm::ArrayRef<std::string> names) {
  Means means;
  const auto both = [&](const CsrMatrix &matrix, Machine &machine) -> llvm::Error {
    if (llvm::Error error = compare<float>(matrix, *machine.gpu, means))
      return error;
    return compare<double>(matrix, *machine.gpu, means);
  };
  if (llvm::Error error = forMatricesOnGpu(names, both))
    return error;
  std::fprintf(stderr,
               "%d cases: new values take %.2f products in the geometric mean, %.2f at most\n",
               means.cases, std::exp(means.log / means.cases), means.worst);
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) { return runOver(argc, argv, run); }
