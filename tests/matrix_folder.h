// Where the real matrices are that tests use where they are present.
#pragma once

#include <cstdlib>
#include <string>

namespace specmv::testing {

inline std::string matrixFolder() {
  const char *named = std::getenv("SPECMV_MATRICES");
  return named ? named : SPECMV_SOURCE_DIR "/../shared/matrices";
}

} // namespace specmv::testing
