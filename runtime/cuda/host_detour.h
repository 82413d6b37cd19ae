// A detour of products over the host (HostDetour of steps.h), on a stream of its own beside the
// caller's.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "runtime/cuda/device.h"

#include <memory>

namespace specmv {

class DetourCall {
public:
  // A scratch array of the layout, and where it lies on the GPU.
  struct Scratch {
    DevicePointer at;
    const LayoutArray &array;
  };
  // The table must stay where it is as long as the call. Products must not run at the same time,
  // since they share the copies on the host.
  static llvm::Expected<DetourCall> prepare(std::shared_ptr<const GpuDevice> gpu,
                                            decltype(HostDetour::call) function,
                                            const HostArray &table, const Scratch &from,
                                            const Scratch &to);

  // Begins the detour after all that was put on the stream so far.
  llvm::Error begin(StreamHandle stream) const;
  // Makes the stream wait for the end of the detour.
  llvm::Error join(StreamHandle stream) const;
  // Waits on the host for the end of the detour.
  llvm::Error settle() const;

private:
  struct State;
  // The driver holds its address while the detour runs, so it must not move.
  std::shared_ptr<State> state_;
};

} // namespace specmv
