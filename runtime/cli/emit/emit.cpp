// The verb emit: the complete CUDA source of the chosen plan, or its PTX or cubin.
#include "runtime/cli/emit/standalone.h"
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "generator/source/specialized.h"
#include "models/base/files.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/plan/specialize.h"

namespace specmv::cli {

// --- Outputs -------------------------------------------------------------------------------------
// The cubin goes to the file of --cubin. The text (the source, or PTX with --ptx) goes to the file
// of -o, otherwise to standard output. With only --cubin, no text is written. With --json, a JSON
// document replaces the text and is always written.

static bool wantsText(const Options &options) {
  return options.cubin.empty() || options.ptx || !options.output.empty();
}

static llvm::Error checkPlaces(const Options &options) {
  if (options.cubin.empty() || (!wantsText(options) && !options.json))
    return llvm::Error::success();
  return checkApart("--cubin", options.cubin, options.output);
}

static llvm::json::Object documentOf(const Options &options, const Emitted &e,
                                     const std::string &text) {
  llvm::json::Object document = jsonOf(e);
  if (wantsText(options))
    document[options.ptx ? "ptx" : "source"] = text;
  if (!options.cubin.empty())
    document["cubin"] = llvm::json::fixUTF8(options.cubin);
  return document;
}

// `text` is the source without its header, or PTX.
static llvm::Error writeSource(const Options &options, const Emitted &e, const std::string &text) {
  if (options.json)
    return writeResult(options.output, jsonDocument("emit", documentOf(options, e, text)));
  if (!wantsText(options))
    return llvm::Error::success();
  return writeResult(options.output, options.ptx ? text : headerOf(e) + text);
}

static llvm::Error writeStandalone(const Options &options, const Emitted &e) {
  const std::string data = dataFileOf(options.output);
  auto program = standaloneProgram(e, data);
  if (!program)
    return program.takeError();
  if (llvm::Error error =
          writeResult(data, [&](llvm::raw_ostream &out) { writeStandaloneData(e, out); }))
    return error;
  if (llvm::Error error = writeResult(options.output, headerOf(e) + *program))
    return error;
  note(llvm::formatv("{0} reads {1}; build it with: nvcc -arch={2} {0}", options.output, data,
                     e.arch));
  return llvm::Error::success();
}

static llvm::Error checkStandalone(const Options &options) {
  if (!options.standalone)
    return llvm::Error::success();
  if (options.ptx || options.json || !options.cubin.empty())
    return fail(Status::badCall, "--standalone writes a program; leave out {0}",
                options.ptx    ? "--ptx"
                : options.json ? "--json"
                               : "--cubin");
  if (options.vectors.front() > 1)
    return fail(Status::badCall,
                "--standalone writes a program that multiplies one vector; leave out --vectors {0}",
                options.vectors.front());
  if (!llvm::StringRef(options.output).ends_with(".cu") || options.output == ".cu")
    return fail(Status::badCall,
                "--standalone writes a program and a file of arrays beside it; name the program "
                "with -o FILE.cu");
  for (const std::string &input : options.arguments)
    if (isOneFile(input, dataFileOf(options.output)))
      return fail(Status::badCall, "-o {0} would overwrite the input {1}; name another file",
                  options.output, input);
  return checkWholeFile(dataFileOf(options.output));
}

// --- What is emitted -----------------------------------------------------------------------------

// Refuses library calls, which have no source to emit.
static llvm::Error checkSource(const std::string &name, Status status) {
  if (const Format *format = findFormat(name); format && format->library)
    return fail(status, "{0} is a call of {1}, so there is no source to emit", name,
                format->library);
  return llvm::Error::success();
}

// Packs and returns the plan that run would choose among plans with a source.
static llvm::Expected<std::pair<Plan, Layout>>
bestWithSource(const CsrView &a, const Request &request, const Ranked &ranked) {
  const Problem &problem = request.problem;
  const std::vector<Proposal> proposals =
      request.plan ? std::vector<Proposal>{{*request.plan}} : proposalsOf(ranked.candidates);
  if (proposals.empty())
    return noPlan(ranked.offers);
  Layout layout;
  auto fit = firstFit(proposals, [&](const Proposal &proposal) {
    const Plan &plan = proposal.plan;
    if (llvm::Error error = checkSource(plan.format, Status::notApplicable))
      return error;
    return pack(a, plan, problem).moveInto(layout);
  });
  if (!fit)
    return fit.takeError();
  return std::pair(proposals[fit->index].plan, std::move(layout));
}

static llvm::Error checkEmission(const Options &options) {
  for (const std::string &name : options.formats)
    if (llvm::Error error = checkSource(name, Status::badCall))
      return error;
  if (options.types.size() != 1)
    return fail(Status::badCall,
                "emit writes the source for one type, but --type names {0}; name one",
                options.types.size());
  if (llvm::Error error = checkStandalone(options))
    return error;
  return checkPlaces(options);
}

static llvm::Error writeEmitted(const Options &options, const Emitted &e) {
  if (options.standalone)
    return writeStandalone(options, e);
  const std::string text = specializedText(e.source.text, e.arch);
  if (!options.ptx && options.cubin.empty())
    return writeSource(options, e, text);
  auto compiled = compile(e.source, e.plan.format, e.arch, Strictness::usual, options.ptx);
  if (!compiled)
    return compiled.takeError();
  if (!options.cubin.empty())
    if (llvm::Error error = writeResult(
            options.cubin, llvm::StringRef(compiled->cubin.data(), compiled->cubin.size())))
      return error;
  return writeSource(options, e, options.ptx ? compiled->ptx : text);
}

llvm::Error emitVerb(const Options &options) {
  if (llvm::Error error = checkEmission(options))
    return error;
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  const Request request = weighingRequestOf(options, options.types.front());
  auto seen = analyze(task->matrix.view(), request, task->machine);
  if (!seen)
    return seen.takeError();
  const TypedMatrix a(task->matrix, request.problem.type);
  auto best = bestWithSource(a.view, request, seen->ranked);
  if (!best)
    return best.takeError();
  const auto &[plan, layout] = *best;
  const Format &format = *findFormat(plan.format);
  Steps several;
  if (request.problem.vectors > 1)
    several = format.several->steps(plan, request.problem, layout);
  return writeEmitted(options, {.a = a,
                                .problem = request.problem,
                                .plan = plan,
                                .layout = layout,
                                .steps = format.stepsFor(plan, request.problem, layout),
                                .several = std::move(several),
                                .source = format.sourceFor(plan, request.problem),
                                .signature = seen->profiled.signature,
                                .arch = task->machine.arch,
                                .call = options.call});
}

} // namespace specmv::cli
