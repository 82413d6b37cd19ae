// Makes the adversarial matrices.
#include "tests/simt/matrices.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace specmv::simt {
namespace {

using Row = std::vector<int32_t>;
using RowMaker = std::function<Row(int64_t row)>;

uint64_t mix(uint64_t stream, uint64_t i) { // splitmix64
  uint64_t z = stream * 0x9e3779b97f4a7c15ULL + i * 0xd1342543de82ef95ULL + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

int32_t randomColumn(uint64_t stream, int64_t cols) {
  return static_cast<int32_t>(mix(stream, 0) % static_cast<uint64_t>(cols));
}

TestMatrix make(const char *name, int64_t rows, int64_t cols, const RowMaker &row) {
  TestMatrix a{name, rows, cols, {0}, {}, false};
  for (int64_t i = 0; i < rows; ++i) {
    const Row columns = row(i);
    a.col.insert(a.col.end(), columns.begin(), columns.end());
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

// `count` distinct ascending columns, at most all of them.
Row randomRow(uint64_t stream, int64_t count, int64_t cols) {
  Row row;
  for (uint64_t k = 0; static_cast<int64_t>(row.size()) < std::min(count, cols); ++k) {
    for (int64_t i = static_cast<int64_t>(row.size()); i < std::min(count, cols); ++i)
      row.push_back(randomColumn(stream * 4096 + k * 64 + static_cast<uint64_t>(i) * 7, cols));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return row;
}

Row fullRow(int64_t cols) {
  Row row(static_cast<size_t>(cols));
  std::iota(row.begin(), row.end(), 0);
  return row;
}

Row unsortedRow(int64_t i) {
  Row row = randomRow(static_cast<uint64_t>(i) + 900, 3 + i % 9, 130);
  row.push_back(row.front());
  row.push_back(row.front());
  std::reverse(row.begin(), row.end());
  std::swap(row.front(), row[row.size() / 2]);
  return row;
}

Row withDenseColumn(int64_t i) {
  Row row = randomRow(static_cast<uint64_t>(i) + 5000, i % 4, 90);
  if (std::find(row.begin(), row.end(), 45) == row.end())
    row.insert(std::upper_bound(row.begin(), row.end(), 45), 45);
  return row;
}

// Dense 64 x 64 tiles along the diagonal, each with a hole, and a few entries elsewhere.
Row tileRow(int64_t i) {
  Row row;
  for (int32_t c = 0; c < 300; ++c)
    if ((c / 64 == i / 64 && (c + i) % 61 != 0) ||
        mix(77, static_cast<uint64_t>(i * 300 + c)) % 97 == 0)
      row.push_back(c);
  return row;
}

// Seven diagonals of a rectangle. The first rows have all entries that lie inside; later ones lack
// some, in any order and with one of them twice.
Row diagonalsRow(int64_t i) {
  Row row;
  for (int64_t offset : {-150, -17, -1, 0, 1, 17, 260})
    if (i + offset >= 0 && i + offset < 331 &&
        (i < 100 || mix(13, static_cast<uint64_t>(i * 7 + offset)) % 9 != 0))
      row.push_back(static_cast<int32_t>(i + offset));
  if (i % 41 == 7 && !row.empty())
    row.push_back(row.front());
  if (i % 3 == 1)
    std::reverse(row.begin(), row.end());
  return row;
}

int64_t boundaryLength(int64_t i) {
  static constexpr int64_t kLengths[] = {15, 16, 17, 31, 32, 33};
  return kLengths[i % 6];
}

void addEmptyOnes(std::vector<TestMatrix> &out) {
  auto none = [](int64_t) { return Row{}; };
  out.push_back(make("0x0", 0, 0, none));
  out.push_back(make("no rows", 0, 9, none));
  out.push_back(make("no columns", 9, 0, none));
  out.push_back(make("all rows empty", 70, 50, none));
  out.push_back(make("1x1", 1, 1, [](int64_t) { return Row{0}; }));
  out.push_back(make("one entry in the last corner", 999, 1001,
                     [](int64_t i) { return i == 998 ? Row{1000} : Row{}; }));
  out.push_back(make("empty rows at start, middle and end", 301, 211, [](int64_t i) {
    const bool empty = i < 40 || (i >= 100 && i < 170) || i >= 290;
    return empty ? Row{} : randomRow(static_cast<uint64_t>(i), 1 + i % 7, 211);
  }));
}

void addDenseOnes(std::vector<TestMatrix> &out) {
  out.push_back(make("1xn", 1, 333, [](int64_t) { return fullRow(333); }));
  out.push_back(make("nx1", 203, 1, [](int64_t) { return Row{0}; }));
  out.push_back(make("one dense row", 300, 600, [](int64_t i) {
    return i == 151 ? fullRow(600) : randomRow(static_cast<uint64_t>(i), 2, 600);
  }));
  out.push_back(make("a row of many blocks", 5, 9001, [](int64_t i) {
    return i == 2 ? fullRow(9001) : randomRow(static_cast<uint64_t>(i) + 800, 3, 9001);
  }));
  out.push_back(make("one dense column", 515, 90, withDenseColumn));
  out.push_back(make("dense", 37, 37, [](int64_t) { return fullRow(37); }));
  out.push_back(make("dense tiles", 300, 300, tileRow));
  out.push_back(make("full 3 x 3 blocks", 303, 330, [](int64_t i) {
    const auto blockRow = static_cast<uint64_t>(i / 3);
    Row row;
    for (int32_t block : randomRow(blockRow + 30, static_cast<int64_t>(blockRow % 12), 110))
      row.insert(row.end(), {3 * block, 3 * block + 1, 3 * block + 2});
    return row;
  }));
}

void addSparseOnes(std::vector<TestMatrix> &out) {
  out.push_back(make("diagonal", 517, 517, [](int64_t i) { return Row{static_cast<int32_t>(i)}; }));
  out.push_back(make("diagonals with holes", 277, 331, diagonalsRow));
  out.push_back(make("unsorted with repeated columns", 130, 130, unsortedRow));
  // With 256 threads of a few entries each, several consecutive blocks contain no row's end.
  out.push_back(make("rows across many blocks", 23, 9000, [](int64_t i) {
    return i == 5 ? fullRow(9000) : i == 17 ? fullRow(3072) : Row(static_cast<size_t>(i % 3), 7);
  }));
  out.push_back(make("wide", 41, 70001, [](int64_t i) {
    return randomRow(static_cast<uint64_t>(i) + 40, i % 3 ? 9 : 60, 70001);
  }));
  out.push_back(make("tall", 2101, 17, [](int64_t i) {
    return randomRow(static_cast<uint64_t>(i) + 9000, i % 3, 17);
  }));
  out.push_back(make("rows of 15 to 33", 242, 200, [](int64_t i) {
    return randomRow(static_cast<uint64_t>(i) + 60, boundaryLength(i), 200);
  }));
  out.push_back(make("a few long rows", 411, 1000, [](int64_t i) {
    return randomRow(static_cast<uint64_t>(i) + 300, i % 97 == 13 ? 250 : i % 6, 1000);
  }));
  out.push_back(make("odd sizes", 277, 331, [](int64_t i) {
    return randomRow(static_cast<uint64_t>(i) + 700,
                     static_cast<int64_t>(mix(3, static_cast<uint64_t>(i)) % 13), 331);
  }));
  out.push_back(make("explicit zeros", 97, 110, [](int64_t i) {
    return randomRow(static_cast<uint64_t>(i) + 20, 1 + i % 8, 110);
  }));
  out.back().explicitZeros = true;
}

} // namespace

double integerNumber(uint64_t stream, uint64_t i) {
  const auto drawn = static_cast<int64_t>(mix(stream, i) % 16) - 8;
  return static_cast<double>(drawn < 0 ? drawn : drawn + 1);
}

double realNumber(uint64_t stream, uint64_t i, ValueType type) {
  const double unit = static_cast<double>(mix(stream, i) >> 11) * 0x1p-53;
  const double number = (2 * unit - 1) / 3 * 2.9;
  return type == ValueType::f32 ? static_cast<float>(number) : number;
}

TestMatrix permuted(const TestMatrix &a, const std::vector<int64_t> &order) {
  return make((a.name + ", rows permuted").c_str(), a.rows, a.cols, [&](int64_t i) {
    const auto row = static_cast<size_t>(order[static_cast<size_t>(i)]);
    return Row(a.col.begin() + a.rowPtr[row], a.col.begin() + a.rowPtr[row + 1]);
  });
}

std::vector<TestMatrix> adversarialMatrices() {
  std::vector<TestMatrix> out;
  addEmptyOnes(out);
  addDenseOnes(out);
  addSparseOnes(out);
  return out;
}

} // namespace specmv::simt
