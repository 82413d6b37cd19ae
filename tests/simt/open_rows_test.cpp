// Tests of rows that several blocks share: whatever the order of the blocks, each row is summed
// once, from all its shares, to the same bits, and the scratch memory is clean for the next launch.
#include "generator/shared/open_rows.h"
#include "tests/simt/executor.h"
#include "tests/simt/matrices.h"
#include "tests/simt/memory.h"
#include "tests/simt/open_rows_kernels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

using namespace specmv;
using namespace specmv::simt;

namespace {

constexpr double kUntouched = 12345;

template <class T> T *at(const Buffer &buffer) { return reinterpret_cast<T *>(buffer.data()); }

Buffer copyOf(const LayoutArray &array) {
  Buffer out(array.name, array.bytes.size(), sizeOf(array.type), sizeOf(array.type));
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

// Rows that cover `lengths` blocks each, one after the other: a row ends in the block in which the
// next one begins. A length of 1 is a block that begins with no open row.
struct Rows {
  int64_t blocks = 1;
  std::vector<int64_t> openRow{kNoRow}; // at each boundary
  std::vector<std::vector<int64_t>> of; // by row: its blocks, none for a length of 1

  explicit Rows(const std::vector<int64_t> &lengths) {
    for (int64_t length : lengths) {
      if (length == 1) {
        openRow.push_back(kNoRow);
        of.emplace_back();
        ++blocks;
        continue;
      }
      of.push_back({blocks - 1});
      for (int64_t i = 1; i < length; ++i, ++blocks) {
        openRow.push_back(static_cast<int64_t>(of.size()));
        of.back().push_back(blocks);
      }
    }
    openRow.push_back(kNoRow);
  }
  // The position of the share of a row's i-th block among the numbers.
  static size_t placeOf(const std::vector<int64_t> &row, size_t i) {
    return static_cast<size_t>(2 * row[i] + (i + 1 < row.size()));
  }
};

template <class Value, class Word> class Meeting {
public:
  Meeting(const Rows &rows, const std::vector<Value> &numbers)
      : layout_(layoutOf(rows)), first_(copyOf(*layout_.find("openFirst"))),
        last_(copyOf(*layout_.find("openLast"))),
        partialSums_(copyOf(*layout_.find("partialSums"))),
        arrivals_(copyOf(*layout_.find("arrivals"))),
        numbers_("numbers", numbers.size() * sizeof(Value), sizeof(Value), sizeof(Value)),
        sums_("sums", static_cast<size_t>(rows.blocks) * sizeof(Value), sizeof(Value),
              sizeof(Value)) {
    std::memcpy(numbers_.data(), numbers.data(), numbers_.bytes());
    for (Buffer *written : {&partialSums_, &arrivals_, &sums_})
      written->trackWrites();
  }

  // Returns the sums by last block; sums of blocks where no row ends are untouched.
  std::vector<Value> run(unsigned seed) {
    const auto blocks = static_cast<uint32_t>(sums_.bytes() / sizeof(Value));
    std::fill_n(at<Value>(sums_), blocks, Value(kUntouched));
    const OpenRowsArgs<Value, Word> args{at<unsigned>(first_),   at<unsigned>(last_),
                                         at<Word>(partialSums_), at<unsigned>(arrivals_),
                                         at<Value>(numbers_),    at<Value>(sums_)};
    const std::string finding = execute(
        {{blocks, 1, 1}, 32}, [&] { openRowsKernel(args); }, seed);
    CHECK_MESSAGE(finding.empty(), finding, ", seed ", seed);
    return {at<Value>(sums_), at<Value>(sums_) + blocks};
  }

  bool isClean() const {
    const auto isZero = [](const Buffer &buffer) {
      return std::all_of(buffer.data(), buffer.data() + buffer.bytes(),
                         [](char byte) { return byte == 0; });
    };
    return isZero(partialSums_) && isZero(arrivals_);
  }

private:
  static Layout layoutOf(const Rows &rows) {
    Layout layout;
    const bool isNarrow = sizeof(Value) == 4;
    const Problem problem{isNarrow ? ValueType::f32 : ValueType::f64};
    addFields(layout, openRowFields(problem, static_cast<int64_t>(rows.openRow.size()) - 1));
    fillOpenRows(layout, rows.openRow);
    return layout;
  }
  Layout layout_;
  Buffer first_, last_, partialSums_, arrivals_, numbers_, sums_;
};

const std::vector<int64_t> kLengths = {2, 2, 1, 3, 2, 33, 1, 1, 34, 2, 300, 4};

template <class Value, class Word> void checkSums() {
  const Rows rows(kLengths);
  std::vector<Value> numbers;
  for (int64_t i = 0; i < 2 * rows.blocks; ++i)
    numbers.push_back(static_cast<Value>(integerNumber(3, static_cast<uint64_t>(i))));
  std::vector<Value> want(static_cast<size_t>(rows.blocks), Value(kUntouched));
  for (const std::vector<int64_t> &row : rows.of)
    if (!row.empty()) {
      Value sum = 0;
      for (size_t i = 0; i < row.size(); ++i)
        sum += numbers[Rows::placeOf(row, i)];
      want[static_cast<size_t>(row.back())] = sum;
    }
  Meeting<Value, Word> meeting(rows, numbers);
  for (unsigned seed = 0; seed < 6; ++seed) {
    CHECK(meeting.run(seed) == want);
    CHECK(meeting.isClean());
  }
}

template <class Value, class Word> void checkBits() {
  const Rows rows(kLengths);
  const ValueType type = sizeof(Value) == 4 ? ValueType::f32 : ValueType::f64;
  std::vector<Value> numbers;
  for (int64_t i = 0; i < 2 * rows.blocks; ++i)
    numbers.push_back(static_cast<Value>(realNumber(3, static_cast<uint64_t>(i), type)));
  Meeting<Value, Word> meeting(rows, numbers);
  const std::vector<Value> first = meeting.run(0);
  for (unsigned seed = 1; seed < 6; ++seed)
    CHECK(meeting.run(seed) == first);
}

// Shares that look like missing ones: -0, whose bits are 0 except for the sign, and NaN with all
// bits set.
template <class Value, class Word> void checkOddShares() {
  const Rows rows({2, 3, 40});
  Value allBits = 0;
  std::memset(&allBits, 0xff, sizeof allBits);
  const Value infinity = std::numeric_limits<Value>::infinity();
  for (Value odd : {Value(0), -Value(0), allBits, infinity, -infinity}) {
    Meeting<Value, Word> meeting(rows,
                                 std::vector<Value>(2 * static_cast<size_t>(rows.blocks), odd));
    for (unsigned seed = 0; seed < 3; ++seed) {
      const std::vector<Value> sums = meeting.run(seed);
      for (const std::vector<int64_t> &row : rows.of) {
        const Value sum = sums[static_cast<size_t>(row.back())];
        CHECK((std::isnan(odd) ? std::isnan(sum) : sum == odd));
      }
      CHECK(meeting.isClean());
    }
  }
}

} // namespace

TEST_CASE(
    "shares of 2 to 300 blocks are summed once, in any order of blocks, launch after launch") {
  checkSums<float, unsigned>();
  checkSums<double, unsigned long long>();
}

TEST_CASE("the bits of a sum do not depend on the order of the blocks") {
  checkBits<float, unsigned>();
  checkBits<double, unsigned long long>();
}

TEST_CASE("no share is taken for none: zeros, infinities and NaN of all bits") {
  checkOddShares<float, unsigned>();
  checkOddShares<double, unsigned long long>();
}
