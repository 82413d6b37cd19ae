// Tests of the kept sources: they equal a newly emitted source, and are shared while they are among
// the last ones.
#include "generator/sources.h"

#include "generator/setup/packing.h"
#include "tests/generator/formats/one_format.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace specmv;
using namespace specmv::testing;

namespace {

const Format &ell() { return *findFormat("ell"); }

Plan ellOf(int64_t width) {
  return *parsePlan("ell ell.width=" + std::to_string(width) + " block=256 offset=32 column=32");
}

} // namespace

TEST_CASE("a kept source has the text and the digest of an emitted one") {
  for (const auto &[format, plan] : plansOf(edgeMatrices().back().view(), kDouble)) {
    const KernelSource emitted = format->source(plan, kDouble);
    for (int time = 0; time < 2; ++time) {
      CHECK(keptSource(format->source, plan, kDouble)->text == emitted.text);
      CHECK(keptSource(format->source, plan, kDouble)->digest == emitted.digest);
      if (format->packing)
        CHECK(keptSource(format->packing->source, plan, kDouble, IndexType::i64)->text ==
              format->packing->source(plan, kDouble, IndexType::i64).text);
    }
  }
}

TEST_CASE("sources of other plans, problems, types and functions are others") {
  const Problem f64{}, f32{ValueType::f32}, noBeta{ValueType::f64, false};
  const auto product = keptSource(ell().source, ellOf(3), f64);
  CHECK(keptSource(ell().source, ellOf(3), f64) == product);
  CHECK(keptSource(ell().source, ellOf(4), f64)->text != product->text);
  CHECK(keptSource(ell().source, ellOf(3), f32)->text != product->text);
  CHECK(keptSource(ell().source, ellOf(3), noBeta)->text != product->text);
  const EmitPacking packing = ell().packing->source;
  const auto packed = keptSource(packing, ellOf(3), f64, IndexType::i32);
  CHECK(packed->text != product->text);
  CHECK(keptSource(packing, ellOf(3), f64, IndexType::i32) == packed);
  CHECK(keptSource(packing, ellOf(3), f64, IndexType::i64)->text != packed->text);
}

TEST_CASE("a source that was not used for long is emitted again") {
  const auto first = keptSource(ell().source, ellOf(1), {});
  const auto used = keptSource(ell().source, ellOf(2), {});
  for (int64_t width = 3; width < 90; ++width) {
    keptSource(ell().source, ellOf(width), {});
    CHECK(keptSource(ell().source, ellOf(2), {}) == used);
  }
  const auto again = keptSource(ell().source, ellOf(1), {});
  CHECK(again != first); // which its holder still has
  CHECK(again->text == first->text);
}

TEST_CASE("threads may ask for the same sources") {
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&wrong] {
      for (int64_t round = 0; round < 300; ++round) {
        const Plan plan = ellOf(1 + round % 70);
        wrong += keptSource(ell().source, plan, {})->text != ell().source(plan, {}).text;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("the digest is that of the text") {
  CHECK(KernelSource("a").digest == digestOfBytes(std::string("a")));
  CHECK(KernelSource("a").digest != KernelSource("b").digest);
}
