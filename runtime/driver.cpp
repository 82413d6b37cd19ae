// Resolves the CUDA driver once for the process.
#include "runtime/driver.h"

#include "runtime/toolkit.h"

#include <string>

namespace specmv {

namespace {

// Sets the functions; returns what is wrong with the file, or "".
std::string resolveDriver(const DynamicLibrary &library, Driver &driver) {
#define SPECMV_RESOLVE(member, symbol)                                                             \
  driver.member = reinterpret_cast<decltype(driver.member)>(library.find(#symbol));                \
  if (!driver.member)                                                                              \
    return library.path() + " has no " #symbol;
  SPECMV_DRIVER_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
  return "";
}

llvm::Expected<Driver> openDriver() {
  // Not from the toolkit: its libcuda is a stub that cannot run anything.
  auto library = DynamicLibrary::open({"libcuda.so.1"});
  if (!library)
    return failWith(Status::missing, "no CUDA driver: " + describe(library.takeError()).second);
  Driver driver;
  const std::string reason = resolveDriver(*library, driver);
  if (!reason.empty())
    return failWith(Status::missing, reason);
  const CUresult result = driver.cuInit(0);
  // The stub's answer, and the driver's where no GPU is attached.
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return failWith(Status::missing, "no CUDA driver: libcuda.so.1 is a stub");
  if (result == CUDA_ERROR_NO_DEVICE)
    return failWith(Status::missing, "the CUDA driver sees no GPU");
  if (llvm::Error error = driver.check(result, "cuInit"))
    return error;
  return driver;
}

} // namespace

llvm::Expected<const Driver *> Driver::get() {
  static const OpenedOnce<Driver> opened(openDriver());
  return opened.get();
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
