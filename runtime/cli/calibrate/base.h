// The model that a calibration begins with: one that is named, that of the GPU that was measured,
// or one that this GPU borrows.
#pragma once

#include "runtime/cli/options.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

struct BaseModel {
  std::string origin; // what messages call it
  std::string text;
};

// `session` is the line that tells where the file `log` was measured. Status::badCall if no model
// is named and the session does not tell enough of its GPU to borrow one.
llvm::Expected<BaseModel> baseOf(const Options &options, const llvm::json::Object &session,
                                 const std::string &log);

// What the driver tells of a device, as the field "device" of a session, and back: badInput, naming
// the file and the number at fault.
llvm::json::Object deviceJson(const GpuInfo &info);
llvm::Expected<GpuInfo> deviceIn(const llvm::json::Object &session, const std::string &log);

} // namespace specmv::cli
