// What the tool says and how it ends: messages on standard error, results on standard output or in
// a file, exit statuses.
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

// Makes the end of the process, also that of --help and --version inside LLVM, say that standard
// output could not be written, with exit status 1, where LLVM would end it with its own words.
void reportLostOutputAtExit();

// What is printed from here on, by SPECMV_LOG=error|warning|info|debug; quiet leaves notes out.
// Warns where SPECMV_LOG is something else.
void setLevel(bool quiet);
void debug(const std::string &sentence); // a note that only SPECMV_LOG=debug shows
void note(const std::string &sentence);
void warn(const std::string &sentence);
void warnAll(const std::vector<std::string> &sentences);

// Whether `file`, the value of an option such as -o, is none or "-".
bool isStandardOutput(const std::string &file);

// Hands a stream to `write` and puts what it wrote on standard output, or in the file of that name
// whole or not at all.
llvm::Error writeResult(const std::string &file,
                        const std::function<void(llvm::raw_ostream &)> &write);

// The same for bytes that are there.
llvm::Error writeResult(const std::string &file, llvm::StringRef bytes);

// Refuses two results that would be one text on standard output, or one file: `what` in `file`
// beside the result of -o, which is in `output`.
llvm::Error checkApart(const char *what, const std::string &file, const std::string &output);

} // namespace specmv::cli
