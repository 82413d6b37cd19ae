// Times pieces of work on a program's stream by events, without ever waiting for them.
#pragma once

#include "runtime/cuda/device.h"
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

  // The work that is put on the stream between begin() and end() is one piece. end() returns false
  // if it is not timed, since an event failed or drop() gave it up. The stream must not be under
  // capture.
  void begin(const GpuDevice &gpu, StreamHandle stream, size_t tag);
  bool end(const GpuDevice &gpu, StreamHandle stream);
  void drop();
  // Returns the next piece of work that has ended, in the order of their begins; nullopt if none
  // has.
  std::optional<Ended> takeEnded(const GpuDevice &gpu);

private:
  struct Piece {
    GpuHandle<void *> begin, end;
    size_t tag = 0;
  };
  llvm::Expected<Piece> unusedPiece(const GpuDevice &gpu);

  std::deque<Piece> running_;
  bool isOpen_ = false; // the last of these has no end yet
  std::vector<Piece> unused_;
};

} // namespace specmv
