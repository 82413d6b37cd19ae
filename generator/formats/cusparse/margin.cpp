// Removes the margins from the rates of a GPU.
#include "generator/formats/cusparse/margin.h"

namespace specmv {

GpuModel withoutMargins(GpuModel gpu) {
  for (const Format &format : formats())
    if (hasMargin(format.rates))
      gpu.rates.set(format.rates[2].name, 1);
  return gpu;
}

} // namespace specmv
