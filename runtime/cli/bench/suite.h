// Lists the suites of the bench by name: real matrices of a folder and generated ones.
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

// Returns the folder of real matrices: SPECMV_MATRICES, otherwise ../shared/matrices.
std::string matrixFolder();

// Returns the suite "full" or "quick". A folder that does not exist has no files.
llvm::Expected<Suite> findSuite(const std::string &name);

} // namespace specmv::cli
