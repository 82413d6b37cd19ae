// Results of calls for specmv.hpp: a value, or the status and the sentence of an error. Its classes
// share these.
#ifndef SPECMV_RESULTS_HPP
#define SPECMV_RESULTS_HPP

#include "specmv.h"

#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
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

} // namespace specmv

#endif
