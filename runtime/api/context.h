// Defines the state that all plans of one C API context share: places of kernels, number of host
// threads, source of device memory, and the callback for messages.
#pragma once

#include "models/base/fork.h"
#include "models/gpu.h"
#include "runtime/cuda/memory_pool.h"
#include "runtime/include/specmv.h"
#include "runtime/store/cache.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace specmv {

class ContextState {
public:
  // Uses the default options.
  ContextState() = default;
  // `model` is the model that the options name; empty if they name none.
  ContextState(const specmvContextOptions_t &options, SharedModel model);

  // Calls the caller's callback, if there is one and it wants messages of this level. Calls are
  // serialized. Characters that could control a terminal are escaped, as in details.
  void log(specmvLogLevel_t level, const std::string &sentence) noexcept;
  // Logs a sentence at most once per context; for facts that are the same for all plans.
  void logOnce(specmvLogLevel_t level, const std::string &sentence);
  // Returns true if the calling thread is inside the callback; logging from there would deadlock.
  bool isTelling() const;
  // Returns true if a callback is set that wants messages of this level.
  bool wants(specmvLogLevel_t level) const;
  // Stops all further calls of the callback.
  void close();

  const CachePlaces &places() const { return places_; }
  unsigned threads() const { return threads_; } // 0: all cores
  const MemorySource &memory() const { return memory_; }
  // Returns the model to predict with. Empty: the one that the environment selects, or the GPU's if
  // not usesOwnModels().
  const SharedModel &model() const { return model_; }
  bool usesOwnModels() const { return usesOwnModels_; }

private:
  CachePlaces places_;
  unsigned threads_ = 0;
  MemorySource memory_ = {};
  SharedModel model_ = {};
  bool usesOwnModels_ = true;
  mutable ForkMutex mutex_;
  std::set<std::string> toldOnce_;
  specmvLogCallback_t callback_ = nullptr;
  void *user_ = nullptr;
  specmvLogLevel_t level_ = SPECMV_LOG_WARNING;
};

// Copies an options structure of any version into this version's; missing fields are 0.
llvm::Expected<specmvContextOptions_t> completeOptions(const specmvContextOptions_t *given);

// Reads the GPU model that the options name; empty if they name none.
llvm::Expected<SharedModel> modelOf(const specmvContextOptions_t &options);

} // namespace specmv
