// A session of the bench: the line before its results, which tells on which machine and with which
// options it measures, and whether it may continue the file of an earlier session.
#pragma once

#include "runtime/cli/bench/log.h"
#include "runtime/cli/options.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// The line of this session: the machine, and in "request" what the options ask for. copyGBs is 0 if
// it was not measured.
llvm::json::Object sessionOf(const Options &options, const Machine &machine, double copyGBs);

// Refuses a session whose times cannot be compared with those of `before`: on another GPU or
// architecture, or with another request. Files of 0.1.0 do not record the request; then a note says
// so. The suite may differ, since it only names matrices.
llvm::Error checkSession(const llvm::json::Object &before, const llvm::json::Object &now,
                         const std::string &path);

// Warns if the times in the file were measured with other versions of specmv, driver or cuSPARSE.
void warnOfVersions(const llvm::json::Object &before, const llvm::json::Object &now,
                    const std::string &path);

// Finds errors of the options that say what is measured and where it is written.
llvm::Error checkLogOptions(const Options &options);

// The log that the options name, with the session's line in it where lines are JSON.
llvm::Expected<BenchLog> openLog(const Options &options, llvm::json::Object session);

} // namespace specmv::cli
