// Resolves the CUDA driver once for the process.
#include "runtime/cuda/driver.h"

#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "runtime/cuda/toolkit.h"

#include "llvm/ADT/STLExtras.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Resolves the functions; returns what is wrong with the file, or "".
static std::string resolveDriver(const DynamicLibrary &library, Driver &driver) {
  // Each macro makes the name a string itself: if it passed the name on, cuda.h would replace some
  // names.
#define SPECMV_RESOLVE(member, symbol)                                                             \
  driver.member = reinterpret_cast<decltype(driver.member)>(library.find(#symbol));
  SPECMV_DRIVER_FUNCTIONS(SPECMV_RESOLVE)
  SPECMV_OPTIONAL_DRIVER_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
#define SPECMV_DEMAND(member, symbol)                                                              \
  if (!driver.member)                                                                              \
    return library.path() + " has no " #symbol;
  SPECMV_DRIVER_FUNCTIONS(SPECMV_DEMAND)
#undef SPECMV_DEMAND
  return "";
}

// Reports an installed driver that does not work. This is an error and no reason to use the host:
// the caller's vectors may be in the memory of its GPU.
static llvm::Error brokenDriver(llvm::Error error) {
  auto [status, sentence] = describe(std::move(error));
  return fail(status,
              "a CUDA driver is installed but does not work: {0}; to multiply on the host "
              "instead, use SPECMV_TARGET_HOST or --target host",
              sentence);
}

static llvm::Expected<Driver> findDriver() {
  // Uses the loader's path only: the libcuda of a toolkit is a stub that cannot run anything.
  auto library = DynamicLibrary::open(std::vector<std::string>{"libcuda.so.1"});
  if (!library) {
    llvm::Error error = library.takeError();
    if (!error.isA<AbsentError>())
      return brokenDriver(std::move(error));
    llvm::consumeError(std::move(error));
    return absent("no CUDA driver: libcuda.so.1 is not installed");
  }
  Driver driver;
  driver.forks = ForkMutex::forks();
  const std::string reason = resolveDriver(*library, driver);
  if (!reason.empty())
    return brokenDriver(failWith(Status::missing, reason));
  const CUresult result = driver.cuInit(0);
  // The first is a stub's answer, the second that of a driver without a GPU.
  if (result == CUDA_ERROR_STUB_LIBRARY)
    return absent("no CUDA driver: libcuda.so.1 is a stub");
  if (result == CUDA_ERROR_NO_DEVICE)
    return absent("the CUDA driver sees no GPU");
  if (llvm::Error error = driver.check(result, "cuInit"))
    return brokenDriver(std::move(error));
  return driver;
}

static llvm::Expected<Driver> openDriver() {
  auto driver = findDriver();
  if (!driver)
    return ofKind(Status::noGpu, driver.takeError());
  return driver;
}

static OpenedOnce<Driver> &theDriver() {
  static Lasting<OpenedOnce<Driver>> opened([] { return OpenedOnce<Driver>(openDriver); });
  return *opened;
}

llvm::Expected<const Driver *> Driver::opened() { return theDriver().get(); }

bool Driver::isOpen() { return theDriver().isOpen(); }

constexpr const char *kForked =
    "CUDA does not work in a process that was forked from one that uses it; call exec() after "
    "fork(), or multiply on the host: SPECMV_TARGET_HOST";

llvm::Expected<const Driver *> Driver::get() {
  auto driver = opened();
  if (driver && (*driver)->forks != ForkMutex::forks())
    return failWith(Status::missing, kForked);
  return driver;
}

// Results that mean that the machine has no usable GPU; they are not bugs of specmv.
static constexpr CUresult kNoUsableGpu[] = {CUDA_ERROR_NO_DEVICE,
                                            CUDA_ERROR_DEVICE_UNAVAILABLE, // another process has it
                                            CUDA_ERROR_SYSTEM_NOT_READY,
                                            CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                                            CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE};

static Status statusOf(CUresult result) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return Status::gpuMemory;
  return llvm::is_contained(kNoUsableGpu, result) ? Status::noGpu : Status::internal;
}

// Errors that a kernel leaves in its context permanently: every later call there fails with the
// same error. (The driver's text says only what the kernel did.)
static constexpr CUresult kLeftByKernel[] = {
    CUDA_ERROR_ILLEGAL_ADDRESS,       CUDA_ERROR_LAUNCH_FAILED,        CUDA_ERROR_LAUNCH_TIMEOUT,
    CUDA_ERROR_ILLEGAL_INSTRUCTION,   CUDA_ERROR_MISALIGNED_ADDRESS,   CUDA_ERROR_INVALID_PC,
    CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ASSERT};

// Explains what the program did, instead of showing the driver's text.
static llvm::Error ofProgram(CUresult result, const char *call, const char *name,
                             const char *text) {
  if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
    return fail(Status::badCall,
                "the GPU was reset (cudaDeviceReset(), cuDevicePrimaryCtxReset()) after the plan "
                "was made, which freed its memory; destroy the plan and make a new one");
  return fail(Status::missing,
              "{0} reports {1} ({2}), an error of an earlier kernel of this program; no call works "
              "on this GPU until the program is restarted; compute-sanitizer finds the kernel",
              call, name, text);
}

llvm::Error Driver::check(CUresult result, const char *call) const {
  if (result == CUDA_SUCCESS)
    return llvm::Error::success();
  if (forks != ForkMutex::forks())
    return failWith(Status::missing, kForked);
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED || llvm::is_contained(kLeftByKernel, result))
    return ofProgram(result, call, name ? name : "a CUDA error", text ? text : "unknown");
  return fail(statusOf(result), "{0} failed: {1} ({2})", call, name ? name : "unknown CUDA error",
              text ? text : std::to_string(result).c_str());
}

} // namespace specmv
