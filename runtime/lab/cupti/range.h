// Runs one range of CUPTI's profiler around a product, which is repeated once for each pass until
// all metrics are counted. Only for the files of this folder.
#pragma once

#include "runtime/lab/cupti/metrics.h"

namespace specmv {

// Enables the profiler in the GPU's context, which must be current, and disables it on destruction.
class CuptiRange {
public:
  CuptiRange(const CuptiLibrary &cupti, const GpuDevice &gpu) : cupti_(cupti), gpu_(gpu) {}

  // Counts `metrics` during the product. The result is for metrics.evaluate().
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
