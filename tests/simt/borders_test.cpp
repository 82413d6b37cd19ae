// Pieces of rows that find together across blocks: in whatever order blocks run, one block has the
// sum, it has the same bits, and the slots are empty again.
#include "tests/simt/executor.h"
#include "tests/simt/matrices.h"
#include "tests/simt/memory.h"

#include "templates/borders.cuh"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace specmv;
using namespace specmv::simt;

namespace {

template <class Value> struct Joined {
  std::vector<Value> sums; // of each block that was told it has the whole
  bool slotsAreEmpty;
};

// `count` blocks with a piece each, from block `first` on.
template <class Value>
Joined<Value> join(int first, const std::vector<Value> &pieces, unsigned seed) {
  const int count = static_cast<int>(pieces.size());
  Buffer slots("slots", (first + pieces.size()) * sizeof(Value), sizeof(Value), 256);
  std::memset(slots.data(), 0, slots.bytes());
  slots.trackWrites();
  Joined<Value> out;
  const Shape shape{{static_cast<uint32_t>(first + count), 1, 1}, 32};
  const std::string finding = execute(
      shape,
      [&] {
        const int index = static_cast<int>(blockIdx.x) - first;
        if (threadIdx.x != 0 || index < 0)
          return;
        Value sum = pieces[static_cast<size_t>(index)];
        if (joinPieces(reinterpret_cast<Value *>(slots.data()), first, index, count, sum))
          out.sums.push_back(sum);
      },
      seed);
  CHECK(finding == "");
  const std::vector<char> zeros(slots.bytes());
  out.slotsAreEmpty = std::memcmp(slots.data(), zeros.data(), zeros.size()) == 0;
  return out;
}

template <class Value> std::vector<Value> piecesOf(int count) {
  std::vector<Value> out;
  for (int i = 0; i < count; ++i)
    out.push_back(static_cast<Value>(realNumber(11, static_cast<uint64_t>(i), ValueType::f64)));
  return out;
}

template <class Value> void checkAllOrders(int count) {
  CAPTURE(count);
  const std::vector<Value> pieces = piecesOf<Value>(count);
  long double want = 0, magnitude = 0;
  for (Value piece : pieces)
    want += piece, magnitude += std::abs(static_cast<long double>(piece));
  const Joined<Value> ascending = join(3, pieces, 0);
  REQUIRE(ascending.sums.size() == 1);
  CHECK(std::abs(ascending.sums[0] - want) <=
        16 * std::numeric_limits<Value>::epsilon() * magnitude);
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Joined<Value> joined = join(3, pieces, seed);
    CHECK(joined.sums == ascending.sums);
    CHECK(joined.slotsAreEmpty);
  }
}

} // namespace

TEST_CASE_TEMPLATE("pieces of a row join in any order of blocks to the same bits", Value, float,
                   double) {
  for (int count = 1; count <= 17; ++count)
    checkAllOrders<Value>(count);
  for (int count : {31, 32, 33, 100})
    checkAllOrders<Value>(count);
}

TEST_CASE_TEMPLATE("pieces of any bits join: zeros of either sign, infinities, every NaN", Value,
                   float, double) {
  Value ones;
  std::memset(&ones, 0xff, sizeof ones); // what an empty slot is the complement of
  const Value infinity = std::numeric_limits<Value>::infinity();
  for (unsigned seed = 0; seed < 4; ++seed) {
    CHECK(join<Value>(0, {0, -0.0, 0}, seed).sums == std::vector<Value>{0});
    CHECK(join<Value>(0, {1, -infinity, 2}, seed).sums == std::vector<Value>{-infinity});
    for (const std::vector<Value> &pieces :
         {std::vector<Value>{ones, 1, 2}, {1, ones, ones}, {infinity, -infinity}}) {
      const Joined<Value> joined = join(0, pieces, seed);
      REQUIRE(joined.sums.size() == 1);
      CHECK(joined.sums[0] != joined.sums[0]);
      CHECK(joined.slotsAreEmpty);
    }
  }
}
