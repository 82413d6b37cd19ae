// A GPU model with slow kernels and a fast host, so that plans of the small matrices of tests are
// worth comparing in a program's products.
#pragma once

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace specmv::testing {

// Writes the model of the H200 to the file, with kernels that take 15 us to start and end, and
// launches that take the host no time.
inline void writeSlowKernels(const std::string &path) {
  std::string text = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  for (const auto &[name, number] : {std::pair("launchUs", "15"), std::pair("periodUs", "0.001")}) {
    const std::string key = std::string("\"") + name + "\": {\"value\": ";
    const size_t at = text.find(key);
    REQUIRE(at != std::string::npos);
    const size_t begin = at + key.size();
    text.replace(begin, text.find(',', begin) - begin, number);
  }
  writeFile(path, text);
}

} // namespace specmv::testing
