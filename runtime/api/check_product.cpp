// Checks the scalars and vectors of products.
#include "runtime/api/check_product.h"

#include "models/base/decimal.h"
#include "runtime/api/arguments.h"
#include "runtime/cuda/memory_place.h"

#include <cstring>

namespace specmv {

template <class Value> static double readAt(const void *value) {
  Value read; // the address need not be aligned
  std::memcpy(&read, value, sizeof read);
  return read;
}

double valueAt(const void *value, ValueType type) {
  return type == ValueType::f32 ? readAt<float>(value) : readAt<double>(value);
}

// Checks the scalars of a plan whose kernels read them on the GPU.
static llvm::Error checkScalars(const specmvPlan &plan, const void *alpha, const void *beta) {
  for (const auto &[pointer, name] : {std::pair(alpha, "alpha"), std::pair(beta, "beta")}) {
    if (llvm::Error error = wantAligned(pointer, sizeOf(plan.vectorType), name))
      return error;
    if (!plan.vectorsAreOnGpu && !isDevicePointer(pointer))
      return fail(Status::badCall,
                  "{0} is in host memory, but the plan was made with scalarsOnGpu; pass a device "
                  "pointer",
                  name);
  }
  return llvm::Error::success();
}

// Checks where vectors of at least one value begin.
static llvm::Error checkAddress(const specmvPlan &plan, const CallerVectors &v) {
  if (v.extent() == 0)
    return llvm::Error::success();
  if (llvm::Error error = wantPointer(v.pointer, v.name))
    return error;
  return wantAligned(v.pointer, sizeOf(plan.vectorType), v.name);
}

llvm::Error checkProduct(const specmvPlan &plan, const void *alpha, const CallerVectors &x,
                         const void *beta, const CallerVectors &y) {
  for (const auto &[pointer, name] : {std::pair(alpha, "alpha"), std::pair(beta, "beta")})
    if (llvm::Error error = wantPointer(pointer, name))
      return error;
  for (const CallerVectors *v : {&x, &y})
    if (llvm::Error error = checkAddress(plan, *v))
      return error;
  if (haveCommonElement(x, y, sizeOf(plan.vectorType)))
    return fail(Status::badCall,
                "{0} and {1} overlap in memory; they must have no element in common", x.name,
                y.name);
  if (plan.scalarsAreOnGpu)
    return checkScalars(plan, alpha, beta);
  if (!plan.betaCanBeNonZero && valueAt(beta, plan.vectorType) != 0)
    return fail(Status::badCall,
                "beta = {0}, but the plan was made with betaIsZero and allows only beta = 0",
                decimalText(valueAt(beta, plan.vectorType)));
  return llvm::Error::success();
}

llvm::Error checkAdded(const specmvPlan &plan, const CallerVectors &y, const CallerVectors &z) {
  if (llvm::Error error = checkAddress(plan, y))
    return error;
  const size_t bytes = static_cast<size_t>(plan.rows) * sizeOf(plan.vectorType);
  if (overlap(y.pointer, bytes, z.pointer, bytes))
    return fail(Status::badCall,
                "z begins {0} bytes from y and overlaps it; z must be y itself or "
                "a separate array",
                static_cast<const char *>(z.pointer) - static_cast<const char *>(y.pointer));
  return llvm::Error::success();
}

llvm::Error checkOnHost(const CallerVectors &v, const void *stream) {
  if (stream)
    return fail(Status::badCall, "the plan runs on the host, so stream must be NULL");
  if (isDevicePointer(v.pointer))
    return fail(Status::badCall,
                "{0} is in GPU memory, but the plan runs on the host; pass a host pointer", v.name);
  return llvm::Error::success();
}

} // namespace specmv
