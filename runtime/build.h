// One plan made real for a matrix: packed, emitted, compiled or found in the cache, and loaded.
#pragma once

#include "generator/format.h"
#include "runtime/cuda/product.h"
#include "runtime/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Milliseconds of each part of a build.
struct BuildTimes {
  double pack = 0, emit = 0, compile = 0, load = 0;
  double total() const { return pack + emit + compile + load; }
  BuildTimes &operator+=(const BuildTimes &other);
};

struct Built {
  Plan plan;
  Layout layout;
  KernelSource source;
  Steps steps;
  CacheKey key; // of the object; empty, like it, where the plan has no source
  CachedObject object;
  bool hit = false;                  // the object came from the cache
  std::optional<GpuProduct> product; // where there is a GPU
  BuildTimes ms;
  std::vector<std::string> warnings;
};

// Packs the matrix, whose values are of the problem's type, for one plan. Status::notApplicable
// where the plan does not fit it.
llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem);

// Packs, emits, compiles and loads one plan. A product that runs on the host does without an object
// where nothing compiles, with a warning.
llvm::Expected<Built> build(const CsrView &a, const Plan &plan, const Problem &problem,
                            Machine &machine);

} // namespace specmv
