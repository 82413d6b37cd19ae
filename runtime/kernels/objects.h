// The compiled object of a source: found in the cache, or compiled and kept there.
#pragma once

#include "generator/format.h"
#include "runtime/machine.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv {

struct KernelObject {
  CacheKey key;
  std::shared_ptr<const CachedObject> object; // never null
  bool hit = false;                           // it came from the cache
  double compileMs = 0;
  std::vector<std::string> warnings = {};
};

// The key under which the cache has the object of a source.
CacheKey keyOfObject(const KernelSource &source, const std::string &arch);

// The object of that key, made ahead or in the cache, unless it is nothing that a compiler made;
// else null.
std::shared_ptr<const CachedObject> cachedObject(const CacheKey &key, const Machine &machine);

// Compiles the source and stores the object in the cache. `label` names it there and for
// SPECMV_DUMP.
llvm::Expected<KernelObject> compileObject(const KernelSource &source, const std::string &label,
                                           Machine &machine);

// The same unless the cache has it. Of all processes that miss an object, one compiles it; the
// others wait, then find it. Status::missing if only packs are allowed, and none has it.
llvm::Expected<KernelObject> findOrCompile(const KernelSource &source, const std::string &label,
                                           Machine &machine);

} // namespace specmv
