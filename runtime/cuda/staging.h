// Uploads large arrays by way of page-locked memory, which all cores fill: a copy from ordinary
// memory, which the driver makes with one core, is several times slower than the bus.
#pragma once

#include "runtime/cuda/driver.h"

#include <array>
#include <mutex>

namespace specmv {

class Staging {
public:
  explicit Staging(const GpuDevice &gpu) : gpu_(gpu) {}

  // Arrays of this size are worth it.
  static constexpr size_t kLeastBytes = size_t{8} << 20;

  // Copies, and waits until the array is in device memory. Several threads may call it. A piece
  // that cannot be made is done without.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes);

private:
  static constexpr size_t kPieces = 8, kPieceBytes = size_t{4} << 20;

  // A place that one thread at a time fills, and the stream on which it is copied; made when it is
  // first needed.
  struct Piece {
    std::mutex mutex; // guards the use of the others
    UniqueHandle<std::byte *, OwnedBy<void (*)(std::byte *)>> memory;
    UniqueHandle<CUstream, OwnedBy<CUresult (*)(CUstream)>> stream;
  };
  bool isMade(Piece &piece) const;
  llvm::Error copy(Piece &piece, DevicePointer to, const std::byte *from, size_t bytes) const;
  llvm::Error wait(Piece &piece) const;

  const GpuDevice &gpu_;
  std::array<Piece, kPieces> pieces_;
};

} // namespace specmv
