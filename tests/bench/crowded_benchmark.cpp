// Times products in a process whose L2 is full of other data. crowded_benchmark MATRIX... makes in
// both types six plans of one text for each matrix, a .mtx file or a SPEC, and times their products
// plan by plan, twice. If five of them fill L2, each begins where it is full of the others' arrays;
// those of the last plan have just been packed. It prints a JSON line with both rounds for each
// matrix and type.
#include "runtime/measure/measure.h"
#include "tests/bench/gpu_benchmark.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace specmv;
using namespace specmv::bench;

namespace {

constexpr int kPlans = 6, kRounds = 2;

template <class T> llvm::Error timePlans(const CsrMatrix &given, const GpuDevice &gpu) {
  const InType<T> matrix(given);
  const CsrView &view = matrix.view();
  auto vectors = DeviceVectors::make(gpu, given.rows, given.cols, view.valueType);
  if (!vectors)
    return vectors.takeError();
  specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
  options.kernels = SPECMV_KERNELS_SPECIALIZED;
  std::vector<specmvPlan_t> plans;
  const auto destroy = llvm::make_scope_exit([&] {
    for (specmvPlan_t plan : plans)
      specmvDestroyPlan(plan);
  });
  for (int i = 0; i < kPlans; ++i) {
    auto plan = gpuPlan(view, options);
    if (!plan)
      return plan.takeError();
    plans.push_back(*plan);
  }
  llvm::json::Array rounds;
  for (int round = 0; round < kRounds; ++round) {
    llvm::json::Array times;
    for (specmvPlan_t plan : plans) {
      auto us = measureWarm(gpu, [&] { return multiply<T>(plan, *vectors); });
      if (!us)
        return us.takeError();
      times.push_back(*us);
    }
    rounds.push_back(std::move(times));
  }
  llvm::outs() << llvm::json::Value(llvm::json::Object{{"gpu", gpu.info().name},
                                                       {"specmv", specmvGetVersion()},
                                                       {"matrix", given.name},
                                                       {"type", nameOf(view.valueType)},
                                                       {"plan", textOf(plans[0])},
                                                       {"us", std::move(rounds)}})
               << "\n";
  llvm::outs().flush();
  return llvm::Error::success();
}

llvm::Error run(llvm::ArrayRef<std::string> names) {
  return forMatricesOnGpu(names, [](const CsrMatrix &matrix, Machine &machine) -> llvm::Error {
    if (llvm::Error error = timePlans<float>(matrix, *machine.gpu))
      return error;
    return timePlans<double>(matrix, *machine.gpu);
  });
}

} // namespace

int main(int argc, char **argv) { return runOver(argc, argv, run); }
