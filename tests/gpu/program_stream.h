// Streams as a program makes them, which synchronize with the default stream or not.
#pragma once

#include "runtime/cuda/driver.h"
#include "runtime/cuda/overlap.h"
#include "tests/gpu/gpu.h"

namespace specmv {

enum class StreamKind { nonBlocking, blocking };

inline GpuHandle<void *> streamOf(const GpuDevice &gpu, StreamKind kind) {
  if (kind == StreamKind::nonBlocking)
    return llvm::cantFail(makeStream(gpu));
  CUstream stream = nullptr;
  llvm::cantFail(callIn(gpu, "cuStreamCreate", [&](const Driver &d) {
    return d.cuStreamCreate(&stream, CU_STREAM_DEFAULT);
  }));
  return {stream, {gpu.shared_from_this(), [](void *made) {
                     driver().cuStreamDestroy(static_cast<CUstream>(made));
                   }}};
}

} // namespace specmv
