// The compiled object of a source: from packs and the cache, or compiled now.
#pragma once

#include "generator/format.h"
#include "runtime/cuda/workspace.h"
#include "runtime/machine.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace specmv {

// --- Objects -------------------------------------------------------------------------------------

// Gets the compiled object of a source from the cache, or compiles it and keeps it there.

struct KernelObject {
  CacheKey key;
  std::shared_ptr<const CachedObject> object; // never null
  bool hit = false;                           // it came from the cache
  double compileMs = 0;
  std::vector<std::string> warnings = {};
};

// Returns the key of a source's object in the cache.
CacheKey keyOfObject(const KernelSource &source, const std::string &arch);
// Returns the key for the machine's architecture, which a set-up makes once for each source.
CacheKey keyOfObject(const KernelSource &source, const Machine &machine);

// Returns the object of that key, compiled ahead or from the cache; null if there is none, or if it
// is not a compiler's output.
std::shared_ptr<const CachedObject> cachedObject(const CacheKey &key, const Machine &machine);
// Returns true if there is one. A set-up looks for an object that is missing only once, unless it
// needs it.
bool isCached(const CacheKey &key, const Machine &machine);

// Compiles the source and stores the object in the cache. `label` is its name there and in
// SPECMV_DUMP.
llvm::Expected<KernelObject> compileObject(const KernelSource &source, const std::string &label,
                                           Machine &machine);

// Finds the object in the cache, or compiles it. If several processes miss an object, one compiles
// it; the others wait, then find it. Status::notInPacks if only packs are allowed, and none has it.
llvm::Expected<KernelObject> findOrCompile(const KernelSource &source, const std::string &label,
                                           Machine &machine);

// --- Setup kernels -------------------------------------------------------------------------------

// Loads set-up kernels on the machine's GPU, from packs, the cache or the compiler.

// Loads each source once in a process, since the GPU keeps it. Status::missing if a source can
// neither be found nor compiled. The loader refers to the machine.
KernelLoader setupKernelLoader(Machine &machine);

// Loads those of these sources that are at hand and not loaded. The driver loads a module only when
// the GPU is idle (H200, driver 580.159), so that a call which finds all its kernels loaded does
// not wait for the work of others. A source that cannot be loaded is left to whoever needs it.
void loadAhead(llvm::ArrayRef<const KernelSource *> sources, Machine &machine);

} // namespace specmv
