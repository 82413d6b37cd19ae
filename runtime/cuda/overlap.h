// What a product needs to overlap its parts on a GPU: page-locked host memory, a second stream,
// events and host functions in a stream. Everything made here is freed with its last owner.
#pragma once

#include "runtime/cuda/device.h"

#include <cstddef>
#include <memory>

namespace specmv {

// Page-locked memory, which the GPU reads and writes without a copy in between. bytes = 0 gives
// null. Status::missing where the host has no room.
llvm::Expected<std::shared_ptr<std::byte>> allocateHost(const GpuDevice &gpu, size_t bytes);

// A stream that is ordered with others by events alone, also with the default stream.
llvm::Expected<std::shared_ptr<void>> makeStream(const GpuDevice &gpu);
// An event that only orders: it takes no time.
llvm::Expected<std::shared_ptr<void>> makeEvent(const GpuDevice &gpu);

// Marks what the stream holds up to here; what is put on another after waitFor() comes behind that.
llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream);
llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream);

// Calls function(data) on a thread of the driver's, in order on the stream.
llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream);

} // namespace specmv
