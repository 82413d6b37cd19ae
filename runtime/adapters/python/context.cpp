// Brings messages of the library, which come from any thread, to Python.
#include "runtime/adapters/python/context.h"

namespace specmv_python {

// An exception of the function is shown by sys.unraisablehook and goes no further, since the
// library knows no exceptions.
static void sendToPython(void *user, specmvLogLevel_t level, const char *sentence) {
  const nb::gil_scoped_acquire acquire;
  auto *const function = static_cast<PyObject *>(user);
  const nb::object kept = nb::borrow(function);
  const nb::object done = nb::steal(sleepingAtEnd(
      [&] { return PyObject_CallFunction(function, "is", static_cast<int>(level), sentence); }));
  if (!done.is_valid())
    PyErr_WriteUnraisable(function);
}

Context::Context(nb::object log, int logLevel, int threads,
                 const std::optional<nb::bytes> &cacheDirectory,
                 const std::optional<nb::bytes> &packs, const std::optional<nb::bytes> &gpuModel)
    : log_(std::move(log)) {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  if (!log_.is_none()) {
    options.log = sendToPython;
    options.logUser = log_.ptr();
  }
  options.logLevel = static_cast<specmvLogLevel_t>(logLevel);
  options.threads = threads;
  options.cacheDirectory = cacheDirectory ? cacheDirectory->c_str() : nullptr;
  options.packs = packs ? packs->c_str() : nullptr;
  options.gpuModel = gpuModel ? gpuModel->c_str() : nullptr;
  callWithoutGil([&] { return specmvCreateContext(&handle_, &options); });
}

// Waits for a message that is being sent, which needs the GIL.
void Context::close() {
  const specmvContext_t handle = std::exchange(handle_, nullptr);
  const WithoutGil released;
  (void)specmvDestroyContext(handle);
}

void Context::forgetLog() {
  close();
  log_.reset();
}

specmvContext_t handleOf(const Context *context) {
  if (context && !context->handle())
    refuse("the context is closed; make a new one, or pass none");
  return context ? context->handle() : nullptr;
}

} // namespace specmv_python
