// The verb emit: the complete CUDA source of the chosen plan, or its PTX or cubin.
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "runtime/choose.h"
#include "runtime/nvrtc.h"

namespace specmv::cli {

llvm::Error emitVerb(const Options &options) {
  auto type = onlyType(options);
  if (!type)
    return type.takeError();
  auto machine = Machine::find(options.machine);
  if (!machine)
    return machine.takeError();
  auto matrix = onlyMatrix(options);
  if (!matrix)
    return matrix.takeError();
  const Request request = requestOf(options, *type);
  auto s = analyze(matrix->view(), request, *machine);
  if (!s)
    return s.takeError();
  if (s->candidates.empty())
    return failWith(Status::notApplicable, whyNone(s->offers));

  const Plan &plan = s->candidates.front().plan;
  const KernelSource source = findFormat(plan.format)->source(plan, request.problem);
  if (!options.ptx && options.cubin.empty())
    return writeResult(options.output, [&](llvm::raw_ostream &out) { out << source.text; });
  auto compiled = compile(source, plan.format, machine->arch, Strictness::usual, options.ptx);
  if (!compiled)
    return compiled.takeError();
  if (!options.cubin.empty())
    if (llvm::Error error = writeFile(
            options.cubin, llvm::StringRef(compiled->cubin.data(), compiled->cubin.size())))
      return error;
  if (!options.ptx)
    return llvm::Error::success();
  return writeResult(options.output, [&](llvm::raw_ostream &out) { out << compiled->ptx; });
}

} // namespace specmv::cli
