// Objects of the cache that were found lately: a set-up asks whether kernels are at hand before it
// takes them, and to read an object and to check it takes longer than to load it.
#pragma once

#include "runtime/store/cache.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Thread-safe. What another process may have made since is not missed: only what was found is kept.
class FoundObjects {
public:
  // Null if it is not among them.
  std::shared_ptr<const CachedObject> find(const CacheKey &key) {
    const std::lock_guard lock(mutex_);
    for (const auto &[id, object] : found_)
      if (id == key.id)
        return object;
    return nullptr;
  }
  // It replaces another one that may be known by this key.
  void keep(const CacheKey &key, std::shared_ptr<const CachedObject> object) {
    const std::lock_guard lock(mutex_);
    std::erase_if(found_, [&](const auto &known) { return known.first == key.id; });
    if (found_.size() >= kMost)
      found_.erase(found_.begin());
    found_.emplace_back(key.id, std::move(object));
  }

private:
  static constexpr size_t kMost = 8; // of a set-up: its kernels, and those of plans that tie
  std::mutex mutex_;                 // guards the rest
  std::vector<std::pair<std::string, std::shared_ptr<const CachedObject>>> found_;
};

} // namespace specmv
