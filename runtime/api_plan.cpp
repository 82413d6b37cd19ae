// Makes the plans of the C API.
#include "runtime/api_plan.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>

namespace specmv {

// The arrays of a matrix copied to the host from wherever they are.
static llvm::Expected<HostCopy> copyToHost(const CsrView &a, const GpuDevice *gpu) {
  HostCopy out{a, {}, {}, {}};
  const size_t index = sizeOf(a.indexType);
  const struct {
    std::vector<std::byte> &to;
    const void *&from;
    size_t bytes;
  } arrays[] = {{out.rowPtr, out.view.rowPtr, static_cast<size_t>(a.rows + 1) * index},
                {out.col, out.view.col, static_cast<size_t>(a.nnz) * index},
                {out.val, out.view.val, static_cast<size_t>(a.nnz) * sizeOf(a.valueType)}};
  for (const auto &array : arrays) {
    array.to.resize(array.bytes);
    if (gpu && isDevicePointer(array.from)) {
      if (llvm::Error error = gpu->download(
              array.to.data(), reinterpret_cast<DevicePointer>(array.from), array.bytes))
        return error;
    } else if (array.bytes > 0) {
      std::memcpy(array.to.data(), array.from, array.bytes);
    }
    array.from = array.to.data();
  }
  return out;
}

// An empty name in the list is kept, to be refused as a format that there is not.
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
                                .arch = ""});
  if (!machine)
    return machine.takeError();
  // Arrays on a GPU are read through a context of it, also for a plan that runs on the host.
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
