// Tests set-ups of a small matrix from every state and with all cuSPARSE formats on the GPU: every
// product must be right, and more products must take more time.
#include "tests/gpu/gpu.h"

#include "models/lab/families/families.h"
#include "runtime/lab/bench/setup_time.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace specmv;

namespace {

bool has(const SetupBench &bench, const std::string &contender, const std::string &state,
         Side from) {
  return std::any_of(bench.times.begin(), bench.times.end(), [&](const SetupTime &time) {
    return time.contender == contender && time.state == state && time.from == from &&
           time.why.empty();
  });
}

void checkTime(const SetupTime &time) {
  CAPTURE(time.contender);
  CAPTURE(time.state);
  CAPTURE(nameOf(time.from));
  if (!time.why.empty()) { // no toolkit need have cuSPARSE
    MESSAGE(time.why);
    CHECK(time.contender != "specmv");
    return;
  }
  CHECK_MESSAGE(time.verified, "error ratio ", time.maxErrorRatio);
  CHECK(time.productUs > 0);
  CHECK(time.setupUs > 0);
  CHECK(time.storedBytes > 0);
  REQUIRE(time.totals.size() == 5);
  // Each total includes a set-up of its own. Its scatter hides a few products, and where it
  // compiles for 0.1 s, a thousand.
  const double scatterUs = time.setupUs / 5;
  for (size_t i = 3; i < time.totals.size(); ++i)
    if (const auto more = static_cast<double>(time.totals[i].n - time.totals[i - 1].n);
        more * time.productUs > scatterUs)
      CHECK(time.totals[i].us > time.totals[i - 1].us);
}

void checkBench(const char *spec, ValueType type) {
  CAPTURE(spec);
  const CsrMatrix matrix = llvm::cantFail(generateFamily(spec));
  const Values values = converted(matrix.view(), type);
  CsrView a = matrix.view();
  a.valueType = type, a.val = values.data();
  Request request;
  request.problem = {type, true};
  const SetupBench bench = llvm::cantFail(benchSetup(a, request, gpuMachine()));
  for (const SetupTime &time : bench.times)
    checkTime(time);
  for (const char *state : {"first", "cold", "pack", "new", "again", "structure"})
    CHECK(has(bench, "specmv", state, Side::device));
  for (const char *state : {"first", "pack", "new", "again", "structure"})
    CHECK(has(bench, "specmv", state, Side::host));
  CHECK(figuresOf(bench.times).size() == 11);
}

} // namespace

TEST_CASE("every set-up gives a right product, and its totals increase") {
  for (const ValueType type : {ValueType::f32, ValueType::f64}) {
    checkBench("blocks:b=3,k=9,band=50,rows=3000", type); // which BSR takes too
    checkBench("powerlaw:rows=3000,cols=3000,avg=8,max=2000", type);
  }
}
