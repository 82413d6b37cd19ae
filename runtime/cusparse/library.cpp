// Resolves cuSPARSE once for the process.
#include "runtime/cusparse/library.h"

#include "models/base/lasting.h"
#include "runtime/cuda/places.h"
#include "runtime/cusparse/cusparse.h"

#include <utility>

namespace specmv {

// Resolves the functions; returns what is wrong with the file, or "".
static std::string resolveCusparse(const DynamicLibrary &file, CusparseLibrary &library) {
#define SPECMV_RESOLVE(name)                                                                       \
  library.name = reinterpret_cast<decltype(library.name)>(file.find(#name));
  SPECMV_CUSPARSE_FUNCTIONS(SPECMV_RESOLVE)
  SPECMV_CUSPARSE_LATER_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
#define SPECMV_RESOLVE(name) library.name = file.find(#name);
  SPECMV_CUSPARSE_OP_FUNCTIONS(SPECMV_RESOLVE)
  SPECMV_CUSPARSE_GENERIC_FUNCTIONS(SPECMV_RESOLVE)
  SPECMV_CUSPARSE_CONVERSION_FUNCTIONS(SPECMV_RESOLVE)
#undef SPECMV_RESOLVE
#define SPECMV_REQUIRE(name)                                                                       \
  if (!library.name)                                                                               \
    return file.path() + " has no " #name;
  SPECMV_CUSPARSE_FUNCTIONS(SPECMV_REQUIRE)
#undef SPECMV_REQUIRE
  return "";
}

static void readVersion(CusparseLibrary &library) {
  int major = 0, minor = 0, patch = 0;
  library.cusparseGetProperty(MAJOR_VERSION, &major);
  library.cusparseGetProperty(MINOR_VERSION, &minor);
  library.cusparseGetProperty(PATCH_LEVEL, &patch);
  library.version = llvm::formatv("cuSPARSE {0}.{1}.{2}", major, minor, patch);
  library.versionNumber = major * 10000 + minor * 100 + patch;
}

// Maps results that are not bugs of specmv to statuses.
constexpr std::pair<cusparseStatus_t, Status> kMeanings[] = {
    {CUSPARSE_STATUS_NOT_INITIALIZED, Status::missing}, // no usable driver or GPU
    {CUSPARSE_STATUS_ALLOC_FAILED, Status::gpuMemory},
    {CUSPARSE_STATUS_ARCH_MISMATCH, Status::missing},
    {CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, Status::missing},
    {CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, Status::notApplicable},
    {CUSPARSE_STATUS_NOT_SUPPORTED, Status::notApplicable},
};

static Status meaningOf(cusparseStatus_t result) {
  for (const auto &[code, status] : kMeanings)
    if (code == result)
      return status;
  return Status::internal;
}

static llvm::Expected<CusparseLibrary> resolvedCusparse(const DynamicLibrary &file) {
  CusparseLibrary library;
  const std::string reason = resolveCusparse(file, library);
  if (!reason.empty())
    return failWith(Status::missing, "no usable cuSPARSE: " + reason);
  readVersion(library);
  library.path = file.path();
  return library;
}

llvm::Expected<CusparseLibrary> CusparseLibrary::open(const std::vector<std::string> &paths) {
  auto file = DynamicLibrary::open(paths);
  if (!file)
    return prefixed("no cuSPARSE: ", file.takeError());
  return resolvedCusparse(*file);
}

// CUDA 12 and 13 both have cuSPARSE 12. Only development packages have the name without a number.
static llvm::Expected<CusparseLibrary> openToolkitCusparse() {
  auto file = openFromToolkit({.name = "cuSPARSE",
                               .files = {"libcusparse.so.12", "libcusparse.so"},
                               .aptPackage = "libcusparse-13-0",
                               .pipPackage = "nvidia-cusparse"});
  if (!file)
    return file.takeError();
  return resolvedCusparse(*file);
}

static OpenedOnce<CusparseLibrary> &toolkitCusparse() {
  static Lasting<OpenedOnce<CusparseLibrary>> opened(
      [] { return OpenedOnce<CusparseLibrary>(openToolkitCusparse); });
  return *opened;
}

llvm::Expected<const CusparseLibrary *> CusparseLibrary::get() { return toolkitCusparse().get(); }

bool cusparseIsOpen() { return toolkitCusparse().isOpen(); }

llvm::Error CusparseLibrary::check(cusparseStatus_t result, const char *call) const {
  if (result == CUSPARSE_STATUS_SUCCESS)
    return llvm::Error::success();
  return fail(meaningOf(result), "{0} failed: {1} ({2})", call, cusparseGetErrorName(result),
              cusparseGetErrorString(result));
}

llvm::Error CusparseLibrary::checkHas(bool found, const char *function) const {
  if (found)
    return llvm::Error::success();
  return fail(Status::missing, "{0} has no {1}; a newer one is needed", version, function);
}

std::string cusparseVersion() {
  auto library = CusparseLibrary::get();
  if (library)
    return (*library)->version;
  llvm::consumeError(library.takeError());
  return "";
}

llvm::Expected<std::string> cusparseVersionOf(const std::vector<std::string> &paths) {
  auto library = CusparseLibrary::open(paths);
  if (!library)
    return library.takeError();
  return library->version;
}

} // namespace specmv
