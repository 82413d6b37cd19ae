// The tool's output: messages on standard error, results on standard output or in a file, and the
// exit status.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>
#include <vector>

namespace specmv::cli {

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

} // namespace specmv::cli
