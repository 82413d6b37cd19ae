// Tests which matrices stay in L2, and that kernels get the policy for it, on the fake GPU.
#include "runtime/cuda/l2_turns.h"

#include "models/lab/families/families.h"
#include "models/predict/kept_in_l2.h"
#include "runtime/build.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

constexpr int64_t kL2 = 50 << 20;

uint64_t policy(double arrayMb, double vectorMb, int64_t l2Bytes = kL2) {
  const auto bytes = [](double mb) { return static_cast<int64_t>(mb * (1 << 20)); };
  return l2PolicyOf(sixteenthsKept(bytes(arrayMb), bytes(vectorMb), l2Bytes));
}

uint64_t firstArgument() { return *ofFakeDriver<uint64_t>("fakeArguments"); }

Built builtAs(const CsrMatrix &a, const char *plan, const Problem &problem, Machine &machine) {
  return llvm::cantFail(build(a.view(), *parsePlan(plan), problem, machine));
}

// The policy of plans that multiply in turn, for products with so many vectors.
uint64_t wanted(const CsrMatrix &a, std::initializer_list<const Built *> plans,
                int64_t vectors = 1) {
  int64_t arrayBytes = 0, vectorBytes = 0;
  for (const Built *plan : plans) {
    arrayBytes += plan->layout.storedBytes();
    vectorBytes += (a.rows + a.cols) * vectors * 8;
  }
  return l2PolicyOf(
      sixteenthsKept(arrayBytes, vectorBytes, (*plans.begin())->product->gpu().info().l2Bytes));
}

constexpr const char *kVector = "csr-vector csr.lanes=8 block=256 offset=32 column=32";
constexpr const char *kDia =
    "dia dia.rows=1 holes=1 block=256 offset=32 column=32 dia.offsets=[-40,-1,0,1,40]";
constexpr const char *kMerge = "csr-merge merge.items=7 merge.threads=256 offset=32 column=32";

} // namespace

TEST_CASE("arrays are kept if they fit half of L2 beside the vectors of a solver") {
  CHECK(policy(0, 0) == l2PolicyOf(16));
  CHECK(policy(24.9, 0) == l2PolicyOf(16));
  CHECK(policy(25.1, 0) == l2PolicyOf(15));
  CHECK(policy(14.9, 5) == l2PolicyOf(16));
  CHECK(policy(15.1, 5) == l2PolicyOf(15));
}

TEST_CASE("as much of larger arrays is kept as there is room for") {
  CHECK(policy(100, 0) == l2PolicyOf(4));
  CHECK(policy(99, 0) == l2PolicyOf(4));
  CHECK(policy(101, 0) == l2PolicyOf(3));
  CHECK(policy(100, 6) == l2PolicyOf(2));
  CHECK(policy(400, 0) == l2PolicyOf(1));
  for (int sixteenths = 1; sixteenths <= 16; ++sixteenths)
    CHECK(policy(25.0 * 16 / sixteenths, 0) == l2PolicyOf(sixteenths));
}

TEST_CASE("nothing is kept of huge arrays, beside huge vectors, or if L2 is unknown") {
  CHECK(policy(401, 0) == l2PolicyOf(0));
  CHECK(policy(1e6, 1e6) == l2PolicyOf(0));
  CHECK(policy(1, 13) == l2PolicyOf(0));
  CHECK(policy(1, 0, 0) == l2PolicyOf(0));
}

TEST_CASE("child: kernels get the policy" * doctest::skip()) {
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=40"));
  Machine machine = llvm::cantFail(Machine::find({.target = Target::gpu}));
  const DeviceBuffer x = llvm::cantFail(machine.gpu->allocate(4 * 8 * 1600)),
                     y = llvm::cantFail(machine.gpu->allocate(4 * 8 * 1600));
  const auto multiply = [&](const GpuProduct &product) {
    llvm::cantFail(product.run(1, x.pointer(), 0, y.pointer(), nullptr));
    return firstArgument();
  };
  {
    const Built built = builtAs(a, kVector, {}, machine);
    CHECK(multiply(*built.product) == wanted(a, {&built}));
    CHECK((firstArgument() == l2PolicyOf(16)) == (std::getenv("SPECMV_TEST_KEEPS") != nullptr));

    const Built merge = builtAs(a, kMerge, {}, machine);
    const auto recipe = recipeOf(merge.layout, merge.steps, merge.several, merge.problem, a.cols);
    const GpuProduct again = llvm::cantFail(merge.product->again(*recipe));
    CHECK(multiply(again) == wanted(a, {&merge})); // none has multiplied since it was made
    CHECK(multiply(*built.product) == wanted(a, {&built, &merge}));
    CHECK(multiply(*merge.product) == wanted(a, {&merge, &built})); // its place is that of `again`
    CHECK(wanted(a, {&built, &merge}) != wanted(a, {&built}));

    Built rival = builtAs(a, kVector, {}, machine), first = builtAs(a, kMerge, {}, machine);
    rival.product->takeTurnOf(*first.product);
    for (int i = 0; i < 2; ++i) {
      CHECK(multiply(*first.product) == wanted(a, {&first}));
      CHECK(multiply(*rival.product) == wanted(a, {&rival}));
    }
  }
  // Products made on the same memory count the same arrays: DIA has one for general kernels alone.
  const Built dia = builtAs(a, kDia, {}, machine);
  const Layout &own = dia.layout;
  CHECK(std::any_of(own.arrays.begin(), own.arrays.end(), [](auto &each) { return each.isSpare; }));
  const ProductRecipe same = recipeOnSameMemory(own, dia.steps, {}, dia.problem, a.cols);
  CHECK(same.layout.storedBytes() == own.storedBytes());
  CHECK(same.layout.vectorElements == own.vectorElements);

  const Built several = builtAs(a, kVector, {.vectors = 4}, machine);
  llvm::cantFail(several.product->run({}, {4, x.pointer(), 4, 1, y.pointer(), 4, 1}, 0, nullptr));
  CHECK(firstArgument() == wanted(a, {&several}, 4)); // the plans of before are gone
}

// The arrays take 100,484 bytes in csr-vector, and x and y 25,600.
TEST_CASE("kernels get the policy for their arrays and vectors, on both sides of the limit") {
  const std::vector<std::pair<std::string, std::string>> always = {
      {"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
      {"SPECMV_CACHE_PATH", ""},
      {"SPECMV_CACHE_DIR", "/dev/null"}};
  auto large = always, small = always;
  large.insert(large.end(), {{"SPECMV_FAKE_ATTRIBUTE", "38=303400"}, {"SPECMV_TEST_KEEPS", "1"}});
  small.emplace_back("SPECMV_FAKE_ATTRIBUTE", "38=303300");
  passesWithFakeGpu("child: kernels get the policy", large);
  passesWithFakeGpu("child: kernels get the policy", small);
}
