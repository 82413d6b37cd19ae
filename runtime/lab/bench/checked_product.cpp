// Runs a built plan on given vectors, so that its result can be checked.
#include "runtime/lab/bench/checked_product.h"

#include "runtime/host_product.h"

namespace specmv {

// Runs the product with vectors on the GPU.
static llvm::Error run(const GpuProduct &product, double alpha, DevicePointer x, double beta,
                       DevicePointer y, int64_t vectors) {
  if (vectors == 1)
    return product.run(alpha, x, beta, y, nullptr);
  const SeveralVectors several{vectors, x, vectors, 1, y, vectors, 1};
  auto rows = product.gpu().allocate(product.bytesOfRows(several));
  if (!rows)
    return rows.takeError();
  if (llvm::Error error = product.run({alpha, beta}, several, rows->pointer(), nullptr))
    return error;
  return product.gpu().synchronize(nullptr); // the rows must live until then
}

static llvm::Error runOnGpu(const GpuDevice &gpu, const Built &built, double alpha, const Values &x,
                            double beta, Values &y, int64_t vectors) {
  auto dx = gpu.uploaded(x.data(), x.bytes());
  if (!dx)
    return dx.takeError();
  auto dy = gpu.uploaded(y.data(), y.bytes());
  if (!dy)
    return dy.takeError();
  if (llvm::Error error = run(*built.product, alpha, dx->pointer(), beta, dy->pointer(), vectors))
    return error;
  return gpu.download(y.data(), dy->pointer(), y.bytes());
}

// Packs from the matrix again, since the packed values are on the GPU only.
static llvm::Error packAgain(const CsrView &a, Machine &machine, Built &built) {
  auto again = build(a, built.plan, built.problem, machine);
  if (!again)
    return again.takeError();
  built.product = std::move(again->product);
  return llvm::Error::success();
}

static void runOnHost(const CsrView &a, double alpha, const Values &x, double beta, Values &y,
                      int64_t vectors) {
  if (vectors == 1)
    multiplyOnHost(a, alpha, x.data(), beta, y.data());
  else
    multiplyOnHost(a, alpha, {vectors, x.data(), vectors, 1, y.data(), vectors, 1}, beta);
}

ProductUnderTest checkedProduct(const CsrView &a, Machine &machine, Built &built, int64_t vectors) {
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
  auto multiply = [current, &machine, &built, vectors](double alpha, const Values &x, double beta,
                                                       Values &y) -> llvm::Error {
    if (machine.gpu)
      return runOnGpu(*machine.gpu, built, alpha, x, beta, y, vectors);
    runOnHost(*current, alpha, x, beta, y, vectors);
    return llvm::Error::success();
  };
  return {setValues, multiply, vectors};
}

} // namespace specmv
