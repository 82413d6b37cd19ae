// Times copies to and from a GPU, as the PMF paper's times include them. copies_benchmark BYTES...
// prints a JSON line for each number: the medians of copies from and to pageable memory, and from
// and to page-locked memory, to which the paper's bandwidth of the bus belongs.
#include "runtime/cuda/overlap.h"
#include "runtime/measure/stopwatch.h"
#include "tests/bench/gpu_benchmark.h"

#include <algorithm>
#include <cstring>

using namespace specmv;
using namespace specmv::bench;

constexpr int kCopies = 21;

template <class Copy> static llvm::Expected<double> medianUs(const Copy &copy) {
  std::vector<double> times;
  for (int i = 0; i <= kCopies; ++i) {
    const Stopwatch clock;
    if (llvm::Error error = copy())
      return error;
    if (i > 0) // the first touches the memory
      times.push_back(1000 * clock.milliseconds());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

namespace {
struct CopyTimes {
  double uploadUs = 0, downloadUs = 0;
};
} // namespace

static llvm::Expected<CopyTimes> timeCopies(const GpuDevice &gpu, const DeviceBuffer &device,
                                            void *host) {
  auto up = medianUs([&] { return gpu.upload(device.pointer(), host, device.bytes()); });
  auto down = medianUs([&] { return gpu.download(host, device.pointer(), device.bytes()); });
  if (!up || !down)
    return llvm::joinErrors(up.takeError(), down.takeError());
  return CopyTimes{*up, *down};
}

static llvm::Error timeBoth(const GpuDevice &gpu, size_t bytes) {
  std::vector<char> pageable(bytes, 1);
  auto pinned = allocateHost(gpu, bytes);
  auto device = gpu.allocate(bytes);
  if (!pinned || !device)
    return llvm::joinErrors(pinned.takeError(), device.takeError());
  std::memset(pinned->get(), 1, bytes);
  auto slow = timeCopies(gpu, *device, pageable.data()),
       fast = timeCopies(gpu, *device, pinned->get());
  if (!slow || !fast)
    return llvm::joinErrors(slow.takeError(), fast.takeError());
  std::printf("{\"bytes\":%zu,\"uploadUs\":%.2f,\"downloadUs\":%.2f,\"pinnedUploadUs\":%.2f,"
              "\"pinnedDownloadUs\":%.2f}\n",
              bytes, slow->uploadUs, slow->downloadUs, fast->uploadUs, fast->downloadUs);
  std::fflush(stdout);
  return llvm::Error::success();
}

static llvm::Error timeAll(llvm::ArrayRef<std::string> sizes) {
  auto machine = Machine::find({.target = Target::gpu});
  if (!machine)
    return machine.takeError();
  for (const std::string &size : sizes) {
    size_t bytes = 0;
    if (llvm::StringRef(size).getAsInteger(10, bytes) || bytes == 0)
      return fail(Status::badCall, "'{0}' is not a number of bytes", size);
    if (llvm::Error error = timeBoth(*machine->gpu, bytes))
      return error;
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) { return runOver(argc, argv, timeAll); }
