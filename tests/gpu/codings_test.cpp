// Tests codings of values on the GPU: products have the bits of plain values, the arrays are packed
// on the GPU, and values that do not fit are refused there as on the host.
#include "generator/coding/coding.h"
#include "models/lab/families/families.h"
#include "runtime/build.h"
#include "runtime/measure/measure.h"
#include "tests/gpu/product_bits.h"
#include "tests/gpu/program_stream.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

CsrMatrix withValue(const char *spec, double value) {
  CsrMatrix out = llvm::cantFail(generateFamily(spec));
  std::fill(out.val.begin(), out.val.end(), value);
  return out;
}

// Equal along each diagonal, of seven values that are exact in f32.
CsrMatrix withDiagonals(const char *spec) {
  CsrMatrix out = withValue(spec, 0);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t e = out.rowPtr[i]; e < out.rowPtr[i + 1]; ++e)
      out.val[e] = 0.375 * static_cast<double>((out.cols + out.col[e] - i) % 7) - 1;
  return out;
}

// So many different values, exact in f32, in no order.
CsrMatrix withDifferent(const char *spec, uint64_t different) {
  CsrMatrix out = withValue(spec, 0);
  for (size_t e = 0; e < out.val.size(); ++e)
    out.val[e] = 1 + 0.5 * static_cast<double>(e * 2654435761 % 1000003 % different);
  return out;
}

// The matrix with values of the problem's type.
struct Typed {
  std::vector<float> narrow;
  CsrView view;
  Typed(const CsrMatrix &a, ValueType type) : narrow(a.val.begin(), a.val.end()), view(a.view()) {
    view.valueType = type;
    if (type == ValueType::f32)
      view.val = narrow.data();
  }
};

void compare(const CsrMatrix &a, const Plan &plan, const Problem &problem, Machine &machine) {
  CAPTURE(plan.text().substr(0, 100));
  const Typed typed(a, problem.type);
  Plan plain = plan;
  plain.values.clear();
  const Vectors vectors(*machine.gpu, a, vectorTypeOf(problem));
  auto coded = build(typed.view, plan, problem, machine);
  if (!coded && codingOf(plan).mostBlocks > 0) { // only packing finds out
    const std::string why = describe(coded.takeError()).second;
    CHECK_MESSAGE(why.find("different blocks") != std::string::npos, why);
    return;
  }
  REQUIRE(static_cast<bool>(coded));
  const Built want = llvm::cantFail(build(typed.view, plain, problem, machine));
  const char *const table = codingOf(plan).table;
  CHECK(coded->layout.storedBytes() - (table ? coded->layout.find(table)->size() : 0) <
        want.layout.storedBytes());
  const bool packsOnGpu = findFormat(plan.format)->packing && !want.layout.isOnHost;
  CHECK(coded->layout.isOnHost != packsOnGpu);
  CHECK(vectors.after(*coded->product, machine.setupStream) ==
        vectors.after(*want.product, machine.setupStream));
}

} // namespace

TEST_CASE("codings of values: products on a GPU have the bits of plain values") {
  Machine machine = gpuMachine();
  for (const char *spec : {"stencil5:n=100", "powerlaw:rows=5000,avg=8", "elasticity:n=8",
                           "mycielskian:k=9", "band:k=9,half=300,rows=5000"}) {
    CAPTURE(spec);
    const CsrMatrix equal = withValue(spec, -1.3), diagonals = withDiagonals(spec);
    const SparsityProfile seen = profile(equal.view());
    for (const Problem &problem : {Problem{ValueType::f64}, Problem{ValueType::f32},
                                   Problem{.type = ValueType::f32, .vectorsAreDouble = true}})
      for (const Coding *coding : codings().drop_front())
        for (const Offer &offer :
             llvm::cantFail(offers({seen, problem, machine.model, {}, coding->name}, {})))
          if (!offer.plans.empty())
            compare(coding == &kOnes ? equal : diagonals, offer.plans.front(), problem, machine);
  }
}

TEST_CASE("codings of values: a GPU refuses values that do not fit in the host's words") {
  Machine machine = gpuMachine();
  CsrMatrix a = withValue("stencil5:n=200", 2);
  a.val[a.val.size() / 2] = 3;
  const Plan plan = *parsePlan(
      "sell sell.slice=32 sell.sigma=1 sell.lanes=1 block=256 blocksPerSm=0 offset=32 column=32 "
      "values=ones");
  auto onGpu = build(a.view(), plan, {}, machine);
  auto onHost = pack(a.view(), plan, {});
  REQUIRE_FALSE(static_cast<bool>(onGpu));
  REQUIRE_FALSE(static_cast<bool>(onHost));
  CHECK(describe(onGpu.takeError()) == describe(onHost.takeError()));
}

// Prints the figures of tests/bench/README.md, "Values that are known".
TEST_CASE("times of codings" * doctest::skip(!getenv("SPECMV_TEST_TIMES"))) {
  struct Timed {
    const char *values;
    uint64_t different;
  };
  constexpr Timed kTimed[] = {{"", 200},     {"ones", 1},     {"diagonals", 1}, {"codes4", 5},
                              {"codes8", 5}, {"codes8", 200}, {"f32", 200}};
  Machine machine = gpuMachine();
  for (const char *spec : {"mycielskian:k=15", "rmat:scale=20,edge=16", "random:k=16,rows=2000000",
                           "stencil5:n=3000", "fem2d:rows=2000000", "chessboard:m=8,n=8,k=5"}) {
    const SparsityProfile seen = profile(withValue(spec, 1).view());
    for (const Problem &problem : {Problem{ValueType::f32}, Problem{ValueType::f64}}) {
      const auto vectors =
          llvm::cantFail(plainVectors(*machine.gpu, seen.rows, seen.cols, problem, nullptr));
      for (const char *format : {"csr-vector", "csr5", "sell", "dia", "csr-merge"})
        for (const auto &[values, different] : kTimed) {
          const Fixed none;
          const auto offer =
              offerOf(*findFormat(format), {seen, problem, machine.model, none, values});
          if (offer.plans.empty())
            continue;
          const CsrMatrix a = withDifferent(spec, different);
          const Typed typed(a, problem.type);
          const Built built =
              llvm::cantFail(build(typed.view, offer.plans.back(), problem, machine));
          const double us =
              llvm::cantFail(measureWarm(*machine.gpu, enqueue(*built.product, vectors)));
          const std::string line = std::string(spec) + " " + nameOf(problem.type) + " " + format +
                                   " " + (*values ? values : "plain") + " of " +
                                   std::to_string(different) + " values, us: " + std::to_string(us);
          MESSAGE(line);
        }
    }
  }
}
