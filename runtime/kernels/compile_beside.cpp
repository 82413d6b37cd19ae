// Compiles the kernels of a job, loads them, and gives them to products.
#include "runtime/kernels/compile_beside.h"

#include "runtime/cuda/nvrtc.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/kernels/objects.h"
#include "runtime/threads/background.h"

#include <exception>
#include <new>

namespace specmv {

// --- Compile beside ------------------------------------------------------------------------------

// Compiles the kernels of a job, and loads them.

const char *CompileJob::whyNot() const {
  return ranOutOfMemory ? "host memory ran out" : failure.empty() ? nullptr : failure.c_str();
}

// Loads the kernel unless the GPU was closed or the plan destroyed meanwhile.
static llvm::Error load(CompileJob &job, const KernelSource &source, const KernelObject &compiled) {
  const std::shared_ptr<const GpuDevice> gpu = job.gpu.lock();
  if (!gpu || !job.isWanted)
    return llvm::Error::success();
  return gpu->load(compiled.object->cubin, source.digest).moveInto(job.module);
}

// Keeps the message, if there is memory for it.
static void keepFailure(CompileJob &job, const char *message) noexcept {
  try {
    job.failure = message;
  } catch (const std::exception &) {
    job.ranOutOfMemory = true;
  }
}

namespace {
// Ends a job when its work has ended, or was dropped since the process ends.
class Finisher {
public:
  explicit Finisher(std::shared_ptr<CompileJob> job) : job_(std::move(job)) {}
  Finisher(const Finisher &) = delete;
  Finisher &operator=(const Finisher &) = delete;
  ~Finisher() {
    if (!isDone_ && !job_->ending.isElsewhere())
      keepFailure(*job_, "the process ends");
    job_->ending.end();
  }

  template <class Work> void run(const Work &work) noexcept {
    isDone_ = true;
    try {
      if (llvm::Error error = work(*job_))
        job_->failure = describe(std::move(error)).second;
    } catch (const std::bad_alloc &) {
      job_->ranOutOfMemory = true;
    } catch (const std::exception &thrown) {
      keepFailure(*job_, thrown.what());
    }
  }

private:
  std::shared_ptr<CompileJob> job_;
  bool isDone_ = false;
};
} // namespace

// Calls work(job, ends) behind everything else.
template <class Work>
static std::shared_ptr<CompileJob> begun(std::shared_ptr<CompileJob> job, Work work) {
  doBehind(
      [finisher = std::make_shared<Finisher>(job),
       work = std::move(work)](const std::atomic<bool> &ends) {
        finisher->run([&](CompileJob &its) { return work(its, ends); });
      },
      AtEnd::skipped);
  return job;
}

// Returns true if the end of the process waits for compilations: it must not come during one.
static bool mayCompileAtEnd() { return backgroundEndsWithMain() || nvrtcHasCompiled(); }

static llvm::Error compileOne(CompileJob &job, const KernelSource &source,
                              const std::string &label) {
  auto found = findOrCompile(source, label, job.machine);
  if (!found)
    return found.takeError();
  if (!found->hit)
    job.objects.emplace(found->key.id, std::move(found->object));
  return llvm::Error::success();
}

// Compiles the plan's kernels or opens its library, so that no set-up need wait for that. On
// failure, the available plan stays in use.
static llvm::Error makeReady(CompileJob &job, const Plan &plan, const Problem &problem,
                             IndexType csrIndex, const std::atomic<bool> &ends) {
  if (findFormat(plan.format)->library)
    return cusparseHas(plan.format);
  const auto isOfUse = [&] { return job.isWanted || !job.machine.cache.path().empty(); };
  if (!isOfUse())
    return llvm::Error::success();
  if (!mayCompileAtEnd())
    return fail(Status::missing, "the process could end during a compilation");
  llvm::Error failure = llvm::Error::success();
  holdsForKernels(plan, problem, job.machine, SetupPart::packing, csrIndex,
                  [&](const SharedSource &source, const std::string &label) {
                    if (!failure && !source->text.empty() && !ends && isOfUse())
                      failure = compileOne(job, *source, label);
                    return !failure;
                  });
  return failure;
}

std::shared_ptr<CompileJob> compileForLater(const std::string &text, const Problem &problem,
                                            IndexType csrIndex, const Machine &machine,
                                            bool isWanted) {
  auto plan = parsePlan(text);
  if (!plan)
    return nullptr;
  auto job = std::make_shared<CompileJob>(machine);
  job->isWanted = isWanted;
  return begun(std::move(job), [plan = std::move(*plan), problem,
                                csrIndex](CompileJob &its, const std::atomic<bool> &ends) {
    return makeReady(its, plan, problem, csrIndex, ends);
  });
}

std::shared_ptr<CompileJob> compileBeside(KernelSource source, std::string label,
                                          const Machine &machine) {
  return begun(std::make_shared<CompileJob>(machine),
               [source = std::move(source), label = std::move(label)](
                   CompileJob &its, const std::atomic<bool> &) -> llvm::Error {
                 if (!its.isWanted)
                   return llvm::Error::success();
                 auto found = findOrCompile(source, label, its.machine);
                 return found ? load(its, source, *found) : found.takeError();
               });
}

// --- Specialization ------------------------------------------------------------------------------

// Starts compiling a plan's kernels, and gives them to its product.

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
