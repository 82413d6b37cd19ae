// The verb emit: the complete CUDA source of the chosen plan, or its PTX or cubin.
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "generator/embedded.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/specialize.h"

namespace specmv::cli {

// The text, or with --json the plan and the text under its kind.
static llvm::Error write(const Options &options, const Plan &plan, const char *kind,
                         const std::string &text) {
  return writeResult(options.output, [&](llvm::raw_ostream &out) {
    if (!options.json) {
      out << text;
      return;
    }
    llvm::json::Object document = jsonOf(plan);
    document[kind] = text;
    out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(document)));
  });
}

// Only what has a source can be emitted.
static llvm::Error checkSource(const std::string &name, Status status) {
  if (const Format *format = findFormat(name); format && format->library)
    return fail(status, "{0} is a call of {1}, which has no source to emit", name, format->library);
  return llvm::Error::success();
}

// The plan that run would take, of those that have a source.
static llvm::Expected<Plan> bestWithSource(const CsrView &a, const Problem &problem,
                                           const Ranked &ranked) {
  if (ranked.candidates.empty())
    return noPlan(ranked.offers);
  auto fit = firstFit(ranked.candidates, [&](const Plan &plan) {
    if (llvm::Error error = checkSource(plan.format, Status::notApplicable))
      return error;
    return pack(a, plan, problem).takeError();
  });
  if (!fit)
    return fit.takeError();
  return ranked.candidates[fit->index].plan;
}

llvm::Error emitVerb(const Options &options) {
  for (const std::string &name : options.formats)
    if (llvm::Error error = checkSource(name, Status::badCall))
      return error;
  if (options.types.size() != 1)
    return fail(Status::badCall, "emit writes one source and takes one --type, not {0}",
                options.types.size());
  if (options.json || options.ptx)
    if (llvm::Error error = checkApart("--cubin", options.cubin, options.output))
      return error;
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  const Request request = requestOf(options, options.types.front());
  auto seen = analyze(task->matrix.view(), request, task->machine);
  if (!seen)
    return seen.takeError();
  const TypedMatrix a(task->matrix, request.problem.type);
  auto best = bestWithSource(a.view, request.problem, seen->ranked);
  if (!best)
    return best.takeError();

  const Plan &plan = *best;
  const KernelSource source = findFormat(plan.format)->source(plan, request.problem);
  if (!options.ptx && options.cubin.empty())
    return write(options, plan, "source", selfContained(source.text));
  auto compiled = compile(source, plan.format, task->machine.arch, Strictness::usual, options.ptx);
  if (!compiled)
    return compiled.takeError();
  if (!options.cubin.empty())
    if (llvm::Error error = writeResult(
            options.cubin, llvm::StringRef(compiled->cubin.data(), compiled->cubin.size())))
      return error;
  if (!options.ptx)
    return options.json ? write(options, plan, "cubin", options.cubin) : llvm::Error::success();
  return write(options, plan, "ptx", compiled->ptx);
}

} // namespace specmv::cli
