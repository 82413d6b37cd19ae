// Remembers recently found objects of the cache: a set-up asks for kernels before it uses them, and
// reading and checking an object takes longer than loading it.
#pragma once

#include "runtime/store/cache.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Thread-safe. Only found objects are kept, so objects that other processes add later are not
// missed.
class FoundObjects {
public:
  // Returns null if it is not kept.
  std::shared_ptr<const CachedObject> find(const CacheKey &key) {
    const std::lock_guard lock(mutex_);
    for (const auto &[id, object] : found_)
      if (id == key.id)
        return object;
    return nullptr;
  }
  // Replaces any other object with this key.
  void keep(const CacheKey &key, std::shared_ptr<const CachedObject> object) {
    const std::lock_guard lock(mutex_);
    std::erase_if(found_, [&](const auto &known) { return known.first == key.id; });
    if (found_.size() >= kMost)
      found_.erase(found_.begin());
    found_.emplace_back(key.id, std::move(object));
  }

private:
  static constexpr size_t kMost = 8; // enough for the kernels of a set-up and of plans that tie
  std::mutex mutex_;                 // guards the rest
  std::vector<std::pair<std::string, std::shared_ptr<const CachedObject>>> found_;
};

} // namespace specmv
