// The modules that a GPU has loaded, so that an object is loaded once however many plans use it.
#pragma once

#include "runtime/cuda/device.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace specmv {

// Keeps the modules that are in use and, of the others, those used last. Thread-safe.
class ModuleStore {
public:
  // The module that was compiled from the text of this digest, a CUmodule, loaded from `cubin` if
  // the store does not have it. `gpu` owns the store and must live as long as the module.
  llvm::Expected<std::shared_ptr<void>> load(const GpuDevice &gpu, const std::vector<char> &cubin,
                                             const Digest &source);
  // The module that was loaded for this source; null if the store does not have it.
  std::shared_ptr<void> find(const Digest &source);
  // Those that nothing uses are unloaded.
  void forgetAll();
  // How many modules were ever loaded.
  size_t loads() const { return loads_; }

private:
  struct Entry {
    Digest source;
    std::shared_ptr<void> module;
  };
  std::shared_ptr<void> found(const Digest &source);
  void forgetOldest();

  // Held also while a module is loaded, so that two threads do not both load it.
  std::mutex mutex_;
  std::vector<Entry> entries_; // the one used last is at the end
  std::atomic<size_t> loads_{0};
};

} // namespace specmv
