// The tool specmv: finds the verb, runs it, and turns its outcome into an exit status.
#include "models/base/memory.h"
#include "runtime/cli/cache/examples.h"
#include "runtime/cli/options.h"
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

llvm::ArrayRef<Verb> verbs() {
  static constexpr Verb table[] = {
      {"run", "specialize, multiply, verify", runVerb},
      {"analyze", "profile, signature, candidates, choice", analyzeVerb},
      {"emit", "the emitted source of the chosen kernel", emitVerb},
      {"bench", "time all formats and cuSPARSE on the GPU", benchVerb},
      {"profile", "features, times and hardware counters of each format on the GPU", profileVerb},
      {"calibrate", "measure this GPU and write its model", calibrateVerb},
      {"evaluate", "how right the models of time are, and what choosing by them costs",
       evaluateVerb},
      {"pregen", "make a pack: kernels for many matrices, compiled beforehand", pregenVerb},
      {"cache", "list, bound, check and move what is kept of compiled kernels", cacheVerb,
       kCacheExamples},
      {"generate", "write a matrix of a family", generateVerb},
  };
  return table;
}

// A result must not take the place of what it is made from.
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
  setLevel(options->quiet);
  if (llvm::Error error = checkInputsStay(*options))
    return error;
  for (const Verb &verb : verbs())
    if (options->verb == verb.name)
      return verb.run(*options);
  if (!options->arguments.empty())
    return fail(Status::badCall, "unknown verb '{0}'; 'specmv --help' lists the verbs",
                options->arguments.front());
  return fail(Status::badCall, "no verb was given; 'specmv --help' lists the verbs");
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
  } catch (const std::exception &e) { // of the standard library, where the system refuses something
    std::fprintf(stderr, "error: %s\n", forTerminal(e.what()).c_str());
  }
  return 3;
}
