// Resources for products whose parts run concurrently on a GPU: page-locked host memory, a second
// stream, events, and host functions in a stream. Each is freed by its owner.
#pragma once

#include "runtime/cuda/device.h"

#include <cstddef>
#include <memory>

namespace specmv {

// Allocates page-locked memory, which the GPU reads and writes directly. bytes = 0 gives null.
// Status::missing if the host does not have enough memory.
llvm::Expected<GpuHandle<std::byte *>> allocateHost(const GpuDevice &gpu, size_t bytes);

// Makes a stream that synchronizes with other streams, the default stream included, only through
// events.
llvm::Expected<GpuHandle<void *>> makeStream(const GpuDevice &gpu);

enum class EventKind {
  ordering, // without a time stamp, which is faster
  timed,
};
llvm::Expected<GpuHandle<void *>> makeEvent(const GpuDevice &gpu, EventKind kind);

// record() marks the work that was put on the stream so far. Work that is put on another stream
// after its waitFor() starts when all of that is done.
llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream);
llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream);

// Calls function(data) in order on the stream, on a thread of the driver.
llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream);

} // namespace specmv
