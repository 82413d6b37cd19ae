// Finds the GPU that a product will run on, or the host, and the GPU model to plan with.
#include "runtime/machine.h"

#include "models/gpus/borrow.h"
#include "runtime/own_model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace specmv {

// The model for planning on a machine without a GPU.
constexpr const char *kDefaultModel = "h200";

// "NVIDIA", "A100", "SXM4", "80GB"
static llvm::SmallVector<llvm::StringRef, 8> wordsOf(llvm::StringRef device) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  llvm::SplitString(device, words, " -_");
  return words;
}

std::string builtInModelOf(llvm::StringRef device) {
  std::string known;
  for (const std::string &name : gpuModelNames())
    if (llvm::any_of(wordsOf(device),
                     [&](llvm::StringRef w) { return w.equals_insensitive(name); }))
      known = name;
  return known;
}

// The word with the first digit; one that begins with it, with the word before.
std::string modelNameOf(llvm::StringRef device) {
  std::string all;
  llvm::StringRef before;
  for (const llvm::StringRef word : wordsOf(device)) {
    if (llvm::any_of(word, llvm::isDigit))
      return (llvm::isDigit(word.front()) ? before.lower() : "") + word.lower();
    all += word.equals_insensitive("nvidia") ? "" : word.lower();
    before = word;
  }
  return all;
}

GpuSheet toldBy(const GpuInfo &info) {
  return {.name = info.name,
          .arch = info.arch,
          .sms = info.sms,
          .clockGHz = info.clockKHz / 1e6,
          .busBits = info.busBits,
          .memoryClockGHz = info.memoryClockKHz / 1e6,
          .l2Bytes = info.l2Bytes,
          .sm = {.threads = info.threadsPerSm, .sharedBytesPerBlock = info.sharedBytesPerBlock}};
}

// The driver knows its device better than a model does.
static GpuModel withTold(GpuModel model, const GpuInfo &info) {
  model.arch = info.arch;
  model.sms = info.sms;
  model.threadsPerSm = info.threadsPerSm;
  model.warpsPerSm = info.threadsPerSm / model.warpSize;
  model.l2Bytes = info.l2Bytes;
  model.sharedBytesPerBlock = info.sharedBytesPerBlock;
  return model;
}

llvm::Expected<GpuModel> modelOf(const GpuInfo &info) {
  const std::string known = builtInModelOf(info.name);
  if (known.empty())
    return borrowedModel(completed(toldBy(info)));
  auto model = loadGpuModel(known);
  if (!model)
    return model;
  return withTold(std::move(*model), info);
}

// Leaves machine.gpu null, so that the host multiplies, only if the host was requested or the
// machine has no GPU. A GPU that exists and fails is an error, and so is a device number that does
// not exist: the caller's vectors may be in that GPU's memory, which the host cannot read.
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

// Looks for a model of the user's own; nullopt if there is none for this GPU.
static llvm::Expected<std::optional<GpuModel>> ownModel(const MachineRequest &request,
                                                        const GpuInfo *gpu) {
  if (!request.usesOwnModels || (!gpu && !request.arch.empty()))
    return std::nullopt;
  auto model = modelOfEnvironment();
  if (!model || *model || !gpu || request.onlyPacks)
    return model;
  model = keptModel(ownDirectory(request.places), gpu->name);
  if (model && *model)
    **model = withTold(std::move(**model), *gpu);
  return model;
}

static llvm::Expected<GpuModel> namedOrFoundModel(const MachineRequest &request,
                                                  const GpuInfo *gpu) {
  if (request.model)
    return *request.model;
  if (!request.gpuModel.empty())
    return loadGpuModel(request.gpuModel);
  auto own = ownModel(request, gpu);
  if (!own)
    return own.takeError();
  if (*own)
    return std::move(**own);
  return gpu                     ? modelOf(*gpu)
         : !request.arch.empty() ? modelForArch(request.arch)
                                 : loadGpuModel(kDefaultModel);
}

llvm::Expected<GpuModel> modelToPlanFor(const MachineRequest &request, const GpuInfo *gpu) {
  auto model = namedOrFoundModel(request, gpu);
  if (model && gpu) // a plan with more shared memory than this device has could not be launched
    model->sharedBytesPerBlock = std::min(model->sharedBytesPerBlock, gpu->sharedBytesPerBlock);
  return model;
}

llvm::Expected<Machine> Machine::find(const MachineRequest &request) {
  Machine machine{
      .gpu = nullptr,
      .whyHost = "",
      .model = {},
      .arch = "",
      .cache = Cache::open(request.onlyPacks ? CacheUse::packsOnly : CacheUse::all, request.places),
      .onlyPacks = request.onlyPacks,
      .hostKernels = request.hostKernels};
  if (llvm::Error error = findGpu(request, machine))
    return error;
  if (machine.gpu) // on the host kernels are only made for a cache
    machine.kernels = request.kernels;
  if (machine.onlyPacks && machine.kernels == KernelKind::specialized)
    machine.kernels = KernelKind::atHand;
  machine.isFallback = !machine.gpu && request.hostKernels != HostKernels::all &&
                       request.target == Target::automatic;
  auto model = modelToPlanFor(request, machine.gpu ? &machine.gpu->info() : nullptr);
  if (!model)
    return model.takeError();
  machine.model = std::move(*model);
  machine.arch = !request.arch.empty() ? request.arch
                 : machine.gpu         ? machine.gpu->info().arch
                                       : machine.model.arch;
  return machine;
}

} // namespace specmv
