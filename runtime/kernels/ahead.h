// Compiles the missing kernels of several plans on all cores, before the plans are built one by
// one.
#pragma once

#include "models/csr.h"
#include "models/plan.h"
#include "models/problem.h"
#include "runtime/machine.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <string>
#include <vector>

namespace specmv {

struct CompiledAhead {
  ObjectsById objects = {}; // by CacheKey::id
  double ms = 0;
  std::vector<std::string> warnings = {};
};

// Compiles the kernels of the plans' products and packing that are neither loaded nor in packs or
// the cache, and stores them in the cache. Failures are reported when the plan is built. If only
// packs are allowed, compiles nothing. `csrIndex` is the type of the matrix's indices.
CompiledAhead compileAhead(llvm::ArrayRef<Plan> plans, const Problem &problem, IndexType csrIndex,
                           const Machine &machine);

// Makes the machine find these objects while it lives, even if its cache stores nothing.
class FoundAhead {
public:
  FoundAhead(Machine &machine, ObjectsById objects) : machine_(machine) {
    machine.ahead = std::make_shared<const ObjectsById>(std::move(objects));
  }
  FoundAhead(const FoundAhead &) = delete;
  FoundAhead &operator=(const FoundAhead &) = delete;
  ~FoundAhead() { machine_.ahead.reset(); }

private:
  Machine &machine_;
};

} // namespace specmv
