// The emitter: turns a format's constants and kernels into CUDA source. It writes only the
// instantiation of a kernel; the kernel's code is in templates/.
#pragma once

#include "generator/coding/coding.h"
#include "generator/format.h"
#include "generator/index_types.h"
#include "models/base/numbers.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// A `constexpr Type name{.field = value, ..., .list = {value, ...}, ...}` of the source.
struct PlanConstant {
  std::string name, type;
  std::vector<std::pair<std::string, int64_t>> fields;
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {}; // the first members
};

// The operands of a product, for templates/shared/operands.cuh.
struct OperandTypes {
  ElementType value, offset, column;
  // The types of the values of the matrix, of x and of y in device code. If they are empty, these
  // operands are pointers to values.
  std::string values = {}, x = {}, y = {};
};

constexpr int64_t kFullSm = -1, kMostOfSm = -2;

// One entry point: it calls `function<plan>(Args<operands, types>{.argument = argument, ...})`. The
// source and the launch are made from the same description, so that their parameters always agree.
struct Kernel {
  std::string name;
  std::string function;
  std::string plan; // "" if the function has no plan: a set-up kernel
  std::string args;
  std::vector<ElementType> types; // template arguments of `args` behind the operands
  int64_t blockThreads;
  std::vector<Argument> arguments;
  // The least number of blocks that must fit an SM, which limits the registers of a thread; 0
  // leaves that number to the compiler, and kFullSm means all threads that an SM of the compiled
  // architecture holds, kMostOfSm three quarters of them.
  int64_t blocksPerSm = 0;
  int64_t sharedBytes = 0;                   // size of the dynamic shared array
  bool scalarsAreOnGpu = false;              // alpha and beta are pointers
  std::optional<OperandTypes> operands = {}; // a set-up kernel has none
  std::vector<std::string> numbers = {};     // template arguments of `args` behind `types`
  OnY onY = OnY::stores;                     // of a product's kernel
  // Whether the kernel has as little shared memory as its blocks fill, so that x has the rest of L1
  // (Launch::leavesL1).
  bool leavesL1 = false;
  // Whether the kernel waits for the work in front of it by itself, so that it may be launched
  // early. Kernels of products do.
  bool beginsEarly = true;
};

// The most shared memory of a block, static and dynamic, on any GPU so far (sm_90).
constexpr int64_t kMostSharedBytes = 227 << 10;

constexpr const char *kPlanName = "plan";
constexpr const char *kKernelName = "specmv_kernel";

// The operands of a product's kernel. Only a kernel that stores y can read y and write z.
OperandTypes operandsOf(const Plan &plan, const Problem &problem, OnY onY = OnY::stores);

// The kernel of a format that has only one: `function` and its argument struct, for the plan's
// values and index types, in blocks of the plan's number `block`.
Kernel mainKernel(const char *function, const char *args, const Plan &plan, const Problem &problem,
                  const Fields &fields);

KernelSource emit(const Plan &plan, const Problem &problem, const std::vector<std::string> &headers,
                  const std::vector<PlanConstant> &constants, const std::vector<Kernel> &kernels);

// The source of any kernels, such as those of a set-up; `title` is the comment on top, and
// `declarations` are types that the kernels need.
KernelSource emitSource(const std::string &title, const std::vector<std::string> &headers,
                        const std::vector<PlanConstant> &constants,
                        const std::vector<Kernel> &kernels, const std::string &declarations = "");

// The launch of a kernel over `blocks` blocks, as a step.
Step launchOf(const Kernel &kernel, int64_t blocks);

// The steps of a product that is one launch; empty if there are no blocks.
Steps launchOnly(const Kernel &kernel, int64_t blocks);

} // namespace specmv
