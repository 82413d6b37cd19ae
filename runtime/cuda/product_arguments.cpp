// Finds the value of each parameter of a product's kernels at a launch.
#include "runtime/cuda/product.h"

#include <cstring>

namespace specmv {

uint64_t bitsOf(double value, ValueType type) {
  uint64_t bits = 0;
  const auto narrow = static_cast<float>(value);
  type == ValueType::f32 ? std::memcpy(&bits, &narrow, sizeof narrow)
                         : std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Returns memory of the operands or of the slot.
const void *GpuProduct::argumentOf(const Slot &slot, const Operands &o) {
  switch (slot.binding) {
  case Binding::x:
    return &o.x;
  case Binding::y:
    return &o.y;
  case Binding::added:
    return &o.added;
  case Binding::alpha:
    return &o.alphaBits;
  case Binding::beta:
    return &o.betaBits;
  case Binding::rowsOfX:
    return &o.rowsOfX;
  case Binding::cols:
    return &o.cols;
  case Binding::strideX:
    return &o.several.strideX;
  case Binding::stepX:
    return &o.several.stepX;
  case Binding::strideY:
    return &o.several.strideY;
  case Binding::stepY:
    return &o.several.stepY;
  case Binding::count:
    return &o.several.count; // little-endian: its lower half is the kernel's int
  case Binding::vectorIn:
  case Binding::vectorOut:
    return &o.step->vectors[slot.bits];
  case Binding::scalar:
  case Binding::scalarAt:
    return &o.step->scalars[slot.bits];
  case Binding::sum:
    return &o.step->sums[slot.bits];
  case Binding::l2Policy:
    return &o.l2Policy;
  case Binding::array:
  case Binding::scratch:
  case Binding::integer:
    break;
  }
  return &slot.bits;
}

} // namespace specmv
