// A context of the C API whose messages go to a Python function.
#pragma once

#include "runtime/adapters/python/failure.h"

#include <optional>
#include <string>

namespace specmv_python {

class Context {
public:
  // Paths are bytes, as the file system has them.
  Context(nb::object log, int logLevel, int threads, const std::optional<nb::bytes> &cacheDirectory,
          const std::optional<nb::bytes> &packs, const std::optional<nb::bytes> &gpuModel);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context() { close(); }

  specmvContext_t handle() const { return handle_; } // null: it is closed
  // No message comes after this. Plans that were made with the context keep its settings.
  void close();
  // For Python's collector of cycles: the function may lead to what holds this context.
  nb::handle log() const { return log_; }
  void forgetLog();

private:
  specmvContext_t handle_ = nullptr;
  nb::object log_;
};

// The handle that an option takes: null if there is no context. Refuses a closed one.
specmvContext_t handleOf(const Context *context);

} // namespace specmv_python
