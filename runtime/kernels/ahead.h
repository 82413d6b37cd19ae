// Compiles what several plans lack on all cores, before they are built one after another.
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

// The kernels of the plans' products and of their packing that are neither loaded nor in packs or
// the cache, which is given them. What cannot be compiled is told by building its plan; where only
// packs are allowed, nothing is compiled. `csrIndex` is the type of the matrix's indices.
CompiledAhead compileAhead(llvm::ArrayRef<Plan> plans, const Problem &problem, IndexType csrIndex,
                           const Machine &machine);

// While it lives, the machine finds these objects also where its cache stores nothing.
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
