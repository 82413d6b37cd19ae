// Builds one plan for a matrix: packs the matrix, emits the source, compiles it or finds the object
// in the cache, and loads it.
#pragma once

#include "generator/sources.h"
#include "models/predict/setup.h"
#include "runtime/cuda/product.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/machine.h"
#include "runtime/matrix.h"
#include "runtime/plan/proposal.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

class Session;

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
  CacheKey key;         // key of the object; both are empty if the plan has no source
  std::shared_ptr<const CachedObject> object; // null if the GPU had it loaded already
  bool hit = false;                  // the object came from the cache, or was loaded already
  bool isGeneral = false;            // the kernels are the general ones of the plan
  std::optional<GpuProduct> product; // set if there is a GPU
  BuildTimes ms;
  std::vector<std::string> warnings;
};

// Emits the kernels specialized for the plan, even if the plan was built with general ones.
EmittedKernels specializedKernels(const Built &built);

// Packs the matrix for one plan; its values must be of the problem's type. Status::notApplicable if
// the plan does not fit the matrix. `order` is that of the plan if somebody has made it.
llvm::Expected<Layout> pack(const CsrView &a, const Plan &plan, const Problem &problem,
                            const Order *order = nullptr);

// Packs, emits, compiles and loads one plan. If the product runs on the host, it needs no object: a
// failed compilation is then only a warning. If only packs are allowed, an object that they do not
// have is always an error (Status::missing). A product in place reads the arrays of the matrix
// where they are: the caller's own, or copies that the matrix and its copies keep alive. Set-ups
// call this through realize() alone (realize.h).
llvm::Expected<Built> build(Session &session, const Proposal &proposal);
// Finds or compiles the kernels of a plan whose arrays lie on the machine's GPU already, and loads
// them. `out` has the plan, the problem and the layout, and gets the rest but the product.
llvm::Expected<GpuModule> loadKernels(Built &out, Machine &machine);
// Packs as build() does, whose refusals it gives, and returns the bytes that the plan would store.
// The matrix must have been checked.
llvm::Expected<int64_t> bytesPacked(Session &session, const Plan &plan);
// Builds in a session of its own.
llvm::Expected<Built> build(const SourceMatrix &a, const Plan &plan, const Problem &problem,
                            Machine &machine);

} // namespace specmv
