// Fills pieces of page-locked memory on all cores while earlier ones are copied to the device.
#include "runtime/cuda/staging.h"

#include "models/base/parallel.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace specmv {

bool Staging::makePiece(Piece &piece) const {
  const Driver &d = driver();
  void *memory = nullptr;
  CUstream stream = nullptr;
  if (d.cuMemHostAlloc(&memory, kPieceBytes, CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS)
    return false;
  piece.memory = {static_cast<std::byte *>(memory),
                  {&gpu_, [](std::byte *locked) { driver().cuMemFreeHost(locked); }}};
  if (d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return false;
  piece.stream = {stream, {&gpu_, d.cuStreamDestroy}};
  return true;
}

bool Staging::isReady() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (isTried_)
    return isMade_;
  isTried_ = true;
  const GpuDevice::Current current(gpu_);
  isMade_ = current.isCurrent() && std::all_of(pieces_.begin(), pieces_.end(),
                                               [&](Piece &piece) { return makePiece(piece); });
  if (!isMade_)
    for (Piece &piece : pieces_)
      piece.memory = {}, piece.stream = {};
  return isMade_;
}

// Waits for what was last copied from the piece, and no longer.
llvm::Error Staging::copy(const GpuDevice &gpu, Piece &piece, DevicePointer to,
                          const std::byte *from, size_t bytes) {
  const std::lock_guard<std::mutex> lock(piece.mutex);
  if (llvm::Error error = gpu.synchronize(piece.stream.get()))
    return error;
  std::memcpy(piece.memory.get(), from, bytes);
  return gpu.upload(to, piece.memory.get(), bytes, piece.stream.get());
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
    keep(copy(gpu_, piece, to + first, source + first, static_cast<size_t>(end - begin)));
  });
  for (Piece &piece : pieces_)
    keep(gpu_.synchronize(piece.stream.get()));
  return failure ? failWith(failure->first, failure->second) : llvm::Error::success();
}

} // namespace specmv
