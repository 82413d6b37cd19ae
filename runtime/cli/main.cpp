// The tool specmv: finds the verb, runs it, and turns its outcome into an exit status.
#include "models/base/memory.h"
#include "runtime/cli/options.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/report.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/verbs.h"
#include "runtime/cuda/places.h"

#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <exception>
#include <new>
#include <utility>

namespace specmv::cli {

// Refuses a result file that is also an input.
static llvm::Error checkInputsStay(const Options &options) {
  const std::pair<const char *, const std::string *> results[] = {
      {"-o", &options.output}, {"--signature", &options.signature}, {"--cubin", &options.cubin}};
  std::vector<std::string> inputs = options.arguments;
  inputs.insert(inputs.end(), {options.coverage, options.measured, options.machine.gpuModel});
  for (const std::string &input : inputs)
    for (const auto &[option, file] : results)
      if (llvm::sys::fs::exists(input) && !isStandardOutput(*file) && isOneFile(input, *file))
        return fail(Status::badCall, "{0} {1} would overwrite the input {2}; name another file",
                    option, *file, input);
  return llvm::Error::success();
}

static llvm::Error dispatch(int argc, const char *const *argv) {
  auto options = parseOptions(argc, argv);
  if (!options)
    return options.takeError();
  if (!options->help.empty())
    return writeText("", options->help);
  setLevel(options->quiet);
  const ProgressLine progress(options->quiet);
  if (llvm::Error error = checkInputsStay(*options))
    return error;
  return findVerb(options->verb)->run(*options);
}

} // namespace specmv::cli

int main(int argc, char **argv) {
  using namespace specmv::cli;
  try {
    specmv::throwWhenMemoryRunsOut();
    reportLostOutputAtExit();
    rememberGiven(argc, argv);
    llvm::Error outcome = dispatch(argc, argv);
    warnAll(specmv::takeToolkitWarnings());
    return exitStatus(std::move(outcome));
  } catch (const std::bad_alloc &) {
    std::fputs("error: memory ran out\n", stderr);
  } catch (const std::exception &e) { // e.g. std::system_error from the standard library
    std::fprintf(stderr, "error: %s\n", forTerminal(e.what()).c_str());
  }
  return 3;
}
