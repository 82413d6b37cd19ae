// Describes a session of the bench: the line before its results records the machine and the
// options, and decides whether the session may continue the file of an earlier one.
#pragma once

#include "runtime/cli/bench/log.h"
#include "runtime/cli/options.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Returns the line of this session: the machine, and in "request" what the options ask for. copyGBs
// is 0 if it was not measured.
llvm::json::Object sessionOf(const Options &options, const Machine &machine, double copyGBs);

// Refuses a session whose times cannot be compared with those of `before`: on another GPU or
// architecture, or with another request. Files of 0.1.0 do not record the request; then a note says
// so. The suite may differ, since it only names matrices.
llvm::Error checkSession(const llvm::json::Object &before, const llvm::json::Object &now,
                         const std::string &path);

// Warns if the times in the file were measured with other versions of specmv, driver or cuSPARSE.
void warnOfVersions(const llvm::json::Object &before, const llvm::json::Object &now,
                    const std::string &path);

// Checks the options that select what is measured and where it is written.
llvm::Error checkLogOptions(const Options &options);

// Opens the log that the options name. If lines are JSON, the session's line is written first.
llvm::Expected<BenchLog> openLog(const Options &options, llvm::json::Object session);

} // namespace specmv::cli
