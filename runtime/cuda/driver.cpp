// Resolves the CUDA driver once for the process.
#include "runtime/cuda/driver.h"

#include "runtime/cuda/toolkit.h"

#include "llvm/ADT/STLExtras.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Sets the functions; returns what is wrong with the file, or "".
static std::string resolveDriver(const DynamicLibrary &library, Driver &driver) {
#define SPECMV_RESOLVE(member, symbol)                                                             \
  driver.member = reinterpret_cast<decltype(driver.member)>(library.find(#symbol));                \
  if (!driver.member)                                                                              \
    return library.path() + " has no " #symbol;
  SPECMV_DRIVER_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
  return "";
}

// A driver that is there and does not work is no reason to go on without it: the caller's vectors
// may lie on its GPU.
static llvm::Error brokenDriver(llvm::Error error) {
  auto [status, sentence] = describe(std::move(error));
  return fail(status,
              "a CUDA driver is installed but does not work: {0}; to multiply on the host "
              "instead, use SPECMV_TARGET_HOST or --target host",
              sentence);
}

static llvm::Expected<Driver> openDriver() {
  // Not from the toolkit: its libcuda is a stub that cannot run anything.
  auto library = DynamicLibrary::open(std::vector<std::string>{"libcuda.so.1"});
  if (!library) {
    llvm::Error error = library.takeError();
    return error.isA<AbsentError>() ? prefixed("no CUDA driver: ", std::move(error))
                                    : brokenDriver(std::move(error));
  }
  Driver driver;
  const std::string reason = resolveDriver(*library, driver);
  if (!reason.empty())
    return brokenDriver(failWith(Status::missing, reason));
  const CUresult result = driver.cuInit(0);
  // The stub's answer, and the driver's where no GPU is attached.
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return absent("no CUDA driver: libcuda.so.1 is a stub");
  if (result == CUDA_ERROR_NO_DEVICE)
    return absent("the CUDA driver sees no GPU");
  if (llvm::Error error = driver.check(result, "cuInit"))
    return brokenDriver(std::move(error));
  return driver;
}

llvm::Expected<const Driver *> Driver::get() {
  static OpenedOnce<Driver> opened(openDriver);
  return opened.get();
}

// What a machine lacks, which is no bug of ours.
static constexpr CUresult kMachineLacks[] = {
    CUDA_ERROR_OUT_OF_MEMORY,
    CUDA_ERROR_NO_DEVICE,
    CUDA_ERROR_DEVICE_UNAVAILABLE, // another process has it
    CUDA_ERROR_SYSTEM_NOT_READY,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE};

llvm::Error Driver::check(CUresult result, const char *call) const {
  if (result == CUDA_SUCCESS)
    return llvm::Error::success();
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  const Status status =
      llvm::is_contained(kMachineLacks, result) ? Status::missing : Status::internal;
  return fail(status, "{0} failed: {1} ({2})", call, name ? name : "unknown CUDA error",
              text ? text : std::to_string(result).c_str());
}

} // namespace specmv
