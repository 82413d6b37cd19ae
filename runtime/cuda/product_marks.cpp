// Records an event behind a plan's work on a stream, and waits for these events.
#include "runtime/cuda/product_marks.h"

#include "runtime/cuda/graph.h"
#include "runtime/cuda/overlap.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

// A program with more streams than this probably keeps making new ones, so events of old streams
// are reused.
constexpr size_t kManyStreams = 8;

static CUevent handleOf(const GpuHandle<void *> &event) {
  return static_cast<CUevent>(event.get());
}

void ProductMarks::prepare(const GpuDevice &gpu) {
  if (auto event = makeEvent(gpu, EventKind::ordering))
    marks_.push_back({std::nullopt, std::move(*event)});
  else
    llvm::consumeError(event.takeError());
}

llvm::Expected<CUevent> ProductMarks::eventOf(const GpuDevice &gpu, StreamHandle stream) {
  const StreamIdentity key = identityOf(stream);
  auto found = llvm::find_if(marks_, [&](const Mark &mark) { return mark.stream == key; });
  if (found == marks_.end())
    found = llvm::find_if(marks_, [](const Mark &mark) { return !mark.stream; });
  if (found == marks_.end() && marks_.size() >= kManyStreams)
    found = llvm::find_if(marks_, [](const Mark &mark) {
      return driver().cuEventQuery(handleOf(mark.event)) == CUDA_SUCCESS;
    });
  if (found == marks_.end()) {
    auto event = makeEvent(gpu, EventKind::ordering);
    if (!event)
      return event.takeError();
    marks_.push_back({key, std::move(*event)});
    return handleOf(marks_.back().event);
  }
  found->stream = key;
  return handleOf(found->event);
}

llvm::Error ProductMarks::mark(const GpuDevice &gpu, StreamHandle stream) {
  const GpuDevice::Current current(gpu); // for all of these calls
  if (llvm::Error error = current.check())
    return error;
  if (isCaptured(driver(), stream)) {
    areInGraphs_ = true;
    return llvm::Error::success();
  }
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto event = eventOf(gpu, stream);
    if (event && driver().cuEventRecord(*event, static_cast<CUstream>(stream)) == CUDA_SUCCESS)
      return llvm::Error::success();
    if (!event)
      llvm::consumeError(event.takeError());
  } catch (const std::bad_alloc &) { // then there is no event
  }
  return gpu.synchronize(stream);
}

// The work of a context that is gone has ended.
template <class Body> bool ProductMarks::holdsForMarks(const Body &body) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return llvm::all_of(marks_, [&](const Mark &mark) {
    if (!mark.stream)
      return true;
    const GpuDevice::Current current(*mark.event.destroyer().gpu);
    return !current.isCurrent() || body(handleOf(mark.event));
  });
}

void ProductMarks::wait() noexcept {
  holdsForMarks([](CUevent event) {
    driver().cuEventSynchronize(event);
    return true;
  });
}

bool ProductMarks::areOver() noexcept {
  return holdsForMarks(
      [](CUevent event) { return driver().cuEventQuery(event) != CUDA_ERROR_NOT_READY; });
}

} // namespace specmv
