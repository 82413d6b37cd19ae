// An allocator of device memory for contexts: it takes the driver's memory through a GpuDevice of
// the test, counts what it gives, and fails on demand.
#pragma once

#include "runtime/include/specmv.h"
#include "tests/gpu/gpu.h"

#include <map>
#include <mutex>

namespace specmv {

struct FailingMemory {
  std::shared_ptr<const GpuDevice> gpu = gpuMachine().gpu;
  std::mutex mutex; // guards the rest: a set-up beside products allocates too
  std::map<void *, DeviceBuffer> live;
  int asked = 0, failsAt = 0; // from 1; 0: never
  int failures = 0;
  int wrong = 0; // memory given back that was not given, or of another size

  static void *allocate(void *user, size_t bytes, void *stream) {
    auto &self = *static_cast<FailingMemory *>(user);
    const std::lock_guard lock(self.mutex);
    if (++self.asked == self.failsAt) {
      ++self.failures;
      return nullptr;
    }
    auto made = self.gpu->allocate(bytes, stream);
    if (!made) {
      llvm::consumeError(made.takeError());
      return nullptr;
    }
    auto *at = reinterpret_cast<void *>(made->pointer());
    self.live[at] = std::move(*made);
    return at;
  }
  static void deallocate(void *user, void *pointer, size_t bytes, void *stream) {
    auto &self = *static_cast<FailingMemory *>(user);
    const std::lock_guard lock(self.mutex);
    const auto found = self.live.find(pointer);
    self.wrong += found == self.live.end() || found->second.bytes() != bytes;
    if (found == self.live.end())
      return;
    found->second.freeOn(stream);
    self.live.erase(found);
  }

  // Makes the n-th call from now on fail.
  void failAt(int n) {
    const std::lock_guard lock(mutex);
    asked = 0;
    failsAt = n;
  }
  bool isClean() const { return live.empty() && wrong == 0; }

  specmvContext_t context() {
    specmvContextOptions_t settings = SPECMV_CONTEXT_OPTIONS_INIT;
    settings.allocate = allocate;
    settings.deallocate = deallocate;
    settings.allocatorUser = this;
    specmvContext_t made = nullptr;
    specmvCreateContext(&made, &settings);
    return made;
  }
};

} // namespace specmv
