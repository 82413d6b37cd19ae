// A packed matrix on one GPU, ready to multiply: runs a plan's steps.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "models/problem.h"
#include "runtime/cuda/device.h"
#include "runtime/cusparse/cusparse.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace specmv {

// Not copied, since it owns device memory. One product at a time: the scratch arrays belong to the
// product that is running, so two streams must not run the same GpuProduct at once.
class GpuProduct {
public:
  // Puts the layout on the GPU, or into page-locked memory where it says so, and loads the cubin,
  // which may be empty where no step is a launch. rows and cols bind the arguments of these names.
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
  // What a product is called with.
  struct Operands {
    double alpha;
    DevicePointer x;
    double beta;
    DevicePointer y;
  };
  // An argument as it is passed: eight bytes hold a pointer, a number or a value.
  struct Slot {
    Binding binding;
    uint64_t bits;
  };
  // The actions of steps.h with their names resolved; a library call is a CusparseCall.
  struct Kernel {
    void *function;
    std::array<uint32_t, 3> grid;
    uint32_t blockThreads, sharedBytes;
    std::vector<Slot> arguments;
  };
  struct Transfer {
    Copy::Direction direction;
    DevicePointer device;
    std::byte *host;
    size_t bytes;
  };
  struct HostCall {
    void (*call)(llvm::ArrayRef<HostArray>) noexcept;
    std::vector<HostArray> arguments;
  };
  using Action = std::variant<Kernel, Transfer, HostCall, CusparseCall>;
  struct Call {
    Action action;
    StepStream stream;
    std::vector<void *> after; // events of the other stream
    GpuHandle<void *> done;    // an event, where another call waits for this one
  };
  struct PinnedArray {
    HostArray array;
    GpuHandle<std::byte *> memory;
  };

  GpuProduct(std::shared_ptr<const GpuDevice> gpu, ValueType type)
      : gpu_(std::move(gpu)), type_(type) {}

  llvm::Error place(const Layout &layout);
  llvm::Error upload(const LayoutArray &array);
  llvm::Error pin(const LayoutArray &array);
  llvm::Error add(const Step &step, const Layout &layout);
  llvm::Expected<Action> bind(const Launch &launch, const Layout &layout) const;
  llvm::Expected<Action> bind(const Copy &copy, const Layout &layout) const;
  llvm::Expected<Action> bind(const HostFunction &function, const Layout &layout) const;
  llvm::Expected<Action> bind(const LibraryCall &call, const Layout &layout) const;
  llvm::Expected<Slot> bind(const Argument &argument, const Layout &layout) const;
  llvm::Expected<DevicePointer> onDevice(const std::string &name) const;
  llvm::Expected<HostArray> onHost(const std::string &name) const;

  llvm::Error put(const Kernel &kernel, const Operands &operands, StreamHandle stream) const;
  llvm::Error put(const Transfer &transfer, const Operands &operands, StreamHandle stream) const;
  llvm::Error put(const HostCall &call, const Operands &operands, StreamHandle stream) const;
  static llvm::Error put(const CusparseCall &call, const Operands &operands, StreamHandle stream);

  std::shared_ptr<const GpuDevice> gpu_;
  ValueType type_;
  GpuModule module_;
  std::vector<std::pair<std::string, DeviceBuffer>> buffers_;
  std::vector<std::pair<std::string, PinnedArray>> pinned_;
  GpuHandle<void *> sideStream_; // null where no step is on it
  std::vector<Call> calls_;      // host calls are called at their address here
};

} // namespace specmv
