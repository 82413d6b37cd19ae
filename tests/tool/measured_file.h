// A made-up file of measured times, for the tests of evaluate and calibrate.
#pragma once

#include "tests/tool/tool_testing.h"

namespace tooltest {

constexpr const char *kMatrix = "random:rows=4000,k=6,spread=0.5";

// A file as bench writes it: each candidate of the matrix has twice its predicted time with its
// caution, and those of the format `format` have `factor` times that.
std::string benchFile(const std::string &name, const std::string &format = "", double factor = 1);

// The line of totals with these values.
llvm::json::Object totalOf(const std::string &out, const char *key, const char *value,
                           const char *model = "traffic");

} // namespace tooltest
