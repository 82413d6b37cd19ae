// Builds one plan for a matrix: packs the matrix, emits the source, compiles it or finds the object
// in the cache, and loads it.
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
  CacheKey key; // of the object; both are empty if the plan has no source
  CachedObject object;
  bool hit = false;                  // the object came from the cache
  std::optional<GpuProduct> product; // set if there is a GPU
  BuildTimes ms;
  std::vector<std::string> warnings;
};

// Packs the matrix for one plan; its values must be of the problem's type. Status::notApplicable if
// the plan does not fit the matrix.
llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem);

// Packs, emits, compiles and loads one plan. If the product runs on the host, it needs no object: a
// failed compilation is then only a warning.
llvm::Expected<Built> build(const CsrView &a, const Plan &plan, const Problem &problem,
                            Machine &machine);

} // namespace specmv
