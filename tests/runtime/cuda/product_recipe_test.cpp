// Tests products that share the arrays of another product, on the fake GPU: which of them need a
// recipe, and what it makes. hcghyb has working memory of every kind.
#include "runtime/build.h"

#include "models/lab/families/families.h"
#include "tests/runtime/cuda/fake_driver.h"

using namespace specmv;

namespace {

const Problem kProblem;

Built builtFor(const CsrMatrix &a, const char *plan, Machine &machine) {
  auto parsed = parsePlan(plan);
  REQUIRE(parsed);
  return llvm::cantFail(build(a.view(), *parsed, kProblem, machine));
}

std::shared_ptr<const ProductRecipe> recipeFor(const CsrMatrix &a, const Built &built) {
  return recipeOf(built.layout, built.steps, built.several, built.problem, a.cols);
}

llvm::Error runOn(const GpuProduct &product, const DeviceBuffer &x, const DeviceBuffer &y) {
  return product.run(2, x.pointer(), 1, y.pointer(), nullptr);
}

} // namespace

TEST_CASE("child: a product is made again" * doctest::skip()) {
  const CsrMatrix a = llvm::cantFail(generateFamily("powerlaw:rows=2000,avg=8"));
  {
    Machine machine = llvm::cantFail(Machine::find({.target = Target::gpu}));
    const Built plain =
        builtFor(a, "csr-vector csr.lanes=8 block=256 offset=32 column=32", machine);
    CHECK_FALSE(recipeFor(a, plain));
    const Built built = builtFor(a, "hcghyb hyb.k=4 block=256 offset=32 column=32", machine);
    const auto recipe = recipeFor(a, built);
    REQUIRE(recipe);
    const auto scratch = static_cast<int>(recipe->layout.scratch.size());
    const DeviceBuffer x = llvm::cantFail(machine.gpu->allocate(8 * 2000));
    const DeviceBuffer y = llvm::cantFail(machine.gpu->allocate(8 * 2000));
    const std::string first = fakeCallsOf([&] { llvm::cantFail(runOn(*built.product, x, y)); });
    const int live = fakeLive();
    {
      std::optional<GpuProduct> again;
      const std::string calls =
          fakeCallsOf([&] { again = llvm::cantFail(built.product->again(*recipe)); });
      CHECK(scratch > 0);
      CHECK(countOf("cuMemAlloc_v2", calls) == scratch);
      CHECK(countOf("cuMemsetD8Async", calls) == scratch);
      CHECK(countOf("cuMemHostAlloc", calls) == 2); // what the host reads, and what it writes
      CHECK(countOf("cuStreamCreate", calls) == 1);
      int64_t bytes = 0;
      for (const LayoutArray &array : recipe->layout.scratch)
        bytes += array.size();
      CHECK(again->deviceBytes() == bytes); // no array of the matrix is stored twice
      CHECK(fakeCallsOf([&] { llvm::cantFail(runOn(*again, x, y)); }) == first);
    }
    CHECK(fakeLive() == live);
  }
  llvm::cantFail(GpuDevice::release(0));
  CHECK(fakeLive() == 0);
}

TEST_CASE("a product is made again with working memory of its own, if it has any") {
  passesWithFakeGpu("child: a product is made again", {{"SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT},
                                                       {"SPECMV_CACHE_PATH", ""},
                                                       {"SPECMV_CACHE_DIR", "/dev/null"}});
}
