// Compiles and loads kernels beside products (runtime/threads/behind.h). At its end the process
// waits for one compilation at most.
#pragma once

#include "generator/format.h"
#include "runtime/machine.h"

#include <atomic>
#include <memory>
#include <string>

namespace specmv {

// Returns the machine for work after a set-up. It is without the GPU, so that the work does not
// keep it open, and without objects that live only as long as the set-up.
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
  std::string label; // its name in the cache
  Machine machine;
  std::weak_ptr<const GpuDevice> gpu; // loads the kernels

  std::atomic<bool> isWanted{true}; // false: it is skipped unless it has begun
  std::atomic<bool> isDone{false};  // once true, the members below can be read
  GpuModule module = {};            // empty: it failed
  std::string failure = {};
  bool ranOutOfMemory = false; // no message is given
};

// Compiles a plan's kernels, including the packing ones, so that a later set-up finds them in the
// cache; for a library call, opens the library. Does nothing if the cache keeps nothing, or if the
// process could end during NVRTC's first compilation (background.h). Returns at once.
void compileForLater(const std::string &text, const Problem &problem, IndexType csrIndex,
                     const Machine &machine);

// Returns at once, unless no thread can be started; then it does the work before it returns.
void compileBeside(const std::shared_ptr<CompileJob> &job);

} // namespace specmv
