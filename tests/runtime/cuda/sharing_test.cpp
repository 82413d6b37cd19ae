// Tests the resources that all users of a GPU share: the open device, its loaded modules, the limit
// of a function's shared memory, and the pool of memory. Observed through the calls that a fake
// driver receives.
#include "tests/runtime/cuda/fake_gpu.h"
#include "tests/runtime/processes.h"

#include <cstdlib>
#include <thread>

using namespace specmv;
using specmv::testing::endOf;
using specmv::testing::startProcess;

namespace {

// Returns distinct objects.
std::vector<char> object(int number) {
  const std::string text = "object " + std::to_string(number);
  return {text.begin(), text.end()};
}

int loadsOf(const std::string &calls) { return countOf("cuModuleLoadData", calls); }

llvm::Expected<GpuModule> loaded(const GpuDevice &gpu, int number) {
  return gpu.load(object(number), digestOfBytes(object(number)));
}

// Loads the object and releases it.
void load(const GpuDevice &gpu, int number) { llvm::cantFail(loaded(gpu, number)); }

} // namespace

TEST_CASE("child: who opens a GPU" * doctest::skip()) {
  auto gpu = openGpu();
  const std::string again = fakeCallsOf([&] { CHECK(openGpu() == gpu); });
  CHECK(again == "cuCtxGetCurrent cuCtxPushCurrent_v2 cuCtxPopCurrent_v2 ");
  gpu.reset();
  CHECK(fakeCallsOf([] { openGpu(); }) == again); // it stays open
  CHECK(leftOfGpu() == 0);
  CHECK(leftOfGpu() == 0); // there is nothing to release
  gpu = openGpu();
  CHECK(gpu->info().name == "Fake H200");
  setenv("SPECMV_FAKE_FAILS", "cuCtxPushCurrent_v2", 1); // the program has reset the device
  const auto next = openGpu();
  CHECK(next != gpu);
  unsetenv("SPECMV_FAKE_FAILS");
  // Earlier objects are gone, although the context can be used again.
  const std::string calls = fakeCallsOf([&] {
    const auto told = describe(gpu->synchronize(nullptr));
    CHECK(told.first == Status::badCall);
    CHECK_MESSAGE(told.second.find("the GPU was reset") == 0, told.second);
    gpu.reset();
  });
  CHECK(calls.empty());
  CHECK_FALSE(llvm::errorToBool(next->synchronize(nullptr)));
  CHECK(openGpu() == next);
}

TEST_CASE("a GPU that is open is opened without asking for its properties again") {
  // The fake driver does not free the objects that a reset would free.
  passesWithFakeGpu("child: who opens a GPU",
                    {{"ASAN_OPTIONS", "detect_leaks=0:intercept_tls_get_addr=0"}});
}

TEST_CASE("child: a GPU in a forked process" * doctest::skip()) {
  auto gpu = openGpu();
  DeviceBuffer memory = llvm::cantFail(gpu->allocate(100));
  GpuModule module = llvm::cantFail(loaded(*gpu, 1));
  const auto status = endOf(startProcess([&] {
    const std::string calls = fakeCallsOf([&] {
      const auto isTold = [](llvm::Error error) {
        const auto [status, sentence] = describe(std::move(error));
        return status == Status::missing && sentence.find("was forked") != std::string::npos;
      };
      if (!isTold(gpu->synchronize(nullptr)) || !isTold(GpuDevice::open(0).takeError()))
        _exit(2);
      memory = {};
      module = {};
      gpu.reset();
    });
    return calls.empty() ? 0 : 3;
  }));
  CHECK(status == 0);
  CHECK_FALSE(llvm::errorToBool(gpu->synchronize(nullptr)));
}

TEST_CASE("a forked process does not call the driver, and is told") {
  passesWithFakeGpu("child: a GPU in a forked process");
}

TEST_CASE("child: modules that are loaded" * doctest::skip()) {
  auto gpu = openGpu();
  CHECK(loadsOf(fakeCallsOf([&] {
          load(*gpu, 0);
          load(*gpu, 0);
        })) == 1);
  const GpuModule used = llvm::cantFail(loaded(*gpu, 1));
  CHECK(loadsOf(fakeCallsOf([&] {
          for (int number = 2; number < 66; ++number)
            load(*gpu, number);
          load(*gpu, 65);
          load(*gpu, 1); // in use
        })) == 64);
  CHECK(loadsOf(fakeCallsOf([&] { load(*gpu, 0); })) == 1); // the oldest
  const int live = fakeLive();
  const std::string more = fakeCallsOf([&] { load(*gpu, 66); });
  CHECK(countOf("cuModuleUnload", more) == 1);
  CHECK(fakeLive() == live);
  setenv("SPECMV_FAKE_FAILS", "cuModuleLoadData", 1);
  CHECK_FALSE(llvm::errorToBool(loaded(*gpu, 66).takeError()));
  CHECK(llvm::errorToBool(loaded(*gpu, 67).takeError()));
  unsetenv("SPECMV_FAKE_FAILS");
  CHECK(loadsOf(fakeCallsOf([&] { load(*gpu, 67); })) == 1);
}

TEST_CASE("an object that is loaded is not loaded again while it is in use or was used lately") {
  passesWithFakeGpu("child: modules that are loaded");
}

TEST_CASE("child: what is forgotten" * doctest::skip()) {
  setenv("SPECMV_FAKE_MAPS", "1", 1);
  auto gpu = openGpu();
  load(*gpu, 1);
  const GpuModule used = llvm::cantFail(gpu->load(object(2), {1}));
  const int live = fakeLive();
  llvm::cantFail(gpu->allocate(1000));
  const std::string calls = fakeCallsOf([&] { gpu->forget(); });
  CHECK(countOf("cuModuleUnload", calls) == 1); // the other is in use
  CHECK(countOf("cuMemUnmap", calls) == 1);     // what was allocated is free
  CHECK(fakeLive() == live - 1);
  CHECK_FALSE(gpu->loaded({1}));
  CHECK(llvm::cantFail(used.function("kernel")));
  CHECK(loadsOf(fakeCallsOf([&] { load(*gpu, 1); })) == 1);
}

TEST_CASE("a GPU forgets the modules that nothing uses, and unmaps what is free") {
  passesWithFakeGpu("child: what is forgotten");
}

TEST_CASE("child: modules and their GPU" * doctest::skip()) {
  {
    auto gpu = openGpu();
    GpuModule first = llvm::cantFail(loaded(*gpu, 1));
    GpuModule second = llvm::cantFail(loaded(*gpu, 2));
    gpu.reset();
    first = std::move(second); // the modules alone keep the GPU open
    CHECK(leftOfGpu() > 0);
    CHECK(llvm::cantFail(first.function("kernel")));
  }
  CHECK(leftOfGpu() == 0);
}

TEST_CASE("modules are unloaded before their GPU is closed") {
  passesWithFakeGpu("child: modules and their GPU");
}

TEST_CASE("child: shared memory of a function" * doctest::skip()) {
  auto gpu = openGpu();
  const GpuModule module = llvm::cantFail(loaded(*gpu, 0));
  void *function = llvm::cantFail(module.function("kernel"));
  const auto setsOf = [&](uint32_t bytes) {
    return countOf("cuFuncSetAttribute",
                   fakeCallsOf([&] { llvm::cantFail(gpu->allowShared(function, bytes)); }));
  };
  CHECK(setsOf(1000) == 1);
  CHECK(setsOf(500) == 0);
  CHECK(setsOf(2000) == 1);
}

TEST_CASE("a plan does not take shared memory from another with the same module") {
  passesWithFakeGpu("child: shared memory of a function");
}

TEST_CASE("child: threads that use one GPU" * doctest::skip()) {
  auto gpu = openGpu();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([] {
      for (int round = 0; round < 200; ++round) {
        const auto mine = openGpu();
        const GpuModule module = llvm::cantFail(loaded(*mine, round % 100));
        llvm::cantFail(mine->allowShared(llvm::cantFail(module.function("kernel")), 8));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_CASE("threads may share a GPU") { passesWithFakeGpu("child: threads that use one GPU"); }

TEST_CASE("child: large uploads" * doctest::skip()) {
  *ofFakeDriver<unsigned>("fakeMemoryType") = 0; // memory that the driver does not know
  std::vector<unsigned char> from((size_t{41} << 20) + 3);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<unsigned char>(i * 2654435761U >> 24);
  std::vector<unsigned char> back(from.size());
  for (const std::string fails :
       {"", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"}) {
    CAPTURE(fails);
    const bool goesWithout = fails == "cuMemHostAlloc";
    auto gpu = openGpu();
    llvm::cantFail(gpu->allocate(1)); // makes nothing that an upload needs
    setenv("SPECMV_FAKE_FAILS", fails.c_str(), 1);
    const std::string calls = fakeCallsOf([&] {
      auto uploaded = gpu->uploaded(from.data(), from.size());
      unsetenv("SPECMV_FAKE_FAILS");
      const bool isGood = !!uploaded;
      CHECK(isGood == (fails.empty() || goesWithout));
      if (!isGood)
        return llvm::consumeError(uploaded.takeError());
      llvm::cantFail(gpu->download(back.data(), uploaded->pointer(), back.size()));
      CHECK(back == from);
    });
    if (fails.empty() || goesWithout)
      CHECK(countOf("cuMemcpyHtoDAsync_v2", calls) == 11); // pieces of 4 MiB
    std::fill(back.begin(), back.end(), 0);
    if (fails.empty()) {
      CHECK(countOf("cuMemHostAlloc", calls) == 8);
      // The next one uses the same page-locked memory.
      CHECK(countOf("cuMemHostAlloc", fakeCallsOf([&] {
                      llvm::cantFail(gpu->uploaded(from.data(), from.size()));
                    })) == 0);
    }
    gpu.reset();
    CHECK(leftOfGpu() == 0);
  }
  *ofFakeDriver<unsigned>("fakeMemoryType") = 1; // page-locked: copied from where it is
  auto gpu = openGpu();
  CHECK(countOf("cuMemHostAlloc", fakeCallsOf([&] {
                  llvm::cantFail(gpu->uploaded(from.data(), from.size()));
                })) == 0);
}

TEST_CASE("large arrays are uploaded through page-locked memory, or without it") {
  passesWithFakeGpu("child: large uploads");
}
