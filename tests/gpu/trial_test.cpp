// Tests trials on the GPU: which plans they consider, what they time, and that the product is
// right.
#include "generator/rank.h"
#include "runtime/lab/bench/bench.h"
#include "runtime/measure/measure.h"
#include "runtime/plan/recall.h"
#include "runtime/plan/specialize.h"
#include "tests/generator/edge_matrices.h"
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// A GPU whose cache is empty and keeps nothing.
Machine machineForTrial() {
  Machine machine = gpuMachine();
  machine.cache = Cache({}, "");
  forgetChoices();
  return machine;
}

Specialized tried(const CsrView &a, int64_t products, Machine &machine) {
  Request request;
  request.rigor = Rigor::trial, request.expectedProducts = products;
  return llvm::cantFail(specialize(a, request, machine));
}

} // namespace

TEST_CASE("a trial takes a plan near the best prediction, whose product is right") {
  for (const char *spec : {"stencil5:n=300", "random:rows=30000,k=9,spread=0.6"}) {
    CAPTURE(spec);
    Machine machine = machineForTrial();
    const CsrMatrix matrix = llvm::cantFail(generateFamily(spec));
    const CsrView a = matrix.view();
    Specialized s = tried(a, 0, machine);
    const std::vector<Candidate> &candidates = s.ranked.candidates;
    const Candidate &chosen = candidates[s.choice.index];
    CAPTURE(chosen.plan.text());
    CHECK(chosen.cautiousUs() <= candidates[0].cautiousUs() * (1 + kTie) * (1 + kNear));
    CHECK((s.choice.by == ChosenBy::trial) == (s.setup.measure > 0));
    if (s.choice.by == ChosenBy::trial) {
      const DeviceVectors vectors =
          llvm::cantFail(DeviceVectors::make(*machine.gpu, a.rows, a.cols, a.valueType));
      const double us =
          llvm::cantFail(measureWarm(*machine.gpu, enqueue(*s.built.product, vectors)));
      CHECK(s.choice.measuredUs > us / 2);
      CHECK(s.choice.measuredUs < us * 2);
    }
    CHECK(llvm::cantFail(Verifier(a, true).check(checkedProduct(a, machine, s.built))).passed());
  }
}

TEST_CASE("for one product nothing is tried, for very many something is where plans are near") {
  const CsrMatrix matrix = llvm::cantFail(generateFamily("random:rows=30000,k=9,spread=0.6"));
  Machine machine = machineForTrial();
  CHECK(tried(matrix.view(), 1, machine).setup.measure == 0);
  const Specialized many = tried(matrix.view(), int64_t{1} << 40, machine);
  const auto isNear = [&](const Candidate &c) {
    return c.cautiousUs() <= many.ranked.candidates[0].cautiousUs() * (1 + kNear);
  };
  if (isNear(many.ranked.candidates[1]))
    CHECK(many.choice.by == ChosenBy::trial);
}
