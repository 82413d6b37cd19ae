// Shows messages, results and the line of progress, and makes texts safe for a terminal.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv::cli {

// --- Terminal ------------------------------------------------------------------------------------

// Makes text safe for a terminal, and colours it there.

// Remembers which caller-supplied texts contain line ends: arguments, and environment variables
// that specmv reads. They are shown on one line.
void rememberGiven(int argc, const char *const *argv);
// Remembers a name that was read from a file in the same way.
void rememberName(llvm::StringRef name);

// Escapes every byte that could control a terminal as \x1b: control characters (including those of
// two bytes), DEL, marks that change the direction of writing, invalid UTF-8, and line ends in
// caller-supplied text and in names. Tabs and other line ends stay.
std::string forTerminal(llvm::StringRef text);

// Returns true if this file descriptor is a terminal that obeys escape sequences (TERM is not
// dumb).
bool obeysEscapes(int fd);
// Returns true if colours are wanted there as well (NO_COLOR is not set).
bool hasColours(int fd);

enum class Ink : uint8_t { bold, red, yellow, cyan };
std::string inked(Ink ink, llvm::StringRef text);
// Makes the label of each line bold: a word at the start, followed by at least two blanks.
std::string withBoldLabels(llvm::StringRef text);

// --- Report --------------------------------------------------------------------------------------

// The tool's output: messages on standard error, results on standard output or in a file, and the
// exit status.

// Returns the exit status: 0 success; 1 bad input or result; 2 bad call; 3 the machine lacks
// something. An error is printed as "error: sentence", unless the sentence has its own place
// ("file:1:2: error: ...").
int exitStatus(llvm::Error error);

// Makes the process end with our message and exit status 1, instead of LLVM's, if standard output
// could not be written. This also holds for --version, which ends the process inside LLVM.
void reportLostOutputAtExit();

// Sets the messages to print from SPECMV_LOG=error|warning|info|debug; `quiet` suppresses notes.
// Warns if SPECMV_LOG has another value.
void setLevel(bool quiet);
void debug(const std::string &sentence); // a note that only SPECMV_LOG=debug shows
void note(const std::string &sentence);
void warn(const std::string &sentence);
void warnAll(const std::vector<std::string> &sentences);

// Returns true if `file`, the value of an option such as -o, is empty or "-".
bool isStandardOutput(const std::string &file);
// Returns true if two names lead to one file, which need not exist yet.
bool isOneFile(const std::string &a, const std::string &b);

// Calls `write` with a stream, and puts the result on standard output, or in the file of that name:
// whole or not at all.
llvm::Error writeResult(const std::string &file,
                        const std::function<void(llvm::raw_ostream &)> &write);

// Writes these bytes.
llvm::Error writeResult(const std::string &file, llvm::StringRef bytes);
// Writes a pack to a file that only its owner may write to; otherwise it would not be trusted.
llvm::Error writePack(const std::string &file, llvm::StringRef bytes);

// Writes text for people. Names in it may hold control characters for terminals, so these are
// escaped.
llvm::Error writeText(const std::string &file, llvm::StringRef text);

// Refuses two results that would both go to standard output, or to the same file. `what` is the
// option that names `file`; `output` is the value of -o.
llvm::Error checkApart(const char *what, const std::string &file, const std::string &output);

// --- Progress ------------------------------------------------------------------------------------

// Shows what the tool is doing, in one line on a terminal, if it takes long.

// While an object lives, the stages of the library (models/base/stage.h) are shown after two
// seconds, in one line that is rewritten in place and erased at the end. Nothing is shown with
// --quiet or if standard error is no terminal.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine();
};

// Hides the line while an object lives, so that the terminal can be written to.
class ProgressPause {
public:
  ProgressPause();
  ProgressPause(const ProgressPause &) = delete;
  ProgressPause &operator=(const ProgressPause &) = delete;
  ~ProgressPause();
};

} // namespace specmv::cli
