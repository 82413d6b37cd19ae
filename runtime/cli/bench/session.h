// A session of the bench: on which machine and how it measures, as the line that stands before its
// results, and whether it may go on with the file of another.
#pragma once

#include "runtime/cli/options.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// The line of this session: the machine, and in "request" what the options ask for.
llvm::json::Object sessionOf(const Options &options, const Machine &machine, double copyGBs);

// Refuses a session whose figures would not be of the same kind as those of `before`: another GPU
// or architecture, or another request. Of a session of 0.1.0 the request is not known: a note says
// so. The suite may be another: it only names matrices.
llvm::Error checkSession(const llvm::json::Object &before, const llvm::json::Object &now,
                         const std::string &path);

// Warns where other software measured what the file has.
void warnOfVersions(const llvm::json::Object &before, const llvm::json::Object &now,
                    const std::string &path);

} // namespace specmv::cli
