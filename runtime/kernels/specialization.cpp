// Has a plan's kernels compiled, and gives them to its product.
#include "runtime/kernels/specialization.h"

namespace specmv {

static std::shared_ptr<CompileJob> jobFor(KernelSource source, const Built &built,
                                          const Machine &machine) {
  auto job = std::make_shared<CompileJob>(std::move(source), built.plan.format, machine);
  job->machine.setupStream = nullptr; // what lasts for a set-up
  job->machine.cancelled = nullptr;
  return job;
}

Specialization::Specialization(const Built &built, int64_t cols, const Machine &machine) {
  EmittedKernels kernels = specializedKernels(built);
  recipe_ = recipeOnSameMemory(built.layout, kernels.steps, kernels.several, built.problem, cols);
  job_ = jobFor(std::move(kernels.source), built, machine);
  compileBeside(job_);
}

Specialization::~Specialization() {
  job_->isWanted = false;
  tidyCompileQueue();
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
