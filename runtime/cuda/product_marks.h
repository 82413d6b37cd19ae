// Remembers the streams that products of one plan were put on, so that these products can be waited
// for, and nothing else.
#pragma once

#include "runtime/cuda/driver.h"
#include "runtime/cuda/stream_key.h"

#include <mutex>
#include <optional>
#include <vector>

namespace specmv {

// Has an event for each stream that a product was put on. A stream that the program has destroyed
// is not touched: its event tells. Thread-safe.
class ProductMarks {
public:
  // Makes the event of the first stream, so that the first product need not. If it cannot, the
  // first product tries again.
  void prepare(const GpuDevice &gpu);
  // Marks the stream behind what the plan has just put there. It takes the host 0.1 to 0.4 us and
  // the GPU nothing (H200). A stream that is captured gets no mark: nothing is known of the
  // launches of its graph. If there can be no event, it waits for the stream.
  llvm::Error mark(const GpuDevice &gpu, StreamHandle stream);
  // Waits until everything is done that was marked, also if it failed.
  void wait() noexcept;

private:
  struct Mark {
    std::optional<StreamIdentity> stream; // none: nothing is marked yet
    GpuHandle<void *> event;
  };
  llvm::Expected<CUevent> eventOf(const GpuDevice &gpu, StreamHandle stream);

  std::mutex mutex_;
  std::vector<Mark> marks_;
};

} // namespace specmv
