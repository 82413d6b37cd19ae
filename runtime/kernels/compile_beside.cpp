// Compiles the kernels of a job, and loads them.
#include "runtime/kernels/compile_beside.h"

#include "runtime/cuda/nvrtc.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/kernels/at_hand.h"
#include "runtime/kernels/objects.h"
#include "runtime/threads/background.h"
#include "runtime/threads/behind.h"

#include <exception>
#include <new>

namespace specmv {

// Loads the kernels unless the GPU was closed or the plan destroyed meanwhile.
static llvm::Error load(CompileJob &job, const KernelObject &compiled) {
  const std::shared_ptr<const GpuDevice> gpu = job.gpu.lock();
  if (!gpu || !job.isWanted)
    return llvm::Error::success();
  return gpu->load(compiled.object->cubin, job.source.digest).moveInto(job.module);
}

static llvm::Error compileAndLoad(CompileJob &job) {
  auto found = findOrCompile(job.source, job.label, job.machine);
  return found ? load(job, *found) : found.takeError();
}

// Keeps the message, if there is memory for it.
static void keepFailure(CompileJob &job, const char *message) noexcept {
  try {
    job.failure = message;
  } catch (const std::exception &) {
    job.ranOutOfMemory = true;
  }
}

static void doJob(CompileJob &job) {
  if (!job.isWanted)
    return;
  try {
    if (llvm::Error error = compileAndLoad(job))
      job.failure = describe(std::move(error)).second;
  } catch (const std::bad_alloc &) {
    job.ranOutOfMemory = true;
  } catch (const std::exception &thrown) {
    keepFailure(job, thrown.what());
  }
  job.isDone = true;
}

// Returns true if the end of the process waits for compilations: it must not come during one.
static bool mayCompileAtEnd() { return backgroundEndsWithMain() || nvrtcHasCompiled(); }

// Compiles the plan's kernels or opens its library, so that no set-up need wait for that. On
// failure, the available plan stays in use.
static void makeReady(const Plan &plan, const Problem &problem, IndexType csrIndex,
                      Machine &machine, const std::atomic<bool> &ends) {
  if (findFormat(plan.format)->library) {
    llvm::consumeError(cusparseHas(plan.format));
    return;
  }
  if (machine.cache.path().empty() || !mayCompileAtEnd())
    return;
  holdsForKernels(plan, problem, machine, SetupPart::packing, csrIndex,
                  [&](const SharedSource &source, const std::string &label) {
                    if (!source->text.empty() && !ends)
                      llvm::consumeError(findOrCompile(*source, label, machine).takeError());
                    return true;
                  });
}

void compileForLater(const std::string &text, const Problem &problem, IndexType csrIndex,
                     const Machine &machine) {
  auto plan = parsePlan(text);
  if (!plan)
    return;
  auto task = [plan = std::move(*plan), problem, csrIndex,
               machine = withoutGpu(machine)](const std::atomic<bool> &ends) mutable {
    makeReady(plan, problem, csrIndex, machine, ends);
  };
  doBehind(std::move(task), AtEnd::skipped);
}

void compileBeside(const std::shared_ptr<CompileJob> &job) {
  doBehind([job](const std::atomic<bool> &) { doJob(*job); }, AtEnd::skipped);
}

} // namespace specmv
