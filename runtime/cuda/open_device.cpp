// Opens a GPU: returns the one that is already open, or retains the primary context and reads the
// device's properties.
#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "runtime/cuda/context_life.h"
#include "runtime/cuda/owned.h"
#include "runtime/cuda/places.h"
#include "runtime/cuda/toolkit.h"

#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace specmv {

GpuDevice::GpuDevice() = default;
GpuDevice::~GpuDevice() = default;

void GpuDevice::Release::operator()(void * /*context*/) const {
  if (life->state() == CUDA_SUCCESS) // otherwise it may be a later user's context
    driver().cuDevicePrimaryCtxRelease(device);
}

GpuInfo withClocks(GpuInfo info) {
  auto found = Driver::get();
  if (!found) {
    llvm::consumeError(found.takeError());
    return info;
  }
  const Driver &d = **found;
  CUdevice device = 0;
  if (d.cuDeviceGet(&device, info.ordinal) != CUDA_SUCCESS)
    return info;
  const std::pair<CUdevice_attribute, int *> wanted[] = {
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &info.clockKHz},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &info.memoryClockKHz},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &info.busBits}};
  for (const auto &[what, value] : wanted)
    if (d.cuDeviceGetAttribute(value, what, device) != CUDA_SUCCESS || *value < 0)
      *value = 0;
  return info;
}

namespace {
// A device attribute and its valid range.
struct WantedAttribute {
  CUdevice_attribute what;
  const char *name;
  int *value;
  int least, most;
};
} // namespace

// Reads the fields of GpuInfo that are attributes of the device.
static llvm::Error readAttributes(const Driver &d, CUdevice device, GpuInfo &info) {
  constexpr int kAny = std::numeric_limits<int>::max();
  int major = 0, minor = 0, l2 = 0, shared = 0;
  const WantedAttribute wanted[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "the architecture", &major, 1, 9999},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "the minor architecture", &minor, 0, 9999},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "the SMs", &info.sms, 1, 1 << 16},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, "the threads of an SM",
       &info.threadsPerSm, 32, 1 << 16},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, "the bytes of L2", &l2, 0, kAny},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "the shared bytes of a block",
       &shared, 0, kAny}};
  for (const WantedAttribute &each : wanted) {
    if (llvm::Error error =
            d.check(d.cuDeviceGetAttribute(each.value, each.what, device), "cuDeviceGetAttribute"))
      return error;
    if (llvm::Error error = checkAnswer(std::string("the driver, asked for ") + each.name + ",",
                                        *each.value, each.least, each.most))
      return error;
  }
  info.arch = "sm_" + std::to_string(major) + std::to_string(minor);
  info.l2Bytes = l2;
  info.sharedBytesPerBlock = shared;
  return llvm::Error::success();
}

static llvm::Expected<GpuInfo> infoOf(const Driver &d, int ordinal, CUdevice device) {
  GpuInfo info;
  info.ordinal = ordinal;
  char name[256] = ""; // the last byte stays zero
  if (llvm::Error error =
          d.check(d.cuDeviceGetName(name, sizeof name - 1, device), "cuDeviceGetName"))
    return error;
  info.name = name;
  size_t bytes = 0;
  if (llvm::Error error = d.check(d.cuDeviceTotalMem(&bytes, device), "cuDeviceTotalMem"))
    return error;
  if (llvm::Error error = checkAnswer("cuDeviceTotalMem", bytes, 1, int64_t{1} << 50))
    return error;
  info.memoryBytes = static_cast<int64_t>(bytes);
  if (llvm::Error error = d.check(d.cuDriverGetVersion(&info.driverVersion), "cuDriverGetVersion"))
    return error;
  if (llvm::Error error = readAttributes(d, device, info))
    return error;
  return info;
}

static llvm::Error checkOrdinal(const Driver &d, int ordinal) {
  int count = 0;
  if (llvm::Error error = d.check(d.cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (ordinal >= 0 && ordinal < count)
    return llvm::Error::success();
  return fail(Status::noGpu, "there is no GPU number {0}; the driver sees {1}, numbered from 0",
              ordinal, count);
}

llvm::Expected<std::shared_ptr<const GpuDevice>> GpuDevice::make(int ordinal) {
  const Driver &d = driver();
  if (llvm::Error error = checkOrdinal(d, ordinal))
    return error;
  CUdevice device = 0;
  if (llvm::Error error = d.check(d.cuDeviceGet(&device, ordinal), "cuDeviceGet"))
    return error;
  auto info = infoOf(d, ordinal, device);
  if (!info)
    return info.takeError();
  std::shared_ptr<GpuDevice> gpu(new GpuDevice);
  gpu->info_ = std::move(*info);
  CUcontext context = nullptr;
  if (llvm::Error error =
          d.check(d.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"))
    return error;
  gpu->life_ = std::make_shared<const ContextLife>(context);
  gpu->context_ = {context, Release{device, gpu->life_}};
  gpu->address_ = context;
  gpu->owned_ = std::make_shared<Owned>(*gpu, device);
  return std::shared_ptr<const GpuDevice>(std::move(gpu));
}

namespace {
// The open devices, by number.
struct OpenDevices {
  ForkMutex mutex;
  std::map<int, std::shared_ptr<const GpuDevice>> byOrdinal;
  std::shared_ptr<void> library; // keeps libspecmv loaded while a device is open
};
} // namespace

// Devices stay open until the process ends and are never destroyed, because the driver may end
// first.
static OpenDevices &openDevices() {
  static Undying<OpenDevices> devices;
  return *devices;
}

llvm::Expected<std::shared_ptr<const GpuDevice>> GpuDevice::open(int ordinal) {
  auto found = Driver::get();
  if (!found)
    return found.takeError();
  OpenDevices &devices = openDevices();
  const std::lock_guard lock(devices.mutex);
  if (const auto known = devices.byOrdinal.find(ordinal); known != devices.byOrdinal.end()) {
    if (Current(*known->second).isCurrent())
      return known->second;
    known->second->life_->end(); // the program has reset the device
    devices.byOrdinal.erase(known);
  }
  auto made = make(ordinal);
  if (!made)
    return made;
  if (!devices.library)
    devices.library = keepLoaded();
  devices.byOrdinal.emplace(ordinal, *made);
  return made;
}

llvm::Error GpuDevice::release(int ordinal) {
  auto found = Driver::get();
  if (!found)
    return found.takeError();
  if (llvm::Error error = checkOrdinal(**found, ordinal))
    return error;
  OpenDevices &devices = openDevices();
  const auto find = [&] { // call with the lock held
    const auto known = devices.byOrdinal.find(ordinal);
    return known == devices.byOrdinal.end() ? nullptr : known->second;
  };
  {
    std::unique_lock lock(devices.mutex);
    const std::shared_ptr<const GpuDevice> gpu = find();
    lock.unlock(); // forget() waits for the GPU
    if (gpu)
      gpu->forget();
  }
  std::shared_ptr<void> library;           // released after all else,
  std::shared_ptr<const GpuDevice> closed; // and without the lock
  const std::lock_guard lock(devices.mutex);
  closed = find();
  if (!closed || closed.use_count() > 2) // a plan uses it; later plans find it here
    return llvm::Error::success();
  devices.byOrdinal.erase(ordinal);
  if (devices.byOrdinal.empty())
    library = std::move(devices.library);
  return llvm::Error::success();
}

llvm::Expected<int> gpuCount(std::string &whyNone) {
  auto found = Driver::get();
  if (!found) {
    llvm::Error error = found.takeError();
    if (!error.isA<AbsentError>())
      return error;
    whyNone = describe(std::move(error)).second;
    return 0;
  }
  int count = 0;
  if (llvm::Error error = (*found)->check((*found)->cuDeviceGetCount(&count), "cuDeviceGetCount"))
    return error;
  if (count == 0)
    whyNone = "the CUDA driver sees no GPU";
  return count;
}

} // namespace specmv
