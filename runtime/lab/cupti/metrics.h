// Handles the metrics of a chip with CUPTI's host functions: which metrics it has, in which passes
// they are counted, and their values from the counts. Needs no GPU. Only for the files of this
// folder.
#pragma once

#include "runtime/lab/cupti/counters.h"
#include "runtime/lab/cupti/library.h"

namespace specmv {

using CuptiImage = std::vector<uint8_t>; // CUPTI's configurations and data, opaque to us

class CuptiMetrics {
public:
  // Schedules the counters that the chip has. `availability` says which counters this user may read
  // on the device; empty: all of the chip.
  static llvm::Expected<CuptiMetrics> schedule(const CuptiLibrary &cupti, const std::string &chip,
                                               const CuptiImage &availability,
                                               llvm::ArrayRef<Counter> counters);

  const std::vector<bool> &has() const { return has_; } // for each counter
  size_t passes() const { return passes_; }
  // Returns the names of the scheduled counters; not const, since CUPTI's functions take pointers
  // to non-const.
  std::vector<const char *> &names() { return names_; }
  const CuptiImage &configuration() const { return configuration_; }

  // Returns the values of all counters from range 0 of the data; NaN for counters that the chip
  // lacks.
  llvm::Expected<std::vector<double>> evaluate(const CuptiImage &data);

private:
  struct Deinitialize {
    const CuptiLibrary *cupti = nullptr;
    void operator()(CUpti_Profiler_Host_Object *host) const;
  };

  llvm::Error open(const std::string &chip, const CuptiImage &availability);
  bool knows(const char *name) const;
  llvm::Error choose(llvm::ArrayRef<Counter> counters);
  llvm::Error configure();
  llvm::Error countPasses();

  const CuptiLibrary *cupti_ = nullptr;
  UniqueHandle<CUpti_Profiler_Host_Object *, Deinitialize> host_;
  std::vector<bool> has_;
  std::vector<const char *> names_;
  CuptiImage configuration_;
  size_t passes_ = 0;
};

} // namespace specmv
