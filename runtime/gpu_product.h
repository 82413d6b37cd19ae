// A packed matrix and its kernels on one GPU, ready to multiply: runs a plan's steps.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "models/problem.h"
#include "runtime/gpu_device.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Not copied, since it owns device memory. One product at a time: the scratch arrays belong to the
// launch that is running, so two streams must not run the same GpuProduct at once.
class GpuProduct {
public:
  // Uploads the layout and loads the cubin. rows and cols bind the arguments of these names.
  static llvm::Expected<GpuProduct> load(std::shared_ptr<const GpuDevice> gpu, const Layout &layout,
                                         const Steps &steps, const std::vector<char> &cubin,
                                         const Problem &problem);

  // Puts y = alpha A x + beta y on the stream and returns.
  llvm::Error run(double alpha, DevicePointer x, double beta, DevicePointer y,
                  StreamHandle stream) const;

  // Replaces the values by those that storeValues() put into the layout.
  llvm::Error updateValues(const Layout &layout) const;

  int64_t deviceBytes() const;
  const GpuDevice &gpu() const { return *gpu_; }

private:
  // An argument as it is passed: eight bytes hold a pointer, a number or a value.
  struct Slot {
    Binding binding;
    uint64_t bits;
  };
  struct Call {
    void *function;
    std::array<uint32_t, 3> grid;
    uint32_t blockThreads;
    std::vector<Slot> arguments;
  };

  llvm::Expected<Slot> bind(const Argument &argument, const Layout &layout) const;

  std::shared_ptr<const GpuDevice> gpu_;
  GpuModule module_;
  std::vector<std::pair<std::string, DeviceBuffer>> buffers_;
  std::vector<Call> calls_;
  ValueType type_ = ValueType::f64;
};

} // namespace specmv
