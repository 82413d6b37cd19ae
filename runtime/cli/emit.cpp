// The verb emit: the complete CUDA source of the chosen plan, or its PTX or cubin.
#include "runtime/cli/json.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "generator/embedded.h"
#include "runtime/choose.h"
#include "runtime/nvrtc.h"

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

llvm::Error emitVerb(const Options &options) {
  if (options.types.size() != 1)
    return fail(Status::badCall, "emit writes one source and takes one --type, not {0}",
                options.types.size());
  auto task = taskOf(options);
  if (!task)
    return task.takeError();
  const Request request = requestOf(options, options.types.front());
  auto s = analyze(task->matrix.view(), request, task->machine);
  if (!s)
    return s.takeError();
  if (s->candidates.empty())
    return failWith(Status::notApplicable, whyNone(s->offers));

  const Plan &plan = s->candidates.front().plan;
  const KernelSource source = findFormat(plan.format)->source(plan, request.problem);
  if (!options.ptx && options.cubin.empty())
    return write(options, plan, "source", selfContained(source.text));
  auto compiled = compile(source, plan.format, task->machine.arch, Strictness::usual, options.ptx);
  if (!compiled)
    return compiled.takeError();
  if (!options.cubin.empty())
    if (llvm::Error error = writeFile(
            options.cubin, llvm::StringRef(compiled->cubin.data(), compiled->cubin.size())))
      return error;
  if (!options.ptx)
    return options.json ? write(options, plan, "cubin", options.cubin) : llvm::Error::success();
  return write(options, plan, "ptx", compiled->ptx);
}

} // namespace specmv::cli
