// Remembers what a set-up found out about the kernels of its machine's architecture: it asks for
// kernels several times before it uses them, and reading and checking an object takes longer than
// loading it.
#pragma once

#include "models/base/digest.h"
#include "runtime/store/cache.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Thread-safe. That an object is missing is remembered only for those who ask whether it is there;
// who needs it looks again, since another process may have added it.
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
    std::erase(missing_, key.id);
    found_.emplace_back(key.id, std::move(object));
  }
  bool isMissing(const CacheKey &key) const {
    const std::lock_guard lock(mutex_);
    return std::find(missing_.begin(), missing_.end(), key.id) != missing_.end();
  }
  void keepMissing(const CacheKey &key) {
    const std::lock_guard lock(mutex_);
    missing_.push_back(key.id);
  }
  // Returns the key of a source, which takes as long to find as the source to emit. Makes it by
  // `make` when it is first asked for.
  template <class Make> CacheKey keyOf(const Digest &source, const Make &make) {
    {
      const std::lock_guard lock(mutex_);
      for (const auto &[digest, key] : keys_)
        if (digest == source)
          return key;
    }
    CacheKey key = make();
    const std::lock_guard lock(mutex_);
    keys_.emplace_back(source, key);
    return key;
  }

private:
  static constexpr size_t kMost = 8; // enough for the kernels of a set-up and of plans that tie
  mutable std::mutex mutex_;         // guards the rest
  std::vector<std::pair<std::string, std::shared_ptr<const CachedObject>>> found_;
  std::vector<std::string> missing_;
  std::vector<std::pair<Digest, CacheKey>> keys_;
};

} // namespace specmv
