// Entries that identify their writer, for tests in which many processes write and read a cache.
#pragma once

#include "runtime/store/cache.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv::testing {

inline CacheKey racedKey(int number) {
  return objectKey("raced " + std::to_string(number), {}, {}, "sm_90");
}

// The object that any process stores under that key: its bytes identify the key and the writer
// everywhere.
inline CachedObject racedObject(int key, int writer) {
  const std::string log = std::to_string(key) + " " + std::to_string(writer);
  std::vector<char> cubin(static_cast<size_t>(20000 + 1000 * key));
  for (size_t i = 0; i < cubin.size(); ++i)
    cubin[i] = log[i % log.size()];
  return {std::move(cubin), "ell", "compiler", log, "sm_90"};
}

// Returns true if a process stored this object under this key.
inline bool isRight(const CachedObject &found, int key) {
  const auto [number, writer] = llvm::StringRef(found.log).split(' ');
  int who = -1;
  return number == std::to_string(key) && !writer.getAsInteger(10, who) &&
         found.cubin == racedObject(key, who).cubin;
}

} // namespace specmv::testing
