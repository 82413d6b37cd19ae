// Holds a matrix as the user gave it, with its arrays on the host or on a GPU. Each side that needs
// the arrays gets a copy, made once.
#pragma once

#include "generator/shared/typed_array.h"
#include "models/csr.h"
#include "runtime/cuda/workspace.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace specmv {

// A copy of a matrix on the host, which owns its arrays.
struct HostCopy {
  CsrView view;
  ZeroedArray<std::byte> rowPtr, col, val;

  int64_t bytes() const { return static_cast<int64_t>(rowPtr.size() + col.size() + val.size()); }
};

// Copies an array to the host, from a GPU unless that is null; `from` then points to the copy. Does
// nothing if `from` is null.
llvm::Error copyToHost(const GpuDevice *gpu, const void *&from, size_t bytes,
                       ZeroedArray<std::byte> &to);

// Copies of this object share the copied arrays. Not thread-safe.
class SourceMatrix {
public:
  // Arrays on the host; `val` may be null where only the pattern is read.
  SourceMatrix(const CsrView &onHost); // NOLINT: implicit on purpose
  // Takes ownership of arrays on the host.
  explicit SourceMatrix(std::shared_ptr<HostCopy> owned);
  // Arrays on a GPU. Lent arrays outlive the plans that are made from them.
  SourceMatrix(const CsrView &addresses, std::shared_ptr<const GpuDevice> gpu, bool isLent = false);

  // Returns the sizes and types; the pointers are those that the user gave.
  const CsrView &given() const { return given_; }
  // Returns the matrix as onGpu() has it: arrays on the host are uploaded with narrow indices.
  DeviceCsr deviceCsr() const;
  // Returns the matrix as set-up kernels read it: with 32-bit indices if all of its numbers fit.
  DeviceCsr setupCsr() const;
  bool isOnGpu() const { return gpu_ != nullptr; }
  // Returns true if plans may keep reading the user's arrays on the GPU instead of copying them.
  bool isLent() const { return isLent_; }

  // Returns the arrays on the host. col and val are copied only after checking that the ends of
  // rowPtr agree with nnz, which gives their length. Status::badInput if they do not.
  llvm::Expected<CsrView> onHost() const;
  // Returns the arrays on a GPU and uploads them if necessary; the ends of rowPtr are checked
  // first.
  llvm::Expected<DeviceArrays> onGpu(const std::shared_ptr<const GpuDevice> &gpu) const;
  // Makes the arrays of setupCsr(). `narrow` fills 32-bit copies of rowPtr and col from arrays on
  // the GPU. If it fails, or lacks memory or kernels, setupCsr() becomes deviceCsr().
  using Narrow = llvm::function_ref<llvm::Expected<std::pair<DeviceBuffer, DeviceBuffer>>(
      const DeviceCsr &, const DeviceArrays &)>;
  llvm::Expected<DeviceArrays> setupArrays(const std::shared_ptr<const GpuDevice> &gpu,
                                           Narrow narrow) const;
  // Returns a copy on the host that a plan can own. Its values may be replaced once this matrix is
  // gone.
  llvm::Expected<std::shared_ptr<HostCopy>> copyOnHost() const;

  // Returns the same matrix without the copies that were made of the user's arrays.
  SourceMatrix withoutCopies() const;

  // Frees the arrays that this object has made on a GPU, ordered on the stream.
  void freeOn(StreamHandle stream) const;
  // Returns the device memory of the arrays that this object has made.
  int64_t uploadedBytes() const;

private:
  struct Copies;
  CsrView given_;
  std::shared_ptr<const GpuDevice> gpu_; // holds the given arrays; null: the host
  bool isLent_ = false;
  std::shared_ptr<Copies> copies_;
};

} // namespace specmv
