// Keeps choices in memory, because looking on disk can take longer than a small set-up. Only for
// recall.cpp.
#pragma once

#include "runtime/plan/proposal.h"
#include "runtime/store/wisdom.h"

#include "models/base/fork_mutex.h"

#include <mutex>
#include <unordered_map>

namespace specmv {

// A choice that is followed until the kernel of the better plan, if there is one, becomes
// available.
struct KnownChoice {
  Wisdom wisdom;
  std::optional<BetterPlan> better = {};
};

// Thread-safe.
class ChoicesInMemory {
public:
  std::optional<KnownChoice> find(const std::string &key) {
    const std::lock_guard lock(mutex_);
    const auto found = choices_.find(key);
    return found == choices_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string &key, KnownChoice choice) {
    const std::lock_guard lock(mutex_);
    if (choices_.size() >= kMost)
      choices_.clear(); // they can be read from disk or made again
    choices_.insert_or_assign(key, std::move(choice));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    choices_.clear();
  }

private:
  static constexpr unsigned kMost = 4096;
  ForkMutex mutex_;
  std::unordered_map<std::string, KnownChoice> choices_;
};

// Returns those of the process.
ChoicesInMemory &inMemory();

// Includes the cache's places: two caches of one process may know different choices.
inline std::string inMemoryKey(const CacheKey &key, const Cache &cache) {
  return key.id + cache.places();
}

} // namespace specmv
