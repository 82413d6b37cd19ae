// Compiles a plan's own kernels while its products run by general ones, and takes them over between
// two products.
#pragma once

#include "runtime/build.h"
#include "runtime/kernels/compile_beside.h"

namespace specmv {

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
