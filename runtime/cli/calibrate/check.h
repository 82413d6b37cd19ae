// Checks a call of calibrate before anything is measured.
#pragma once

#include "runtime/cli/options.h"

namespace specmv::cli {

// Refuses options that contradict each other, and a call that names no file for what it makes.
llvm::Error checkCalibration(const Options &options);

} // namespace specmv::cli
