// A workspace on a GPU: set-up kernels run there, in order on one stream.
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

// Gives the loaded kernels of a source. Status::missing if they can neither be found nor compiled.
using KernelLoader =
    std::function<llvm::Expected<std::shared_ptr<const GpuModule>>(const KernelSource &)>;

// A launch with all that it needs, to be repeated without a look at any table while the arrays of
// its workspace are there.
struct BoundLaunch {
  std::shared_ptr<const GpuModule> module = {}; // has the function
  void *function = nullptr;
  uint32_t blocks = 0, blockThreads = 0, sharedBytes = 0;
  std::vector<uint64_t> values = {}; // of the arguments
};

class GpuWorkspace : public Workspace {
public:
  GpuWorkspace(std::shared_ptr<const GpuDevice> gpu, const DeviceCsr &csr,
               const DeviceArrays &arrays, KernelLoader loader, StreamHandle stream,
               bool lendsCsr = false);
  // Waits for its kernels.
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

  // What launch() puts on the stream, now or later.
  llvm::Expected<BoundLaunch> bound(const KernelSource &source, const SetupKernel &kernel,
                                    int64_t blocks);
  llvm::Error launch(const BoundLaunch &launch);
  // Gives an array away; an empty buffer if there is none. A buffer that was lent refers to the
  // memory of the matrix.
  DeviceBuffer take(const std::string &name);
  // Whether the last launch failed because its kernels cannot be had on this machine.
  bool lacksKernels() const { return lacksKernels_; }
  // Waits for all that was launched.
  llvm::Error finish();

private:
  struct Array {
    DevicePointer pointer = 0;
    size_t elementBytes = 0;
    int64_t count = 0;
    // For the arrays of the matrix, which are the caller's: none, or a reference if it is lent.
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
  // Small scratch arrays, one after another: no byte is used twice, so all are zeros.
  DeviceBuffer shared_;
  int64_t sharedUsed_ = 0;
  // The source that was launched last: most often the next launch is of the same.
  Digest source_ = {};
  std::shared_ptr<const GpuModule> module_;
  bool lacksKernels_ = false;
  bool isBusy_ = false; // since finish()
};

} // namespace specmv
