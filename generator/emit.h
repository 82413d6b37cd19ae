// The emitter: from a format's constants and kernels to CUDA source. It writes the instantiation
// only; what a kernel does stands in templates/.
#pragma once

#include "generator/format.h"

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

// The integers that a plan of a format must have, and the values that its kernel takes. A plan can
// come from a file, so layout() checks them before it relies on any.
struct PlanNumber {
  const char *name;
  int64_t least, most;
  bool isPowerOfTwo = false;
};
constexpr PlanNumber kBlockNumber{"block", 32, 512, /*isPowerOfTwo=*/true};
llvm::Error checkNumbers(const Plan &plan, llvm::ArrayRef<PlanNumber> numbers);

// Index types of a plan, kept in it as bits: `offset` counts rows, entries and slots, `column`
// columns of A.
struct IndexTypes {
  ElementType offset, column;
};
IndexTypes indexTypesOf(const Plan &plan);
// Adds `offset` and `column` to a plan: 32 bits where rows, cols and slots allow it, else 64.
void addIndexTypes(Plan &plan, int64_t rows, int64_t cols, int64_t slots);
// Fails where a plan's index types are too narrow for these numbers.
llvm::Error checkIndexTypes(const Plan &plan, int64_t rows, int64_t cols, int64_t slots);

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

// Threads of a block where a format has no reason for another number: 8 warps fill an SM in eight
// blocks and leave each thread 32 registers.
constexpr int64_t kBlockThreads = 256;

// A number that the caller fixed for `name`, else `otherwise`.
int64_t fixedOr(const Fixed &fixed, const char *name, int64_t otherwise);
bool isFixed(const Fixed &fixed, const char *name);

} // namespace specmv
