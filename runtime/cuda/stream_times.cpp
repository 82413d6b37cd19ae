// Records, queries and reuses pairs of events.
#include "runtime/cuda/stream_times.h"

#include "runtime/cuda/driver.h"
#include "runtime/cuda/overlap.h"

#include <utility>

namespace specmv {

static CUevent eventIn(const GpuHandle<void *> &event) { return static_cast<CUevent>(event.get()); }

llvm::Expected<StreamTimes::Piece> StreamTimes::unusedPiece(const GpuDevice &gpu) {
  if (!unused_.empty()) {
    Piece out = std::move(unused_.back());
    unused_.pop_back();
    return out;
  }
  auto begin = makeEvent(gpu, EventKind::timed), end = makeEvent(gpu, EventKind::timed);
  if (!begin || !end)
    return llvm::joinErrors(begin.takeError(), end.takeError());
  return Piece{std::move(*begin), std::move(*end)};
}

void StreamTimes::begin(const GpuDevice &gpu, StreamHandle stream, size_t tag) {
  auto unused = unusedPiece(gpu);
  if (!unused) {
    llvm::consumeError(unused.takeError());
    return;
  }
  if (llvm::errorToBool(record(gpu, unused->begin.get(), stream)))
    return;
  running_.push_back(std::move(*unused));
  running_.back().tag = tag;
  isOpen_ = true;
}

void StreamTimes::drop() {
  if (std::exchange(isOpen_, false))
    running_.pop_back();
}

bool StreamTimes::end(const GpuDevice &gpu, StreamHandle stream) {
  if (!std::exchange(isOpen_, false))
    return false;
  const bool isTimed = !llvm::errorToBool(record(gpu, running_.back().end.get(), stream));
  if (!isTimed)
    running_.pop_back();
  return isTimed;
}

std::optional<StreamTimes::Ended> StreamTimes::takeEnded(const GpuDevice &gpu) {
  if (running_.size() == size_t{isOpen_})
    return std::nullopt;
  const GpuDevice::Current current(gpu);
  if (!current.isCurrent())
    return std::nullopt;
  const Driver &d = driver();
  const CUresult state = d.cuEventQuery(eventIn(running_.front().end));
  if (state == CUDA_ERROR_NOT_READY)
    return std::nullopt;
  unused_.push_back(std::move(running_.front()));
  running_.pop_front();
  const Piece &piece = unused_.back();
  Ended out{piece.tag, std::nullopt};
  float milliseconds = 0;
  if (state == CUDA_SUCCESS &&
      d.cuEventElapsedTime(&milliseconds, eventIn(piece.begin), eventIn(piece.end)) == CUDA_SUCCESS)
    out.us = 1000.0 * milliseconds;
  return out;
}

} // namespace specmv
