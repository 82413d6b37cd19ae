// Loads modules, finds them again by the digest of their source, and unloads the oldest.
#include "runtime/cuda/module_store.h"

#include "runtime/cuda/driver.h"

#include <algorithm>

namespace specmv {

// A solver has only a few matrices, and a module takes about 100 KB.
constexpr size_t kMostModules = 64;

static llvm::Expected<std::shared_ptr<void>> loadModule(const GpuDevice &gpu,
                                                        const std::vector<char> &cubin) {
  CUmodule module = nullptr;
  if (llvm::Error error = callIn(gpu, "cuModuleLoadData", [&](const Driver &d) {
        return d.cuModuleLoadData(&module, cubin.data());
      }))
    return error;
  const auto unload = [](void *loaded) { driver().cuModuleUnload(static_cast<CUmodule>(loaded)); };
  return std::shared_ptr<void>(module, OwnedBy<void (*)(void *)>{&gpu, unload});
}

// Call it with the mutex locked, so that no thread can begin to use a module that only the store
// has.
void ModuleStore::forgetOldest() {
  const auto unused = std::find_if(entries_.begin(), entries_.end(), [](const Entry &entry) {
    return entry.module.use_count() == 1;
  });
  if (unused != entries_.end())
    entries_.erase(unused);
}

void ModuleStore::forgetAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.clear();
}

// Call it with the mutex locked. The module becomes the most recently used.
std::shared_ptr<void> ModuleStore::found(const Digest &source) {
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry &entry) { return entry.source == source; });
  if (at == entries_.end())
    return nullptr;
  std::rotate(at, at + 1, entries_.end());
  return entries_.back().module;
}

std::shared_ptr<void> ModuleStore::find(const Digest &source) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return found(source);
}

llvm::Expected<std::shared_ptr<void>>
ModuleStore::load(const GpuDevice &gpu, const std::vector<char> &cubin, const Digest &source) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (auto known = found(source))
    return known;
  auto module = loadModule(gpu, cubin);
  if (!module)
    return module;
  ++loads_;
  if (entries_.size() >= kMostModules)
    forgetOldest();
  entries_.push_back({source, *module});
  return module;
}

} // namespace specmv
