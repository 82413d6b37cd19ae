// Compiles and loads kernels beside products, such as a plan's own.
#pragma once

#include "generator/format.h"
#include "runtime/build.h"
#include "runtime/machine.h"
#include "runtime/threads/background.h"

#include <atomic>
#include <memory>
#include <string>

namespace specmv {

// --- Compile beside ------------------------------------------------------------------------------

// Compiles and loads kernels beside products (runtime/threads/background.h). At its end the process
// waits for one compilation at most.

// Returns the machine for work after a set-up. It is without the GPU, so that the work does not
// keep it open, and without objects that live only as long as the set-up.
inline Machine withoutGpu(Machine machine) {
  machine.gpu = nullptr;
  machine.setupStream = nullptr;
  machine.cancelled = nullptr;
  return machine;
}

// A source to compile, and later the result.
struct CompileJob {
  explicit CompileJob(const Machine &on) : machine(withoutGpu(on)), gpu(on.gpu) {}

  Machine machine;
  std::weak_ptr<const GpuDevice> gpu; // loads the kernels

  std::atomic<bool> isWanted{true}; // false: nobody waits for the result
  Ending ending;                    // once it is over, the members below can be read
  GpuModule module = {};            // of a single kernel; empty: it failed
  ObjectsById objects = {};         // of a plan's kernels, those that had to be compiled
  std::string failure = {};         // "": none is known
  bool ranOutOfMemory = false;      // no message is given

  // Returns why the result is not whole; null if it is.
  const char *whyNot() const;
};

// Compiles a plan's kernels, including the packing ones, so that a later set-up finds them in the
// cache; for a library call, opens the library. Fails if the process could end during NVRTC's first
// compilation (background.h). If nobody wants the result (any more), does nothing if the cache
// keeps nothing. Returns at once.
std::shared_ptr<CompileJob> compileForLater(const std::string &text, const Problem &problem,
                                            IndexType csrIndex, const Machine &machine,
                                            bool isWanted = false);

// Compiles and loads a kernel; `label` is its name in the cache. It is skipped if nobody wants it
// any more before that begins. Returns at once, unless no thread can be started; then it does the
// work before it returns.
std::shared_ptr<CompileJob> compileBeside(KernelSource source, std::string label,
                                          const Machine &machine);

// --- Specialization ------------------------------------------------------------------------------

// Compiles a plan's own kernels while its products run by general ones, and takes them over between
// two products.

// Used by one thread at a time; compiles in a thread of its own.
class Specialization {
public:
  // Starts compiling. `built` has general kernels, and `cols` is the number of its matrix's
  // columns.
  Specialization(const Built &built, int64_t cols, const Machine &machine);
  Specialization(const Specialization &) = delete;
  Specialization &operator=(const Specialization &) = delete;
  // Does not wait: a running compilation ends in the cache.
  ~Specialization();

  // Returns true if there is something to take over. Costs one load.
  bool hasEnded() const { return state_ == State::running && job_->ending.isOver(); }
  // Call after the end: makes the product use the plan's own kernels, if they are available.
  void takeOver(GpuProduct &product);
  // Makes the plan's own kernels use these numbers too (GpuProduct::setNumbers()).
  void setNumbers(const NamedNumbers &numbers) noexcept { recipe_.layout.setIntegers(numbers); }
  // Returns "running", "ready" or "failed".
  const char *stateName() const;
  const char *failure() const;
  bool isOver() const { return state_ == State::ready; }
  // Returns true until takeOver() was called.
  bool isRunning() const { return state_ == State::running; }

private:
  enum class State : uint8_t { running, ready, failed };
  std::shared_ptr<CompileJob> job_;
  ProductRecipe recipe_;
  State state_ = State::running;
};

} // namespace specmv
