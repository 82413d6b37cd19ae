// The folder of the real matrices, which tests use if they are present.
#pragma once

#include <cstdlib>
#include <string>

namespace specmv::testing {

inline std::string matrixFolder() {
  const char *named = std::getenv("SPECMV_MATRICES");
  return named ? named : SPECMV_SOURCE_DIR "/../shared/matrices";
}

} // namespace specmv::testing
