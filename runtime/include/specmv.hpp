// The C API of specmv for C++20: owners in place of handles, spans in place of pointers and sizes,
// results in place of statuses. It adds no code to the library; specmv.h and specmv_expert.h say
// what each call means.
//
//   auto a = specmv::Matrix<double>::csr(rows, cols, rowPtr, col, val); // vectors or spans
//   if (!a) return a.error().detail;
//   auto plan = specmv::Plan<double>::create(*a);
//   if (!plan) return plan.error().detail;
//   plan->multiply(x, y);                 // y = A x, vectors on the host
//   plan->multiply(dx, dy, stream);       // on the device: pointers and a stream
//
//   specmv::PlanOptions options;          // the fields of specmvPlanOptions_t
//   options.updatable = 1;
//   auto other = specmv::Plan<double>::create(*a, options);
//   if (const auto ready = other->ready(); ready.has_value() && *ready) ... // not: if (ready)
//
// Nothing here throws, except value() of a result, if exceptions are on and there is no value: it
// throws specmv::Exception, which has the status.
#ifndef SPECMV_HPP
#define SPECMV_HPP

#include "specmv.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace specmv {

// The error of a failed call: its status, and a sentence with the values at fault.
struct Error {
  specmvStatus_t status = SPECMV_STATUS_SUCCESS;
  std::string detail = {};
};

#if defined(__cpp_exceptions)
// The exception that value() throws: the detail, and the status of the call.
class Exception : public std::runtime_error {
public:
  explicit Exception(const Error &error) : runtime_error(error.detail), status_(error.status) {}
  specmvStatus_t status() const { return status_; }

private:
  specmvStatus_t status_;
};
#endif

// A value, or the reason why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const requires(!std::is_same_v<T, bool>) { return has_value(); }
  // `if (plan->ready())` would test whether the call succeeded, and could be mistaken for its
  // answer: test has_value(), then use the value, *result.
  explicit operator bool() const requires std::is_same_v<T, bool>
  = delete;
  bool has_value() const { return held_.index() == 0; }
  // Call it only if there is a value.
  T &operator*() { return *std::get_if<0>(&held_); }
  const T &operator*() const { return *std::get_if<0>(&held_); }
  T *operator->() { return std::get_if<0>(&held_); }
  const T *operator->() const { return std::get_if<0>(&held_); }
  // Call it only if there is an error.
  const Error &error() const { return *std::get_if<1>(&held_); }
#if defined(__cpp_exceptions)
  T &value() & {
    want();
    return **this;
  }
  const T &value() const & {
    want();
    return **this;
  }
  T value() && {
    want();
    return std::move(**this);
  }

private:
  void want() const {
    if (!has_value())
      throw Exception(error());
  }
#endif

private:
  std::variant<T, Error> held_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  bool has_value() const { return !error_; }
  const Error &error() const { return *error_; }
#if defined(__cpp_exceptions)
  void value() const {
    if (error_)
      throw Exception(*error_);
  }
#endif

private:
  std::optional<Error> error_ = {};
};

namespace detail {

inline Error lastError(specmvStatus_t status) { return {status, specmvGetLastErrorDetail()}; }

inline Result<void> resultOf(specmvStatus_t status) {
  return status == SPECMV_STATUS_SUCCESS ? Result<void>() : Result<void>(lastError(status));
}

inline Error invalid(std::string sentence) {
  return {SPECMV_STATUS_INVALID_VALUE, std::move(sentence)};
}

template <auto destroy> struct Destroy {
  template <class Handle> void operator()(Handle *handle) const { destroy(handle); }
};

template <class T> constexpr specmvDataType_t kDataType = SPECMV_R_64F;
template <> inline constexpr specmvDataType_t kDataType<float> = SPECMV_R_32F;

template <class I>
constexpr specmvIndexType_t kIndexType = sizeof(I) == 4 ? SPECMV_INDEX_32I : SPECMV_INDEX_64I;

} // namespace detail

template <class T>
concept Value = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class I>
concept Index = std::is_integral_v<I> && std::is_signed_v<I> &&(sizeof(I) == 4 || sizeof(I) == 8);

namespace detail {

template <class R>
concept Array = std::ranges::borrowed_range<R> && std::ranges::contiguous_range<R>;
template <class R>
concept Indices = Array<R> && Index<std::ranges::range_value_t<R>>;
template <class R, class T>
concept ArrayOf = Array<R> && std::is_same_v<std::ranges::range_value_t<R>, T>;

// These are errors in an argument that is meant as an array of a matrix of T.
template <class R>
concept Temporary = std::ranges::range<R> && !std::ranges::borrowed_range<R>;
template <class R>
concept Scattered = std::ranges::range<R> && !std::ranges::contiguous_range<R>;
template <class R>
concept OtherIndices = std::ranges::range<R> && std::is_integral_v<std::ranges::range_value_t<R>> &&
    !Index<std::ranges::range_value_t<R>>;
template <class R, class T>
concept OtherValues =
    std::ranges::range<R> && std::is_floating_point_v<std::ranges::range_value_t<R>> &&
    !std::is_same_v<std::ranges::range_value_t<R>, T>;
template <class R, class T>
concept Misfit = Temporary<R> || Scattered<R> || OtherIndices<R> || OtherValues<R, T>;

// Never compiles: a static_assert explains the error instead of a list of overloads.
template <class T, class... Arrays> Error explainMisfit() {
  static_assert(
      !(Temporary<Arrays> || ...),
      "specmv: a matrix refers to its arrays, and this one is a temporary, which would be "
      "gone when a plan is made; store it in a variable that lives as long");
  static_assert(!(Scattered<Arrays> || ...),
                "specmv: an array must be contiguous: std::vector, std::array or a span");
  static_assert(!(OtherIndices<Arrays> || ...),
                "specmv: offsets and indices must be int32_t or int64_t, not unsigned or shorter");
  static_assert(!(OtherValues<Arrays, T> || ...),
                "specmv: the type of the values differs from the T of Matrix<T>");
  return {};
}

// One array of a matrix; name is null if there is no array.
struct Part {
  const void *data = nullptr;
  uint64_t size = 0;
  const char *name = nullptr;
  specmvIndexType_t type = SPECMV_INDEX_32I;

  Part() = default;
  template <std::ranges::contiguous_range R>
  Part(const R &array, const char *itsName)
      : data(std::ranges::data(array)), size(std::ranges::size(array)), name(itsName),
        type(kIndexType<std::ranges::range_value_t<R>>) {}
};

// Reports two arrays of which the second must have `each` elements for each of the first.
inline Error uneven(const Part &index, const Part &other, uint64_t each) {
  return invalid(std::string(index.name) + " has " + std::to_string(index.size) + " elements and " +
                 other.name + " " + std::to_string(other.size) +
                 (each == 1 ? "; both need one for each entry"
                            : "; a block needs " + std::to_string(each) + " values"));
}

// Reports offsets whose number is not one more than the lines; if `of` is not 0, a line is a block
// of that many rows.
inline Error unfit(const Part &offsets, int64_t lines, const char *what, int of) {
  return invalid(std::string(offsets.name) + " has " + std::to_string(offsets.size) +
                 " elements; a matrix of " + std::to_string(lines) + " " + what +
                 (of == 0
                      ? " needs one more than that"
                      : " in blocks of " + std::to_string(of) + " needs one more than these make"));
}

} // namespace detail

// Adds a pack for all plans of the process.
inline Result<void> addPack(const std::string &path) {
  return detail::resultOf(specmvAddPack(path.c_str()));
}

// Frees what a GPU keeps for later plans.
inline Result<void> releaseDevice(int device) {
  return detail::resultOf(specmvReleaseDevice(device));
}

// --- Contexts

struct ContextOptions {
  std::function<void(specmvLogLevel_t, std::string_view)> log = {}; // must not throw
  specmvLogLevel_t logLevel = SPECMV_LOG_WARNING;
  int threads = 0;
  std::optional<std::string> cacheDirectory = {}, packs = {}; // none: as the environment says
  specmvAllocate_t allocate = nullptr; // both or neither; they outlive the plans
  specmvDeallocate_t deallocate = nullptr;
  void *allocatorUser = nullptr;
  std::optional<std::string> gpuModel = {}; // none: as the environment says
};

class Context {
public:
  Context() = default; // has no handle, as after it was moved from
  Context(Context &&) = default;
  // The old handle is destroyed first: until then set-ups beside products call the old function.
  Context &operator=(Context &&other) noexcept {
    handle_ = std::move(other.handle_);
    log_ = std::move(other.log_);
    return *this;
  }
  static Result<Context> create(ContextOptions options = {}) {
    Context out;
    out.log_ = std::make_unique<Log>(std::move(options.log));
    specmvContextOptions_t c = SPECMV_CONTEXT_OPTIONS_INIT;
    c.log = *out.log_ ? tell : nullptr;
    c.logUser = out.log_.get();
    c.logLevel = options.logLevel;
    c.threads = options.threads;
    c.cacheDirectory = options.cacheDirectory ? options.cacheDirectory->c_str() : nullptr;
    c.packs = options.packs ? options.packs->c_str() : nullptr;
    c.allocate = options.allocate;
    c.deallocate = options.deallocate;
    c.allocatorUser = options.allocatorUser;
    c.gpuModel = options.gpuModel ? options.gpuModel->c_str() : nullptr;
    specmvContext_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateContext(&made, &c))
      return detail::lastError(status);
    out.handle_.reset(made);
    return out;
  }
  specmvContext_t get() const { return handle_.get(); }

private:
  using Log = std::function<void(specmvLogLevel_t, std::string_view)>;
  static void tell(void *user, specmvLogLevel_t level, const char *sentence) {
    (*static_cast<Log *>(user))(level, sentence);
  }
  std::unique_ptr<Log> log_ = {}; // outlives the handle, which is destroyed first
  std::unique_ptr<std::remove_pointer_t<specmvContext_t>, detail::Destroy<specmvDestroyContext>>
      handle_ = {};
};

// --- Matrices

// Refers to the caller's arrays, on the host or on a GPU.
template <Value T> class Matrix {
public:
  // From arrays on the host with indices from 0, or from `base`: std::vector, std::array, spans of
  // int32_t or int64_t; offsets and indices may have different types. Temporaries are refused,
  // because they would not exist when a plan is made. Without values only the structure is known:
  // call Plan::updateValues() first.
  template <detail::Indices RowPtr, detail::Indices Col>
  static Result<Matrix> csr(int64_t rows, int64_t cols, RowPtr &&rowPtr, Col &&col, int base = 0) {
    return compressed({SPECMV_FORMAT_CSR, rows, cols, base}, {rowPtr, "rowPtr"}, {col, "col"}, {});
  }
  template <detail::Indices RowPtr, detail::Indices Col, detail::ArrayOf<T> Val>
  static Result<Matrix> csr(int64_t rows, int64_t cols, RowPtr &&rowPtr, Col &&col, Val &&val,
                            int base = 0) {
    return compressed({SPECMV_FORMAT_CSR, rows, cols, base}, {rowPtr, "rowPtr"}, {col, "col"},
                      {val, "val"});
  }
  // From spans only, which braces can make if the type of indices is given: csr<int>(2, 3,
  // {rowPtr}, {col}, {val}). This does not refuse temporaries.
  template <Index I>
  static Result<Matrix> csr(int64_t rows, int64_t cols, std::span<const I> rowPtr,
                            std::span<const I> col, std::span<const T> val) {
    return compressed({SPECMV_FORMAT_CSR, rows, cols}, {rowPtr, "rowPtr"}, {col, "col"},
                      {val, "val"});
  }
  template <detail::Indices ColPtr, detail::Indices Row>
  static Result<Matrix> csc(int64_t rows, int64_t cols, ColPtr &&colPtr, Row &&row, int base = 0) {
    return compressed({SPECMV_FORMAT_CSC, rows, cols, base}, {colPtr, "colPtr"}, {row, "row"}, {});
  }
  template <detail::Indices ColPtr, detail::Indices Row, detail::ArrayOf<T> Val>
  static Result<Matrix> csc(int64_t rows, int64_t cols, ColPtr &&colPtr, Row &&row, Val &&val,
                            int base = 0) {
    return compressed({SPECMV_FORMAT_CSC, rows, cols, base}, {colPtr, "colPtr"}, {row, "row"},
                      {val, "val"});
  }
  // Row and column of each entry, in any order; both arrays have the same type.
  template <detail::Indices Row, detail::Indices Col>
  static Result<Matrix> coo(int64_t rows, int64_t cols, Row &&row, Col &&col, int base = 0) {
    return triplets({SPECMV_FORMAT_COO, rows, cols, base}, {row, "row"}, {col, "col"}, {});
  }
  template <detail::Indices Row, detail::Indices Col, detail::ArrayOf<T> Val>
  static Result<Matrix> coo(int64_t rows, int64_t cols, Row &&row, Col &&col, Val &&val,
                            int base = 0) {
    return triplets({SPECMV_FORMAT_COO, rows, cols, base}, {row, "row"}, {col, "col"},
                    {val, "val"});
  }
  // Blocks of blockRows x blockCols values, row by row or, with byColumn, column by column. rows
  // and cols are those of the matrix; rowPtr and col refer to blocks.
  struct Blocks {
    int rows, cols;
    bool byColumn = false;
  };
  template <detail::Indices RowPtr, detail::Indices Col>
  static Result<Matrix> bsr(int64_t rows, int64_t cols, Blocks blocks, RowPtr &&rowPtr, Col &&col,
                            int base = 0) {
    return compressed({SPECMV_FORMAT_BSR, rows, cols, base, blocks}, {rowPtr, "rowPtr"},
                      {col, "col"}, {});
  }
  template <detail::Indices RowPtr, detail::Indices Col, detail::ArrayOf<T> Val>
  static Result<Matrix> bsr(int64_t rows, int64_t cols, Blocks blocks, RowPtr &&rowPtr, Col &&col,
                            Val &&val, int base = 0) {
    return compressed({SPECMV_FORMAT_BSR, rows, cols, base, blocks}, {rowPtr, "rowPtr"},
                      {col, "col"}, {val, "val"});
  }
  // These explain wrong arguments in a sentence.
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> csr(int64_t, int64_t,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> csc(int64_t, int64_t,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> coo(int64_t, int64_t,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  template <class... Arrays>
  requires(detail::Misfit<Arrays, T> || ...) static Result<Matrix> bsr(int64_t, int64_t, Blocks,
                                                                       Arrays &&...) {
    return detail::explainMisfit<T, Arrays...>();
  }
  // CSR on the host or on a GPU.
  template <Index I>
  static Result<Matrix> csr(int64_t rows, int64_t cols, int64_t nnz, const I *rowPtr, const I *col,
                            const T *val) {
    specmvMatrix_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateCsr(&made, rows, cols, nnz, rowPtr, col, val,
                                                      detail::kIndexType<I>, detail::kDataType<T>))
      return detail::lastError(status);
    return Matrix(made, rows, cols, nnz);
  }
  // From any layout. dataType is set to that of T.
  static Result<Matrix> create(specmvMatrixDescription_t description) {
    description.dataType = detail::kDataType<T>;
    specmvMatrix_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateMatrix(&made, &description))
      return detail::lastError(status);
    return Matrix(made, description.rows, description.cols, description.nnz);
  }

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t nnz() const { return nnz_; }
  specmvMatrix_t get() const { return handle_.get(); }

private:
  // The properties of a layout besides its arrays.
  struct Form {
    specmvFormat_t format;
    int64_t rows, cols;
    int base = 0;
    Blocks blocks = {1, 1};

    specmvMatrixDescription_t description() const {
      specmvMatrixDescription_t out = SPECMV_MATRIX_DESCRIPTION_INIT;
      out.format = format, out.rows = rows, out.cols = cols, out.indexBase = base;
      if (format == SPECMV_FORMAT_BSR)
        out.blockRows = blocks.rows, out.blockCols = blocks.cols,
        out.blocksByColumn = blocks.byColumn;
      return out;
    }
    // The number of values for each index; 0 if that is impossible.
    uint64_t valuesOfIndex() const {
      return blocks.rows > 0 && blocks.cols > 0
                 ? static_cast<uint64_t>(blocks.rows) * static_cast<uint64_t>(blocks.cols)
                 : 0;
    }
  };
  static Result<Matrix> withValues(specmvMatrixDescription_t description, const Form &form,
                                   detail::Part index, detail::Part val) {
    const uint64_t of = form.valuesOfIndex(), needed = index.size * of;
    if (val.name && (of == 0 || val.size != needed))
      return detail::uneven(index, val, of);
    description.nnz = static_cast<int64_t>(needed);
    description.values = val.data;
    return create(description);
  }
  static Result<Matrix> compressed(const Form &form, detail::Part offsets, detail::Part index,
                                   detail::Part val) {
    const bool isCsc = form.format == SPECMV_FORMAT_CSC;
    const int64_t lines = isCsc                  ? form.cols
                          : form.blocks.rows > 0 ? form.rows / form.blocks.rows
                                                 : -1;
    if (lines < 0 || offsets.size != static_cast<uint64_t>(lines) + 1)
      return detail::unfit(offsets, isCsc ? form.cols : form.rows, isCsc ? "columns" : "rows",
                           form.format == SPECMV_FORMAT_BSR ? form.blocks.rows : 0);
    specmvMatrixDescription_t description = form.description();
    description.offsetType = offsets.type, description.indexType = index.type;
    description.offsets = offsets.data;
    (isCsc ? description.rowIndices : description.colIndices) = index.data;
    return withValues(description, form, index, val);
  }
  static Result<Matrix> triplets(const Form &form, detail::Part row, detail::Part col,
                                 detail::Part val) {
    if (row.size != col.size)
      return detail::uneven(row, col, 1);
    if (row.type != col.type)
      return detail::invalid("row and col have indices of 4 and of 8 bytes; both need one size");
    specmvMatrixDescription_t description = form.description();
    description.indexType = row.type;
    description.rowIndices = row.data, description.colIndices = col.data;
    return withValues(description, form, col, val);
  }

  Matrix(specmvMatrix_t made, int64_t rows, int64_t cols, int64_t nnz)
      : handle_(made), rows_(rows), cols_(cols), nnz_(nnz) {}
  std::unique_ptr<std::remove_pointer_t<specmvMatrix_t>, detail::Destroy<specmvDestroyMatrix>>
      handle_;
  int64_t rows_, cols_, nnz_;
};

// --- Plans

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

// --- Fused steps

// A step of a plan whose vectors are of V, such as
//
//   auto step = specmv::FusedStep<double>::create(plan, SPECMV_FUSED_CG_UPDATE);
//   if (!step) return step.error().detail;
//   step->run({r, z, q, d}, {}, {rz, pq, rzNew, rr}, stream);
//
// Destroy it before its plan, as a variable that is declared after the plan is.
template <Value V> class FusedStep {
public:
  template <Value T>
  static Result<FusedStep> create(const Plan<T, V> &plan, const specmvFusion_t &fusion) {
    specmvFused_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateFused(&made, plan.get(), &fusion))
      return detail::lastError(status);
    return FusedStep(made, fusion);
  }
  // Puts the step on the stream: an address in GPU memory for each of the fusion's `vectors`, a
  // number for each of its `scalars`, and an address in GPU memory for each of its `gpuScalars` and
  // then of its `sums`. What the step does not write may be const.
  Result<void> run(std::span<const V *const> vectors, std::span<const V> scalars,
                   std::span<const V *const> onGpu, void *stream) {
    if (vectors.size() != vectors_ || scalars.size() != scalars_ || onGpu.size() != onGpu_)
      return detail::invalid(counted(vectors.size(), scalars.size(), onGpu.size(), " were given") +
                             "; the step needs " + counted(vectors_, scalars_, onGpu_, ""));
    Pointers ofVectors{}, ofNumbers{};
    for (size_t k = 0; k < vectors.size(); ++k)
      ofVectors[k] = const_cast<V *>(vectors[k]);
    for (size_t k = 0; k < scalars.size(); ++k)
      ofNumbers[k] = const_cast<V *>(&scalars[k]);
    for (size_t k = 0; k < onGpu.size(); ++k)
      ofNumbers[scalars.size() + k] = const_cast<V *>(onGpu[k]);
    return detail::resultOf(
        specmvExecuteFused(handle_.get(), ofVectors.data(), ofNumbers.data(), stream));
  }
  // Takes lists in braces.
  Result<void> run(std::initializer_list<const V *> vectors, std::initializer_list<V> scalars,
                   std::initializer_list<const V *> onGpu, void *stream) {
    return run(std::span<const V *const>(vectors.begin(), vectors.size()),
               std::span<const V>(scalars.begin(), scalars.size()),
               std::span<const V *const>(onGpu.begin(), onGpu.size()), stream);
  }
  specmvFused_t get() const { return handle_.get(); }

private:
  using Pointers = std::array<void *, 12>; // 8 scalars and 4 sums, or 8 vectors
  // The number of names in a list of a step that was made, so that they are right.
  static size_t namesIn(const char *list) {
    const std::string_view names = list ? list : "";
    return names.empty() ? 0 : 1 + static_cast<size_t>(std::ranges::count(names, ','));
  }
  static std::string counted(size_t vectors, size_t scalars, size_t onGpu, const char *verb) {
    return std::to_string(vectors) + " vectors, " + std::to_string(scalars) + " scalars and " +
           std::to_string(onGpu) + " scalars or sums on the GPU" + verb;
  }
  FusedStep(specmvFused_t made, const specmvFusion_t &fusion)
      : handle_(made), vectors_(namesIn(fusion.vectors)), scalars_(namesIn(fusion.scalars)),
        onGpu_(namesIn(fusion.gpuScalars) + namesIn(fusion.sums)) {}
  std::unique_ptr<std::remove_pointer_t<specmvFused_t>, detail::Destroy<specmvDestroyFused>>
      handle_;
  size_t vectors_, scalars_, onGpu_;
};

} // namespace specmv

#endif
