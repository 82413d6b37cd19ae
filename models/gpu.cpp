// Finds GPU models: those of models/gpus/, embedded at build time, and those in a user's file.
#include "models/gpu.h"

#include "models/base/error.h"
#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "models/gpus/borrow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace specmv {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

SharedModel::SharedModel(GpuModel gpu, std::string digest)
    : known_(std::make_shared<const Known>(Known{std::move(gpu), std::move(digest)})) {}

SharedModel::SharedModel(GpuModel gpu) {
  std::string digest = digestOf(gpu);
  *this = SharedModel(std::move(gpu), std::move(digest));
}

static constexpr BuiltInGpu kBuiltIn[] = {
#include "models/embedded_gpus.inc"
};

const BuiltInGpu *findBuiltInGpu(StringRef name) {
  const auto *const found =
      llvm::find_if(kBuiltIn, [&](const BuiltInGpu &gpu) { return name == gpu.name; });
  return found == std::end(kBuiltIn) ? nullptr : found;
}

Error refuseLongGpuModel(uint64_t bytes, StringRef origin) {
  constexpr uint64_t kMaxBytes = 256 << 10; // a model has 50 KB, a borrowed one 80 KB
  if (bytes > kMaxBytes)
    return fail(Status::badInput, "{0}: {1} bytes are too many for a GPU model; the limit is {2}",
                origin, bytes, kMaxBytes);
  return Error::success();
}

std::vector<std::string> gpuModelNames() {
  std::vector<std::string> names;
  for (const BuiltInGpu &gpu : kBuiltIn)
    names.emplace_back(gpu.name);
  llvm::sort(names);
  return names;
}

// The names that a call may give: those of the built-in models, and of GPUs with a data sheet.
static std::vector<std::string> namesToChoose() {
  std::vector<std::string> names = gpuModelNames();
  for (std::string &name : sheetNames())
    if (!findBuiltInGpu(name))
      names.push_back(std::move(name));
  return names;
}

// Reads at most the largest allowed model, and only regular files, since a pipe may have no end.
static Expected<std::string> readText(int fd, StringRef path) {
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    return fail(Status::badInput, "{0}: {1}", path, std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode))
    return fail(Status::badInput, "{0}: this is not a regular file", path);
  const auto size = static_cast<uint64_t>(status.st_size);
  if (Error error = refuseLongGpuModel(size, path))
    return error;
  // IsVolatile selects read(): access to a mapped file on a network file system can end in SIGBUS
  auto buffer = llvm::MemoryBuffer::getOpenFile(fd, path, size, /*RequiresNullTerminator=*/false,
                                                /*IsVolatile=*/true);
  if (!buffer)
    return fail(Status::badInput, "{0}: {1}", path, buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static Expected<std::string> textOfFile(StringRef path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  const int fd = open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return fail(Status::badInput, "{0}: {1}", path, std::generic_category().message(errno));
  auto text = readText(fd, path);
  close(fd);
  return text;
}

namespace {
// The models that were parsed so far, by their source.
template <class From> struct ParsedModels {
  ForkMutex mutex; // guards the rest
  std::map<From, SharedModel> all;
};
} // namespace

// When this many models are remembered, the next one clears all of them.
constexpr size_t kMostParsed = 16;

template <class From>
static Expected<SharedModel> parsedOnce(ParsedModels<From> &parsed, const From &from,
                                        StringRef text, StringRef origin) {
  const std::lock_guard lock(parsed.mutex);
  if (const auto known = parsed.all.find(from); known != parsed.all.end())
    return known->second;
  auto model = parseGpuModel(text, origin);
  if (!model)
    return model.takeError();
  if (parsed.all.size() >= kMostParsed)
    parsed.all.clear();
  return parsed.all.emplace(from, std::move(*model)).first->second;
}

static Expected<SharedModel> loadBuiltIn(const BuiltInGpu *gpu) {
  static Lasting<ParsedModels<const BuiltInGpu *>> parsed;
  return parsedOnce(*parsed, gpu, gpu->text, gpu->name);
}

Expected<SharedModel> rememberedGpuModel(const std::string &text, StringRef origin) {
  static Lasting<ParsedModels<std::string>> parsed;
  return parsedOnce(*parsed, text, text, origin);
}

Expected<GpuModel> loadGpuModel(StringRef nameOrPath) {
  auto shared = sharedGpuModel(nameOrPath);
  if (!shared)
    return shared.takeError();
  return *shared;
}

Expected<SharedModel> sharedGpuModel(StringRef nameOrPath) {
  if (const BuiltInGpu *gpu = findBuiltInGpu(nameOrPath))
    return loadBuiltIn(gpu);
  if (const auto sheet = sheetNamed(nameOrPath))
    return borrowedModel(*sheet);
  auto text = gpuModelText(nameOrPath);
  if (!text)
    return text.takeError();
  return rememberedGpuModel(*text, nameOrPath);
}

Expected<std::string> gpuModelText(StringRef nameOrPath) {
  if (const BuiltInGpu *gpu = findBuiltInGpu(nameOrPath))
    return gpu->text;
  if (const auto sheet = sheetNamed(nameOrPath))
    return borrowedModelText({.name = sheet->name, .arch = sheet->arch, .sm = {}}, sheet->name);
  if (nameOrPath.ends_with(".json"))
    return textOfFile(nameOrPath);
  return fail(Status::badCall,
              "no GPU model is named '{0}'; choose {1}, or give a path to a .json file", nameOrPath,
              llvm::join(namesToChoose(), ", "));
}

} // namespace specmv
