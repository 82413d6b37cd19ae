// The tool specmv: finds the verb, runs it, and turns its outcome into an exit status.
#include "generator/format.h"
#include "models/base/error.h"
#include "models/base/files.h"
#include "models/base/memory.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/options.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"
#include "runtime/cuda/places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <unistd.h>
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

// Returns the file that a word of cache takes: import reads it, export writes it.
static std::string fileOfCache(const Options &options, llvm::StringRef word) {
  const bool isIt =
      options.verb == "cache" && options.arguments.size() > 1 && word == options.arguments.front();
  return isIt ? options.arguments[1] : "";
}

// Returns the files that the call names to be read. A SPEC is none, and neither is the name of a
// GPU model.
static std::vector<std::string> inputFiles(const Options &options) {
  std::vector<std::string> files{options.coverage, options.measured,
                                 fileOfCache(options, "import")};
  if (llvm::StringRef(options.machine.gpuModel).ends_with(".json"))
    files.push_back(options.machine.gpuModel);
  if (llvm::StringRef(findVerb(options.verb)->arguments).starts_with("A"))
    llvm::copy_if(options.arguments, std::back_inserter(files), isFile);
  llvm::erase_if(files, [](const std::string &file) { return file.empty(); });
  return files;
}

// Refuses a file that cannot be read in the same words for every verb and kind of file, and before
// a GPU is looked for.
static llvm::Error checkInputsCanBeRead(const Options &options) {
  for (const std::string &file : inputFiles(options)) {
    if (llvm::sys::fs::is_directory(file))
      return fail(Status::badInput, "{0}: error: this is a directory", file);
    if (access(file.c_str(), R_OK) != 0)
      return fail(Status::badInput, "{0}: error: cannot open: {1}", file, llvm::sys::StrError());
  }
  return llvm::Error::success();
}

// Refuses a place for results that cannot be written to, before the work. The logs of bench and
// evaluate are written in place, and opened before they measure.
static llvm::Error checkResultsCanBeWritten(const Options &options) {
  const bool isLog = options.verb == "bench" || options.verb == "evaluate";
  for (const std::string &file : {isLog ? "" : options.output, options.signature, options.cubin,
                                  fileOfCache(options, "export")})
    if (!isStandardOutput(file))
      if (llvm::Error error = checkWholeFile(file))
        return error;
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
  return inTurn([&] { return checkAsked(options->formats, options->fixed); },
                [&] { return checkInputsCanBeRead(*options); },
                [&] { return checkInputsStay(*options); },
                [&] { return checkResultsCanBeWritten(*options); },
                [&] { return findVerb(options->verb)->run(*options); });
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
