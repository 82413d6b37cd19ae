// The kernels that are made for a plan whose products begin with general ones: compiled beside
// them, and taken over between two products.
#pragma once

#include "runtime/build.h"
#include "runtime/kernels/compile_beside.h"

namespace specmv {

// One thread at a time may use this; it has a thread of its own beside that.
class Specialization {
public:
  // Begins. `built` has general kernels, and `cols` are those of its matrix.
  Specialization(const Built &built, int64_t cols, const Machine &machine);
  Specialization(const Specialization &) = delete;
  Specialization &operator=(const Specialization &) = delete;
  // Does not wait: what is being compiled goes to the cache.
  ~Specialization();

  // Tells by one load if there is something to take over.
  bool hasEnded() const { return state_ == State::running && job_->isDone; }
  // After the end: the product goes on by the plan's own kernels, if they could be had.
  void takeOver(GpuProduct &product);
  // "running", "ready" or "failed".
  const char *stateName() const;
  const char *failure() const;
  bool isOver() const { return state_ == State::ready; }

private:
  enum class State : uint8_t { running, ready, failed };
  std::shared_ptr<CompileJob> job_;
  ProductRecipe recipe_;
  State state_ = State::running;
};

} // namespace specmv
