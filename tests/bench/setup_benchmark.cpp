// Measures the cost of a set-up on the host. setup_benchmark MATRIX... prints for each matrix, a
// .mtx file or a SPEC, the time to profile it, to predict the times of all plans, to compute the
// signature's id, and to pack the matrix by each format's first plan in double: the best of five
// runs, or of 1,000 short ones.
#include "generator/rank.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "models/lab/families/families.h"
#include "models/lab/matrix_market/matrix_market.h"
#include "models/signature/signature.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace specmv;

namespace {

constexpr int kRuns = 5;

template <class Work> double bestMilliseconds(Work &&work, int runs = kRuns) {
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

// For work of less than a millisecond: takes the best of many runs, since the machine may be
// shared.
template <class Work> double bestMicroseconds(Work &&work) {
  return 1000 * bestMilliseconds(work, 1000);
}

void printPrediction(const SparsityProfile &seen, const Problem &problem, const GpuModel &gpu) {
  const Fixed none;
  size_t plans = 0;
  const double predicted = bestMicroseconds([&] {
    const PlanRequest request{seen, problem, gpu, none};
    plans = rank(llvm::cantFail(offers(request, {})), request).size();
  });
  const double identified = bestMicroseconds([&] { signatureId(seen); });
  std::printf("  predict    %9.1f us, %zu plans\n  signature  %9.1f us\n", predicted, plans,
              identified);
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
  printPrediction(seen, problem, gpu);
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
