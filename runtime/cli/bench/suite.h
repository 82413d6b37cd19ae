// The suites of the bench: real matrices of a folder and generated ones, by name.
#pragma once

#include "models/base/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::cli {

struct Suite {
  std::vector<std::string> files; // *.mtx and *.mtx.gz of matrixFolder(), by name
  std::vector<std::string> specs;
  int64_t leastEntries = 0; // files of fewer entries are left out
};

// Where real matrices are looked for: SPECMV_MATRICES, else ../shared/matrices.
std::string matrixFolder();

// The suite "full" or "quick". A folder that is not there has no files.
llvm::Expected<Suite> findSuite(const std::string &name);

} // namespace specmv::cli
