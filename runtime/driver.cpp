// Resolves the CUDA driver once for the process.
#include "runtime/driver.h"

#include "runtime/toolkit.h"

#include <optional>
#include <string>

namespace specmv {

namespace {

// What opening the driver came to: functions, or the reason why there are none.
struct Opened {
  Driver driver;
  std::string reason;
};

std::string missingFunction(const DynamicLibrary &library, Driver &driver) {
#define SPECMV_RESOLVE(member, symbol)                                                             \
  driver.member = reinterpret_cast<decltype(driver.member)>(library.find(#symbol));                \
  if (!driver.member)                                                                              \
    return library.path() + " has no " #symbol;
  SPECMV_DRIVER_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
  return "";
}

Opened openDriver() {
  Opened out;
  // Not from the toolkit: its libcuda is a stub that cannot run anything.
  auto library = DynamicLibrary::open({"libcuda.so.1"});
  if (!library) {
    out.reason = "no CUDA driver: " + describe(library.takeError()).second;
    return out;
  }
  out.reason = missingFunction(*library, out.driver);
  if (!out.reason.empty())
    return out;
  const CUresult result = out.driver.cuInit(0);
  // The stub's answer, and the driver's where no GPU is attached.
  if (result == CUDA_ERROR_STUB_LIBRARY || result == CUDA_ERROR_NO_DEVICE)
    out.reason = result == CUDA_ERROR_NO_DEVICE ? "the CUDA driver sees no GPU"
                                                : "no CUDA driver: libcuda.so.1 is a stub";
  else if (result != CUDA_SUCCESS)
    out.reason = describe(out.driver.check(result, "cuInit")).second;
  return out;
}

} // namespace

llvm::Expected<const Driver *> Driver::get() {
  static const Opened opened = openDriver();
  if (!opened.reason.empty())
    return failWith(Status::missing, opened.reason);
  return &opened.driver;
}

llvm::Error Driver::check(CUresult result, const char *call) const {
  if (result == CUDA_SUCCESS)
    return llvm::Error::success();
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  const Status status = result == CUDA_ERROR_OUT_OF_MEMORY ? Status::missing : Status::internal;
  return fail(status, "{0} failed: {1} ({2})", call, name ? name : "unknown CUDA error",
              text ? text : std::to_string(result).c_str());
}

} // namespace specmv
