// Utilities for the tests of the Matrix Market reader: short ways to read, to fail and to keep
// files.
#pragma once

#include "models/base/error.h"
#include "models/lab/matrix_market/matrix_market.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace specmv::testing {

struct Failure {
  Status status = Status::internal;
  std::string text; // empty when nothing failed
};

template <class T> Failure failureOf(llvm::Expected<T> result) {
  if (result)
    return {};
  auto [status, text] = describe(result.takeError());
  return {status, text};
}

inline Failure failureOf(llvm::Error error) {
  if (!error)
    return {};
  auto [status, text] = describe(std::move(error));
  return {status, text};
}

inline CsrMatrix valueOf(llvm::Expected<CsrMatrix> result) {
  if (result)
    return std::move(*result);
  FAIL_CHECK(describe(result.takeError()).second);
  return {};
}

inline CsrMatrix parsed(const std::string &text) { return valueOf(parseMatrixMarket(text, "x")); }

// Compares shape, order and arrays with vectors written by hand.
inline void checkMatrix(const CsrMatrix &a, int64_t rows, int64_t cols,
                        const std::vector<int32_t> &rowPtr, const std::vector<int32_t> &col,
                        const std::vector<double> &val) {
  CHECK(a.rows == rows);
  CHECK(a.cols == cols);
  CHECK(a.rowPtr == rowPtr);
  CHECK(a.col == col);
  CHECK(a.val == val);
}

// A new folder that is removed with the object.
class TemporaryFolder {
public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("specmv-test-" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directory(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string operator/(const std::string &name) const { return (path_ / name).string(); }
  std::string file(const std::string &name, const std::string &bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : std::filesystem::directory_iterator(path_))
      result.push_back(entry.path().filename().string());
    return result;
  }

private:
  std::filesystem::path path_;
};

} // namespace specmv::testing
