// Checks the arguments of the C API: options, addresses, scalars and vectors.
#pragma once

#include "models/base/error.h"
#include "runtime/api/handles.h"
#include "runtime/include/specmv.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace specmv {

// --- Options -------------------------------------------------------------------------------------

// The options of plans, as callers of any version pass them.

// Copies an options structure of any version into this version's; missing fields are 0.
llvm::Expected<specmvPlanOptions_t> completeOptions(const specmvPlanOptions_t *given);

// Splits a list at its commas into names, which may stand between blanks. An empty name stays in it
// and is refused later.
std::vector<std::string> namesOf(const char *list);

// --- Arguments -----------------------------------------------------------------------------------

// Checks the arguments of the C API.

// Ensures that byte counts fit in 64 bits; no machine has memory for more.
constexpr int64_t kMaxDimension = int64_t{1} << 48;

// Returns the number that a caller passed as a C enum. The number may have no name in the enum, and
// C++ must not load it as that enum then, so its bytes are copied.
template <class E> int numberOf(const E &value) {
  static_assert(sizeof(E) == sizeof(int));
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

template <class E> llvm::Error wantEnum(const E &value, int last, const char *name) {
  const int number = numberOf(value);
  return number >= 0 && number <= last
             ? llvm::Error::success()
             : fail(Status::badCall, "{0} = {1} is not a valid value (0..{2})", name, number, last);
}

inline llvm::Error wantDataType(const specmvDataType_t &type) {
  const int number = numberOf(type);
  if (number == SPECMV_C_32F || number == SPECMV_C_64F)
    return fail(
        Status::badCall,
        "dataType = {0} is complex, but values must be real; multiply by [Re -Im; Im Re], a "
        "real matrix of twice the size, as BSR with blocks of 2 x 2",
        number);
  return wantEnum(type, SPECMV_R_64F, "dataType");
}

// Copies an options structure of any version into this version's; missing fields are 0. `ends`
// lists the sizes that callers of all versions so far may pass.
template <class Options>
llvm::Expected<Options> completed(const Options *given, llvm::ArrayRef<size_t> ends,
                                  const char *name) {
  Options options{};
  options.structSize = sizeof options;
  if (!given)
    return options;
  if (!llvm::is_contained(ends, given->structSize))
    return fail(Status::badCall,
                "structSize = {0} is not a valid value; set it to sizeof({1}), {2}",
                given->structSize, name, sizeof options);
  std::memcpy(&options, given, given->structSize);
  options.structSize = sizeof options;
  return options;
}

inline llvm::Error wantDimensions(int64_t rows, int64_t cols, int64_t nnz) {
  if (rows < 0 || cols < 0 || nnz < 0)
    return fail(Status::badCall, "rows = {0}, cols = {1} and nnz = {2} must not be negative", rows,
                cols, nnz);
  const int64_t most = std::max({rows, cols, nnz});
  return most <= kMaxDimension
             ? llvm::Error::success()
             : fail(Status::badCall, "{0} rows, columns or entries are more than the limit, {1}",
                    most, kMaxDimension);
}

// Returns true if two arrays share a byte.
inline bool overlap(const void *x, size_t xBytes, const void *y, size_t yBytes) {
  const auto a = reinterpret_cast<uintptr_t>(x), b = reinterpret_cast<uintptr_t>(y);
  return xBytes > 0 && yBytes > 0 && a < b + yBytes && b < a + xBytes;
}

// Fails unless the address is a multiple of the size of an element, in bytes. A kernel that reads a
// misaligned address would end the CUDA context of the program.
inline llvm::Error wantAligned(const void *pointer, size_t size, const llvm::Twine &name) {
  const auto at = reinterpret_cast<uintptr_t>(pointer);
  return at % size == 0
             ? llvm::Error::success()
             : fail(Status::badCall, "{0} at {1:x} is not aligned to its type, {2} bytes",
                    name.str(), at, size);
}

inline llvm::Error wantPointer(const void *pointer, const char *name) {
  return pointer ? llvm::Error::success() : fail(Status::badCall, "{0} is a null pointer", name);
}

// --- Check product -------------------------------------------------------------------------------

// Checks the arguments of products, before any of them is read on the device.

// Reads a scalar on the host, at any address.
double valueAt(const void *value, ValueType type);

// Checks what products with one vector and with several have in common.
llvm::Error checkProduct(const specmvPlan &plan, const void *alpha, const CallerVectors &x,
                         const void *beta, const CallerVectors &y);

// Checks z in z = alpha A x + beta y, where z is not y.
llvm::Error checkAdded(const specmvPlan &plan, const CallerVectors &y, const CallerVectors &z);

// Checks a vector and the stream of a product on the host.
llvm::Error checkOnHost(const CallerVectors &v, const void *stream);

} // namespace specmv
