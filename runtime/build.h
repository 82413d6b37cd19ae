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
  double find = 0; // what is at hand of the kernels: to look for them and to read them
  double compile = 0, load = 0;
  double total() const { return pack + emit + find + compile + load; }
  BuildTimes &operator+=(const BuildTimes &other);
};

// Kernels as text, and their launches.
struct EmittedKernels {
  KernelSource source;
  Steps steps, several = {}; // the second of products with several vectors, or empty
};

struct Built {
  Plan plan;
  Problem problem;
  Layout layout; // not on the host if it was packed on a GPU
  KernelSource source;
  Steps steps, several; // the second of products with several vectors, or empty
  CacheKey key;         // of the object; both are empty if the plan has no source
  std::shared_ptr<const CachedObject> object; // null if the GPU had it loaded already
  bool hit = false;                  // the object came from the cache, or was loaded already
  bool isGeneral = false;            // the kernels are the general ones of the plan
  std::optional<GpuProduct> product; // set if there is a GPU
  BuildTimes ms;
  std::vector<std::string> warnings;
};

// What is at hand of a source's kernels; an empty source has none.
KernelState stateOf(const KernelSource &source, const Machine &machine);

// The plan whose kernels a build for this plan takes: the plan itself, or its general one
// (Machine::kernels).
Plan planOfKernels(const Plan &plan, const Problem &problem, const Machine &machine);
SharedSource sourceOfKernels(const Plan &plan, const Problem &problem, const Machine &machine);

// The kernels that are made for the plan, whatever those are that it has.
EmittedKernels specializedKernels(const Built &built);

// Tells if a plan needs no compiler: such a kernel is in the cache, or it has none. The plan must
// be one that its format offered for the matrix.
bool isReady(const Plan &plan, const Problem &problem, const Machine &machine);

// The same of a whole set-up of CSR arrays with such indices: where there is a GPU, the kernels
// that pack for the plan are at hand, too. A library call waits for no library: cuSPARSE is open.
bool isWhollyReady(const Plan &plan, const Problem &problem, IndexType csrIndex,
                   const Machine &machine);

// The same of one source, which may be empty.
bool isReady(const KernelSource &source, const Machine &machine);

// The error where a kernel may only come from packs, and none has it: says what to do.
llvm::Error notInPacks(const Plan &plan, const Problem &problem, const Machine &machine);

// Packs the matrix for one plan; its values must be of the problem's type. Status::notApplicable if
// the plan does not fit the matrix.
llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem);

// Packs, emits, compiles and loads one plan. If the product runs on the host, it needs no object: a
// failed compilation is then only a warning. Where only packs are allowed, an object that they do
// not have is an error everywhere (Status::missing).
llvm::Expected<Built> build(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                            Machine &machine);

// Builds a plan of its format's `inPlace` on the GPU of the machine. The product reads arrays of
// the matrix where they lie: those of the caller, or the copies that `a` and its copies keep.
llvm::Expected<Built> buildInPlace(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                                   Machine &machine);

} // namespace specmv
