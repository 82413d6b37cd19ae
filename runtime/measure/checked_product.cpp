// Runs a built plan on given vectors, so that its result can be checked.
#include "runtime/measure/checked_product.h"

#include "runtime/host_product.h"

namespace specmv {

static llvm::Error runOnGpu(const GpuDevice &gpu, const Built &built, double alpha, const Values &x,
                            double beta, Values &y) {
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

// The packed values lie on the GPU only, so they are packed there from the matrix.
static llvm::Error packAgain(const CsrView &a, Machine &machine, Built &built) {
  auto again = build(a, built.plan, built.problem, machine);
  if (!again)
    return again.takeError();
  built.product = std::move(again->product);
  return llvm::Error::success();
}

ProductUnderTest checkedProduct(const CsrView &a, Machine &machine, Built &built) {
  auto current = std::make_shared<CsrView>(a);
  auto setValues = [current, &machine, &built](const Values &values) -> llvm::Error {
    current->val = values.data();
    if (!machine.gpu)
      return llvm::Error::success();
    if (!built.layout.isOnHost)
      return packAgain(*current, machine, built);
    storeValues(built.layout, *current);
    return built.product->updateValues(built.layout);
  };
  auto multiply = [current, &machine, &built](double alpha, const Values &x, double beta,
                                              Values &y) -> llvm::Error {
    if (machine.gpu)
      return runOnGpu(*machine.gpu, built, alpha, x, beta, y);
    multiplyOnHost(*current, alpha, x.data(), beta, y.data());
    return llvm::Error::success();
  };
  return {setValues, multiply};
}

} // namespace specmv
