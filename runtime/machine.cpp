// Finds the GPU that a product will run on, or the host.
#include "runtime/machine.h"

#include "runtime/plan/planning_model.h"

namespace specmv {

// Leaves machine.gpu null, so that the host multiplies, only if the host was requested or the
// machine has no GPU. A GPU that exists but fails is an error, and so is an unknown device number.
// The caller's vectors may be in that GPU's memory, which the host cannot read.
static llvm::Error findGpu(const MachineRequest &request, Machine &machine) {
  if (request.target == Target::host) {
    machine.whyHost = "the target is the host";
    return llvm::Error::success();
  }
  if (request.target == Target::automatic && request.device == 0) {
    auto count = gpuCount(machine.whyHost);
    if (!count)
      return count.takeError();
    if (*count == 0)
      return llvm::Error::success();
  }
  auto gpu = GpuDevice::open(request.device);
  if (!gpu)
    return gpu.takeError();
  machine.gpu = request.memory ? (*gpu)->withMemoryOf(request.memory) : std::move(*gpu);
  return llvm::Error::success();
}

llvm::Error unlessCancelled(const Machine &machine) {
  return machine.cancelled && *machine.cancelled ? fail(Status::badCall, "the set-up was cancelled")
                                                 : llvm::Error::success();
}

llvm::Expected<Machine> Machine::find(const MachineRequest &request) {
  Machine machine{
      .gpu = nullptr,
      .whyHost = "",
      .model = {},
      .arch = "",
      .cache = Cache::open(request.onlyPacks ? CacheUse::packsOnly : CacheUse::all, request.places),
      .onlyPacks = request.onlyPacks,
      .hostKernels = request.hostKernels,
      .found = std::make_shared<FoundObjects>()};
  if (llvm::Error error = findGpu(request, machine))
    return error;
  // Kernels compiled on the host for a cache are those that a GPU would use in the end.
  if (machine.gpu || request.onlyPacks || request.kernels == KernelKind::general)
    machine.kernels = request.kernels;
  machine.isFallback = !machine.gpu && request.hostKernels != HostKernels::all &&
                       request.target == Target::automatic;
  auto model = modelToPlanFor(request, machine.gpu ? &machine.gpu->info() : nullptr);
  if (!model)
    return model.takeError();
  machine.model = std::move(*model);
  machine.arch = !request.arch.empty() ? request.arch
                 : machine.gpu         ? machine.gpu->info().arch
                                       : machine.model->arch;
  return machine;
}

} // namespace specmv
