// Tests numbers for whole blocks on the GPU: it numbers blocks as the host does, up to the limits,
// and products have the bits of plain values for all shapes of blocks, and in an order.
#include "models/lab/families/families.h"
#include "runtime/build.h"
#include "tests/generator/coding/blocks_testing.h"
#include "tests/gpu/product_bits.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

std::vector<std::byte> bytesOnGpu(const Built &built, const LayoutArray &array,
                                  const Machine &machine) {
  std::vector<std::byte> out(static_cast<size_t>(array.size()));
  llvm::cantFail(machine.gpu->download(
      out.data(), llvm::cantFail(built.product->onDevice(array.name)), out.size()));
  return out;
}

// The host packs the same codes and the same table, or refuses in the same words.
void compareNumbers(const CsrView &a, const Plan &plan, const Problem &problem, Machine &machine) {
  CAPTURE(plan.text());
  auto onHost = pack(a, plan, problem);
  auto onGpu = build(a, plan, problem, machine);
  REQUIRE(static_cast<bool>(onHost) == static_cast<bool>(onGpu));
  if (!onHost) {
    CHECK(describe(onGpu.takeError()) == describe(onHost.takeError()));
    return;
  }
  CHECK_FALSE(onGpu->layout.isOnHost);
  for (const char *name : {"blockCode", "blockTable"}) {
    const LayoutArray &want = *onHost->find(name);
    const std::vector<std::byte> got = bytesOnGpu(*onGpu, *onGpu->layout.find(name), machine);
    CHECK(std::equal(got.begin(), got.end(), want.bytes.data(), want.bytes.data() + want.size()));
  }
}

// Returns false if both the host and the GPU refuse the plan, because too many blocks differ.
bool compareProducts(const CsrMatrix &a, const Plan &plan, const Problem &problem,
                     Machine &machine) {
  CAPTURE(plan.text());
  const std::vector<float> narrow(a.val.begin(), a.val.end());
  CsrView view = a.view();
  view.valueType = problem.type;
  if (problem.type == ValueType::f32)
    view.val = narrow.data();
  Plan plain = plan;
  plain.values.clear();
  const Vectors vectors(*machine.gpu, a, vectorTypeOf(problem));
  auto coded = build(view, plan, problem, machine);
  if (!coded) {
    CHECK(describe(pack(view, plan, problem).takeError()) == describe(coded.takeError()));
    return false;
  }
  const Built want = llvm::cantFail(build(view, plain, problem, machine));
  CHECK(vectors.after(*coded->product, machine.setupStream) ==
        vectors.after(*want.product, machine.setupStream));
  return true;
}

} // namespace

TEST_CASE("a GPU numbers blocks as the host does, up to the limits") {
  Machine machine = gpuMachine();
  for (const int64_t different : {1, 255, 256, 257, 1000, 65536, 65537})
    for (const char *values : {"blocks", "blocks8"}) {
      const CsrMatrix a = differentBlocks(different, roundUp(2 * different, 64), 1, 2);
      compareNumbers(a.view(), blocksPlan(1, 2, true, values), {}, machine);
    }
  for (const int64_t different : {32768, 32769})
    compareNumbers(differentBlocks(different, roundUp(different, 32), 2, 2).view(),
                   blocksPlan(2, 2, true, "blocks"), {}, machine);
  for (const char *spec : {"elasticity:n=30,materials=20", "coupled:n=20", "elasticity:n=10"})
    compareNumbers(llvm::cantFail(generateFamily(spec)).view(), blocksPlan(3, 3, false, "blocks"),
                   {}, machine);
}

TEST_CASE("products that number blocks have the bits of plain values") {
  Machine machine = gpuMachine();
  const CsrMatrix a = llvm::cantFail(generateFamily("elasticity:n=16,materials=3"));
  for (const Problem &problem : {Problem{ValueType::f64}, Problem{ValueType::f32},
                                 Problem{.type = ValueType::f32, .vectorsAreDouble = true}}) {
    int shapes = 0;
    for (int64_t r = 1; r <= 8; ++r)
      for (int64_t c = 1; c <= 8; ++c)
        shapes += compareProducts(a, blocksPlan(r, c, false, "blocks"), problem, machine) ? 1 : 0;
    CHECK(shapes >= 48);
    for (const char *values : {"blocks", "blocks8"})
      CHECK(compareProducts(a, blocksPlan(3, 3, true, values), problem, machine));
    Plan ordered = blocksPlan(1, 2, false, "blocks");
    ordered.order = "bfs";
    CHECK(compareProducts(a, ordered, problem, machine));
  }
}
