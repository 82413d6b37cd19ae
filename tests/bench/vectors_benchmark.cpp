// Times on a GPU the cost of double vectors with a float matrix, and of a result in another vector.
// vectors_benchmark MATRIX... prints for each matrix, a .mtx file or a SPEC, a JSON line with the
// times of warm products of the chosen plans: all in double, all in float, and a float matrix with
// double vectors; and in double with y added, in y itself and into another vector, by kernels that
// write there and by a copy. Geometric means follow on standard error.
#include "runtime/machine.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/verify.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <map>

using namespace specmv;
using namespace specmv::bench;

namespace {

struct Contender {
  const char *name;
  ValueType stored, vectors;
  bool isApart, into;
  double beta;
};
constexpr Contender kContenders[] = {
    {"f64", ValueType::f64, ValueType::f64, false, false, 0},
    {"f32", ValueType::f32, ValueType::f32, false, false, 0},
    {"mixed", ValueType::f32, ValueType::f64, false, false, 0},
    {"inPlace", ValueType::f64, ValueType::f64, false, false, 1},
    {"apart", ValueType::f64, ValueType::f64, true, true, 1},
    {"copied", ValueType::f64, ValueType::f64, false, true, 1},
};

struct Times {
  double us = 0;
  std::string plan;
};

llvm::Expected<Times> timeOf(const Contender &c, const CsrView &a, const GpuDevice &gpu) {
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.doubleVectors = c.stored != c.vectors;
  options.resultApart = c.isApart;
  auto vectors = DeviceVectors::make(gpu, a.rows, a.cols, c.vectors);
  auto other = DeviceVectors::make(gpu, a.rows, 0, c.vectors);
  auto plan = gpuPlan(a, options);
  if (!vectors || !other || !plan)
    return llvm::joinErrors(vectors.takeError(),
                            llvm::joinErrors(other.takeError(), plan.takeError()));
  const Values one = [&] {
    Values out(c.vectors, 2);
    out.set(0, 1);
    out.set(1, c.beta);
    return out;
  }();
  const auto *const alpha = static_cast<const char *>(one.data());
  const auto at = [](const DeviceBuffer &buffer) {
    return reinterpret_cast<void *>(buffer.pointer());
  };
  auto us = measureWarm(gpu, [&] {
    return apiError(specmvExecuteInto(*plan, alpha, at(vectors->x), alpha + sizeOf(c.vectors),
                                      at(vectors->y), at(c.into ? other->y : vectors->y), nullptr));
  });
  Times out{0, textOf(*plan)};
  specmvDestroyPlan(*plan);
  if (!us)
    return us.takeError();
  out.us = *us;
  return out;
}

// The sums of the logarithms of the ratios.
struct Means {
  double doubleByMixed = 0, mixedByFloat = 0, copiedByApart = 0, apartByInPlace = 0;
  int cases = 0;
};

llvm::Error compare(const CsrMatrix &given, const GpuDevice &gpu, Means &means) {
  const std::vector<float> narrow(given.val.begin(), given.val.end());
  llvm::json::Object line{{"matrix", given.name}, {"nnz", given.nnz()}};
  std::map<std::string, double> us;
  for (const Contender &c : kContenders) {
    CsrView view = given.view();
    if (c.stored == ValueType::f32) {
      view.valueType = c.stored;
      view.val = narrow.data();
    }
    auto times = timeOf(c, view, gpu);
    if (!times)
      return times.takeError();
    us[c.name] = times->us;
    line[c.name] = llvm::json::Object{{"us", times->us}, {"plan", times->plan}};
  }
  llvm::outs() << llvm::json::Value(std::move(line)) << "\n";
  llvm::outs().flush();
  means.doubleByMixed += std::log(us["f64"] / us["mixed"]);
  means.mixedByFloat += std::log(us["mixed"] / us["f32"]);
  means.copiedByApart += std::log(us["copied"] / us["apart"]);
  means.apartByInPlace += std::log(us["apart"] / us["inPlace"]);
  ++means.cases;
  return llvm::Error::success();
}

llvm::Error run(llvm::ArrayRef<std::string> names) {
  Means means;
  const auto one = [&](const CsrMatrix &matrix, const Machine &machine) {
    return compare(matrix, *machine.gpu, means);
  };
  if (llvm::Error error = forMatricesOnGpu(names, one))
    return error;
  const auto mean = [&](double sum) { return std::exp(sum / means.cases); };
  std::fprintf(stderr,
               "%d matrices: double by float with vectors in double %.2f, that by float %.2f; z by "
               "a copy by z by kernels %.2f, that by y in place %.2f\n",
               means.cases, mean(means.doubleByMixed), mean(means.mixedByFloat),
               mean(means.copiedByApart), mean(means.apartByInPlace));
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) { return runOver(argc, argv, run); }
