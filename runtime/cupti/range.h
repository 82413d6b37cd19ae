// One range of CUPTI's profiler around a product that is repeated, a pass at a time, until all
// metrics were counted. Internal to counters.
#pragma once

#include "runtime/cupti/metrics.h"

namespace specmv {

// Enabled on the context of a GPU, which must be current; disabled on destruction.
class CuptiRange {
public:
  CuptiRange(const CuptiLibrary &cupti, const GpuDevice &gpu) : cupti_(cupti), gpu_(gpu) {}

  // Counts `metrics` during the product; what is returned is for their evaluate().
  llvm::Expected<CuptiImage> count(CuptiMetrics &metrics, const Enqueue &product);

private:
  llvm::Error enable();
  llvm::Error makeData(std::vector<const char *> &names);
  llvm::Error configure(const CuptiImage &configuration);
  llvm::Error start();
  llvm::Error countOnce(const Enqueue &product);
  llvm::Expected<bool> stop(); // true after the last pass
  llvm::Expected<bool> pass(const Enqueue &product);
  llvm::Error decode();
  llvm::Error runOnce(const Enqueue &product) const;

  struct Disable {
    const CuptiLibrary *cupti = nullptr;
    void operator()(CUpti_RangeProfiler_Object *range) const;
  };

  const CuptiLibrary &cupti_;
  const GpuDevice &gpu_;
  UniqueHandle<CUpti_RangeProfiler_Object *, Disable> range_;
  CuptiImage data_;
};

} // namespace specmv
