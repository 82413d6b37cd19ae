// The built-in model of the H200 without its benchmarks and curves, on which no choice depends.
#pragma once

#include "models/gpus/borrow.h"

#include <string>

namespace specmv::testing {

// Returns its JSON, which ends with `more`, further fields that begin with a comma.
inline std::string h200TextWith(const std::string &more) {
  const std::string text = findBuiltInGpu("h200")->text;
  return text.substr(0, text.find(",\n  \"benchmarks\"")) + more + "\n}\n";
}

} // namespace specmv::testing
