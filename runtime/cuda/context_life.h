// Whether the context of a GPU is still the one in which a GpuDevice has made its things. Only for
// the files of this folder.
#pragma once

#include "models/base/fork_mutex.h"
#include "runtime/cuda/driver.h"

#include <atomic>

namespace specmv {

// The program may reset the device, which destroys all that is in its primary context. When that is
// used again, by anybody, it has the same address and is another context: a handle of the first one
// would then lead the driver to memory that it has freed. And CUDA does not work in a forked
// process at all.
class ContextLife {
public:
  explicit ContextLife(CUcontext context) : context_(context) {
    hasId_ = driver().cuCtxGetId && driver().cuCtxGetId(context, &id_) == CUDA_SUCCESS;
  }

  // CUDA_SUCCESS, or why nothing may be done in the context any more.
  CUresult state() const {
    if (forks_ != ForkMutex::forks())
      return CUDA_ERROR_NOT_INITIALIZED;
    unsigned long long now = id_;
    if (!isOver_ && hasId_ && (driver().cuCtxGetId(context_, &now) != CUDA_SUCCESS || now != id_))
      isOver_ = true;
    return isOver_ ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
  }
  // Also where the driver has no numbers of contexts.
  void end() const { isOver_ = true; }

private:
  const CUcontext context_;
  const unsigned forks_ = ForkMutex::forks();
  unsigned long long id_ = 0;
  bool hasId_ = false;
  mutable std::atomic<bool> isOver_ = false;
};

} // namespace specmv
