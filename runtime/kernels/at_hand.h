// Tells which kernels a plan needs and whether they are at hand, and compiles several ahead.
#pragma once

#include "generator/sources.h"
#include "models/base/digest.h"
#include "models/csr.h"
#include "models/plan.h"
#include "models/predict/setup.h"
#include "models/problem.h"
#include "runtime/kernels/found_objects.h"
#include "runtime/machine.h"
#include "runtime/store/cache.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// --- At hand -------------------------------------------------------------------------------------

// Tells which kernels a plan needs and whether they are at hand: loaded, in a pack or in the cache.
// No other file decides this.

// Returns the place from which the kernels of a source are available now; an empty source needs
// none.
KernelState stateOf(const KernelSource &source, const Machine &machine);
// Returns true if this source, which may be empty, needs no compiler.
bool isReady(const KernelSource &source, const Machine &machine);

// Returns the plan whose kernels a build of this plan uses: the plan itself, or its format's
// general one (Machine::kernels). General kernels that are loaded come before others that are not,
// since the driver waits for all work on the GPU before it loads.
Plan planOfKernels(const Plan &plan, const Problem &problem, const Machine &machine);
SharedSource sourceOfKernels(const Plan &plan, const Problem &problem, const Machine &machine);

// Selects kernels of a plan in addition to those of its products.
enum class SetupPart : uint8_t {
  none,
  packing, // kernels that pack CSR arrays on a GPU, if the format has them
  inPlace, // kernels that prepare products by the CSR arrays in place
};
// Calls `holds` with the plan's kernels and their name in the cache, the kernels of products first,
// until it returns false. Returns true if it never does. `csrIndex` is the type of the matrix's
// indices.
bool holdsForKernels(const Plan &plan, const Problem &problem, const Machine &machine,
                     SetupPart part, IndexType csrIndex,
                     llvm::function_ref<bool(const SharedSource &, const std::string &)> holds);

// Returns true if the plan can be built without a compiler: it has no kernel, or its kernel is
// loaded, packed or cached. The plan must be one that its format offered for the matrix.
bool isReady(const Plan &plan, const Problem &problem, const Machine &machine);
// Returns true if a product in place, or a set-up on the GPU, needs no compiler.
bool isReady(const Plan &plan, const Problem &problem, const Machine &machine, SetupPart part,
             IndexType csrIndex);

// Returns true if a whole set-up from CSR arrays with these indices needs no compiler: on a GPU,
// the kernels that pack for the plan must be available too. A library call is ready only if
// cuSPARSE is open, because opening it takes long.
bool isWhollyReady(const Plan &plan, const Problem &problem, IndexType csrIndex,
                   const Machine &machine);
// Returns true if the GPU has all kernels of a set-up loaded.
bool isLoaded(const Plan &plan, const Problem &problem, IndexType csrIndex, const Machine &machine);

// Makes the error for a kernel that may only come from packs and is in none of them; it says what
// to do.
llvm::Error notInPacks(const Plan &plan, const Problem &problem, const Machine &machine);

// --- Ahead ---------------------------------------------------------------------------------------

// Compiles the missing kernels of several plans on all cores, before the plans are built one by
// one.

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
