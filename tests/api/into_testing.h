// Checks z = alpha A x + beta y through the C API, on the host or on a GPU, with vectors of the
// matrix's type or in double. z is apart from y or in place, x may be y, and some y are not read.
#pragma once

#include "tests/api/several_testing.h"

namespace apitest {

template <class To, class Index, class From>
Csr<Index, To> withValuesIn(const Csr<Index, From> &a) {
  return {a.rows, a.cols, a.rowPtr, a.col, {a.val.begin(), a.val.end()}};
}

// Integers. In double they have bits that float does not hold, yet their sums are exact.
template <class Value> std::vector<Value> exactNumbers(int64_t count, uint64_t seed) {
  std::vector<Value> out = integers<Value>(count, seed);
  if constexpr (sizeof(Value) == 8)
    for (size_t i = 0; i < out.size(); ++i)
      out[i] += static_cast<double>(i % 3) * 0x1p-30;
  return out;
}

// A vector of the caller at the given place.
template <class Value> struct Placed {
  std::vector<Value> values;
  const VectorPlace &place;
  std::shared_ptr<void> at;

  Placed(std::vector<Value> given, const VectorPlace &place)
      : values(std::move(given)), place(place),
        at(place.give(values.data(), values.size() * sizeof(Value))) {}
  const std::vector<Value> &taken() {
    place.take(values.data(), at.get(), values.size() * sizeof(Value));
    return values;
  }
};

// Checks products of a plan of `a`, whose vectors have the type Value.
template <class Value, class Index, class Stored>
void checkInto(specmvPlan_t plan, const Csr<Index, Stored> &a, const VectorPlace &place,
               void *stream = nullptr) {
  const Csr<Index, Value> wide = withValuesIn<Value>(a);
  const auto expectedOf = [&](Value alpha, const std::vector<Value> &x, Value beta,
                              const std::vector<Value> &y) {
    return naiveProduct(wide, alpha, x, beta, y);
  };
  // One element more than needed, so that no pointer is null.
  Placed<Value> x(exactNumbers<Value>(a.cols + 1, 5), place),
      y(exactNumbers<Value>(a.rows + 1, 6), place), z(integers<Value>(a.rows + 1, 7), place);
  const auto multiply = [&](Value alpha, Value beta, const void *vx, const void *vy, void *vz) {
    const specmvStatus_t status = specmvExecuteInto(plan, &alpha, vx, &beta, vy, vz, stream);
    INFO(detail());
    CHECK(status == SPECMV_STATUS_SUCCESS);
  };
  const std::vector<Value> before = y.values, untouched = z.values;
  const auto withLast = [&](std::vector<Value> product, const std::vector<Value> &of) {
    product.resize(static_cast<size_t>(a.rows));
    product.push_back(of.back());
    return product;
  };
  for (const auto &[alpha, beta] : {std::pair<Value, Value>(-1, 1), {2, -3}, {0, 1}}) {
    multiply(alpha, beta, x.at.get(), y.at.get(), z.at.get());
    CHECK(z.taken() == withLast(expectedOf(alpha, x.values, beta, before), untouched));
    CHECK(y.taken() == before);
  }
  multiply(3, 0, x.at.get(), nullptr, z.at.get());
  CHECK(z.taken() == withLast(expectedOf(3, x.values, 0, before), untouched));
  if (a.rows == a.cols) {
    multiply(2, 5, x.at.get(), x.at.get(), z.at.get());
    CHECK(z.taken() == withLast(expectedOf(2, x.values, 5, x.values), untouched));
  }
  multiply(2, -3, x.at.get(), y.at.get(), y.at.get());
  CHECK(y.taken() == withLast(expectedOf(2, x.values, -3, before), before));
}

} // namespace apitest
