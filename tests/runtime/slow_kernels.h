// A GPU model with slow kernels and a fast host, so that plans of the small matrices of tests are
// worth comparing in a program's products.
#pragma once

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace specmv::testing {

// Replaces the value of the first number of this name behind `from`.
inline void setNumber(std::string &text, size_t from, const std::string &name, const char *number) {
  const std::string key = "\"" + name + "\": {\"value\": ";
  const size_t at = text.find(key, from);
  REQUIRE(at != std::string::npos);
  const size_t begin = at + key.size();
  text.replace(begin, text.find(',', begin) - begin, number);
}

// Writes the model of the H200 to the file, with kernels that take 15 us to start and end, and
// launches that take the host no time. Its cautions order plans of ELL, sliced ELL and CSR-vector
// so that none ties with the next one, whatever the prices of the day are.
inline void writeSlowKernels(const std::string &path) {
  std::string text = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  setNumber(text, 0, "launchUs", "15");
  setNumber(text, 0, "periodUs", "0.001");
  for (const auto &[format, caution] :
       {std::pair("ell", "1"), std::pair("sell", "1.03"), std::pair("csr-vector", "1.05")}) {
    const size_t group = text.find(std::string("\"") + format + "\": {", text.find("\"rates\": {"));
    REQUIRE(group != std::string::npos);
    setNumber(text, group, "caution", caution);
  }
  writeFile(path, text);
}

} // namespace specmv::testing
