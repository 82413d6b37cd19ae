// Keeps the modules that a GPU has loaded, so that an object is loaded once however many plans use
// it.
#pragma once

#include "runtime/cuda/device.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace specmv {

// Keeps the modules in use, and the most recently used of the others. Thread-safe.
class ModuleStore {
public:
  // Returns the module (CUmodule) for the source with this digest; loads it from `cubin` if the
  // store does not have it. `gpu` owns the store and must live as long as the module.
  llvm::Expected<std::shared_ptr<void>> load(const GpuDevice &gpu, const std::vector<char> &cubin,
                                             const Digest &source);
  // Returns the module that was loaded for this source; null if the store does not have it.
  std::shared_ptr<void> find(const Digest &source);
  // Forgets all modules; unloads those that are not in use.
  void forgetAll();
  // Returns the number of module loads so far.
  size_t loads() const { return loads_; }

private:
  struct Entry {
    Digest source;
    std::shared_ptr<void> module;
  };
  std::shared_ptr<void> found(const Digest &source);
  void forgetOldest();

  // Also held while a module is loaded, so that two threads do not both load it.
  std::mutex mutex_;
  std::vector<Entry> entries_; // the most recently used is at the end
  std::atomic<size_t> loads_{0};
};

} // namespace specmv
