// A matrix as its user gave it, with its arrays on the host or on a GPU; each side that needs them
// gets a copy, made once.
#pragma once

#include "generator/shared/zeroed_array.h"
#include "models/csr.h"
#include "runtime/cuda/workspace.h"

#include <memory>

namespace specmv {

// A copy of a matrix on the host, which owns its arrays.
struct HostCopy {
  CsrView view;
  ZeroedArray<std::byte> rowPtr, col, val;

  int64_t bytes() const { return static_cast<int64_t>(rowPtr.size() + col.size() + val.size()); }
};

// Copies of this object share the copies of the arrays. Not for several threads at a time.
class SourceMatrix {
public:
  // Arrays on the host; `val` may be null where only the pattern is read.
  SourceMatrix(const CsrView &onHost); // NOLINT: a view is such a matrix
  // Arrays that it owns with its copies.
  explicit SourceMatrix(std::shared_ptr<HostCopy> owned);
  // Arrays that lie on a GPU. Lent ones outlive the plans that are made of them.
  SourceMatrix(const CsrView &addresses, std::shared_ptr<const GpuDevice> gpu, bool isLent = false);

  // The sizes and types; the pointers are of the side that the user gave.
  const CsrView &given() const { return given_; }
  DeviceCsr deviceCsr() const { return {dimensionsOf(given_), given_.indexType, given_.valueType}; }
  bool isOnGpu() const { return gpu_ != nullptr; }
  // Whether plans may read the user's arrays, which are on the GPU, as long as they live.
  bool isLent() const { return isLent_; }

  // The arrays on the host. col and val are copied only after the ends of rowPtr were found to
  // agree with nnz, which tells how long they are. Status::badInput if they do not.
  llvm::Expected<CsrView> onHost() const;
  // The arrays on a GPU, uploaded if they are not there; first the ends of rowPtr are checked.
  llvm::Expected<DeviceArrays> onGpu(const std::shared_ptr<const GpuDevice> &gpu) const;
  // The same as onHost() in memory of its own, to be kept by a plan that runs there. Its values may
  // be replaced once this matrix is gone.
  llvm::Expected<std::shared_ptr<HostCopy>> copyOnHost() const;

  // Frees what was uploaded in order on the stream.
  void freeOn(StreamHandle stream) const;
  // The memory of what was uploaded.
  int64_t uploadedBytes() const;

private:
  struct Copies;
  llvm::Error makeHostCopy() const;
  CsrView given_;
  std::shared_ptr<const GpuDevice> gpu_; // where the given arrays lie; null: the host
  bool isLent_ = false;
  std::shared_ptr<Copies> copies_;
};

} // namespace specmv
