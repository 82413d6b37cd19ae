// What plans share that name one context of the C API: where they look for kernels, how many
// threads work on the host, where device memory comes from, and who is told what happens.
#pragma once

#include "models/base/fork_mutex.h"
#include "models/gpu.h"
#include "runtime/cuda/memory_source.h"
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
  // With the options that a context has by default.
  ContextState() = default;
  // `model` is that of the options, if they name one.
  ContextState(const specmvContextOptions_t &options, SharedModel model);

  // Tells the caller's callback, if there is one and it wants messages of this level. One call at a
  // time. Of the sentence, what a terminal may obey is escaped, as in details.
  void log(specmvLogLevel_t level, const std::string &sentence) noexcept;
  // Does so if it has not told this sentence yet: of what is so for all plans.
  void logOnce(specmvLogLevel_t level, const std::string &sentence);
  // Whether the calling thread is within the callback: what tells it again would wait for itself.
  bool isTelling() const;
  // Whether somebody listens to such messages.
  bool wants(specmvLogLevel_t level) const;
  // No call is made after this.
  void close();

  const CachePlaces &places() const { return places_; }
  unsigned threads() const { return threads_; } // 0: all cores
  const MemorySource &memory() const { return memory_; }
  // The model to predict with; empty: as the environment says, or, if not usesOwnModels(), that of
  // the GPU.
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

// Copies options of any version into this version's structure; fields that are missing are 0.
llvm::Expected<specmvContextOptions_t> completeOptions(const specmvContextOptions_t *given);

// The GPU model that the options name; empty if they name none.
llvm::Expected<SharedModel> modelOf(const specmvContextOptions_t &options);

} // namespace specmv
