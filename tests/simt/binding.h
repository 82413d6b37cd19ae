// Compares what a launch binds with the parameters of the compiled kernel.
#pragma once

#include "generator/steps.h"
#include "tests/simt/kernel.h"

namespace specmv::simt {

// The alignment of memory from cuMemAlloc.
constexpr size_t kDeviceAlignment = 256;

inline char kindOf(ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f64)
    return 'f';
  return type == ElementType::i32 || type == ElementType::i64 ? 'i' : 'u';
}

// Detects what the driver would not notice: a compiled parameter that differs from the launch's
// binding.
inline bool agrees(const Argument &argument, const Parameter &parameter, bool scalarsAreOnGpu) {
  const bool isScalar = argument.binding == Binding::alpha || argument.binding == Binding::beta;
  return parameter.pointer == (isPointer(argument.binding) || (isScalar && scalarsAreOnGpu)) &&
         parameter.writable == isWritten(argument.binding) &&
         parameter.kind == kindOf(argument.type) && parameter.bytes == sizeOf(argument.type);
}

} // namespace specmv::simt
