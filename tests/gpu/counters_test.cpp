// Tests of the counters on a GPU, against the known work of a product of ELL: one thread per row,
// each stored byte read once.
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"
#include "runtime/lab/cupti/kernel_profile.h"
#include "runtime/measure/verify.h"
#include "runtime/plan/specialize.h"

#include <doctest/doctest.h>
#include <optional>

using namespace specmv;

namespace {

struct EllProfile {
  KernelProfile kernel;
  int64_t rows = 0;
  int64_t storedBytes = 0;

  double counter(const std::string &name) const {
    for (size_t i = 0; i < kernelCounters().size(); ++i)
      if (name == kernelCounters()[i].name)
        return kernel.counted.values[i];
    FAIL("no counter " << name);
    return 0;
  }
};

// Counts ELL on a 5-point stencil in f64. Returns nothing, after a message, if counters cannot be
// read.
std::optional<EllProfile> profiled(const std::string &spec) {
  Machine machine = gpuMachine();
  const CsrMatrix matrix = llvm::cantFail(generateFamily(spec));
  Request request;
  request.problem.type = ValueType::f64;
  request.formats = {"ell"};
  const Analyzed seen = llvm::cantFail(analyze(matrix.view(), request, machine));
  std::vector<KernelProfile> kernels = bestPlans(seen.ranked);
  REQUIRE(kernels.size() == 1);
  llvm::Error error = countKernels(matrix.view(), request.problem, machine, kernels);
  if (error) {
    const auto said = describe(std::move(error));
    REQUIRE_MESSAGE(said.first == Status::missing, said.second);
    MESSAGE("skipped: " << said.second);
    return std::nullopt;
  }
  REQUIRE_MESSAGE(kernels.front().why.empty(), kernels.front().why);
  return EllProfile{kernels.front(), matrix.rows,
                    seen.ranked.candidates.front().traffic.storedBytes};
}

int64_t integerOf(const Plan &plan, const std::string &name) {
  for (const auto &[key, value] : plan.integers)
    if (key == name)
      return value;
  FAIL("no parameter " << name);
  return 0;
}

} // namespace

TEST_CASE("the counters of a product that does not fit L2 are those of its plan") {
  // 4 million rows of 5: 240 MB and more.
  const auto found = profiled("stencil5:n=2000,coef=random");
  if (!found)
    return;
  const KernelMetrics &m = found->kernel.metrics;
  const int64_t block = integerOf(found->kernel.plan, "block");
  const int64_t warps = (found->rows + block - 1) / block * block / 32;
  CHECK(found->counter("smsp__warps_launched.sum") == static_cast<double>(warps));
  CHECK(m.instructionsPerWarp > 10); // 5 entries: at least an index, a value and an x of each
  CHECK(m.instructionsPerWarp < 1000);
  CHECK(m.warpEfficiency > 0.9);
  CHECK(m.warpEfficiency <= 1);
  CHECK(m.occupancy > 0.2);
  CHECK(m.occupancy <= 1);
  // The arrays and x are read once; L2 may keep a part from the previous product.
  const double vector = static_cast<double>(found->rows) * 8;
  const double read = static_cast<double>(found->storedBytes) + vector;
  CHECK(m.dramReadBytes > 0.7 * read);
  CHECK(m.dramReadBytes < 1.3 * read);
  CHECK(m.dramWriteBytes > 0.5 * vector);
  CHECK(m.dramWriteBytes < 2 * vector);
  CHECK(m.l2Bytes > read);
  CHECK(m.l2HitRate > 0);
  CHECK(m.l2HitRate < 1);
}

TEST_CASE("a product that fits L2 is counted with it warm, and twice the same") {
  const auto first = profiled("stencil5:n=300,coef=random"),
             again = profiled("stencil5:n=300,coef=random");
  if (!first || !again)
    return;
  // 5 MB: a cold product would read them all.
  CHECK(first->kernel.metrics.dramReadBytes < 0.2 * static_cast<double>(first->storedBytes));
  for (const char *name :
       {"smsp__warps_launched.sum", "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum"})
    CHECK(first->counter(name) == again->counter(name));
}
