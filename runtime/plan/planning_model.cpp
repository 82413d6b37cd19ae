// Finds the GPU model to plan with: the user's own, otherwise a built-in one adjusted to the GPU.
#include "runtime/plan/planning_model.h"

#include "generator/rate_table.h"
#include "models/base/error.h"
#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "models/base/own_environment.h"
#include "models/gpus/borrow.h"
#include "models/gpus/flat.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <limits>
#include <mutex>

namespace specmv {

// --- Own model -----------------------------------------------------------------------------------

// Finds the GPU model that SPECMV_GPU_MODEL names or the cache folder keeps.

constexpr const char *kModels = "models"; // the folder in a cache

// Turns "NVIDIA H100 80GB HBM3" into "nvidia-h100-80gb-hbm3.json".
static std::string fileNameOf(llvm::StringRef device) {
  std::string name;
  for (const char c : device)
    if (llvm::isAlnum(c))
      name += llvm::toLower(c);
    else if (!name.empty() && name.back() != '-')
      name += '-';
  return llvm::StringRef(name).rtrim('-').str() + ".json";
}

std::string keptModelPath(llvm::StringRef folder, llvm::StringRef device) {
  return (folder + "/" + kModels + "/" + fileNameOf(device)).str();
}

static llvm::Error asBadCall(llvm::Error error, llvm::StringRef before = "") {
  return fail(Status::badCall, "{0}{1}", before, describe(std::move(error)).second);
}

llvm::Expected<SharedModel> namedModel(const std::string &nameOrPath) {
  auto model = sharedGpuModel(nameOrPath);
  if (!model)
    return model;
  if (llvm::Error error = checkRates(*model, nameOrPath))
    return error;
  return model;
}

llvm::Expected<std::optional<SharedModel>> modelOfEnvironment() {
  const std::string name = environment("SPECMV_GPU_MODEL");
  if (name.empty())
    return std::nullopt;
  const bool isPath = llvm::StringRef(name).contains('/');
  auto model = namedModel(isPath ? environmentPath(name) : name);
  if (!model)
    return asBadCall(model.takeError(), "SPECMV_GPU_MODEL: ");
  return std::move(*model);
}

static llvm::Expected<std::string> textIn(const ReadFile &file, const std::string &path) {
  if (llvm::Error error = refuseLongGpuModel(file.size(), path))
    return error;
  const auto bytes = file.read(0, file.size());
  if (!bytes)
    return fail(Status::badInput, "{0}: it was truncated while being read", path);
  return std::string(bytes->begin(), bytes->end());
}

// Opens the model of that name; nullopt if it does not exist.
static llvm::Expected<std::optional<ReadFile>> openKept(const Folder &root,
                                                        const std::string &name) {
  const auto noneIfMissing = [](llvm::Error error) -> llvm::Expected<std::optional<ReadFile>> {
    if (llvm::Error other = unlessMissing(std::move(error)))
      return asBadCall(std::move(other));
    return std::nullopt;
  };
  auto folder = root.below(kModels);
  if (!folder)
    return noneIfMissing(folder.takeError());
  auto file = folder->file(name);
  if (!file)
    return noneIfMissing(file.takeError());
  return std::move(*file);
}

llvm::Expected<std::optional<SharedModel>> keptModel(const std::string &folder,
                                                     llvm::StringRef device) {
  if (folder.empty())
    return std::nullopt;
  auto root = Folder::open(folder);
  if (!root) {
    llvm::consumeError(root.takeError());
    return std::nullopt;
  }
  auto file = openKept(*root, fileNameOf(device));
  if (!file)
    return file.takeError();
  if (!*file)
    return std::nullopt;
  const std::string path = keptModelPath(folder, device);
  auto text = textIn(**file, path);
  if (!text)
    return asBadCall(text.takeError());
  auto model = rememberedGpuModel(*text, path);
  if (!model)
    return asBadCall(model.takeError());
  return std::move(*model);
}

llvm::Expected<std::string> placeForModel(Cache &cache, llvm::StringRef device) {
  if (!cache.mayStore())
    return fail(Status::missing, "a model cannot be kept in the cache folder: {0}",
                llvm::join(cache.takeWarnings(), "; "));
  auto root = Folder::open(cache.path());
  if (!root)
    return root.takeError();
  auto models = root->made(kModels);
  if (!models)
    return models.takeError();
  return keptModelPath(cache.path(), device);
}

// --- Planning model ------------------------------------------------------------------------------

// Finds the GPU model to plan with: the user's own, otherwise a built-in one adjusted to the
// device.

// The model for planning on a machine without a GPU.
constexpr const char *kDefaultModel = "h200";

// Splits a device's name into words: "NVIDIA", "A100", "SXM4", "80GB".
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

// Takes the first word with a digit. If that word begins with the digit, the word before it is
// prepended.
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

#include "runtime/flat_gpus.inc" // kFlatModels

// A built-in model; nullopt if none has that name.
static std::optional<SharedModel> flatModel(llvm::StringRef name) {
  for (const FlatGpuModel &flat : kFlatModels)
    if (name == flat.texts[0])
      return SharedModel(modelOf(flat), flat.digest);
  return std::nullopt;
}

static llvm::Expected<SharedModel> builtIn(llvm::StringRef name, ModelParts parts) {
  if (parts == ModelParts::ofChoices)
    if (auto flat = flatModel(name))
      return *flat;
  return sharedGpuModel(name);
}

// Prefers what the driver reports about the device over the model.
static SharedModel withTold(const SharedModel &model, const GpuInfo &info) {
  const int64_t warps = info.threadsPerSm / model->warpSize;
  if (model->arch == info.arch && model->sms == info.sms &&
      model->threadsPerSm == info.threadsPerSm && model->warpsPerSm == warps &&
      model->l2Bytes == info.l2Bytes && model->sharedBytesPerBlock == info.sharedBytesPerBlock)
    return model;
  GpuModel told = model;
  told.arch = info.arch;
  told.sms = info.sms;
  told.threadsPerSm = info.threadsPerSm;
  told.warpsPerSm = warps;
  told.l2Bytes = info.l2Bytes;
  told.sharedBytesPerBlock = info.sharedBytesPerBlock;
  return told;
}

llvm::Expected<SharedModel> modelOf(const GpuInfo &info, ModelParts parts) {
  const std::string known = builtInModelOf(info.name);
  if (known.empty())
    return borrowedModel(completed(toldBy(info)));
  auto model = builtIn(known, parts);
  if (!model)
    return model;
  return withTold(*model, info);
}

namespace {
// Remembers the models of the devices of this process.
struct DeviceModels {
  struct Known {
    GpuInfo info;
    ModelParts parts;
    SharedModel model;
  };
  ForkMutex mutex; // guards the rest
  std::vector<Known> all;
};
} // namespace

static llvm::Expected<SharedModel> knownModelOf(const GpuInfo &info, ModelParts parts) {
  static Lasting<DeviceModels> models;
  const std::lock_guard lock(models->mutex);
  for (const DeviceModels::Known &known : models->all)
    if (known.info == info && known.parts == parts)
      return known.model;
  auto model = modelOf(builtInModelOf(info.name).empty() ? withClocks(info) : info, parts);
  if (model)
    models->all.push_back({info, parts, *model});
  return model;
}

// Returns the model that SPECMV_GPU_MODEL names. It is not meant if the request names the
// architecture of another GPU than that of this machine.
static llvm::Expected<std::optional<SharedModel>> modelOfEnvironment(const MachineRequest &request,
                                                                     const GpuInfo *gpu) {
  auto model = modelOfEnvironment();
  if (!model || !*model || gpu || request.arch.empty() || isSameArch((**model)->arch, request.arch))
    return model;
  return std::nullopt;
}

// Looks for a model of the user's own; nullopt if there is none for this GPU.
static llvm::Expected<std::optional<SharedModel>> ownModel(const MachineRequest &request,
                                                           const GpuInfo *gpu) {
  if (!request.usesOwnModels)
    return std::nullopt;
  auto model = modelOfEnvironment(request, gpu);
  if (!model || *model || !gpu || request.onlyPacks)
    return model;
  model = keptModel(ownDirectory(request.places), gpu->name);
  if (model && *model)
    *model = withTold(**model, *gpu);
  return model;
}

static llvm::Expected<SharedModel> namedOrFoundModel(const MachineRequest &request,
                                                     const GpuInfo *gpu) {
  if (request.model)
    return request.model;
  if (!request.gpuModel.empty())
    return namedModel(request.gpuModel);
  if (gpu && !request.arch.empty() && !isSameArch(request.arch, gpu->arch))
    gpu = nullptr;
  auto own = ownModel(request, gpu);
  if (!own)
    return own.takeError();
  if (*own)
    return **own;
  if (gpu)
    return knownModelOf(*gpu, request.modelParts);
  if (!request.arch.empty())
    return modelForArch(request.arch);
  return builtIn(kDefaultModel, request.modelParts);
}

// A plan with more shared memory could not be launched.
static int64_t mostSharedBytes(const MachineRequest &request, const GpuInfo *gpu) {
  int64_t most = std::numeric_limits<int64_t>::max();
  if (gpu)
    most = gpu->sharedBytesPerBlock;
  if (!request.arch.empty())
    most = std::min<int64_t>(most, sheetOf(request.arch).sm.sharedBytesPerBlock);
  return most;
}

llvm::Expected<SharedModel> modelToPlanFor(const MachineRequest &request, const GpuInfo *gpu) {
  auto model = namedOrFoundModel(request, gpu);
  const int64_t most = mostSharedBytes(request, gpu);
  if (model && (*model)->sharedBytesPerBlock > most) {
    GpuModel less = *model;
    less.sharedBytesPerBlock = most;
    return less;
  }
  return model;
}

} // namespace specmv
