// Compares what a launch binds with the parameters of the compiled kernel.
#pragma once

#include "generator/steps.h"
#include "tests/simt/kernel.h"

namespace specmv::simt {

// Of the memory that cuMemAlloc gives.
constexpr size_t kDeviceAlignment = 256;

inline char kindOf(ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f64)
    return 'f';
  return type == ElementType::i32 || type == ElementType::i64 ? 'i' : 'u';
}

// What the driver would not notice: the compiled parameter is not what the launch binds.
inline bool agrees(const Argument &argument, const Parameter &parameter, bool scalarsAreOnGpu) {
  const bool isScalar = argument.binding == Binding::alpha || argument.binding == Binding::beta;
  return parameter.pointer == (isPointer(argument.binding) || (isScalar && scalarsAreOnGpu)) &&
         parameter.writable == isWritten(argument.binding) &&
         parameter.kind == kindOf(argument.type) && parameter.bytes == sizeOf(argument.type);
}

} // namespace specmv::simt
