// Fills pieces of page-locked memory on all cores while earlier ones are copied to the device.
#include "runtime/cuda/staging.h"

#include "models/base/parallel.h"

#include <cstring>
#include <optional>

namespace specmv {

// Makes the piece unless it exists; returns true if it exists then.
bool Staging::isMade(Piece &piece) const {
  if (piece.stream)
    return true;
  const Driver &d = driver();
  const GpuDevice::Current current(gpu_);
  void *memory = nullptr;
  CUstream stream = nullptr;
  if (!current.isCurrent() ||
      d.cuMemHostAlloc(&memory, kPieceBytes, CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS)
    return false;
  piece.memory = {static_cast<std::byte *>(memory),
                  {&gpu_, [](std::byte *locked) { driver().cuMemFreeHost(locked); }}};
  if (d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS)
    piece.stream = {stream, {&gpu_, d.cuStreamDestroy}};
  else
    piece.memory = {};
  return static_cast<bool>(piece.stream);
}

// Waits only for the last copy from the piece.
llvm::Error Staging::copy(Piece &piece, DevicePointer to, const std::byte *from,
                          size_t bytes) const {
  const std::lock_guard<std::mutex> lock(piece.mutex);
  if (!isMade(piece))
    return gpu_.upload(to, from, bytes);
  if (llvm::Error error = gpu_.synchronize(piece.stream.get()))
    return error;
  std::memcpy(piece.memory.get(), from, bytes);
  return gpu_.upload(to, piece.memory.get(), bytes, piece.stream.get());
}

llvm::Error Staging::wait(Piece &piece) const {
  const std::lock_guard<std::mutex> lock(piece.mutex);
  return piece.stream ? gpu_.synchronize(piece.stream.get()) : llvm::Error::success();
}

llvm::Error Staging::upload(DevicePointer to, const void *from, size_t bytes) {
  const auto *source = static_cast<const std::byte *>(from);
  std::mutex mutex; // guards failure
  std::optional<std::pair<Status, std::string>> failure;
  const auto keep = [&](llvm::Error error) {
    if (!error)
      return;
    const std::lock_guard<std::mutex> lock(mutex);
    failure = describe(std::move(error));
  };
  parallelFor(static_cast<int64_t>(bytes), kPieceBytes, [&](int64_t begin, int64_t end) {
    const auto first = static_cast<size_t>(begin);
    Piece &piece = pieces_[first / kPieceBytes % kPieces];
    keep(copy(piece, to + first, source + first, static_cast<size_t>(end - begin)));
  });
  for (Piece &piece : pieces_)
    keep(wait(piece));
  return failure ? failWith(failure->first, failure->second) : llvm::Error::success();
}

} // namespace specmv
