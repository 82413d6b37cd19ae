// Counts with CUPTI: asks which counters the device has, schedules the passes, repeats the product
// and evaluates the counts.
#ifdef SPECMV_HAS_CUPTI
#include "runtime/lab/cupti/counters.h"

#include "runtime/cuda/toolkit.h"
#include "runtime/lab/cupti/range.h"

namespace specmv {

static llvm::Expected<std::string> chipOf(const CuptiLibrary &cupti, const GpuDevice &gpu) {
  SPECMV_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, params);
  params.deviceIndex = static_cast<size_t>(gpu.info().ordinal);
  if (llvm::Error error =
          cupti.check(cupti.cuptiDeviceGetChipName(&params), "cuptiDeviceGetChipName"))
    return error;
  return std::string(params.pChipName ? params.pChipName : "");
}

// Returns which counters this user may read on the device, as CUPTI encodes them.
static llvm::Expected<CuptiImage> availabilityOn(const CuptiLibrary &cupti, const GpuDevice &gpu) {
  CuptiImage image;
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
  params.ctx = static_cast<CUcontext>(gpu.context());
  // The first call, without a buffer, only returns the size.
  for (int call = 0; call < 2; ++call) {
    if (llvm::Error error = cupti.check(cupti.cuptiProfilerGetCounterAvailability(&params),
                                        "cuptiProfilerGetCounterAvailability"))
      return error;
    if (llvm::Error error = checkAnswer("cuptiProfilerGetCounterAvailability",
                                        params.counterAvailabilityImageSize, 0, kMostAnswered))
      return error;
    image.resize(params.counterAvailabilityImageSize);
    params.pCounterAvailabilityImage = image.data();
  }
  return image;
}

static llvm::Expected<CuptiMetrics> metricsOn(const CuptiLibrary &cupti, const GpuDevice &gpu,
                                              llvm::ArrayRef<Counter> counters, Counted &out) {
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
  if (llvm::Error error =
          cupti.check(cupti.cuptiProfilerInitialize(&params), "cuptiProfilerInitialize"))
    return error;
  auto chip = chipOf(cupti, gpu);
  if (!chip)
    return chip.takeError();
  auto availability = availabilityOn(cupti, gpu);
  if (!availability)
    return availability.takeError();
  auto metrics = CuptiMetrics::schedule(cupti, *chip, *availability, counters);
  if (!metrics)
    return metrics.takeError();
  out.chip = *chip;
  out.library = cupti.path;
  out.passes = metrics->passes();
  return metrics;
}

llvm::Expected<Counted> countDuring(const Enqueue &product, const GpuDevice &gpu,
                                    llvm::ArrayRef<Counter> counters) {
  auto cupti = CuptiLibrary::get();
  if (!cupti)
    return cupti.takeError();
  const GpuDevice::Current current(gpu);
  if (llvm::Error error = current.check())
    return error;
  Counted out;
  auto metrics = metricsOn(**cupti, gpu, counters, out);
  if (!metrics)
    return metrics.takeError();
  CuptiRange range(**cupti, gpu);
  auto data = range.count(*metrics, product);
  if (!data)
    return data.takeError();
  auto values = metrics->evaluate(*data);
  if (!values)
    return values.takeError();
  out.values = std::move(*values);
  return out;
}

llvm::Expected<Schedule> scheduleOn(const std::string &chip, llvm::ArrayRef<Counter> counters) {
  auto cupti = CuptiLibrary::get();
  if (!cupti)
    return cupti.takeError();
  auto metrics = CuptiMetrics::schedule(**cupti, chip, {}, counters);
  if (!metrics)
    return metrics.takeError();
  return Schedule{metrics->passes(), metrics->has()};
}

llvm::Error checkCupti() { return CuptiLibrary::get().takeError(); }

llvm::Error checkCupti(const std::vector<std::string> &paths) {
  return CuptiLibrary::open(paths).takeError();
}

} // namespace specmv
#endif
