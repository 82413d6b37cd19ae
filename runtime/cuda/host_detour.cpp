// Copies an array to the host, calls a function there, and copies what it made to the GPU.
#include "runtime/cuda/host_detour.h"

#include "models/base/default_floats.h"
#include "runtime/cuda/overlap.h"

namespace specmv {

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
