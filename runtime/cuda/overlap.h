// What a product needs to overlap its parts on a GPU: page-locked host memory, a second stream,
// events and host functions in a stream. Everything made here is freed with its owner.
#pragma once

#include "runtime/cuda/device.h"

#include <cstddef>
#include <memory>

namespace specmv {

// Page-locked memory, which the GPU reads and writes without a copy in between. bytes = 0 gives
// null. Status::missing where the host has no room.
llvm::Expected<GpuHandle<std::byte *>> allocateHost(const GpuDevice &gpu, size_t bytes);

// A stream that is ordered with others by events alone, also with the default stream.
llvm::Expected<GpuHandle<void *>> makeStream(const GpuDevice &gpu);

enum class EventKind {
  ordering, // tells no time, and takes none
  timed,
};
llvm::Expected<GpuHandle<void *>> makeEvent(const GpuDevice &gpu, EventKind kind);

// Marks what the stream holds up to here; what is put on another after waitFor() comes behind that.
llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream);
llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream);

// Calls function(data) on a thread of the driver's, in order on the stream.
llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream);

} // namespace specmv
