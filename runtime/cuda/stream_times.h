// Times pieces of work on a program's stream by events, without ever waiting for them.
#pragma once

#include "runtime/cuda/device.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <optional>
#include <vector>

namespace specmv {

class StreamTimes {
public:
  struct Ended {
    size_t tag;
    std::optional<double> us; // nullopt: the driver could not tell
  };

  // Calls `put`, which puts work on the stream, between two events. isTimed tells whether the work
  // has them: events may fail, and then the work is put there without. Returns the error of `put`.
  // The stream must not be under capture.
  llvm::Error run(const GpuDevice &gpu, StreamHandle stream, size_t tag,
                  llvm::function_ref<llvm::Error()> put, bool &isTimed);
  // Returns the next piece of work that has ended, in the order of run(); nullopt if none has.
  std::optional<Ended> takeEnded(const GpuDevice &gpu);

private:
  struct Piece {
    GpuHandle<void *> begin, end;
    size_t tag = 0;
  };
  llvm::Expected<Piece> unusedPiece(const GpuDevice &gpu);

  std::deque<Piece> running_;
  std::vector<Piece> unused_;
};

} // namespace specmv
