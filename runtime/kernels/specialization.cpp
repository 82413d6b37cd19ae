// Starts compiling a plan's kernels, and gives them to its product.
#include "runtime/kernels/specialization.h"

#include "runtime/threads/behind.h"

namespace specmv {

Specialization::Specialization(const Built &built, int64_t cols, const Machine &machine) {
  EmittedKernels kernels = specializedKernels(built);
  recipe_ = recipeOnSameMemory(built.layout, kernels.steps, kernels.several, built.problem, cols);
  job_ = compileBeside(std::move(kernels.source), built.plan.format, machine);
}

Specialization::~Specialization() {
  job_->isWanted = false;
  tidyBehind();
}

void Specialization::takeOver(GpuProduct &product) {
  state_ = State::failed;
  if (!job_->module)
    return;
  llvm::Error error = product.useKernels(std::move(job_->module), recipe_);
  if (!error)
    state_ = State::ready;
  else
    job_->failure = describe(std::move(error)).second;
}

const char *Specialization::failure() const {
  const char *const why = job_->whyNot();
  return why ? why : "";
}

const char *Specialization::stateName() const {
  switch (state_) {
  case State::running:
    return "running";
  case State::ready:
    return "ready";
  case State::failed:
    break;
  }
  return "failed";
}

} // namespace specmv
