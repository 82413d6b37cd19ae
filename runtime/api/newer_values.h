// Keeps the newest values of a plan while better products are made for it from the matrix as it
// was, so that these have them before they take over.
#pragma once

#include "runtime/api/setup_task.h"
#include "runtime/cuda/overlap.h"

#include <mutex>

namespace specmv {

// One thread makes the products, another updates the plan.
class NewerValues {
public:
  NewerValues() = default;
  NewerValues(const NewerValues &) = delete;
  NewerValues &operator=(const NewerValues &) = delete;
  ~NewerValues();

  // Copies values from the host, or from the GPU in the order of the stream. Waits for nothing.
  // Returns false if the products are made, so that they cannot get them here any more.
  llvm::Expected<bool> keep(const GpuDevice &gpu, const void *val, size_t bytes,
                            StreamHandle stream);
  // Gives the products the newest values, if there were new ones, and waits for this on the stream.
  // No values can be kept afterwards.
  llvm::Error giveTo(PlanProducts &products, StreamHandle stream);
  int64_t bytes() const;

private:
  struct Copy {
    std::shared_ptr<const GpuDevice> gpu = {};
    ZeroedArray<std::byte> onHost = {}; // not empty: the newest are here
    DeviceBuffer onGpu = {};
    GpuHandle<void *> behind = {}; // an event behind the copy on the GPU
  };
  static llvm::Error copyOnGpu(Copy &to, const void *val, size_t bytes, StreamHandle stream);
  static llvm::Error give(PlanProducts &products, const Copy &values, StreamHandle stream);
  std::optional<Copy> takeNewest();

  mutable std::mutex mutex_; // guards the rest
  std::optional<Copy> newest_;
  bool isMade_ = false;
};

} // namespace specmv
