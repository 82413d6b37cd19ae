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

// 0 done; 1 the input or a result is bad; 2 the call is bad; 3 the machine lacks something. An
// error is printed as "error: sentence", unless the sentence has its own place ("file:1:2: error:
// ...").
int exitStatus(llvm::Error error);

// If standard output could not be written, makes the process end with our message and exit status 1
// instead of LLVM's. This also holds for --version, which ends the process inside LLVM.
void reportLostOutputAtExit();

// Sets which messages are printed from now on, by SPECMV_LOG=error|warning|info|debug; `quiet`
// leaves out notes. Warns if SPECMV_LOG has another value.
void setLevel(bool quiet);
void debug(const std::string &sentence); // a note that only SPECMV_LOG=debug shows
void note(const std::string &sentence);
void warn(const std::string &sentence);
void warnAll(const std::vector<std::string> &sentences);

// Whether `file`, the value of an option such as -o, is empty or "-".
bool isStandardOutput(const std::string &file);
// Whether two names lead to one file, which need not be there yet.
bool isOneFile(const std::string &a, const std::string &b);

// Hands a stream to `write` and puts what it wrote on standard output, or in the file of that name
// whole or not at all.
llvm::Error writeResult(const std::string &file,
                        const std::function<void(llvm::raw_ostream &)> &write);

// The same for given bytes.
llvm::Error writeResult(const std::string &file, llvm::StringRef bytes);
// The same for a pack: only its owner may write to the file, or it would not be trusted.
llvm::Error writePack(const std::string &file, llvm::StringRef bytes);

// The same for a text for people, which may have names in it: what a terminal would obey is
// escaped.
llvm::Error writeText(const std::string &file, llvm::StringRef text);

// Refuses two results that would both go to standard output, or to the same file. `what` is the
// option that names `file`; `output` is the value of -o.
llvm::Error checkApart(const char *what, const std::string &file, const std::string &output);

} // namespace specmv::cli
