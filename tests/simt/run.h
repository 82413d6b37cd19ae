// A case of the table in the executor's memory, and the numbers that tests multiply.
#pragma once

#include "models/base/error.h"
#include "tests/simt/cases.h"
#include "tests/simt/registry.h"
#include "tests/simt/runner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace specmv::simt {

// Streams of numbers, so that A, x and y differ.
enum Stream : uint64_t { values, vectorX, vectorY, vectorZ };

inline std::vector<double> integers(Stream stream, int64_t count) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(integerNumber(stream, static_cast<uint64_t>(i)));
  return out;
}

// Numbers that float can hold only as subnormals, of the size of 1e-40: integers times 2^-133.
inline std::vector<double> subnormals(Stream stream, int64_t count) {
  std::vector<double> out = integers(stream, count);
  for (double &v : out)
    v *= 0x1p-133;
  return out;
}

inline std::vector<double> reals(Stream stream, int64_t count, ValueType type) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(realNumber(stream, static_cast<uint64_t>(i), type));
  return out;
}

inline std::vector<double> integerValues(const TestMatrix &a) {
  std::vector<double> out = integers(values, a.nnz());
  for (size_t e = 0; a.explicitZeros && e < out.size(); e += 3)
    out[e] = 0;
  return out;
}

// Any NaN is equal to any other: which sign it has depends on the order in which the host's
// compiler multiplies, while a GPU makes only one kind.
inline bool haveSameBits(const std::vector<double> &a, const std::vector<double> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double l, double r) {
    return (std::isnan(l) && std::isnan(r)) ||
           std::bit_cast<uint64_t>(l) == std::bit_cast<uint64_t>(r);
  });
}

// Calls f with the matrix and its values in the type.
template <class F>
auto withView(const TestMatrix &a, ValueType type, const std::vector<double> &entries, F &&f) {
  const std::vector<float> narrow(entries.begin(), entries.end());
  const void *data = type == ValueType::f32 ? static_cast<const void *>(narrow.data())
                                            : static_cast<const void *>(entries.data());
  return f(a.view(type, data));
}

inline llvm::Expected<Layout> layoutOf(const TestCase &test) {
  const auto pack = [&](const CsrView &view) {
    return test.format->layout(view, test.plan.plan, test.problem);
  };
  return withView(*test.matrix, test.problem.type, integerValues(*test.matrix), pack);
}

// A matrix with its values, packed for a plan and loaded into the executor.
class Run {
public:
  Run(const TestCase &test, Layout packed)
      : test(test), a(*test.matrix), type(vectorTypeOf(test.problem)), own(integerValues(a)),
        layout_(std::move(packed)),
        steps_(test.format->stepsFor(test.kernelPlan(), test.problem, layout_)),
        loaded_(layout_, a.rows, a.cols, test.problem) {}

  void setValues(const std::vector<double> &changed) {
    own = changed;
    withView(a, test.problem.type, own, [&](const CsrView &view) { storeValues(layout_, view); });
    loaded_.updateValues(layout_);
  }

  std::vector<double> multiply(double alpha, double beta, const std::vector<double> &x,
                               const std::vector<double> &y, unsigned seed) {
    Product product{alpha, beta, x, y};
    const std::string finding = loaded_.multiply(steps_, hashOf(test.source), product, seed);
    CHECK_MESSAGE(finding.empty(), finding, ", seed ", seed);
    return product.y;
  }

  // Multiplies several vectors; the product says where their values lie.
  std::vector<double> multiply(Product product, unsigned seed) {
    const Steps steps = test.format->several->steps(test.kernelPlan(), test.problem, layout_);
    const std::string finding = loaded_.multiplySeveral(steps, hashOf(test.source), product, seed);
    CHECK_MESSAGE(finding.empty(), finding, ", seed ", seed);
    return std::move(product.y);
  }

  const TestCase &test;
  const TestMatrix &a;
  const ValueType type; // of x and y
  std::vector<double> own;

private:
  Layout layout_;
  Steps steps_;
  Loaded loaded_;
};

// Packs the case with its integer values; returns nothing, and fails a check, if its matrix is
// refused.
inline std::optional<Layout> checkedLayout(const TestCase &test) {
  llvm::Expected<Layout> layout = layoutOf(test);
  if (layout)
    return std::move(*layout);
  FAIL_CHECK("refused what plans() offers: ", describe(layout.takeError()).second);
  return std::nullopt;
}

} // namespace specmv::simt
