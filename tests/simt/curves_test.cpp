// Tests the kernels that measure a GPU's curves, on the host executor: they read the data that they
// claim to read, each value as often as claimed.
#include "generator/setup/curves.h"
#include "templates/curves/sizes.cuh"
#include "tests/simt/workspace.h"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

using namespace specmv;
using namespace specmv::simt;

namespace {

// A workspace without a matrix.
HostWorkspace emptyWorkspace(unsigned seed = 0) {
  static const int32_t rowPtr[] = {0};
  return {CsrView{0, 0, 0, IndexType::i32, ValueType::f64, rowPtr, nullptr, nullptr}, seed};
}

template <class Word> std::vector<Word> numbersUpTo(size_t count) {
  std::vector<Word> out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<Word>(i * i % 997);
  return out;
}

uint64_t sumOf(HostWorkspace &w, int64_t blocks) {
  std::vector<uint64_t> sums(static_cast<size_t>(blocks));
  llvm::cantFail(w.read(kCurveSums, 0, blocks, sums.data()));
  return std::accumulate(sums.begin(), sums.end(), uint64_t{0});
}

// Returns the sum over all blocks after the launch has read these data.
template <class Word>
uint64_t sumAfter(const KernelSource &source, const SetupLaunch &launch, ElementType type,
                  const std::vector<Word> &data, unsigned seed) {
  HostWorkspace w = emptyWorkspace(seed);
  const auto count = static_cast<int64_t>(data.size());
  llvm::cantFail(w.add(kCurveData, type, count, Contents::undefined));
  llvm::cantFail(w.write(kCurveData, data.data(), count));
  llvm::cantFail(w.add(kCurveSums, ElementType::u64, launch.blocks, Contents::undefined));
  llvm::cantFail(w.launch(source, launch.kernel, launch.blocks));
  return sumOf(w, launch.blocks);
}

// Sums the places that the threads visit among the `values`.
template <class Word>
uint64_t gatheredSum(const std::vector<Word> &values, int64_t perPlace, int64_t together,
                     int64_t count, int64_t blocks) {
  const size_t places = values.size() / static_cast<size_t>(perPlace);
  uint64_t sum = 0;
  for (int64_t thread = 0; thread < blocks * kSetupBlock; ++thread) {
    unsigned at = firstPlace(static_cast<unsigned>(thread / together));
    for (int64_t i = 0; i < count; ++i) {
      at = nextPlace(at);
      const size_t place = at / ((uint64_t{1} << 32) / places);
      sum += values[place * static_cast<size_t>(perPlace) + static_cast<size_t>(thread % together)];
    }
  }
  return sum;
}

template <class Word> void checkGathers(ValueType type) {
  const auto perSector = static_cast<int64_t>(kSectorBytes / sizeof(Word));
  for (int64_t together = 1; together <= perSector; together *= 2)
    for (const int64_t bytes : {64, 4096, 32768}) {
      CAPTURE(together);
      CAPTURE(bytes);
      const auto values = numbersUpTo<Word>(static_cast<size_t>(bytes) / sizeof(Word));
      const GatherLaunch gather = gatherLaunch(type, bytes, together, 13, 3);
      CHECK(gather.sectors == 3 * kSetupBlock * 16 / together); // 13 are two batches
      CHECK(sumAfter(gatherSource(type), gather.launch, gatheredElement(type), values, 1) ==
            gatheredSum(values, perSector, together, 16, 3));
    }
  const auto values = numbersUpTo<Word>(kSharedGatherValues);
  const SharedGatherLaunch shared = sharedGatherLaunch(type, 8, 2);
  CHECK(shared.warpGathers == 2 * kSetupBlock / 32 * 8);
  CHECK(sumAfter(gatherSource(type), shared.launch, gatheredElement(type), values, 2) ==
        gatheredSum(values, 1, 1, 8, 2));
}

} // namespace

TEST_CASE("the stream reads every word of its working set as often as asked") {
  for (const int64_t chunks : {1, 3, 5})
    for (const int64_t passes : {1, 2, 7})
      for (const int64_t blocks : {1, 2, 5, 6}) {
        CAPTURE(chunks);
        CAPTURE(passes);
        CAPTURE(blocks);
        const auto words =
            numbersUpTo<uint32_t>(static_cast<size_t>(chunks * kStreamChunkBytes / 4));
        const uint64_t once = std::accumulate(words.begin(), words.end(), uint64_t{0});
        CHECK(sumAfter(curvesSource(), streamLaunch(chunks * kStreamChunkBytes, passes, blocks),
                       ElementType::u32, words, 0) == once * static_cast<uint64_t>(passes));
      }
}

TEST_CASE("data are filled with the numbers that tests can tell, to the last word") {
  HostWorkspace w = emptyWorkspace();
  llvm::cantFail(w.add(kCurveData, ElementType::u32, 1003, Contents::undefined));
  const SetupLaunch fill = fillLaunch(1003 * 4);
  llvm::cantFail(w.launch(curvesSource(), fill.kernel, fill.blocks));
  std::vector<uint32_t> words(1003);
  llvm::cantFail(w.read(kCurveData, 0, 1003, words.data()));
  for (unsigned i = 0; i < words.size(); ++i)
    CHECK(words[i] == firstPlace(i));
}

TEST_CASE("gathers read the values that their places name") {
  checkGathers<uint32_t>(ValueType::f32);
  checkGathers<uint64_t>(ValueType::f64);
}

TEST_CASE("a chain leads through all slots of its working set, and a walk goes on where it ended") {
  HostWorkspace w = emptyWorkspace();
  constexpr int64_t kBytes = 32 << 10, kSlots = kBytes / kChainStride;
  llvm::cantFail(w.add(kCurveData, ElementType::u32, kBytes / 4, Contents::undefined));
  llvm::cantFail(w.add(kCurveAt, ElementType::u32, 1, Contents::zeros));
  const SetupLaunch chain = chainLaunch(kBytes), chase = chaseLaunch(1);
  llvm::cantFail(w.launch(curvesSource(), chain.kernel, chain.blocks));
  const auto at = [&] {
    uint32_t word = 0;
    llvm::cantFail(w.read(kCurveAt, 0, 1, &word));
    return word;
  };
  std::set<uint32_t> seen;
  for (int64_t i = 0; i < kSlots; ++i) {
    llvm::cantFail(w.launch(curvesSource(), chase.kernel, chase.blocks));
    CHECK(at() % (kChainStride / 4) == 0);
    seen.insert(at());
  }
  CHECK(seen.size() == kSlots);
  CHECK(at() == 0); // and back
  llvm::cantFail(w.launch(curvesSource(), chaseLaunch(kSlots).kernel, 1));
  CHECK(at() == 0);
}

TEST_CASE("the empty kernel runs") {
  HostWorkspace w = emptyWorkspace();
  const SetupLaunch empty = emptyLaunch();
  CHECK_FALSE(llvm::errorToBool(w.launch(curvesSource(), empty.kernel, empty.blocks)));
}
