// Says whether the context of a GPU is still the one in which a GpuDevice made its objects. Only
// for the files of this folder.
#pragma once

#include "models/base/fork.h"
#include "runtime/cuda/driver.h"

#include <atomic>

namespace specmv {

// The program may reset the device, which destroys everything in its primary context. When that
// context is used again, it has the same address but is another context: handles of the first one
// would make the driver use freed memory. CUDA does not work at all in a forked process.
class ContextLife {
public:
  explicit ContextLife(CUcontext context) : context_(context) {
    hasId_ = driver().cuCtxGetId && driver().cuCtxGetId(context, &id_) == CUDA_SUCCESS;
  }

  // Returns CUDA_SUCCESS, or the reason why the context must not be used any more.
  CUresult state() const {
    if (forks_ != ForkMutex::forks())
      return CUDA_ERROR_NOT_INITIALIZED;
    unsigned long long now = id_;
    if (!isOver_ && hasId_ && (driver().cuCtxGetId(context_, &now) != CUDA_SUCCESS || now != id_))
      isOver_ = true;
    return isOver_ ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
  }
  // Works even if the driver has no context numbers.
  void end() const { isOver_ = true; }

private:
  const CUcontext context_;
  const unsigned forks_ = ForkMutex::forks();
  unsigned long long id_ = 0;
  bool hasId_ = false;
  mutable std::atomic<bool> isOver_ = false;
};

} // namespace specmv
