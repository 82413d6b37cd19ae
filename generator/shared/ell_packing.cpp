// Describes the kernel that fills an ELL array.
#include "generator/shared/ell_packing.h"

#include "generator/shared/ell_part.h"

namespace specmv {

SetupLaunch ellFilling(const DeviceCsr &csr, const Types &types, int64_t width) {
  const int64_t stride = ellStride(csr.rows), parts = ceilDiv(width, kPadColumns);
  return {setupKernel("ellFill", "EllFillArgs",
                      {elementOf(csr.indexType), types.column, types.value},
                      joined({csrArraysOf(csr),
                              {filled("col", types.column), wideNumber("rows", csr.rows),
                               wideNumber("stride", stride), wideNumber("width", width),
                               wideNumber("parts", parts)}})),
          ceilDiv(stride, kSetupBlock) * parts};
}

} // namespace specmv
