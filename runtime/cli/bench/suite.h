// Lists the suites of the bench by name: real matrices of a folder and generated ones, generated
// ones of families that no fit has seen, or those of a paper.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::cli {

struct Suite {
  std::vector<std::string> files; // *.mtx and *.mtx.gz of matrixFolder(), by name
  std::vector<std::string> specs;
  int64_t leastEntries = 0; // files of fewer entries are left out
  bool hasFiles = true;     // whether real matrices belong to the suite
};

// Returns the folder of real matrices: SPECMV_MATRICES, otherwise ../shared/matrices.
std::string matrixFolder();

// Returns the suite "full", "quick" or "unseen", or that of a paper. A folder that does not exist
// has no files.
llvm::Expected<Suite> findSuite(const std::string &name);

// Returns the SPECs of the suite "unseen": 30 matrices larger and 30 smaller than the L2 cache, of
// all families that no fit has seen.
std::vector<std::string> unseenSpecs();

// Returns the SPECs of the matrices of a paper: "pmf", "qcsr", "hcghyb", "strips" or "statistics";
// none for another name.
std::vector<std::string> paperSpecs(llvm::StringRef name);

} // namespace specmv::cli
