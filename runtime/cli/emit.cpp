// The verb emit: the complete CUDA source of the chosen plan, or its PTX or cubin.
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "generator/embedded.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/specialize.h"

namespace specmv::cli {

// --- What is written where -----------------------------------------------------------------------
// The cubin goes to the FILE of --cubin. The text (the source, or PTX with --ptx) goes to the FILE
// of -o, else to standard output. If only --cubin is given, no text is written. With --json a JSON
// document takes the place of the text, and is always written.

static bool wantsText(const Options &options) {
  return options.cubin.empty() || options.ptx || !options.output.empty();
}

static llvm::Error checkPlaces(const Options &options) {
  if (options.cubin.empty() || (!wantsText(options) && !options.json))
    return llvm::Error::success();
  return checkApart("--cubin", options.cubin, options.output);
}

static llvm::json::Value documentOf(const Options &options, const Plan &plan,
                                    const std::string &text) {
  llvm::json::Object document = jsonOf(plan);
  if (wantsText(options))
    document[options.ptx ? "ptx" : "source"] = text;
  if (!options.cubin.empty())
    document["cubin"] = llvm::json::fixUTF8(options.cubin);
  return document;
}

static llvm::Error writeSource(const Options &options, const Plan &plan, const std::string &text) {
  if (options.json)
    return writeResult(options.output,
                       llvm::formatv("{0:2}\n", documentOf(options, plan, text)).str());
  return wantsText(options) ? writeResult(options.output, text) : llvm::Error::success();
}

// --- What is emitted -----------------------------------------------------------------------------

// Refuses library calls, which have no source to emit.
static llvm::Error checkSource(const std::string &name, Status status) {
  if (const Format *format = findFormat(name); format && format->library)
    return fail(status, "{0} is a call of {1}, so there is no source to emit", name,
                format->library);
  return llvm::Error::success();
}

// The plan that run would choose if there were only plans with a source.
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
    return fail(Status::badCall,
                "emit writes the source for one type, but --type names {0}; name one",
                options.types.size());
  if (llvm::Error error = checkPlaces(options))
    return error;
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  const Request request = weighingRequestOf(options, options.types.front());
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
    return writeSource(options, plan, selfContained(source.text));
  auto compiled = compile(source, plan.format, task->machine.arch, Strictness::usual, options.ptx);
  if (!compiled)
    return compiled.takeError();
  if (!options.cubin.empty())
    if (llvm::Error error = writeResult(
            options.cubin, llvm::StringRef(compiled->cubin.data(), compiled->cubin.size())))
      return error;
  return writeSource(options, plan, options.ptx ? compiled->ptx : selfContained(source.text));
}

} // namespace specmv::cli
