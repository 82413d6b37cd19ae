// An allocator of device memory, for contexts of tests on the fake GPU, whose memory is the host's.
#pragma once

#include "specmv.h"

#include <cstdlib>
#include <map>
#include <mutex>

namespace apitest {

// Counts the memory that it gives, and fails on demand.
struct Counting {
  std::mutex mutex;
  std::map<void *, size_t> live;
  int asked = 0, failsAt = 0; // from 1; 0: never
  size_t offset = 0;          // of the addresses
  int wrong = 0;              // memory given back that was not given, or of another size
  void *lastStream = nullptr; // of what was given back

  static void *allocate(void *user, size_t bytes, void * /*stream*/) {
    auto &self = *static_cast<Counting *>(user);
    const std::lock_guard lock(self.mutex);
    if (++self.asked == self.failsAt)
      return nullptr;
    void *made = std::aligned_alloc(256, (bytes + 512) / 256 * 256);
    made = static_cast<char *>(made) + self.offset;
    self.live[made] = bytes;
    return made;
  }
  static void deallocate(void *user, void *pointer, size_t bytes, void *stream) {
    auto &self = *static_cast<Counting *>(user);
    const std::lock_guard lock(self.mutex);
    self.lastStream = stream;
    const auto found = self.live.find(pointer);
    self.wrong += found == self.live.end() || found->second != bytes;
    if (found != self.live.end())
      self.live.erase(found);
    std::free(static_cast<char *>(pointer) - self.offset);
  }
  bool isClean() const { return live.empty() && wrong == 0; }
};

inline specmvContextOptions_t allocatingBy(Counting &memory) {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.allocate = Counting::allocate;
  options.deallocate = Counting::deallocate;
  options.allocatorUser = &memory;
  return options;
}

} // namespace apitest
