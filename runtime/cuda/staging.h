// Uploads large arrays through page-locked memory, which all cores fill. The driver copies pageable
// memory with one core, several times slower than the bus.
#pragma once

#include "runtime/cuda/driver.h"

#include <array>
#include <mutex>

namespace specmv {

class Staging {
public:
  explicit Staging(const GpuDevice &gpu) : gpu_(gpu) {}

  // The least size of an array for which this pays.
  static constexpr size_t kLeastBytes = size_t{8} << 20;

  // Copies, and waits until the array is in device memory. Thread-safe. If a piece cannot be made,
  // works without it.
  llvm::Error upload(DevicePointer to, const void *from, size_t bytes);

private:
  static constexpr size_t kPieces = 8, kPieceBytes = size_t{4} << 20;

  // A buffer that one thread at a time fills, and the stream that copies it. Made at first use.
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
