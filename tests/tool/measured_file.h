// A made-up file of measured times, for the tests of evaluate and calibrate.
#pragma once

#include "tests/tool/tool_testing.h"

namespace tooltest {

constexpr const char *kMatrix = "random:rows=4000,k=6,spread=0.5";

// Times as long as plans are compared by, so long that no product is left out of totals for being
// short.
constexpr double kLonger = 4;

// A file as bench writes it: each candidate of the matrix takes kLonger times as long as it is
// compared by, with its caution, and those of the format `format` take `factor` times that.
std::string benchFile(const std::string &name, const std::string &format = "", double factor = 1);

// The line of totals with these values.
llvm::json::Object totalOf(const std::string &out, const char *key, const char *value,
                           const char *model = "traffic");

} // namespace tooltest
