// Times a small fill of device memory a few hundred times.
#include "runtime/lab/calibrate/busy.h"

#include "models/base/error.h"
#include "runtime/measure/measure.h"

#include <algorithm>

namespace specmv {

double shareOfDelayed(std::vector<double> timesUs) {
  if (timesUs.empty())
    return 0;
  const double limit = 3 * median(timesUs);
  const auto delayed =
      std::count_if(timesUs.begin(), timesUs.end(), [&](double us) { return us > limit; });
  return static_cast<double>(delayed) / static_cast<double>(timesUs.size());
}

llvm::Error refuseBusy(const GpuDevice &gpu) {
  constexpr size_t kBytes = size_t{64} << 20; // about 20 us: longer than the overhead of a call
  constexpr int kTimes = 300;
  auto memory = gpu.allocate(kBytes);
  if (!memory)
    return memory.takeError();
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    auto us = gpu.time(nullptr, [&] { return gpu.fill(memory->pointer(), 0, kBytes, nullptr); });
    if (!us)
      return us.takeError();
    times.push_back(*us);
  }
  const double share = shareOfDelayed(times);
  if (share <= kMostDelayed)
    return llvm::Error::success();
  return fail(Status::missing,
              "another process seems to use {0}: {1:f0} of 100 equal pieces of work took more than "
              "three times the median of {2:f1} us; the limit is {3:f0}. Try again when it is idle",
              gpu.info().name, 100 * share, median(times), 100 * kMostDelayed);
}

} // namespace specmv
