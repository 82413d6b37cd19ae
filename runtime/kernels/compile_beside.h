// Kernels that are compiled and loaded beside products (runtime/threads/behind.h). The process
// waits for one compilation at most when it ends.
#pragma once

#include "generator/format.h"
#include "runtime/machine.h"

#include <atomic>
#include <memory>
#include <string>

namespace specmv {

// The machine as work behind a set-up has it: without its GPU, which that does not keep open, and
// without what lasts for the set-up.
inline Machine withoutGpu(Machine machine) {
  machine.gpu = nullptr;
  machine.setupStream = nullptr;
  machine.cancelled = nullptr;
  return machine;
}

struct CompileJob {
  CompileJob(KernelSource wanted, std::string named, const Machine &on)
      : source(std::move(wanted)), label(std::move(named)), machine(withoutGpu(on)), gpu(on.gpu) {}

  KernelSource source;
  std::string label; // names it in the cache
  Machine machine;
  std::weak_ptr<const GpuDevice> gpu; // loads the kernels

  std::atomic<bool> isWanted{true}; // else it is skipped, unless it has begun
  std::atomic<bool> isDone{false};  // what follows can then be read
  GpuModule module = {};            // none: it failed
  std::string failure = {};
  bool ranOutOfMemory = false; // and so there is no sentence
};

// Has the kernels of a plan compiled, and those that pack for it, so that a later set-up finds them
// in the cache; or the library opened, if the plan is a call of one. Compiles nothing if the cache
// keeps nothing, or if the process could end under the first compilation of NVRTC (background.h).
// Returns at once.
void compileForLater(const std::string &text, const Problem &problem, IndexType csrIndex,
                     const Machine &machine);

// Returns at once. Where no thread can be started, it is done before this returns.
void compileBeside(const std::shared_ptr<CompileJob> &job);

} // namespace specmv
