// Makes streams, events and graphs, and waits for the default stream.
#include "runtime/cuda/streams.h"

#include "runtime/cuda/own_streams.h"

#include "runtime/cuda/driver.h"
#include "runtime/cuda/overlap.h"
#include "runtime/cuda/owned.h"

#include <utility>

namespace specmv {

// --- Stream key ----------------------------------------------------------------------------------

// Asks the driver for the number of a stream.

StreamIdentity identityOf(StreamHandle stream) {
  StreamIdentity out{keyOf(stream)};
  if (const auto numberOf = driver().cuStreamGetId)
    numberOf(static_cast<CUstream>(stream), &out.number);
  return out;
}

// --- Own streams ---------------------------------------------------------------------------------

// Makes streams of specmv's own, and lets them wait for the default stream.

static CUresult makeStream(const Driver &d, StreamPriority priority, CUstream &stream) {
  int least = 0, greatest = 0;
  if (priority == StreamPriority::low && d.cuCtxGetStreamPriorityRange &&
      d.cuStreamCreateWithPriority &&
      d.cuCtxGetStreamPriorityRange(&least, &greatest) == CUDA_SUCCESS)
    return d.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, least);
  return d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

// `gpu` is the owner, which outlives its streams.
llvm::Expected<WorkStream> OwnStreams::take(const GpuDevice &gpu, StreamPriority priority) {
  Shelf &shelf = priority == StreamPriority::low ? low_ : usual_;
  std::shared_ptr<void> stream = shelf.take();
  if (!stream) {
    CUstream made = nullptr;
    if (llvm::Error error = callIn(gpu, "cuStreamCreate",
                                   [&](const Driver &d) { return makeStream(d, priority, made); }))
      return error;
    const OwnedBy<CUresult (*)(CUstream)> destroy{&gpu, driver().cuStreamDestroy};
    stream = std::shared_ptr<void>(
        made, [destroy](void *stream) { destroy(static_cast<CUstream>(stream)); });
  }
  return WorkStream(gpu.shared_from_this(), shelf, std::move(stream));
}

void OwnStreams::clear() {
  usual_.clear();
  low_.clear();
}

DefaultStreamGate::DefaultStreamGate(const GpuDevice &gpu) {
  const Driver &d = driver();
  const GpuDevice::Current current(gpu);
  CUstream stream = nullptr;
  CUevent event = nullptr;
  if (!current.isCurrent() || d.cuStreamCreate(&stream, CU_STREAM_DEFAULT) != CUDA_SUCCESS)
    return; // hold() works without it, or the next call reports the error
  stream_ = {stream, {&gpu, d.cuStreamDestroy}};
  if (d.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS)
    event_ = {event, {&gpu, d.cuEventDestroy}};
}

llvm::Error DefaultStreamGate::hold(const GpuDevice &gpu, StreamHandle stream) const {
  if (!event_)
    return gpu.synchronize(nullptr);
  if (llvm::Error error = record(gpu, event_.get(), stream_.get()))
    return error;
  return waitFor(gpu, event_.get(), stream);
}

llvm::Expected<WorkStream> GpuDevice::workStream(StreamPriority priority) const {
  return owned_->streams.take(owner(), priority);
}

llvm::Error GpuDevice::followDefaultStream(StreamHandle stream) const {
  return owned_->gate.hold(*this, stream);
}

// --- Stream times --------------------------------------------------------------------------------

// Records, queries and reuses pairs of events.

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

// --- Graph ---------------------------------------------------------------------------------------

// Captures what is put on a stream into a CUDA graph and launches it.

bool isCaptured(const Driver &d, StreamHandle stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return d.cuStreamIsCapturing &&
         d.cuStreamIsCapturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool isCaptured(const GpuDevice &gpu, StreamHandle stream) {
  const GpuDevice::Current current(gpu);
  return current.isCurrent() && isCaptured(driver(), stream);
}

static bool hasGraphs(const Driver &d) {
  return d.cuStreamBeginCapture && d.cuStreamEndCapture && d.cuGraphInstantiate &&
         d.cuGraphLaunch && d.cuGraphExecDestroy && d.cuGraphDestroy;
}

// Ends the capture and returns the captured work. It ends the capture even after a failure, since
// the stream would be unusable otherwise.
static llvm::Expected<GpuHandle<void *>> endCapture(const GpuDevice &gpu, CUstream stream,
                                                    llvm::Error failed) {
  CUgraph graph = nullptr;
  llvm::Error error = callIn(gpu, "cuStreamEndCapture",
                             [&](const Driver &d) { return d.cuStreamEndCapture(stream, &graph); });
  GpuHandle<void *> captured(graph, {gpu.shared_from_this(), [](void *made) {
                                       driver().cuGraphDestroy(static_cast<CUgraph>(made));
                                     }});
  if (!failed && !error)
    return captured;
  if (!failed)
    return error;
  llvm::consumeError(std::move(error)); // a consequence of the first error
  return failed;
}

llvm::Expected<std::optional<GpuGraph>>
GpuGraph::capture(const GpuDevice &gpu, StreamHandle stream,
                  const std::function<llvm::Error()> &body) {
  if (!hasGraphs(driver()))
    return std::nullopt;
  auto *const at = static_cast<CUstream>(stream);
  if (llvm::Error error = callIn(gpu, "cuStreamBeginCapture", [&](const Driver &d) {
        // Relaxed mode does not restrict other threads of the program.
        return d.cuStreamBeginCapture(at, CU_STREAM_CAPTURE_MODE_RELAXED);
      }))
    return error;
  auto captured = endCapture(gpu, at, body());
  if (!captured)
    return captured.takeError();
  CUgraphExec ready = nullptr;
  if (llvm::Error error = callIn(gpu, "cuGraphInstantiate", [&](const Driver &d) {
        return d.cuGraphInstantiate(&ready, static_cast<CUgraph>(captured->get()), 0);
      }))
    return error;
  const auto destroy = [](void *made) {
    driver().cuGraphExecDestroy(static_cast<CUgraphExec>(made));
  };
  return GpuGraph(gpu.shared_from_this(), {ready, {gpu.shared_from_this(), destroy}});
}

llvm::Error GpuGraph::launch(StreamHandle stream) const {
  return callIn(*gpu_, "cuGraphLaunch", [&](const Driver &d) {
    return d.cuGraphLaunch(static_cast<CUgraphExec>(ready_.get()), static_cast<CUstream>(stream));
  });
}

} // namespace specmv
