// Contexts and packs for specmv.hpp, which says what all classes have in common.
#ifndef SPECMV_CONTEXTS_HPP
#define SPECMV_CONTEXTS_HPP

#include "specmv_results.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace specmv {

// Adds a pack for all plans of the process.
inline Result<void> addPack(const std::string &path) {
  return detail::resultOf(specmvAddPack(path.c_str()));
}

// Frees what a GPU keeps for later plans.
inline Result<void> releaseDevice(int device) {
  return detail::resultOf(specmvReleaseDevice(device));
}

struct ContextOptions {
  std::function<void(specmvLogLevel_t, std::string_view)> log = {}; // must not throw
  specmvLogLevel_t logLevel = SPECMV_LOG_WARNING;
  int threads = 0;
  std::optional<std::string> cacheDirectory = {}, packs = {}; // none: as the environment says
  specmvAllocate_t allocate = nullptr; // both or neither; they outlive the plans
  specmvDeallocate_t deallocate = nullptr;
  void *allocatorUser = nullptr;
  std::optional<std::string> gpuModel = {}; // none: as the environment says
};

class Context {
public:
  Context() = default; // has no handle, as after it was moved from
  Context(Context &&) = default;
  // The old handle is destroyed first: until then set-ups beside products call the old function.
  Context &operator=(Context &&other) noexcept {
    handle_ = std::move(other.handle_);
    log_ = std::move(other.log_);
    return *this;
  }
  static Result<Context> create(ContextOptions options = {}) {
    Context out;
    out.log_ = std::make_unique<Log>(std::move(options.log));
    specmvContextOptions_t c = SPECMV_CONTEXT_OPTIONS_INIT;
    c.log = *out.log_ ? tell : nullptr;
    c.logUser = out.log_.get();
    c.logLevel = options.logLevel;
    c.threads = options.threads;
    c.cacheDirectory = options.cacheDirectory ? options.cacheDirectory->c_str() : nullptr;
    c.packs = options.packs ? options.packs->c_str() : nullptr;
    c.allocate = options.allocate;
    c.deallocate = options.deallocate;
    c.allocatorUser = options.allocatorUser;
    c.gpuModel = options.gpuModel ? options.gpuModel->c_str() : nullptr;
    specmvContext_t made = nullptr;
    if (const specmvStatus_t status = specmvCreateContext(&made, &c))
      return detail::lastError(status);
    out.handle_.reset(made);
    return out;
  }
  specmvContext_t get() const { return handle_.get(); }

private:
  using Log = std::function<void(specmvLogLevel_t, std::string_view)>;
  static void tell(void *user, specmvLogLevel_t level, const char *sentence) {
    (*static_cast<Log *>(user))(level, sentence);
  }
  std::unique_ptr<Log> log_ = {}; // outlives the handle, which is destroyed first
  std::unique_ptr<std::remove_pointer_t<specmvContext_t>, detail::Destroy<specmvDestroyContext>>
      handle_ = {};
};

} // namespace specmv

#endif
