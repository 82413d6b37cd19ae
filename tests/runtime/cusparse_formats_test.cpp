// Tests of what cuSPARSE is asked for: which matrices its algorithms take, and the conversions.
#include "runtime/cusparse_formats.h"

#include "tests/runtime/cusparse_testing.h"

#include <algorithm>
#include <set>

using namespace specmv;

namespace {

constexpr int64_t kMuchMemory = int64_t{1} << 40;

// Every element of the packed matrix belongs to one entry of A, in order, or is padding.
template <class I, class V> void checkPacking(const Csr<I, V> &a, int64_t slice) {
  const SlicedEll<I, V> packed = packSlicedEll(a.pattern(), a.val.data(), slice);
  const auto slices = static_cast<size_t>((a.rows + slice - 1) / slice);
  REQUIRE(packed.sliceOffsets.size() == slices + 1);
  REQUIRE(packed.col.size() == packed.val.size());
  REQUIRE(static_cast<int64_t>(packed.col.size()) == slicedEllElements(a.view(), slice));
  REQUIRE(packed.sliceOffsets.back() == static_cast<I>(packed.col.size()));
  for (size_t s = 0; s < slices; ++s) {
    const int64_t begin = packed.sliceOffsets[s], end = packed.sliceOffsets[s + 1];
    REQUIRE((end - begin) % slice == 0);
    size_t longest = 0;
    for (int64_t r = 0; r < slice; ++r) {
      std::vector<I> columns, wantColumns;
      std::vector<V> values, wantValues;
      for (int64_t at = begin + r; at < end; at += slice) {
        columns.push_back(packed.col[at]);
        values.push_back(packed.val[at]);
      }
      const int64_t row = static_cast<int64_t>(s) * slice + r;
      for (int64_t e = row < a.rows ? a.rowPtr[row] : 0; row < a.rows && e < a.rowPtr[row + 1];
           ++e) {
        wantColumns.push_back(a.col[e]);
        wantValues.push_back(a.val[e]);
      }
      longest = std::max(longest, wantColumns.size());
      wantColumns.resize(columns.size(), I{-1});
      wantValues.resize(values.size(), V{0});
      CHECK(columns == wantColumns);
      CHECK(values == wantValues);
    }
    CHECK(static_cast<int64_t>(longest) * slice == end - begin);
  }
}

} // namespace

TEST_CASE("the algorithms have different names and numbers, and CSR is the default") {
  std::set<std::string> names;
  std::set<int> numbers;
  for (const CusparseAlgorithm &algorithm : kCusparseAlgorithms) {
    names.insert(algorithm.name);
    numbers.insert(algorithm.number);
  }
  CHECK(names.size() == kCusparseAlgorithms.size());
  CHECK(numbers.size() == kCusparseAlgorithms.size());
  CHECK(algorithmNamed("cusparse-csr").number == 0); // CUSPARSE_SPMV_ALG_DEFAULT
}

TEST_CASE("no algorithm takes a matrix without rows, columns or entries") {
  Csr<int32_t, float> empty, rowsOnly;
  rowsOnly.addRow({}, {});
  rowsOnly.cols = 7;
  for (const CusparseAlgorithm &algorithm : kCusparseAlgorithms)
    for (const Csr<int32_t, float> *a : {&empty, &rowsOnly}) {
      const auto [status, sentence] = refusal(cusparseApplies(a->view(), algorithm, kMuchMemory));
      CHECK(status == Status::notApplicable);
      CHECK(contains(sentence, std::to_string(a->rows) + " x " + std::to_string(a->cols)));
    }
}

TEST_CASE("sliced ELL takes a matrix up to 20 elements of padding for each entry") {
  const CusparseAlgorithm &sell = algorithmNamed("cusparse-sell");
  // A dense row of 10 among 31 empty ones stores 320: 31 of padding for each entry.
  const Csr<int32_t, float> padded = oneLongRow(10, 31);
  const auto [status, sentence] = refusal(cusparseApplies(padded.view(), sell, kMuchMemory));
  CHECK(status == Status::notApplicable);
  CHECK(contains(sentence, "320 elements for 10 entries"));
  CHECK(!cusparseApplies(padded.view(), algorithmNamed("cusparse-coo"), kMuchMemory));

  // A slice of width 14 stores 448: for 21 entries 427 of padding, over 420; for 22 426 of 440.
  Csr<int32_t, float> edge = oneLongRow(14, 0);
  edge.addRow({0, 1, 2, 3, 4, 5, 6}, std::vector<float>(7, 1.0F));
  CHECK(refusal(cusparseApplies(edge.view(), sell, kMuchMemory)).first == Status::notApplicable);
  edge.addRow({0}, {1.0F});
  CHECK(!cusparseApplies(edge.view(), sell, kMuchMemory));
}

TEST_CASE("sliced ELL refuses what 32-bit offsets or the memory cannot hold") {
  const CusparseAlgorithm &sell = algorithmNamed("cusparse-sell");
  // Only the row pointer is read: 2^27 - 1 entries in 2 rows would be 2^31 elements in a slice.
  const int32_t half = 1 << 26;
  const std::vector<int32_t> rowPtr{0, half, half * 2 - 1};
  CsrView big;
  big.rows = 2;
  big.cols = half;
  big.nnz = rowPtr[2];
  big.valueType = ValueType::f32;
  big.rowPtr = rowPtr.data();
  const auto [status, sentence] = refusal(cusparseApplies(big, sell, kMuchMemory));
  CHECK(status == Status::notApplicable);
  CHECK(contains(sentence, "2147483648 elements"));

  const Csr<int64_t, double> a = irregular<int64_t, double>();
  // Slices as wide as 4, 60, 0, 4 and 4.
  const int64_t bytes = (4 + 60 + 0 + 4 + 4) * 32 * 16;
  CHECK(!cusparseApplies(a.view(), sell, bytes));
  const auto [little, why] = refusal(cusparseApplies(a.view(), sell, bytes - 1));
  CHECK(little == Status::notApplicable);
  CHECK(contains(why, "2304 elements of 16 bytes"));
}

TEST_CASE("sliced ELL packs the example of NVIDIA's documentation as printed there") {
  Csr<int32_t, float> a;
  a.cols = 4;
  a.addRow({0, 2, 3}, {1, 2, 3});
  a.addRow({1}, {4});
  a.addRow({0, 2, 3}, {5, 6, 7});
  a.addRow({1, 3}, {8, 9});
  const auto packed = packSlicedEll(a.pattern(), a.val.data(), 2);
  CHECK(packed.sliceOffsets == std::vector<int32_t>{0, 6, 12});
  CHECK(packed.col == std::vector<int32_t>{0, 1, 2, -1, 3, -1, 0, 1, 2, 3, 3, -1});
  CHECK(packed.val == std::vector<float>{1, 4, 2, 0, 3, 0, 5, 8, 6, 9, 7, 0});
}

TEST_CASE("sliced ELL keeps every entry in order and pads the rest, for all types") {
  for (int64_t slice : {1, 2, 3, 32, 64, 1000}) {
    checkPacking(irregular<int32_t, float>(), slice);
    checkPacking(irregular<int32_t, double>(), slice);
    checkPacking(irregular<int64_t, float>(), slice);
    checkPacking(irregular<int64_t, double>(), slice);
    checkPacking(oneLongRow(1, 0), slice);
    checkPacking(oneLongRow(500, 33), slice);
    checkPacking(Csr<int32_t, float>{}, slice);
  }
}

TEST_CASE("every entry of COO has the row that holds it") {
  const Csr<int64_t, float> a = irregular<int64_t, float>();
  std::vector<int64_t> want;
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t e = a.rowPtr[i]; e < a.rowPtr[i + 1]; ++e)
      want.push_back(i);
  CHECK(rowOfEachEntry(a.pattern()) == want);
  CHECK(rowOfEachEntry(Csr<int32_t, float>{}.pattern()).empty());
}
