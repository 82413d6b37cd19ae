// Runs set-up kernels on a GPU, in order on one stream.
#pragma once

#include "generator/setup/workspace.h"
#include "runtime/cuda/device.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace specmv {

// The arrays of a matrix on a GPU.
struct DeviceArrays {
  DevicePointer rowPtr = 0, col = 0, val = 0; // val may be 0 if only the pattern is read
};

// Returns the loaded kernels of a source. Status::missing if they can neither be found nor
// compiled.
using KernelLoader =
    std::function<llvm::Expected<std::shared_ptr<const GpuModule>>(const KernelSource &)>;

// A launch with everything it needs, so that it can be repeated without any lookup while the arrays
// of its workspace exist.
struct BoundLaunch {
  std::shared_ptr<const GpuModule> module = {}; // contains the function
  void *function = nullptr;
  uint32_t blocks = 0, blockThreads = 0, sharedBytes = 0;
  std::vector<uint64_t> values = {}; // of the arguments
};

class GpuWorkspace : public Workspace {
public:
  GpuWorkspace(std::shared_ptr<const GpuDevice> gpu, const DeviceCsr &csr,
               const DeviceArrays &arrays, KernelLoader loader, StreamHandle stream,
               bool lendsCsr = false);
  // Waits for the kernels.
  ~GpuWorkspace() override;

  llvm::Error add(const std::string &name, ElementType type, int64_t count,
                  Contents contents) override;
  llvm::Error addScratch(const std::string &name, ElementType type, int64_t count,
                         Contents contents) override;
  llvm::Error lend(const std::string &array, const std::string &as) override;
  void drop(const std::string &name) override;
  llvm::Error launch(const KernelSource &source, const SetupKernel &kernel,
                     int64_t blocks) override;
  llvm::Error read(const std::string &name, int64_t first, int64_t count, void *to) override;
  llvm::Error write(const std::string &name, const void *from, int64_t count) override;

  // Returns what launch() puts on the stream, to launch now or later.
  llvm::Expected<BoundLaunch> bound(const KernelSource &source, const SetupKernel &kernel,
                                    int64_t blocks);
  llvm::Error launch(const BoundLaunch &launch);
  // Gives away an array; returns an empty buffer if there is none. A lent buffer refers to the
  // memory of the matrix.
  DeviceBuffer take(const std::string &name);
  // Returns true if the last launch failed because its kernels are not available on this machine.
  bool lacksKernels() const { return lacksKernels_; }
  // Waits for all launches.
  llvm::Error finish();

private:
  struct Array {
    DevicePointer pointer = 0;
    size_t elementBytes = 0;
    int64_t count = 0;
    // For the arrays of the matrix, which the caller owns: empty, or a reference if they are lent.
    DeviceBuffer memory;
  };
  const Array *find(const std::string &name) const;
  llvm::Error place(const std::string &name, Array array);
  llvm::Error makeShared();
  llvm::Expected<uint64_t> bind(const Field &field) const;
  llvm::Expected<void *> functionOf(const KernelSource &source, const SetupKernel &kernel);

  std::shared_ptr<const GpuDevice> gpu_;
  KernelLoader loader_;
  StreamHandle stream_;
  std::map<std::string, Array> arrays_;
  // Small scratch arrays, one after another: no byte is used twice, so all are zero.
  DeviceBuffer shared_;
  int64_t sharedUsed_ = 0;
  // The source that was launched last; the next launch is often from the same one.
  Digest source_ = {};
  std::shared_ptr<const GpuModule> module_;
  bool lacksKernels_ = false;
  bool isBusy_ = false; // something was launched since finish()
};

} // namespace specmv
