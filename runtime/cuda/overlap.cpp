// Makes page-locked memory, uploads by pieces, and takes detours of products over the host.
#include "runtime/cuda/overlap.h"

#include "models/base/own_environment.h"
#include "models/base/parallel.h"
#include "runtime/cuda/driver.h"

#include <cstring>
#include <optional>

namespace specmv {

// --- Overlap -------------------------------------------------------------------------------------

// Makes page-locked memory, streams and events; each is freed in the context it was made in. Times
// work by events.

llvm::Expected<GpuHandle<std::byte *>> allocateHost(const GpuDevice &gpu, size_t bytes) {
  if (bytes == 0)
    return GpuHandle<std::byte *>();
  void *memory = nullptr;
  bool isFull = false;
  llvm::Error error = callIn(gpu, "cuMemHostAlloc", [&](const Driver &d) {
    const CUresult result = d.cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
    isFull = result == CUDA_ERROR_OUT_OF_MEMORY;
    return result;
  });
  if (isFull) {
    llvm::consumeError(std::move(error));
    return fail(Status::missing,
                "the host does not have enough memory to allocate {0} page-locked bytes", bytes);
  }
  if (error)
    return error;
  return GpuHandle<std::byte *>(
      static_cast<std::byte *>(memory),
      {gpu.shared_from_this(), [](std::byte *locked) { driver().cuMemFreeHost(locked); }});
}

llvm::Expected<GpuHandle<void *>> makeStream(const GpuDevice &gpu) {
  CUstream stream = nullptr;
  if (llvm::Error error = callIn(gpu, "cuStreamCreate", [&](const Driver &d) {
        return d.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
      }))
    return error;
  return GpuHandle<void *>(stream, {gpu.shared_from_this(), [](void *made) {
                                      driver().cuStreamDestroy(static_cast<CUstream>(made));
                                    }});
}

llvm::Expected<GpuHandle<void *>> makeEvent(const GpuDevice &gpu, EventKind kind) {
  const unsigned flags = kind == EventKind::timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  CUevent event = nullptr;
  if (llvm::Error error = callIn(gpu, "cuEventCreate",
                                 [&](const Driver &d) { return d.cuEventCreate(&event, flags); }))
    return error;
  return GpuHandle<void *>(event, {gpu.shared_from_this(), [](void *made) {
                                     driver().cuEventDestroy(static_cast<CUevent>(made));
                                   }});
}

llvm::Error record(const GpuDevice &gpu, void *event, StreamHandle stream) {
  return callIn(gpu, "cuEventRecord", [&](const Driver &d) {
    return d.cuEventRecord(static_cast<CUevent>(event), static_cast<CUstream>(stream));
  });
}

llvm::Error waitFor(const GpuDevice &gpu, void *event, StreamHandle stream) {
  return callIn(gpu, "cuStreamWaitEvent", [&](const Driver &d) {
    return d.cuStreamWaitEvent(static_cast<CUstream>(stream), static_cast<CUevent>(event),
                               CU_EVENT_WAIT_DEFAULT);
  });
}

llvm::Error callOnHost(const GpuDevice &gpu, void (*function)(void *data), void *data,
                       StreamHandle stream) {
  return callIn(gpu, "cuLaunchHostFunc", [&](const Driver &d) {
    return d.cuLaunchHostFunc(static_cast<CUstream>(stream), function, data);
  });
}

llvm::Expected<double> GpuDevice::time(StreamHandle stream,
                                       const std::function<llvm::Error()> &body) const {
  auto begin = makeEvent(*this, EventKind::timed), end = makeEvent(*this, EventKind::timed);
  if (!begin || !end)
    return llvm::joinErrors(begin.takeError(), end.takeError());
  if (llvm::Error error = record(*this, begin->get(), stream))
    return error;
  if (llvm::Error error = body())
    return error;
  if (llvm::Error error = record(*this, end->get(), stream))
    return error;
  float milliseconds = 0;
  if (llvm::Error error = callIn(*this, "cuEventSynchronize", [&](const Driver &d) {
        return d.cuEventSynchronize(static_cast<CUevent>(end->get()));
      }))
    return error;
  if (llvm::Error error = callIn(*this, "cuEventElapsedTime", [&](const Driver &d) {
        return d.cuEventElapsedTime(&milliseconds, static_cast<CUevent>(begin->get()),
                                    static_cast<CUevent>(end->get()));
      }))
    return error;
  return milliseconds * 1000.0;
}

// --- Staging -------------------------------------------------------------------------------------

// Fills pieces of page-locked memory on all cores while earlier ones are copied to the device.

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

// --- Host detour ---------------------------------------------------------------------------------

// Copies an array to the host, calls a function there, and copies what it made to the GPU.

struct DetourCall::State {
  // A scratch array, and its copy in page-locked memory of the host.
  struct TwoCopies {
    DevicePointer onGpu = 0;
    HostArray onHost = {};
    GpuHandle<std::byte *> memory = {};

    size_t bytes() const { return static_cast<size_t>(onHost.count) * sizeOf(onHost.type); }
    llvm::Error make(const GpuDevice &gpu, const Scratch &scratch) {
      onGpu = scratch.at;
      auto made = allocateHost(gpu, static_cast<size_t>(scratch.array.size()));
      if (!made)
        return made.takeError();
      memory = std::move(*made);
      onHost = {scratch.array.type, scratch.array.count(), memory.get()};
      return llvm::Error::success();
    }
  };

  std::shared_ptr<const GpuDevice> gpu;
  decltype(HostDetour::call) function;
  HostArray table;
  TwoCopies from, to;
  GpuHandle<void *> stream, begun, done; // the last two are events

  static void run(void *data) {
    const DefaultFloats floats; // a thread of the driver may flush denormals, as the program does
    const auto &state = *static_cast<const State *>(data);
    state.function(state.table, state.from.onHost, state.to.onHost);
  }
};

llvm::Expected<DetourCall> DetourCall::prepare(std::shared_ptr<const GpuDevice> gpu,
                                               decltype(HostDetour::call) function,
                                               const HostArray &table, const Scratch &from,
                                               const Scratch &to) {
  auto state = std::make_shared<State>();
  state->gpu = std::move(gpu);
  state->function = function;
  state->table = table;
  if (llvm::Error error = state->from.make(*state->gpu, from))
    return error;
  if (llvm::Error error = state->to.make(*state->gpu, to))
    return error;
  if (llvm::Error error = makeStream(*state->gpu).moveInto(state->stream))
    return error;
  for (GpuHandle<void *> *event : {&state->begun, &state->done})
    if (llvm::Error error = makeEvent(*state->gpu, EventKind::ordering).moveInto(*event))
      return error;
  DetourCall out;
  out.state_ = std::move(state);
  return out;
}

llvm::Error DetourCall::begin(StreamHandle stream) const {
  State &s = *state_;
  const StreamHandle beside = s.stream.get();
  if (llvm::Error error = record(*s.gpu, s.begun.get(), stream))
    return error;
  if (llvm::Error error = waitFor(*s.gpu, s.begun.get(), beside))
    return error;
  if (llvm::Error error =
          s.gpu->download(s.from.memory.get(), s.from.onGpu, s.from.bytes(), beside))
    return error;
  if (llvm::Error error = callOnHost(*s.gpu, State::run, &s, beside))
    return error;
  if (llvm::Error error = s.gpu->upload(s.to.onGpu, s.to.memory.get(), s.to.bytes(), beside))
    return error;
  return record(*s.gpu, s.done.get(), beside);
}

llvm::Error DetourCall::join(StreamHandle stream) const {
  return waitFor(*state_->gpu, state_->done.get(), stream);
}

llvm::Error DetourCall::settle() const { return state_->gpu->synchronize(state_->stream.get()); }

} // namespace specmv
