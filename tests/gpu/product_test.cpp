// Tests every format x type x adversarial matrix on the GPU: the cases of the host executor, on a
// real device.
#include "tests/gpu/gpu.h"

#include "runtime/build.h"
#include "runtime/measure/verify.h"
#include "tests/shard.h"
#include "tests/simt/cases.h"
#include "tests/simt/reference.h"
#include "tests/simt/run.h"
#include "tests/text.h"

#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <set>

using namespace specmv;

namespace {

constexpr int kRepeats = 20;
constexpr int64_t kGuard = 64; // values before and after y that must not change
constexpr double kUntouched = 12345;

Values valuesOf(ValueType type, const std::vector<double> &from) {
  Values out(type, static_cast<int64_t>(from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    out.set(static_cast<int64_t>(i), from[i]);
  return out;
}

// One plan on the device, with vectors in guarded memory.
struct OnDevice {
  Machine &machine;
  const simt::TestCase &test;
  Built built;

  std::vector<double> multiply(double alpha, double beta, const std::vector<double> &x,
                               const std::vector<double> &y) {
    const ValueType type = vectorTypeOf(test.problem);
    std::vector<double> guarded(static_cast<size_t>(kGuard), kUntouched);
    guarded.insert(guarded.end(), y.begin(), y.end());
    guarded.insert(guarded.end(), static_cast<size_t>(kGuard), kUntouched);
    const Values xs = valuesOf(type, x);
    Values ys = valuesOf(type, guarded);
    const DeviceBuffer dx = llvm::cantFail(machine.gpu->uploaded(xs.data(), xs.bytes()));
    const DeviceBuffer dy = llvm::cantFail(machine.gpu->uploaded(ys.data(), ys.bytes()));
    const Values numbers = valuesOf(type, {alpha, beta});
    const DeviceBuffer scalars =
        llvm::cantFail(machine.gpu->uploaded(numbers.data(), numbers.bytes()));
    const Scalars onGpu{.alphaAt = scalars.pointer(), .betaAt = scalars.pointer() + sizeOf(type)};
    llvm::cantFail(built.product->run(test.problem.scalarsAreOnGpu ? onGpu : Scalars{alpha, beta},
                                      dx.pointer(), dy.pointer() + kGuard * sizeOf(type), nullptr));
    llvm::cantFail(machine.gpu->download(ys.data(), dy.pointer(), ys.bytes()));
    std::vector<double> out;
    for (int64_t i = 0; i < ys.count(); ++i)
      if (i < kGuard || i >= ys.count() - kGuard)
        CHECK(ys.get(i) == kUntouched);
      else
        out.push_back(ys.get(i));
    return out;
  }
};

using Numbers = std::vector<double> (*)(simt::Stream, int64_t);

void checkExact(OnDevice &device, Numbers numbers, double alpha, double beta) {
  const simt::TestMatrix &a = *device.test.matrix;
  const std::vector<double> x = numbers(simt::vectorX, a.cols);
  std::vector<double> y = numbers(simt::vectorY, a.rows);
  const simt::Reference want = simt::reference(a, simt::integerValues(a), alpha, x, beta, y,
                                               vectorTypeOf(device.test.problem));
  if (beta == 0)
    y.assign(y.size(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> got = device.multiply(alpha, beta, x, y);
  for (size_t i = 0; i < got.size(); ++i)
    CHECK_MESSAGE(got[i] == static_cast<double>(want.y[i]), "row ", i);
}

// A NaN in every third column of x must reach exactly the rows that have an entry there.
void checkSpreading(OnDevice &device) {
  const simt::TestMatrix &a = *device.test.matrix;
  std::vector<double> x = simt::integers(simt::vectorX, a.cols);
  std::vector<bool> marked(x.size());
  for (size_t i = 0; i < x.size(); i += 3)
    x[i] = std::numeric_limits<double>::quiet_NaN(), marked[i] = true;
  const std::vector<bool> reached = simt::rowsReached(a, marked);
  const std::vector<double> y(static_cast<size_t>(a.rows));
  const std::vector<double> got = device.multiply(1, 0, x, y);
  for (size_t i = 0; i < got.size(); ++i)
    CHECK_MESSAGE(std::isnan(got[i]) == reached[i], "row ", i);
}

void checkRepeats(OnDevice &device) {
  const simt::TestMatrix &a = *device.test.matrix;
  const std::vector<double> x =
      simt::reals(simt::vectorX, a.cols, vectorTypeOf(device.test.problem));
  const std::vector<double> y(static_cast<size_t>(a.rows));
  const std::vector<double> first = device.multiply(0.3, 0, x, y);
  for (int i = 1; i < kRepeats; ++i)
    CHECK(device.multiply(0.3, 0, x, y) == first);
}

// SPECMV_GPU_FORMATS=coo,hyb leaves out the others, which takes less of a GPU's time.
bool isWanted(const char *format) { return simt::isListed("SPECMV_GPU_FORMATS", format); }

} // namespace

TEST_CASE("every format is right, keeps what it promises and stays within y on the GPU") {
  Machine machine = gpuMachine();
  const std::vector<simt::TestMatrix> matrices = simt::caseMatrices();
  std::set<std::string> ran;
  std::map<std::string, std::string> skipped; // by format, the reason
  const auto [index, count] = specmv::testing::shard();
  size_t number = 0;
  for (const simt::TestCase &test : simt::testCases(matrices, 1)) {
    if (!isWanted(test.format->name) || number++ % count != index)
      continue;
    CAPTURE(test.name());
    auto built = simt::withView(
        *test.matrix, test.problem.type, simt::integerValues(*test.matrix),
        [&](const CsrView &view) { return build(view, test.plan.plan, test.problem, machine); });
    if (!built && test.format->library) {
      skipped[test.format->name] = describe(built.takeError()).second;
      continue;
    }
    REQUIRE_MESSAGE(bool(built), "not built");
    OnDevice device{machine, test, std::move(*built)};
    checkExact(device, simt::integers, 2, 0);
    if (test.problem.betaCanBeNonZero)
      checkExact(device, simt::integers, -1, 3);
    // cuSPARSE promises nothing about subnormal numbers, and atomic additions in float take them
    // for 0.
    const bool repeats = test.format->isDeterministicFor(test.plan.plan);
    if (!test.format->library && repeats)
      checkExact(device, simt::subnormals, 1, test.problem.betaCanBeNonZero ? 3 : 0);
    if (!test.format->paddingReadsX)
      checkSpreading(device);
    if (repeats)
      checkRepeats(device);
    ran.insert(test.format->name);
  }
  for (const auto &[format, why] : skipped)
    MESSAGE("skipped some or all of ", format, ": ", why);
  if (count > 1) {
    MESSAGE("shard ", index, " of ", count);
    return;
  }
  // For cuSPARSE 12.6 and later, only the experimental routines may be missing.
  for (const Format &format : formats())
    if (!isWanted(format.name))
      MESSAGE("skipped by SPECMV_GPU_FORMATS: ", std::string(format.name));
    else if (!testing::isExperimental(format.name))
      CHECK_MESSAGE(ran.count(format.name) == 1, format.name);
}
