// A fused step of a solver on a GPU: the product of a plan whose kernel runs the statements of the
// step, or the plan's own product and another kernel for the statements.
#pragma once

#include "generator/fusion/fusion.h"
#include "models/plan.h"
#include "runtime/cuda/product.h"
#include "runtime/machine.h"

#include <memory>
#include <optional>

namespace specmv {

// A plan keeps this of its set-up, so that fused steps can be added.
struct FusedBase {
  Plan plan;
  Problem problem;
  Layout layout; // names, types and sizes without contents
  int64_t rows = 0, cols = 0;
};
FusedBase fusedBaseOf(const Plan &plan, const Problem &problem, const Layout &layout, int64_t rows,
                      int64_t cols);

// Predicted microseconds of computing an expression x in the product's kernel, and as a vector.
struct PriceOfX {
  double inKernelUs = 0, asVectorUs = 0;
};

class FusedProduct {
public:
  // Compiles what the step needs. The arrays of `product` must outlive the result.
  static llvm::Expected<std::unique_ptr<FusedProduct>> make(Fusion fusion, const FusedBase &base,
                                                            const GpuProduct &product,
                                                            const PriceOfX &price,
                                                            Machine &machine);

  // The addresses on the GPU of the step's vectors and sums, and its scalars: bits, or addresses
  // for those in GPU memory. Puts the step on the stream, which may be under capture.
  llvm::Error run(const StepOperands &operands, StreamHandle stream) const;
  // GpuProduct::setNumbers() for all of its kernels.
  void setNumbers(const NamedNumbers &numbers) noexcept {
    for (std::optional<GpuProduct> *product : {&stepOfX_, &step_, &ownProduct_})
      if (*product)
        (*product)->setNumbers(numbers);
  }

private:
  explicit FusedProduct(Fusion fusion) : fusion_(std::move(fusion)) {}
  llvm::Error makeX(const FusedBase &base, const GpuProduct &product, Machine &machine);
  llvm::Error makeWhole(const FusedBase &base, const GpuProduct &product, Machine &machine);
  llvm::Error makeProduct(const FusedBase &base, const GpuProduct &product, Machine &machine);
  llvm::Error makeParts(const FusedBase &base, const GpuProduct &product, Machine &machine);
  llvm::Error runX(const StepOperands &operands, StreamHandle stream) const;
  llvm::Error multiply(DevicePointer x, StreamHandle stream) const;

  Fusion fusion_;
  // Set if x is computed as a vector: the step that does so, and the place of its result.
  std::unique_ptr<Fusion> fusionOfX_;
  std::optional<GpuProduct> stepOfX_;
  DeviceBuffer x_;
  std::unique_ptr<Fusion> fusionOfRows_; // what the kernel for the statements runs
  // The whole step, or its statements alone; then the product comes first.
  std::optional<GpuProduct> step_;
  const GpuProduct *product_ = nullptr; // the plan's, or the next one
  std::optional<GpuProduct> ownProduct_;
  DeviceBuffer ax_;
  DeviceBuffer ones_; // alpha = 1 and beta = 0 for a product that reads them on the GPU
};

// Compiles the kernel that the step would have on a GPU into the cache, on a machine without one.
// Fails as FusedProduct::make() does for a text that is wrong.
llvm::Error compileFused(const Fusion &fusion, const Plan &plan, const Problem &problem,
                         Machine &machine);

} // namespace specmv
