// Resolves CUPTI once for the process, and turns its results into errors.
#ifdef SPECMV_HAS_CUPTI
#include "runtime/lab/cupti/library.h"

#include "models/base/lasting.h"
#include "runtime/cuda/places.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace specmv {

// Resolves the functions; returns what is wrong with the file, or "".
static std::string resolveCupti(const DynamicLibrary &file, CuptiLibrary &library) {
#define SPECMV_RESOLVE(name)                                                                       \
  library.name = reinterpret_cast<decltype(library.name)>(file.find(#name));                       \
  if (!library.name)                                                                               \
    return file.path() + " has no " #name;
  SPECMV_CUPTI_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
  return "";
}

// The results that only a bug of specmv can cause.
constexpr CUptiResult kOurs[] = {CUPTI_ERROR_INVALID_PARAMETER, CUPTI_ERROR_INVALID_CONTEXT,
                                 CUPTI_ERROR_INVALID_OPERATION, CUPTI_ERROR_INVALID_METRIC_NAME,
                                 CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT};

// This is CUPTI_ERROR_INVALID_CHIP_NAME, a name that CUDA 12.6 lacks.
constexpr auto kInvalidChipName = static_cast<CUptiResult>(46);

// Says what a user can do about a result; empty for most results.
static const char *adviceOn(CUptiResult result) {
  if (result == kInvalidChipName)
    return "; this CUPTI is older than the GPU: use a newer CUDA toolkit";
  switch (result) {
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    return "; on this machine only root may read the GPU's counters: run as root, or load the "
           "driver's module with NVreg_RestrictProfilingToAdminUsers=0";
  case CUPTI_ERROR_HARDWARE_BUSY:
  case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    return "; another profiler is using the GPU's counters: end it first";
  default:
    return "";
  }
}

static llvm::Expected<CuptiLibrary> resolvedCupti(const DynamicLibrary &file) {
  CuptiLibrary library;
  const std::string reason = resolveCupti(file, library);
  if (!reason.empty())
    return failWith(Status::missing, "no usable CUPTI: " + reason);
  library.path = file.path();
  return library;
}

constexpr const char *kOpenedByCupti = "libnvperf_host.so"; // CUPTI opens it later, by this name

llvm::Expected<CuptiLibrary> CuptiLibrary::open(const std::vector<std::string> &paths) {
  auto file = DynamicLibrary::open(paths, kOpenedByCupti);
  if (!file)
    return prefixed("no CUPTI: ", file.takeError());
  return resolvedCupti(*file);
}

static llvm::Expected<CuptiLibrary> openToolkitCupti() {
  auto file = openFromToolkit({.name = "CUPTI",
                               .files = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
                               .aptPackage = "cuda-cupti-13-0",
                               .pipPackage = "nvidia-cuda-cupti",
                               .beside = kOpenedByCupti});
  if (!file)
    return file.takeError();
  return resolvedCupti(*file);
}

llvm::Expected<const CuptiLibrary *> CuptiLibrary::get() {
  static Lasting<OpenedOnce<CuptiLibrary>> opened(
      [] { return OpenedOnce<CuptiLibrary>(openToolkitCupti); });
  return opened->get();
}

llvm::Error CuptiLibrary::check(CUptiResult result, const char *call) const {
  if (result == CUPTI_SUCCESS)
    return llvm::Error::success();
  const char *name = nullptr;
  cuptiGetResultString(result, &name);
  return fail(llvm::is_contained(kOurs, result) ? Status::internal : Status::missing,
              "{0} failed: {1} ({2}){3}", call, name ? name : "unknown CUPTI error",
              static_cast<int>(result), adviceOn(result));
}

} // namespace specmv
#endif
