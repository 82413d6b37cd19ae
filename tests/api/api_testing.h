// Utilities for the tests of the C API: a matrix in plain vectors, its product computed naively,
// and handles that destroy themselves.
#pragma once

#include "specmv.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

namespace apitest {

template <class Index, class Value> struct Csr {
  int64_t rows = 0, cols = 0;
  std::vector<Index> rowPtr{0};
  std::vector<Index> col;
  std::vector<Value> val;
};

// y = alpha A x + beta y by the definition. If beta is 0, y is not read.
template <class Index, class Value>
std::vector<Value> naiveProduct(const Csr<Index, Value> &a, Value alpha,
                                const std::vector<Value> &x, Value beta, std::vector<Value> y) {
  for (int64_t i = 0; i < a.rows; ++i) {
    Value sum = 0;
    for (Index k = a.rowPtr[i]; k < a.rowPtr[i + 1]; ++k)
      sum += a.val[k] * x[a.col[k]];
    y[i] = alpha * sum + (beta == 0 ? Value(0) : beta * y[i]);
  }
  return y;
}

// A small generator of our own (Knuth's MMIX constants), so that every machine gets the same
// numbers.
struct Dice {
  uint64_t state = 1;
  int64_t below(int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(n));
  }
};

// Makes rows of 0 .. 2 mean entries in random columns, unsorted and often repeated, with integer
// values whose products are exact in either type.
template <class Index, class Value>
Csr<Index, Value> randomCsr(int64_t rows, int64_t cols, int64_t mean, uint64_t seed = 1) {
  Dice dice{seed};
  Csr<Index, Value> a{rows, cols, {0}, {}, {}};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t left = cols > 0 ? dice.below(2 * mean + 1) : 0; left > 0; --left) {
      a.col.push_back(static_cast<Index>(dice.below(cols)));
      a.val.push_back(static_cast<Value>(dice.below(9) - 4));
    }
    a.rowPtr.push_back(static_cast<Index>(a.col.size()));
  }
  return a;
}

template <class Value> std::vector<Value> integers(int64_t count, uint64_t seed) {
  Dice dice{seed};
  std::vector<Value> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<Value>(dice.below(15) - 7));
  return out;
}

inline specmvPlanOptions_t optionsOf(specmvTarget_t target, const char *formats = nullptr) {
  specmvPlanOptions_t options{};
  options.structSize = sizeof options;
  options.target = target;
  options.formats = formats;
  return options;
}
inline specmvPlanOptions_t hostOptions() { return optionsOf(SPECMV_TARGET_HOST); }
// These plans compile on the host, for tests of the environment of a compilation.
inline specmvPlanOptions_t compilingHostOptions() {
  specmvPlanOptions_t options = hostOptions();
  options.compileOnHost = 1;
  return options;
}

// 4 on the diagonal and -0.1 beside it.
inline Csr<int32_t, double> tridiagonal(int32_t n) {
  Csr<int32_t, double> a;
  a.rows = a.cols = n;
  a.rowPtr = {0};
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      a.col.push_back(j);
      a.val.push_back(i == j ? 4 : -0.1);
    }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

// A 3 x 4 matrix with an empty row in the middle, from which every test of arguments starts.
inline Csr<int32_t, double> smallCsr() { return {3, 4, {0, 2, 2, 4}, {3, 0, 1, 2}, {1, 2, 3, 4}}; }

template <class Index, class Value>
specmvStatus_t create(specmvMatrix_t *matrix, const Csr<Index, Value> &a) {
  return specmvCreateCsr(matrix, a.rows, a.cols, static_cast<int64_t>(a.col.size()),
                         a.rowPtr.data(), a.col.data(), a.val.data(),
                         sizeof(Index) == 4 ? SPECMV_INDEX_32I : SPECMV_INDEX_64I,
                         std::is_same_v<Value, float> ? SPECMV_R_32F : SPECMV_R_64F);
}

class Matrix {
public:
  template <class Index, class Value> explicit Matrix(const Csr<Index, Value> &a) {
    REQUIRE(create(&handle_, a) == SPECMV_STATUS_SUCCESS);
  }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;
  ~Matrix() { specmvDestroyMatrix(handle_); }
  operator specmvMatrix_t() const { return handle_; }

private:
  specmvMatrix_t handle_ = nullptr;
};

class Plan {
public:
  explicit Plan(specmvMatrix_t a, const specmvPlanOptions_t &options = hostOptions()) {
    const specmvStatus_t status = specmvCreatePlan(&handle_, a, &options);
    INFO(std::string(specmvGetLastErrorDetail()));
    REQUIRE(status == SPECMV_STATUS_SUCCESS);
  }
  template <class Index, class Value>
  explicit Plan(const Csr<Index, Value> &a, const specmvPlanOptions_t &options = hostOptions())
      : Plan(Matrix(a), options) {}
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  ~Plan() { specmvDestroyPlan(handle_); }
  operator specmvPlan_t() const { return handle_; }

private:
  specmvPlan_t handle_ = nullptr;
};

class Context {
public:
  explicit Context(const specmvContextOptions_t &options) {
    REQUIRE(specmvCreateContext(&handle_, &options) == SPECMV_STATUS_SUCCESS);
  }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context() { destroy(); }
  void destroy() { specmvDestroyContext(std::exchange(handle_, nullptr)); }
  operator specmvContext_t() const { return handle_; }

private:
  specmvContext_t handle_ = nullptr;
};

// Returns the text of a plan.
inline std::string planTextOf(specmvPlan_t plan) {
  const char *text = nullptr;
  REQUIRE(specmvGetPlanText(plan, &text) == SPECMV_STATUS_SUCCESS);
  return text;
}

inline std::string detail() { return specmvGetLastErrorDetail(); }

// Returns true if the detail of the last failure contains the text.
inline bool detailHas(const std::string &text) { return detail().find(text) != std::string::npos; }

// Makes a plan and multiplies in a child process, which `prepare` changes permanently. Returns the
// status, or -1 if the child died.
inline int statusInChild(const Csr<int32_t, double> &a, const std::function<void()> &prepare) {
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<double> x(a.cols, 1.0);
    std::vector<double> y(a.rows);
    const double one = 1;
    prepare();
    specmvMatrix_t m = nullptr;
    specmvPlan_t plan = nullptr;
    const specmvPlanOptions_t options = compilingHostOptions();
    specmvStatus_t status = create(&m, a);
    if (status == SPECMV_STATUS_SUCCESS)
      status = specmvCreatePlan(&plan, m, &options);
    if (status == SPECMV_STATUS_SUCCESS)
      status = specmvExecute(plan, &one, x.data(), &one, y.data(), nullptr);
    _exit(status);
  }
  int how = 0;
  waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

// Options of a plan on the GPU.
inline specmvPlanOptions_t gpuOptions(const char *format, bool updatable) {
  specmvPlanOptions_t options = optionsOf(SPECMV_TARGET_GPU, format);
  options.updatable = updatable;
  return options;
}

inline std::string jsonOf(specmvPlan_t plan) {
  const char *text = nullptr;
  REQUIRE(specmvGetPlanJson(plan, &text) == SPECMV_STATUS_SUCCESS);
  return text;
}

} // namespace apitest
