// Checks products with several vectors through the C API, on the host or on a GPU. Each vector must
// get the bits that the definition gives, for any places of its values, and nothing else may be
// written.
#pragma once

#include "tests/api/api_testing.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace apitest {

// Dense vectors in one of the orders, with a leading dimension that leaves a gap.
template <class Value> struct Dense {
  int64_t length, count, leading;
  specmvOrder_t order;
  std::vector<Value> values;

  Dense(int64_t length, int64_t count, int64_t gap, specmvOrder_t order, Value filled)
      : length(length), count(count), leading((order == SPECMV_ORDER_ROW ? count : length) + gap),
        order(order),
        values(static_cast<size_t>(leading * (order == SPECMV_ORDER_ROW ? length : count)) + 1,
               filled) {}

  size_t place(int64_t i, int64_t j) const {
    return static_cast<size_t>(order == SPECMV_ORDER_ROW ? i * leading + j : i + j * leading);
  }
  void set(int64_t j, const std::vector<Value> &vector) {
    for (int64_t i = 0; i < length; ++i)
      values[place(i, j)] = vector[static_cast<size_t>(i)];
  }
};

// The place of X and Y during a product: on the host, or copied to a GPU. `give` returns an address
// for these bytes, `take` brings them back.
struct VectorPlace {
  std::function<std::shared_ptr<void>(void *bytes, size_t size)> give;
  std::function<void(void *bytes, const void *at, size_t size)> take;
};
inline VectorPlace vectorsOnHost() {
  return {[](void *bytes, size_t) { return std::shared_ptr<void>(bytes, [](void *) {}); },
          [](void *, const void *, size_t) {}};
}

template <class Index, class Value>
void checkSeveral(specmvPlan_t plan, const Csr<Index, Value> &a, int64_t count, int64_t gap,
                  specmvOrder_t order, Value beta, const VectorPlace &place,
                  void *stream = nullptr) {
  CAPTURE(count);
  CAPTURE(gap);
  CAPTURE(static_cast<int>(order));
  constexpr Value kUntouched = 54321, alpha = -2;
  // The strides of X and Y differ, so that neither can stand for the other.
  Dense<Value> x(a.cols, count, gap, order, kUntouched),
      y(a.rows, count, 2 * gap, order, kUntouched);
  Dense<Value> expected = y;
  for (int64_t j = 0; j < count; ++j) {
    const auto seed = static_cast<uint64_t>(2 * j);
    const std::vector<Value> xj = integers<Value>(a.cols, 100 + seed),
                             yj = integers<Value>(a.rows, 101 + seed);
    x.set(j, xj);
    y.set(j, yj);
    expected.set(j, naiveProduct(a, alpha, xj, beta, yj));
  }
  const size_t xBytes = x.values.size() * sizeof(Value), yBytes = y.values.size() * sizeof(Value);
  const auto atX = place.give(x.values.data(), xBytes), atY = place.give(y.values.data(), yBytes);
  const specmvStatus_t status = specmvExecuteMulti(plan, count, &alpha, atX.get(), x.leading, &beta,
                                                   atY.get(), y.leading, order, stream);
  INFO(detail());
  REQUIRE(status == SPECMV_STATUS_SUCCESS);
  place.take(y.values.data(), atY.get(), yBytes);
  CHECK(y.values == expected.values);
}

// X and Y are columns of one array and have no element in common: two groups of neighbouring
// columns if it has rows, else columns by turns.
template <class Index, class Value>
void checkSideBySide(specmvPlan_t plan, const Csr<Index, Value> &a, int64_t count,
                     specmvOrder_t order, Value beta, const VectorPlace &place,
                     void *stream = nullptr) {
  CAPTURE(count);
  CAPTURE(static_cast<int>(order));
  constexpr Value kUntouched = 54321, alpha = 3;
  const bool areRows = order == SPECMV_ORDER_ROW;
  const int64_t leading = areRows ? 2 * count + 1 : a.cols + a.rows + 1, // one element is of none
      lines = areRows ? std::max(a.rows, a.cols) : count, yAt = areRows ? count : a.cols;
  std::vector<Value> all(static_cast<size_t>(leading * lines), kUntouched);
  const auto at = [&](int64_t first, int64_t i, int64_t j) -> size_t {
    return static_cast<size_t>(first + (areRows ? i * leading + j : i + j * leading));
  };
  std::vector<std::vector<Value>> expectedY;
  for (int64_t j = 0; j < count; ++j) {
    const auto seed = static_cast<uint64_t>(2 * j);
    const std::vector<Value> xj = integers<Value>(a.cols, 200 + seed),
                             yj = integers<Value>(a.rows, 201 + seed);
    for (int64_t i = 0; i < a.cols; ++i)
      all[at(0, i, j)] = xj[static_cast<size_t>(i)];
    for (int64_t i = 0; i < a.rows; ++i)
      all[at(yAt, i, j)] = yj[static_cast<size_t>(i)];
    expectedY.push_back(naiveProduct(a, alpha, xj, beta, yj));
  }
  std::vector<Value> expected = all;
  for (int64_t j = 0; j < count; ++j)
    for (int64_t i = 0; i < a.rows; ++i)
      expected[at(yAt, i, j)] = expectedY[static_cast<size_t>(j)][static_cast<size_t>(i)];
  const size_t bytes = all.size() * sizeof(Value);
  const auto given = place.give(all.data(), bytes);
  auto *const x = static_cast<Value *>(given.get());
  const specmvStatus_t status =
      specmvExecuteMulti(plan, count, &alpha, x, leading, &beta, x + yAt, leading, order, stream);
  INFO(detail());
  REQUIRE(status == SPECMV_STATUS_SUCCESS);
  place.take(all.data(), given.get(), bytes);
  CHECK(all == expected);
}

// Checks a plan for `vectors` vectors at once, with every number of vectors that has its own
// kernel, and products with one vector in between.
template <class Index, class Value>
void checkAllCounts(const Csr<Index, Value> &a, specmvPlanOptions_t options, int64_t vectors,
                    const VectorPlace &place, void *stream = nullptr) {
  CAPTURE(vectors);
  options.vectors = vectors;
  const apitest::Plan plan(a, options);
  for (const int64_t count :
       {vectors, vectors + 1, vectors - 1, 2 * vectors, 3 * vectors + 2, int64_t{1}, int64_t{0}})
    for (const specmvOrder_t order : {SPECMV_ORDER_ROW, SPECMV_ORDER_COLUMN})
      for (const int64_t gap : {0, 3})
        checkSeveral(plan, a, count, gap, order, static_cast<Value>(count % 2 ? 3 : 0), place,
                     stream);
}

} // namespace apitest
