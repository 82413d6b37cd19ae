// Makes the plans of the C API.
#include "runtime/api/plan.h"

#include "models/csr_check.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>

namespace specmv {

// C enums are converted to C++ enums by their numbers, which must be equal.
template <class To, class From> static constexpr bool isSame(To to, From from) {
  return static_cast<int>(to) == static_cast<int>(from);
}
static_assert(isSame(Target::automatic, SPECMV_TARGET_AUTO) &&
              isSame(Target::gpu, SPECMV_TARGET_GPU) && isSame(Target::host, SPECMV_TARGET_HOST));
static_assert(isSame(Rigor::estimate, SPECMV_RIGOR_ESTIMATE) &&
              isSame(Rigor::measure, SPECMV_RIGOR_MEASURE) &&
              isSame(Rigor::exhaustive, SPECMV_RIGOR_EXHAUSTIVE));

// Copies one array from the host or a GPU to the host; then `from` points to the copy.
static llvm::Error copyArray(const void *&from, size_t bytes, const GpuDevice *gpu,
                             ZeroedArray<std::byte> &to) {
  to = ZeroedArray<std::byte>(bytes);
  if (gpu && isDevicePointer(from)) {
    if (llvm::Error error = gpu->download(to.data(), reinterpret_cast<DevicePointer>(from), bytes))
      return error;
  } else if (bytes > 0) {
    std::memcpy(to.data(), from, bytes);
  }
  from = to.data();
  return llvm::Error::success();
}

// Copies the arrays of a matrix to the host. col and val are copied only after the ends of rowPtr
// were found to agree with nnz, which tells how long they are.
static llvm::Expected<HostCopy> copyToHost(const CsrView &a, const GpuDevice *gpu) {
  HostCopy out{a, {}, {}, {}};
  const size_t index = sizeOf(a.indexType), nnz = static_cast<size_t>(a.nnz);
  if (llvm::Error error =
          copyArray(out.view.rowPtr, static_cast<size_t>(a.rows + 1) * index, gpu, out.rowPtr))
    return error;
  if (llvm::Error error = checkEnds(out.view))
    return error;
  if (llvm::Error error = copyArray(out.view.col, nnz * index, gpu, out.col))
    return error;
  if (llvm::Error error = copyArray(out.view.val, nnz * sizeOf(a.valueType), gpu, out.val))
    return error;
  return out;
}

// The names in the list. An empty name stays in it and is refused later as an unknown format.
static std::vector<std::string> namesOf(const char *list) {
  if (!list)
    return {};
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(list).split(parts, ',');
  return {parts.begin(), parts.end()};
}

llvm::Error makePlan(ApiPlan &plan, const CsrView &a, const specmvPlanOptions_t &options) {
  auto machine = Machine::find({.target = static_cast<Target>(options.target),
                                .device = options.device,
                                .gpuModel = "",
                                .arch = "",
                                .onlyPacks = options.onlyPacks != 0});
  if (!machine)
    return machine.takeError();
  // Reading arrays on a GPU needs a context of that GPU, also for a plan that runs on the host.
  std::shared_ptr<const GpuDevice> reader = machine->gpu;
  const bool onDevice =
      isDevicePointer(a.rowPtr) || isDevicePointer(a.col) || isDevicePointer(a.val);
  if (onDevice && !reader) {
    auto opened = GpuDevice::open(options.device);
    if (!opened)
      return opened.takeError();
    reader = std::move(*opened);
  }
  CsrView onHost = a;
  if (onDevice || !machine->gpu) {
    auto copy = copyToHost(a, reader.get());
    if (!copy)
      return copy.takeError();
    plan.host = std::move(*copy);
    onHost = plan.host.view;
  }
  Request request{.problem = {a.valueType, options.betaIsZero == 0},
                  .rigor = static_cast<Rigor>(options.rigor),
                  .formats = namesOf(options.formats),
                  .fixed = {}};
  auto made = specialize(onHost, request, *machine);
  if (!made)
    return made.takeError();
  plan.text = made->built.plan.text();
  plan.gpu = std::move(made->built.product);
  if (plan.gpu)
    plan.host = {};
  return llvm::Error::success();
}

} // namespace specmv
