// Keeps the settings of a context and calls its logger.
#include "runtime/api/context.h"

#include "models/base/own_environment.h"
#include "models/base/text.h"
#include "runtime/api/arguments.h"
#include "runtime/plan/planning_model.h"
#include "runtime/store/folder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cstddef>

namespace specmv {

// Paths are relative to the directory in which the program made the context, wherever it goes
// later. "" stays, since it asks for no cache.
static std::optional<std::string> folderOf(const char *path) {
  if (!path)
    return std::nullopt;
  return *path ? absolutePath(path) : "";
}

// Makes each path of a list absolute. Empty names stay, since they are warned of, and so do paths
// in a directory whose name would divide the list.
static std::optional<std::string> listOf(const char *paths) {
  if (!paths)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(paths).split(parts, ':');
  std::vector<std::string> absolute;
  for (const llvm::StringRef path : parts) {
    const std::string whole = path.empty() ? "" : absolutePath(path);
    absolute.push_back(llvm::StringRef(whole).contains(':') ? path.str() : whole);
  }
  return llvm::join(absolute, ":");
}

ContextState::ContextState(const specmvContextOptions_t &options, SharedModel model)
    : places_{.own = folderOf(options.cacheDirectory), .listed = listOf(options.packs)},
      threads_(static_cast<unsigned>(options.threads)), memory_{options.allocate,
                                                                options.deallocate,
                                                                options.allocatorUser},
      model_(std::move(model)), usesOwnModels_(!options.gpuModel), callback_(options.log),
      user_(options.logUser),
      level_(numberOf(options.logLevel) == 0 ? SPECMV_LOG_WARNING : options.logLevel) {}

bool ContextState::wants(specmvLogLevel_t level) const {
  const std::lock_guard lock(mutex_);
  return callback_ && level <= level_;
}

static thread_local const ContextState *telling = nullptr;

bool ContextState::isTelling() const { return telling == this; }

void ContextState::log(specmvLogLevel_t level, const std::string &sentence) noexcept {
  const ContextState *const before = telling;
  try {
    const std::lock_guard lock(mutex_);
    if (!callback_ || level > level_)
      return;
    telling = this;
    const std::string shown = shownOnOneLine(sentence);
    const ApplicationsEnvironment theirs;
    callback_(user_, level, shown.c_str());
  } catch (...) { // NOLINT: exceptions from a callback are swallowed
  }
  telling = before;
}

void ContextState::logOnce(specmvLogLevel_t level, const std::string &sentence) {
  {
    const std::lock_guard lock(mutex_);
    if (!toldOnce_.insert(sentence).second)
      return;
  }
  log(level, sentence);
}

void ContextState::close() {
  const std::lock_guard lock(mutex_);
  callback_ = nullptr;
}

llvm::Expected<specmvContextOptions_t> completeOptions(const specmvContextOptions_t *given) {
  constexpr size_t kEnds[] = {offsetof(specmvContextOptions_t, allocate),
                              offsetof(specmvContextOptions_t, gpuModel),
                              sizeof(specmvContextOptions_t)};
  auto options = completed(given, kEnds, "specmvContextOptions_t");
  if (!options)
    return options;
  const int level = numberOf(options->logLevel);
  if (level < 0 || level > SPECMV_LOG_DEBUG)
    return fail(Status::badCall, "logLevel = {0} is not a valid value (0..{1})", level,
                static_cast<int>(SPECMV_LOG_DEBUG));
  if (options->threads < 0)
    return fail(Status::badCall, "threads = {0} must not be negative; 0 is all cores",
                options->threads);
  if (!options->allocate != !options->deallocate)
    return fail(Status::badCall, "{0} is NULL, but {1} is not; give both functions or neither",
                options->allocate ? "deallocate" : "allocate",
                options->allocate ? "allocate" : "deallocate");
  return options;
}

llvm::Expected<SharedModel> modelOf(const specmvContextOptions_t &options) {
  if (!options.gpuModel || !*options.gpuModel)
    return SharedModel();
  auto model = namedModel(options.gpuModel);
  if (!model)
    return fail(Status::badCall, "gpuModel: {0}", describe(model.takeError()).second);
  return model;
}

} // namespace specmv
