// Finds the GPU model that SPECMV_GPU_MODEL names or the cache folder keeps.
#include "runtime/plan/own_model.h"

#include "generator/rate_table.h"
#include "models/base/environment.h"
#include "models/base/error.h"
#include "models/gpus/built_in.h"
#include "runtime/store/absolute.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/StringExtras.h"

namespace specmv {

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

} // namespace specmv
