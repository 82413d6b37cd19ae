// Prints the tool's messages, and writes its results; a result that cannot be written is an error.
#include "runtime/cli/report.h"

#include "models/base/environment.h"
#include "models/base/whole_file.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/terminal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <unistd.h>

namespace specmv::cli {

// The levels of SPECMV_LOG; a message above `level` is not printed.
enum Level : uint8_t { kError, kWarning, kInfo, kDebug };
static constexpr const char *kLevelNames[] = {"error", "warning", "info", "debug"};
static Level level = kInfo;

// Returns "error:" with the terminal's colours.
static std::string kindText(llvm::StringRef kind) {
  std::string text = (kind + ":").str();
  if (!hasColours(STDERR_FILENO))
    return text;
  return inked(kind == "error" ? Ink::red : kind == "warning" ? Ink::yellow : Ink::cyan, text);
}

static void say(const char *kind, llvm::StringRef sentence) {
  const ProgressPause pause;
  llvm::errs() << kindText(kind) << " " << forTerminal(sentence) << "\n";
}

// Prints a sentence that has its own place, file:line:column, before the word error.
static void sayPlaced(llvm::StringRef sentence) {
  const ProgressPause pause;
  const std::string text = forTerminal(sentence);
  const auto [place, rest] = llvm::StringRef(text).split("error:");
  llvm::errs() << place << kindText("error") << rest << (rest.ends_with("\n") ? "" : "\n");
}

void setLevel(bool quiet) {
  const std::string wanted = environment("SPECMV_LOG");
  level = kInfo;
  if (!wanted.empty()) {
    const auto *found = llvm::find(kLevelNames, llvm::StringRef(wanted));
    if (found == std::end(kLevelNames))
      warn(llvm::formatv(
          "SPECMV_LOG = '{0}' is not a valid value; use error, warning, info or debug", wanted));
    else
      level = static_cast<Level>(found - std::begin(kLevelNames));
  }
  if (quiet)
    level = std::min(level, kWarning);
}

void debug(const std::string &sentence) {
  if (level >= kDebug)
    say("note", sentence);
}

void note(const std::string &sentence) {
  if (level >= kInfo)
    say("note", sentence);
}

void warn(const std::string &sentence) {
  if (level >= kWarning)
    say("warning", sentence);
}

void warnAll(const std::vector<std::string> &sentences) {
  for (const std::string &sentence : sentences)
    warn(sentence);
}

static int statusNumber(Status status) {
  if (status == Status::badCall)
    return 2;
  return isMissing(status) ? 3 : 1;
}

// Returns true, and prints the error, if standard output could not be written.
static bool outputIsLost() {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return false;
  const std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  say("error", "cannot write to standard output: " + reason);
  return true;
}

void reportLostOutputAtExit() {
  // These are constructed first, so that they are destroyed after the handler ran.
  llvm::outs();
  llvm::errs();
  std::atexit([] {
    if (outputIsLost())
      std::_Exit(1);
    llvm::errs().clear_error(); // the result does not depend on notes that nobody could get
  });
}

int exitStatus(llvm::Error error) {
  if (outputIsLost()) {
    llvm::consumeError(std::move(error));
    return 1;
  }
  if (!error)
    return 0;
  auto [status, sentence] = describe(std::move(error));
  if (llvm::StringRef(sentence).split('\n').first.contains(": error: "))
    sayPlaced(sentence);
  else
    say("error", sentence);
  return statusNumber(status);
}

bool isStandardOutput(const std::string &file) { return file.empty() || file == "-"; }

llvm::Error writeResult(const std::string &file,
                        const std::function<void(llvm::raw_ostream &)> &write) {
  if (!isStandardOutput(file)) {
    llvm::outs().flush(); // the file may be /dev/stdout
    return writeWholeFile(file, write);
  }
  const ProgressPause pause;
  write(llvm::outs());
  llvm::outs().flush();
  return llvm::Error::success();
}

llvm::Error writeResult(const std::string &file, llvm::StringRef bytes) {
  return writeResult(file, [&](llvm::raw_ostream &out) { out << bytes; });
}

llvm::Error writePack(const std::string &file, llvm::StringRef bytes) {
  if (isStandardOutput(file))
    return writeResult(file, bytes);
  return writeWholeFile(
      file, [&](llvm::raw_ostream &out) { out << bytes; }, 0644);
}

llvm::Error writeText(const std::string &file, llvm::StringRef text) {
  const std::string plain = forTerminal(text);
  const bool isColoured = isStandardOutput(file) && hasColours(STDOUT_FILENO);
  return writeResult(file, isColoured ? withBoldLabels(plain) : plain);
}

bool isOneFile(const std::string &a, const std::string &b) {
  namespace fs = llvm::sys::fs;
  if (fs::equivalent(a, b))
    return true;
  llvm::SmallString<256> first(a), second(b);
  for (llvm::SmallString<256> *path : {&first, &second}) {
    if (fs::make_absolute(*path))
      return a == b;
    llvm::sys::path::remove_dots(*path, /*remove_dot_dot=*/true);
  }
  return first == second;
}

llvm::Error checkApart(const char *what, const std::string &file, const std::string &output) {
  if (!isStandardOutput(file) && !isStandardOutput(output) && isOneFile(file, output))
    return fail(Status::badCall, "{0} {1} and -o {2} name the same file; name two different files",
                what, file, output);
  if (file != "-" || !isStandardOutput(output))
    return llvm::Error::success();
  return fail(Status::badCall,
              "{0} - writes to standard output, and so does the other result; name a file for one",
              what);
}

} // namespace specmv::cli
