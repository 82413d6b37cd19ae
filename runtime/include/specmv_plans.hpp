// Plans and their products for specmv.hpp, which says what all classes have in common.
#ifndef SPECMV_PLANS_HPP
#define SPECMV_PLANS_HPP

#include "specmv_contexts.hpp"
#include "specmv_matrices.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace specmv {

// The fields of specmvPlanOptions_t, with its defaults.
struct PlanOptions : specmvPlanOptions_t {
  PlanOptions() : specmvPlanOptions_t SPECMV_PLAN_OPTIONS_INIT {}
};

// A plan for a matrix of T and vectors of V: the same type, or double for a matrix in float.
template <Value T, Value V = T> class Plan {
  static constexpr bool kWidens = !std::is_same_v<T, V>;
  static_assert(!kWidens || std::is_same_v<V, double>,
                "vectors are of the matrix's type, or double");

public:
  static Result<Plan> create(const Matrix<T> &matrix, const PlanOptions &options = {}) {
    const bool isTransposed = options.operation == SPECMV_OPERATION_TRANSPOSE;
    auto own = optionsOf(options);
    if (!own)
      return own.error();
    specmvPlan_t made = nullptr;
    if (const specmvStatus_t status = specmvCreatePlan(&made, matrix.get(), &*own))
      return detail::lastError(status);
    return Plan(made, isTransposed ? matrix.cols() : matrix.rows(),
                isTransposed ? matrix.rows() : matrix.cols(), matrix.nnz());
  }

  // Predicts what create() would make.
  static Result<specmvPlanEstimate_t> estimate(const Matrix<T> &matrix,
                                               const PlanOptions &options = {}) {
    auto own = optionsOf(options);
    if (!own)
      return own.error();
    specmvPlanEstimate_t out = SPECMV_PLAN_ESTIMATE_INIT;
    if (const specmvStatus_t status = specmvEstimatePlan(&out, matrix.get(), &*own))
      return detail::lastError(status);
    return out;
  }

  // Computes y = alpha A x + beta y with vectors on the host; y is ready on return.
  Result<void> multiply(std::span<const V> x, std::span<V> y, V alpha = 1, V beta = 0) {
    if (x.size() != static_cast<uint64_t>(ofX_) || y.size() != static_cast<uint64_t>(ofY_))
      return detail::invalid("x has " + std::to_string(x.size()) + " elements and y " +
                             std::to_string(y.size()) + "; the plan needs " + std::to_string(ofX_) +
                             " and " + std::to_string(ofY_));
    return detail::resultOf(
        specmvExecute(handle_.get(), &alpha, x.data(), &beta, y.data(), nullptr));
  }
  // Does so in order on a stream (CUstream or cudaStream_t), with vectors on the plan's GPU.
  Result<void> multiply(const V *x, V *y, void *stream, V alpha = 1, V beta = 0) {
    return detail::resultOf(specmvExecute(handle_.get(), &alpha, x, &beta, y, stream));
  }
  // Computes z = alpha A x + beta y without changing y; a plan with the option resultApart saves a
  // copy. On the host, z is ready on return; otherwise it is in order on a stream.
  Result<void> multiplyInto(std::span<const V> x, std::span<const V> y, std::span<V> z, V alpha = 1,
                            V beta = 0) {
    const auto ofY = static_cast<uint64_t>(ofY_);
    if (x.size() != static_cast<uint64_t>(ofX_) || y.size() != ofY || z.size() != ofY)
      return detail::invalid("x has " + std::to_string(x.size()) + " elements, y " +
                             std::to_string(y.size()) + " and z " + std::to_string(z.size()) +
                             "; the plan needs " + std::to_string(ofX_) + ", " +
                             std::to_string(ofY_) + " and " + std::to_string(ofY_));
    return multiplyInto(x.data(), y.data(), z.data(), nullptr, alpha, beta);
  }
  Result<void> multiplyInto(const V *x, const V *y, V *z, void *stream, V alpha = 1, V beta = 0) {
    return detail::resultOf(specmvExecuteInto(handle_.get(), &alpha, x, &beta, y, z, stream));
  }
  // Multiplies several vectors at once, by a plan that was made with the option `vectors`: Y =
  // alpha A X + beta Y on the host. X and Y have rows of `count` values, or vectors one after
  // another, without gaps.
  Result<void> multiplySeveral(int64_t count, std::span<const V> X, std::span<V> Y,
                               specmvOrder_t order = SPECMV_ORDER_ROW, V alpha = 1, V beta = 0) {
    const auto fits = [count](size_t size, int64_t length) {
      return count <= 0 || length == 0
                 ? size == 0
                 : size % static_cast<uint64_t>(length) == 0 &&
                       size / static_cast<uint64_t>(length) == static_cast<uint64_t>(count);
    };
    if (!fits(X.size(), ofX_) || !fits(Y.size(), ofY_))
      return detail::invalid("X has " + std::to_string(X.size()) + " elements and Y " +
                             std::to_string(Y.size()) + "; " + std::to_string(count) +
                             " vectors need that many times " + std::to_string(ofX_) + " and " +
                             std::to_string(ofY_));
    const bool areRows = order == SPECMV_ORDER_ROW;
    return multiplySeveral(count, X.data(), areRows ? count : ofX_, Y.data(),
                           areRows ? count : ofY_, order, nullptr, alpha, beta);
  }
  // Does so in order on a stream, with leading dimensions, as in specmvExecuteMulti().
  Result<void> multiplySeveral(int64_t count, const V *X, int64_t ldX, V *Y, int64_t ldY,
                               specmvOrder_t order, void *stream, V alpha = 1, V beta = 0) {
    return detail::resultOf(
        specmvExecuteMulti(handle_.get(), count, &alpha, X, ldX, &beta, Y, ldY, order, stream));
  }
  // New values in the order of the matrix: on the host ...
  Result<void> updateValues(std::span<const T> val, void *stream = nullptr) {
    if (val.size() != static_cast<uint64_t>(nnz_))
      return detail::invalid("val has " + std::to_string(val.size()) +
                             " elements; the matrix has " + std::to_string(nnz_) + " entries");
    return updateValues(val.data(), stream);
  }
  // ... or on either side.
  Result<void> updateValues(const T *val, void *stream) {
    return detail::resultOf(specmvUpdateValues(handle_.get(), val, stream));
  }

  // Returns true if the set-up has ended: *ready(), if ready().has_value().
  Result<bool> ready() {
    int ready = 0;
    if (const specmvStatus_t status = specmvPlanReady(handle_.get(), &ready))
      return detail::lastError(status);
    return ready != 0;
  }
  Result<void> wait() { return detail::resultOf(specmvPlanWait(handle_.get())); }
  // Returns true if the set-up ended within that time; then everything is as after wait().
  Result<bool> waitFor(std::chrono::milliseconds time) {
    const auto most = std::chrono::milliseconds(std::numeric_limits<int>::max());
    int ready = 0;
    if (const specmvStatus_t status = specmvPlanWaitFor(
            handle_.get(), static_cast<int>(time < most ? time.count() : most.count()), &ready))
      return detail::lastError(status);
    return ready != 0;
  }
  Result<void> cancel() { return detail::resultOf(specmvPlanCancel(handle_.get())); }

  // Destroys it without waiting for products on this stream; call nothing else on it afterwards.
  Result<void> destroyOn(void *stream) {
    const specmvStatus_t status = specmvDestroyPlanAsync(handle_.get(), stream);
    if (status == SPECMV_STATUS_SUCCESS)
      (void)handle_.release();
    return detail::resultOf(status);
  }

  // These are "" if memory runs out.
  std::string text() const { return said(specmvGetPlanText); }
  std::string report() const { return said(specmvGetPlanReport); }
  std::string json() const { return said(specmvGetPlanJson); }
  bool isOnGpu() const {
    specmvTarget_t target = SPECMV_TARGET_HOST;
    return specmvGetPlanTarget(handle_.get(), &target) == SPECMV_STATUS_SUCCESS &&
           target == SPECMV_TARGET_GPU;
  }
  // The memory that it uses where its products run.
  int64_t bytes() const {
    int64_t bytes = 0;
    specmvGetPlanSetup(handle_.get(), nullptr, &bytes);
    return bytes;
  }
  double setupMilliseconds() const {
    double milliseconds = 0;
    specmvGetPlanSetup(handle_.get(), &milliseconds, nullptr);
    return milliseconds;
  }
  // The lengths of x and y, the number of values for updateValues(), and the number of vectors that
  // kernels take at once.
  int64_t cols() const { return ofX_; }
  int64_t rows() const { return ofY_; }
  int64_t nnz() const { return nnz_; }
  int64_t vectors() const {
    specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT;
    specmvGetPlanShape(handle_.get(), &shape);
    return shape.vectors;
  }
  // Takes ownership of a plan that was made elsewhere; its types must be T and V.
  static Result<Plan> adopt(specmvPlan_t made) {
    specmvPlanShape_t shape = SPECMV_PLAN_SHAPE_INIT;
    if (const specmvStatus_t status = specmvGetPlanShape(made, &shape))
      return detail::lastError(status);
    if (shape.dataType != detail::kDataType<T> || shape.vectorType != detail::kDataType<V>)
      return detail::invalid("the plan's data types are " + std::to_string(shape.dataType) +
                             " and, of vectors, " + std::to_string(shape.vectorType) + ", not " +
                             std::to_string(detail::kDataType<T>) + " and " +
                             std::to_string(detail::kDataType<V>));
    return Plan(made, shape.rows, shape.cols, shape.nnz);
  }
  // Gets the plan's order: its row i is row rows[i] of the matrix, its column j is column
  // columns[j] (specmvGetPermutation()). An empty span is not filled.
  Result<void> permutation(std::span<int64_t> rows, std::span<int64_t> columns) {
    const auto fits = [](size_t size, int64_t length) {
      return size == 0 || size == static_cast<uint64_t>(length);
    };
    if (!fits(rows.size(), ofY_) || !fits(columns.size(), ofX_))
      return detail::invalid("rows has " + std::to_string(rows.size()) + " elements and columns " +
                             std::to_string(columns.size()) + "; the plan has " +
                             std::to_string(ofY_) + " rows and " + std::to_string(ofX_) +
                             " columns");
    return detail::resultOf(specmvGetPermutation(handle_.get(),
                                                 rows.empty() ? nullptr : rows.data(),
                                                 columns.empty() ? nullptr : columns.data()));
  }
  // Working memory of products with several vectors: its size, and using the caller's instead of
  // the plan's own.
  int64_t workspaceBytes() const {
    int64_t bytes = 0;
    specmvGetPlanWorkspace(handle_.get(), &bytes);
    return bytes;
  }
  Result<void> setWorkspace(void *workspace, int64_t bytes) {
    return detail::resultOf(specmvSetPlanWorkspace(handle_.get(), workspace, bytes));
  }
  specmvPlan_t get() const { return handle_.get(); }

private:
  static Result<PlanOptions> optionsOf(PlanOptions options) {
    if (options.doubleVectors && std::is_same_v<V, float>)
      return detail::invalid("doubleVectors is for a Plan<float, double>");
    options.doubleVectors = kWidens;
    return options;
  }
  Plan(specmvPlan_t made, int64_t ofY, int64_t ofX, int64_t nnz)
      : handle_(made), ofY_(ofY), ofX_(ofX), nnz_(nnz) {}
  std::string said(specmvStatus_t (*ask)(specmvPlan_t, const char **)) const {
    const char *text = nullptr;
    return ask(handle_.get(), &text) == SPECMV_STATUS_SUCCESS ? text : "";
  }
  std::unique_ptr<std::remove_pointer_t<specmvPlan_t>, detail::Destroy<specmvDestroyPlan>> handle_;
  int64_t ofY_, ofX_, nnz_;
};

} // namespace specmv

#endif
