// Chooses the model that a calibration starts from: a named one, that of the measured GPU, or one
// that this GPU borrows.
#pragma once

#include "runtime/cli/options.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

struct BaseModel {
  std::string origin; // its name in messages
  std::string text;
};

// `session` is the line that describes where the file `log` was measured. Status::badCall if no
// model is named and the session does not describe its GPU well enough to borrow one.
llvm::Expected<BaseModel> baseOf(const Options &options, const llvm::json::Object &session,
                                 const std::string &log);

// Converts what the driver reports about a device to the field "device" of a session, and back.
// Errors are badInput and name the file and the bad number.
llvm::json::Object deviceJson(const GpuInfo &info);
llvm::Expected<GpuInfo> deviceIn(const llvm::json::Object &session, const std::string &log);

} // namespace specmv::cli
