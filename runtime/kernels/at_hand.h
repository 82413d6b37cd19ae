// Tells which kernels a plan needs and whether they are at hand: loaded, in a pack or in the cache.
// No other file decides this.
#pragma once

#include "generator/sources.h"
#include "models/csr.h"
#include "models/predict/setup.h"
#include "runtime/machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace specmv {

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

} // namespace specmv
