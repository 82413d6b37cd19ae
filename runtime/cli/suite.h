// The suites of the bench: real matrices of a folder and generated ones, by name.
#pragma once

#include "models/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::cli {

struct Suite {
  std::vector<std::string> files; // *.mtx and *.mtx.gz of SPECMV_MATRICES, by name
  std::vector<std::string> specs;
  int64_t leastEntries = 0; // files of fewer entries are left out
};

// The suite "full" or "quick". Where SPECMV_MATRICES is not set, files are looked for in
// ../shared/matrices; a folder that is not there has none.
llvm::Expected<Suite> findSuite(const std::string &name);

} // namespace specmv::cli
