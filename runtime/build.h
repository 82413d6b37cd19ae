// Builds one plan for a matrix: packs the matrix, emits the source, compiles it or finds the object
// in the cache, and loads it.
#pragma once

#include "generator/sources.h"
#include "models/predict/setup.h"
#include "runtime/cuda/product.h"
#include "runtime/machine.h"
#include "runtime/matrix.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Milliseconds of each part of a build.
struct BuildTimes {
  double pack = 0, emit = 0;
  double find = 0; // to look for kernels that are loaded, packed or cached, and to read them
  double compile = 0, load = 0;
  double total() const { return pack + emit + find + compile + load; }
  BuildTimes &operator+=(const BuildTimes &other);
};

// Kernels as text, and their launches.
struct EmittedKernels {
  KernelSource source;
  Steps steps, several = {}; // `several` is for products with several vectors; may be empty
};

struct Built {
  Plan plan;
  Problem problem;
  Layout layout; // not on the host if it was packed on a GPU
  KernelSource source;
  Steps steps, several; // `several` is for products with several vectors; may be empty
  CacheKey key;         // of the object; both are empty if the plan has no source
  std::shared_ptr<const CachedObject> object; // null if the GPU had it loaded already
  bool hit = false;                  // the object came from the cache, or was loaded already
  bool isGeneral = false;            // the kernels are the general ones of the plan
  std::optional<GpuProduct> product; // set if there is a GPU
  BuildTimes ms;
  std::vector<std::string> warnings;
};

// Returns where the kernels of a source can be had from now; an empty source needs none.
KernelState stateOf(const KernelSource &source, const Machine &machine);

// Returns the plan whose kernels a build of this plan uses: the plan itself, or its format's
// general one (Machine::kernels).
Plan planOfKernels(const Plan &plan, const Problem &problem, const Machine &machine);
SharedSource sourceOfKernels(const Plan &plan, const Problem &problem, const Machine &machine);

// Emits the kernels specialized for the plan, even if the plan was built with general ones.
EmittedKernels specializedKernels(const Built &built);

// Returns true if the plan can be built without a compiler: it has no kernel, or its kernel is
// loaded, packed or cached. The plan must be one that its format offered for the matrix.
bool isReady(const Plan &plan, const Problem &problem, const Machine &machine);

// Returns true if a whole set-up from CSR arrays with these indices needs no compiler: on a GPU,
// the kernels that pack for the plan must be available too. A library call is ready only if
// cuSPARSE is open, because opening it takes long.
bool isWhollyReady(const Plan &plan, const Problem &problem, IndexType csrIndex,
                   const Machine &machine);

// Returns true if this source, which may be empty, needs no compiler.
bool isReady(const KernelSource &source, const Machine &machine);

// Makes the error for a kernel that may only come from packs and is in none of them; it says what
// to do.
llvm::Error notInPacks(const Plan &plan, const Problem &problem, const Machine &machine);

// Packs the matrix for one plan; its values must be of the problem's type. Status::notApplicable if
// the plan does not fit the matrix.
llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem);

// Packs, emits, compiles and loads one plan. If the product runs on the host, it needs no object: a
// failed compilation is then only a warning. Where only packs are allowed, an object that they do
// not have is an error everywhere (Status::missing).
llvm::Expected<Built> build(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                            Machine &machine);

// Builds a plan of its format's `inPlace` on the machine's GPU. The product reads the arrays of the
// matrix where they are: the caller's own, or the copies that `a` and copies of `a` keep alive.
llvm::Expected<Built> buildInPlace(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                                   Machine &machine);

} // namespace specmv
