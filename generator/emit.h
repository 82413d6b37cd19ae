// The emitter: from a format's constants and kernels to CUDA source. It writes the instantiation
// only; what a kernel does stands in templates/.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"
#include "generator/index_types.h"
#include "models/base/rounding.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// A `constexpr Type name{.field = value, ..., .list = {value, ...}, ...}` of the source.
struct PlanConstant {
  std::string name, type;
  std::vector<std::pair<std::string, int64_t>> fields;
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {};
};

// One entry point: it calls `function<plan>(Args<types>{.argument = argument, ...})`. The same
// description makes the source and the launch, so that both agree on the parameters.
struct Kernel {
  std::string name;
  std::string function;
  std::string plan;
  std::string args;
  std::vector<ElementType> types;
  int64_t blockThreads;
  std::vector<Argument> arguments;
  // Blocks an SM shall hold at least; 0 leaves the number of registers to the compiler.
  int64_t blocksPerSm = 0;
  int64_t sharedBytes = 0; // of its dynamic shared array
};

constexpr const char *kPlanName = "kPlan";
constexpr const char *kKernelName = "specmv_kernel";

KernelSource emit(const Plan &plan, const Problem &problem, const std::vector<std::string> &headers,
                  const std::vector<PlanConstant> &constants, const std::vector<Kernel> &kernels);

// The launch of a kernel over `blocks` blocks, as a step.
Step launchOf(const Kernel &kernel, int64_t blocks);

} // namespace specmv
