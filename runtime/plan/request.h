// A request: the problem, the caller's conditions for the plan, and how the plan is chosen.
#pragma once

#include "generator/format.h"

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Describes the C API's plan options that need kernels of their own, by their names there.
struct KernelOption {
  const char *name;
  bool Problem::*isSet;
};
constexpr KernelOption kKernelOptions[] = {{"scalarsOnGpu", &Problem::scalarsAreOnGpu},
                                           {"doubleVectors", &Problem::vectorsAreDouble},
                                           {"vectorsInPlanOrder", &Problem::vectorsAreOrdered}};

// Returns the names of the options that a problem uses, separated by commas.
inline std::string kernelOptionsOf(const Problem &problem) {
  std::string out;
  for (const KernelOption &option : kKernelOptions)
    if (problem.*option.isSet)
      out += (out.empty() ? "" : ",") + std::string(option.name);
  return out;
}

// Describes a problem: "f64 beta", or "f64 beta=0" if kernels have no beta; "f64 beta vectors=8"
// for several vectors; "f64 beta scalars=gpu" if the scalars are on the GPU; "f32 beta x=f64" for
// vectors in double; "f64 beta ordered" for vectors in the order of the plan; "f64 beta fused" for
// fused steps. Nobody asks for a result that is not apart.
inline std::string problemText(const Problem &problem) {
  return std::string(nameOf(problem.type)) + (problem.betaCanBeNonZero ? " beta" : " beta=0") +
         (problem.vectors == 1 ? "" : " vectors=" + std::to_string(problem.vectors)) +
         (problem.scalarsAreOnGpu ? " scalars=gpu" : "") +
         (problem.vectorsAreDouble ? " x=f64" : "") +
         (problem.vectorsAreOrdered ? " ordered" : "") + (problem.isFused ? " fused" : "");
}

// The numbers are those of the C API; they do not give an order.
enum class Rigor {
  estimate = 0,   // the plan with the least predicted time; nothing is run
  trial = 3,      // an estimate; on a GPU the few plans near it are measured where that can pay
  online = 4,     // an estimate; on a GPU a few plans take turns in the program's own products
  measure = 1,    // measures the best predicted plan of each format and the best few of all plans
  exhaustive = 2, // measures all plans
};

// The plan of another matrix, and the numbers that must be equal if this matrix has the same
// structure.
struct LikePlan {
  int64_t rows, cols, nnz;
  ValueType type;
  std::string text;
  bool mayOrder =
      false; // its order of rows and columns may be followed, whatever Request::mayOrder
};

struct Request {
  Problem problem;
  Rigor rigor = Rigor::estimate;
  std::vector<std::string> formats; // empty: all
  Fixed fixed;
  std::string values = {}; // the coding of the values (generator/coding); "": plain
  // If `values` is "", plans may have any coding that the values of the matrix fit.
  bool mayCode = false;
  std::string order = {}; // of rows and columns (generator/order); "": that of the matrix
  // If `order` is "", plans may have any order.
  bool mayOrder = false;
  // If not 0, this many products are expected, and an estimate or a trial weighs each plan's set-up
  // against them.
  int64_t expectedProducts = 0;
  int64_t maxBytes = 0;        // limit of the bytes that the plan stores; 0: no limit
  bool csrIsLent = false;      // plans may read the arrays of the matrix, which are on the GPU
  bool takesNewValues = false; // plans must be able to store other values in place of these
  // The number of vectors of one product that is timed and checked. The problem has the number per
  // pass.
  int64_t vectors = 1;
  std::optional<Plan> plan = {};     // plan to take without choosing
  std::optional<LikePlan> like = {}; // plan to follow if it fits
  // For few products, the plan may be CSR as it is, without a profile.
  bool mayOmitProfile = false;

  // Returns true if the choice depends on the values of the matrix.
  bool choosesCoding() const { return mayCode && values.empty() && !takesNewValues && !plan; }
  // Returns true if plans with another order of rows and columns take part in the choice.
  bool choosesOrder() const {
    return mayOrder && order.empty() && !plan && problem.vectors == 1 && !problem.vectorsAreOrdered;
  }
  // Returns the order that all plans of this request have; "" is that of the matrix.
  const std::string &orderOfAll() const { return plan ? plan->order : order; }
  bool namesFormats() const { return plan || !formats.empty(); }
  bool weighsSetup() const {
    return expectedProducts > 0 && (rigor == Rigor::estimate || rigor == Rigor::trial);
  }
};

} // namespace specmv
