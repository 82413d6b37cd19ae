// Tests specmv's own pool of device memory, observed through the calls that a fake driver receives.
#include "tests/runtime/cuda/fake_gpu.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace specmv;

namespace {

StreamHandle streamOf(uintptr_t number) { return reinterpret_cast<StreamHandle>(number << 8); }

size_t mapped() { return *ofFakeDriver<size_t>("fakeMapped"); }

// While work goes on, the driver reports every event as pending.
void setWorkGoesOn(bool goesOn) {
  if (goesOn)
    setenv("SPECMV_FAKE_NOT_READY", "1", 1);
  else
    unsetenv("SPECMV_FAKE_NOT_READY");
}

constexpr size_t kMiB = size_t{1} << 20;

} // namespace

TEST_CASE("child: where memory comes from" * doctest::skip()) {
  for (const bool maps : {true, false}) {
    maps ? setenv("SPECMV_FAKE_MAPS", "1", 1) : unsetenv("SPECMV_FAKE_MAPS");
    auto gpu = openGpu();
    const std::string calls = fakeCallsOf([&] { llvm::cantFail(gpu->allocate(100)); });
    CHECK(countOf("cuMemMap", calls) == maps);
    CHECK(countOf("cuMemAlloc_v2", calls) == !maps);
    CHECK(countOf("cuMemFree_v2", calls) == !maps);
    // Later allocations reuse the memory that the first one mapped.
    for (const size_t bytes : {size_t{1000}, 4 * kMiB})
      CHECK(countOf("cuMemMap", fakeCallsOf([&] { llvm::cantFail(gpu->allocate(bytes)); })) == 0);
    for (const size_t bytes : {kMiB - 1, kMiB - 512, kMiB})
      CHECK(llvm::cantFail(gpu->allocate(bytes)).pointer() != 0);
    const auto [status, sentence] = describe(gpu->allocate(size_t{3} << 30).takeError());
    CHECK(status == Status::gpuMemory);
    CHECK(sentence == "Fake H200 does not have enough free memory to allocate 3221225472 bytes");
    gpu.reset();
    CHECK(leftOfGpu() == 0);
    CHECK(mapped() == 0);
  }
}

TEST_CASE("memory is mapped where that can be, and a full GPU is told") {
  passesWithFakeGpu("child: where memory comes from");
}

TEST_CASE("child: plain memory" * doctest::skip()) {
  setenv("SPECMV_FAKE_MAPS", "1", 1);
  setenv("SPECMV_PLAIN_MEMORY", "1", 1);
  const auto gpu = openGpu();
  CHECK(countOf("cuMemAlloc_v2", fakeCallsOf([&] { llvm::cantFail(gpu->allocate(100)); })) == 1);
}

TEST_CASE("SPECMV_PLAIN_MEMORY makes each allocation one of the driver") {
  passesWithFakeGpu("child: plain memory");
}

TEST_CASE("child: memory that work uses" * doctest::skip()) {
  setenv("SPECMV_FAKE_MAPS", "1", 1);
  auto gpu = openGpu();
  setWorkGoesOn(true);
  DevicePointer at = 0;
  const std::string freed = fakeCallsOf([&] {
    auto first = llvm::cantFail(gpu->allocate(20 * kMiB, streamOf(1)));
    at = first.pointer();
    first.freeOn(streamOf(1));
  });
  CHECK(countOf("cuEventRecord", freed) == 1);
  CHECK(countOf("cuStreamSynchronize", freed) == 0);
  CHECK(gpu->takeMemoryUse().now == 0);
  {
    const auto other = llvm::cantFail(gpu->allocate(20 * kMiB, streamOf(2)));
    CHECK(other.pointer() != at);
    const auto any = llvm::cantFail(gpu->allocate(20 * kMiB));
    CHECK(any.pointer() != at);
    const MemoryUse use = gpu->takeMemoryUse();
    CHECK(use.now == static_cast<int64_t>(40 * kMiB));
    CHECK(use.most == static_cast<int64_t>(40 * kMiB));
  }
  setWorkGoesOn(false);
  CHECK(llvm::cantFail(gpu->allocate(20 * kMiB)).pointer() != 0);
  CHECK(gpu->takeMemoryUse().most == static_cast<int64_t>(40 * kMiB)); // since the last call
  CHECK(gpu->takeMemoryUse().most == 0);
  gpu.reset();
  CHECK(leftOfGpu() == 0);
}

TEST_CASE("memory freed behind work is given to nobody else before that is over") {
  passesWithFakeGpu("child: memory that work uses");
}

TEST_CASE("child: a GPU that is full" * doctest::skip()) { // of 1 GiB
  setenv("SPECMV_FAKE_MAPS", "1", 1);
  auto gpu = openGpu();
  setWorkGoesOn(true);
  {
    auto first = llvm::cantFail(gpu->allocate(600 * kMiB, streamOf(1)));
    CHECK(llvm::errorToBool(gpu->allocate(500 * kMiB).takeError()));
    first.freeOn(streamOf(1)); // waits for work
  }
  const std::string calls =
      fakeCallsOf([&] { CHECK(llvm::cantFail(gpu->allocate(500 * kMiB)).pointer() != 0); });
  CHECK(countOf("cuEventSynchronize", calls) == 1);
  setWorkGoesOn(false);
  // Free pieces that are too small are unmapped.
  { const auto small = llvm::cantFail(gpu->allocate(300 * kMiB)); }
  CHECK(llvm::cantFail(gpu->allocate(900 * kMiB)).pointer() != 0);
  gpu.reset();
  CHECK(leftOfGpu() == 0);
  CHECK(mapped() == 0);
}

TEST_CASE("a GPU that is full is asked again when what was freed is over and unmapped") {
  passesWithFakeGpu("child: a GPU that is full");
}

TEST_CASE("child: memory that is kept" * doctest::skip()) {
  setenv("SPECMV_FAKE_MAPS", "1", 1);
  auto gpu = openGpu();
  {
    const auto lives = llvm::cantFail(gpu->allocate(100));
    std::vector<DeviceBuffer> large;
    large.reserve(5);
    for (int i = 0; i < 5; ++i)
      large.push_back(llvm::cantFail(gpu->allocate(100 * kMiB)));
    large.clear();
    CHECK(mapped() <= 260 * kMiB); // at most 256 MiB free while there is a plan
    CHECK(mapped() >= 200 * kMiB);
  }
  CHECK(mapped() <= 64 * kMiB);
  gpu->forget();
  CHECK(mapped() == 0);
}

TEST_CASE("free memory is kept up to a bound, a smaller one without a plan") {
  passesWithFakeGpu("child: memory that is kept");
}

TEST_CASE("child: threads that allocate" * doctest::skip()) {
  setenv("SPECMV_FAKE_MAPS", "1", 1);
  auto gpu = openGpu();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (uintptr_t thread = 1; thread <= 4; ++thread)
    threads.emplace_back([&, thread] {
      for (size_t round = 0; round < 300; ++round) {
        const size_t bytes = round % 3 == 0 ? kMiB + round : 100 + round;
        auto memory = llvm::cantFail(gpu->allocate(bytes, streamOf(thread)));
        auto *const first = reinterpret_cast<unsigned char *>(memory.pointer());
        std::fill_n(first, bytes, static_cast<unsigned char>(thread));
        for (size_t i = 0; i < bytes; i += 97)
          wrong += first[i] != thread;
        if (round % 2 == 0)
          memory.freeOn(streamOf(thread));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
  CHECK(gpu->takeMemoryUse().now == 0);
  gpu.reset();
  CHECK(leftOfGpu() == 0);
}

TEST_CASE("threads allocate side by side, each its own memory") {
  passesWithFakeGpu("child: threads that allocate");
}
