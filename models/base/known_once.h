// Keeps what a function gives for each of some keys, computed when it is first asked for.
#pragma once

#include "models/base/fork_mutex.h"

#include <mutex>
#include <unordered_map>

namespace specmv {

// Keys are few and never forgotten, so that what is found stays where it is. Thread-safe.
template <class Key, class Value> class KnownOnce {
public:
  template <class Make> const Value &of(const Key &key, const Make &make) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found != known_.end() ? found->second : known_.emplace(key, make()).first->second;
  }

private:
  ForkMutex mutex_; // guards the map
  std::unordered_map<Key, Value> known_;
};

} // namespace specmv
