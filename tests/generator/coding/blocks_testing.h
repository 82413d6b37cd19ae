// Matrices of blocks with given values, and plans that code blocks.
#pragma once

#include "models/base/numbers.h"
#include "models/csr.h"
#include "models/plan.h"

#include <string>
#include <vector>

namespace specmv::testing {

// Full r x c blocks on the diagonal, each with its values by columns.
inline CsrMatrix blockDiagonal(const std::vector<std::vector<double>> &blocks, int64_t r,
                               int64_t c) {
  CsrMatrix out;
  out.rows = std::ssize(blocks) * r;
  out.cols = std::ssize(blocks) * c;
  out.rowPtr = {0};
  for (int64_t row = 0; row < out.rows; ++row) {
    for (int64_t j = 0; j < c; ++j) {
      out.col.push_back(static_cast<int32_t>(row / r * c + j));
      out.val.push_back(blocks[static_cast<size_t>(row / r)][static_cast<size_t>(j * r + row % r)]);
    }
    out.rowPtr.push_back(static_cast<int32_t>(out.col.size()));
  }
  return out;
}

// Makes a matrix of so many blocks, of which so many differ, in turn.
inline CsrMatrix differentBlocks(int64_t different, int64_t blocks, int64_t r, int64_t c) {
  std::vector<std::vector<double>> all(static_cast<size_t>(blocks));
  for (int64_t i = 0; i < blocks; ++i)
    for (int64_t place = 0; place < r * c; ++place)
      all[static_cast<size_t>(i)].push_back(
          static_cast<double>(1 + (place == 0 ? i % different / 1000 : i % different % 1000)));
  return blockDiagonal(all, r, c);
}

inline Plan blocksPlan(int64_t r, int64_t c, bool isFull, const std::string &values) {
  return *parsePlan("bcsr bcsr.r=" + std::to_string(r) + " bcsr.c=" + std::to_string(c) +
                    " bcsr.lanes=1 full=" + (isFull ? "1" : "0") +
                    " local=0 block=256 offset=32 column=32" +
                    (values.empty() ? "" : " values=" + values));
}

} // namespace specmv::testing
