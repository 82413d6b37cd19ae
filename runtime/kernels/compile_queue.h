// Kernels that are compiled and loaded beside products, one after another, on one thread of low
// priority. The process waits for one compilation at most when it ends.
#pragma once

#include "generator/format.h"
#include "runtime/machine.h"

#include <atomic>
#include <memory>
#include <string>

namespace specmv {

struct CompileJob {
  CompileJob(KernelSource wanted, std::string named, Machine on)
      : source(std::move(wanted)), label(std::move(named)), machine(std::move(on)) {}

  KernelSource source;
  std::string label; // names it in the cache
  Machine machine;   // with a GPU, which loads the kernels

  std::atomic<bool> isWanted{true}; // else it is skipped, unless it has begun
  std::atomic<bool> isDone{false};  // what follows can then be read
  GpuModule module = {};            // none: it failed
  std::string failure = {};
};

// Returns at once. Where no thread can be started, it is done before this returns.
void compileBeside(std::shared_ptr<CompileJob> job);

// Frees the thread if it has nothing to do. To be called now and then, since the library cannot be
// unloaded before.
void tidyCompileQueue();

} // namespace specmv
