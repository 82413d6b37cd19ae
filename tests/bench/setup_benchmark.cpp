// Measures what a set-up costs on the host: setup_benchmark MATRIX... prints for each, a .mtx file
// or a SPEC, the time to profile it and to pack it by each format's first plan in double, the best
// of five.
#include "generator/rank.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/families/families.h"
#include "models/matrix_market/matrix_market.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace specmv;

namespace {

constexpr int kRuns = 5;

template <class Work> double bestMilliseconds(Work &&work) {
  double best = 1e30;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

llvm::Error measureSetup(llvm::StringRef name) {
  auto a = name.contains(".mtx") ? readMatrixMarket(name) : generateFamily(name);
  if (!a)
    return a.takeError();
  const CsrView view = a->view();
  SparsityProfile seen;
  const double profiled = bestMilliseconds([&] { seen = profile(view); });
  std::printf("%s: %lld entries, %u threads\n  profile    %9.2f ms, %6.1f million entries/s\n",
              name.str().c_str(), static_cast<long long>(a->nnz()), threadCount(), profiled,
              static_cast<double>(a->nnz()) / profiled / 1000);
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  const Problem problem{ValueType::f64};
  for (const Format &format : formats()) {
    const Fixed none;
    const PlanRequest request{seen, problem, gpu, none};
    const std::vector<Candidate> plans = priced(offerOf(format, request), request);
    if (plans.empty())
      continue;
    int64_t bytes = 0;
    const double packed = bestMilliseconds(
        [&] { bytes = llvm::cantFail(format.layout(view, plans[0].plan, problem)).storedBytes(); });
    std::printf("  %-14s %9.2f ms, %6.2f GB/s stored\n", format.name, packed,
                static_cast<double>(bytes) / packed / 1e6);
  }
  return llvm::Error::success();
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (llvm::Error error = measureSetup(argv[i])) {
      std::fprintf(stderr, "error: %s\n", describe(std::move(error)).second.c_str());
      return 1;
    }
  return 0;
}
