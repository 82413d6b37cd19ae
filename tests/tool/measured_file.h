// A file of measured times that was not measured: what evaluate and calibrate are tested with.
#pragma once

#include "tests/tool/tool_testing.h"

namespace tooltest {

constexpr const char *kMatrix = "random:rows=4000,k=6,spread=0.5";

// A file as bench writes it: each candidate of the matrix has twice its predicted time with its
// caution, and the ones of the factor's format `factor` times.
std::string benchFile(const std::string &name, const std::string &format = "", double factor = 1);

// The line of totals with these values.
llvm::json::Object totalOf(const std::string &out, const char *key, const char *value,
                           const char *model = "traffic");

} // namespace tooltest
