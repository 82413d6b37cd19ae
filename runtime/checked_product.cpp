// Runs a built plan on given vectors, so that its result can be checked.
#include "runtime/checked_product.h"

#include "runtime/host_product.h"

namespace specmv {

static llvm::Error runOnGpu(const CsrView &a, const GpuDevice &gpu, Built &built, double alpha,
                            const Values &x, double beta, Values &y) {
  storeValues(built.layout, a);
  if (llvm::Error error = built.product->updateValues(built.layout))
    return error;
  auto dx = gpu.uploaded(x.data(), x.bytes());
  if (!dx)
    return dx.takeError();
  auto dy = gpu.uploaded(y.data(), y.bytes());
  if (!dy)
    return dy.takeError();
  if (llvm::Error error = built.product->run(alpha, dx->pointer(), beta, dy->pointer(), nullptr))
    return error;
  return gpu.download(y.data(), dy->pointer(), y.bytes());
}

ProductUnderTest checkedProduct(const CsrView &a, const Machine &machine, Built &built) {
  return [&](const Values &values, double alpha, const Values &x, double beta,
             Values &y) -> llvm::Error {
    CsrView changed = a;
    changed.val = values.data();
    if (machine.gpu)
      return runOnGpu(changed, *machine.gpu, built, alpha, x, beta, y);
    multiplyOnHost(changed, alpha, x.data(), beta, y.data());
    return llvm::Error::success();
  };
}

} // namespace specmv
