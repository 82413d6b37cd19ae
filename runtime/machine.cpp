// Finds the machine that a product is to run on.
#include "runtime/machine.h"

#include "llvm/ADT/StringRef.h"

namespace specmv {

// The GPU that unknown ones are modelled after, and that is planned for where there is none.
constexpr const char *kDefaultModel = "h200";

llvm::Expected<GpuModel> modelOf(const GpuInfo &info) {
  const std::string device = llvm::StringRef(info.name).lower();
  for (const std::string &name : gpuModelNames())
    if (llvm::StringRef(device).contains(name))
      return loadGpuModel(name);
  auto model = loadGpuModel(kDefaultModel);
  if (!model)
    return model;
  model->name = info.name;
  model->arch = info.arch;
  model->sms = info.sms;
  model->threadsPerSm = info.threadsPerSm;
  model->warpsPerSm = info.threadsPerSm / model->warpSize;
  model->l2Bytes = info.l2Bytes;
  return model;
}

static llvm::Error findGpu(const MachineRequest &request, Machine &machine) {
  if (request.target == Target::host) {
    machine.whyHost = "the host was asked for";
    return llvm::Error::success();
  }
  auto gpu = GpuDevice::open(request.device);
  if (gpu) {
    machine.gpu = std::move(*gpu);
    return llvm::Error::success();
  }
  if (request.target == Target::gpu)
    return gpu.takeError();
  machine.whyHost = describe(gpu.takeError()).second;
  return llvm::Error::success();
}

llvm::Expected<Machine> Machine::find(const MachineRequest &request) {
  Machine machine{.gpu = nullptr, .whyHost = "", .model = {}, .arch = "", .cache = Cache::open()};
  if (llvm::Error error = findGpu(request, machine))
    return error;
  auto model = !request.gpuModel.empty() ? loadGpuModel(request.gpuModel)
               : machine.gpu             ? modelOf(machine.gpu->info())
                                         : loadGpuModel(kDefaultModel);
  if (!model)
    return model.takeError();
  machine.model = std::move(*model);
  machine.arch = !request.arch.empty() ? request.arch
                 : machine.gpu         ? machine.gpu->info().arch
                                       : machine.model.arch;
  return machine;
}

} // namespace specmv
