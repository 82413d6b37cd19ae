// Copies values when they come, and stores the newest in products that are made on another thread.
#include "runtime/api/newer_values.h"

#include "models/base/in_turn.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/memory_place.h"

#include <cstring>

namespace specmv {

// The memory may be freed only behind the last copy to it.
NewerValues::~NewerValues() {
  if (!newest_ || !newest_->behind)
    return;
  const GpuDevice::Current current(*newest_->gpu);
  if (current.isCurrent())
    driver().cuEventSynchronize(static_cast<CUevent>(newest_->behind.get()));
}

// Updates of a plan are in an order, and so are their copies.
llvm::Error NewerValues::copyOnGpu(Copy &to, const void *val, size_t bytes, StreamHandle stream) {
  const GpuDevice &gpu = *to.gpu;
  if (!to.behind)
    if (llvm::Error error =
            inTurn([&] { return gpu.allocate(bytes).moveInto(to.onGpu); },
                   [&] { return makeEvent(gpu, EventKind::ordering).moveInto(to.behind); }))
      return error;
  return inTurn(
      [&] {
        return gpu.copy(to.onGpu.pointer(), reinterpret_cast<DevicePointer>(val), bytes, stream);
      },
      [&] { return record(gpu, to.behind.get(), stream); });
}

llvm::Expected<bool> NewerValues::keep(const GpuDevice &gpu, const void *val, size_t bytes,
                                       StreamHandle stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (isMade_)
    return false;
  if (!newest_)
    newest_.emplace(Copy{.gpu = gpu.shared_from_this()});
  if (isDevicePointer(val)) {
    if (llvm::Error error = copyOnGpu(*newest_, val, bytes, stream))
      return error;
    newest_->onHost = {};
  } else {
    newest_->onHost = ZeroedArray<std::byte>(bytes);
    std::memcpy(newest_->onHost.data(), val, bytes);
  }
  return true;
}

// No more values can come once there are no newer ones.
std::optional<NewerValues::Copy> NewerValues::takeNewest() {
  const std::lock_guard<std::mutex> lock(mutex_);
  isMade_ = !newest_;
  return std::exchange(newest_, std::nullopt);
}

llvm::Error NewerValues::give(PlanProducts &products, const Copy &values, StreamHandle stream) {
  const GpuProduct &product = *products.gpu;
  if (values.behind)
    if (llvm::Error error = waitFor(product.gpu(), values.behind.get(), stream))
      return error;
  const void *const val = values.onHost.empty()
                              ? reinterpret_cast<const void *>(values.onGpu.pointer())
                              : static_cast<const void *>(values.onHost.data());
  bool isMixed = false;
  return products.update->run(product, val, stream, isMixed);
}

llvm::Error NewerValues::giveTo(PlanProducts &products, StreamHandle stream) {
  while (const std::optional<Copy> values = takeNewest()) {
    llvm::Error error = give(products, *values, stream);
    // The copy is freed when the stream does not read it any more.
    error = llvm::joinErrors(std::move(error), products.gpu->gpu().synchronize(stream));
    if (error)
      return error;
  }
  return llvm::Error::success();
}

int64_t NewerValues::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return newest_ ? static_cast<int64_t>(newest_->onGpu.bytes()) : 0;
}

} // namespace specmv
