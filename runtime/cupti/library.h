// The functions of CUPTI that count with the hardware's counters, resolved at run time. Internal to
// counters; only in builds that found CUPTI's headers.
#pragma once

#include "models/base/error.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>
#include <vector>

namespace specmv {

// CUDA 12.6 and later have all of them.
#define SPECMV_CUPTI_FUNCTIONS(X)                                                                  \
  X(cuptiGetResultString)                                                                          \
  X(cuptiDeviceGetChipName)                                                                        \
  X(cuptiProfilerInitialize)                                                                       \
  X(cuptiProfilerGetCounterAvailability)                                                           \
  X(cuptiProfilerHostInitialize)                                                                   \
  X(cuptiProfilerHostDeinitialize)                                                                 \
  X(cuptiProfilerHostGetMetricProperties)                                                          \
  X(cuptiProfilerHostConfigAddMetrics)                                                             \
  X(cuptiProfilerHostGetConfigImageSize)                                                           \
  X(cuptiProfilerHostGetConfigImage)                                                               \
  X(cuptiProfilerHostGetNumOfPasses)                                                               \
  X(cuptiProfilerHostEvaluateToGpuValues)                                                          \
  X(cuptiRangeProfilerEnable)                                                                      \
  X(cuptiRangeProfilerDisable)                                                                     \
  X(cuptiRangeProfilerGetCounterDataSize)                                                          \
  X(cuptiRangeProfilerCounterDataImageInitialize)                                                  \
  X(cuptiRangeProfilerSetConfig)                                                                   \
  X(cuptiRangeProfilerStart)                                                                       \
  X(cuptiRangeProfilerPushRange)                                                                   \
  X(cuptiRangeProfilerPopRange)                                                                    \
  X(cuptiRangeProfilerStop)                                                                        \
  X(cuptiRangeProfilerDecodeData)                                                                  \
  X(cuptiRangeProfilerGetCounterDataInfo)

struct CuptiLibrary {
#define SPECMV_MEMBER(name) decltype(&::name) name = nullptr;
  SPECMV_CUPTI_FUNCTIONS(SPECMV_MEMBER)
#undef SPECMV_MEMBER
  std::string path;

  // The first of these libraries that opens; Status::missing where none does, or where it lacks a
  // function.
  static llvm::Expected<CuptiLibrary> open(const std::vector<std::string> &paths);
  // The toolkit's, opened on first use. The pointer stays valid.
  static llvm::Expected<const CuptiLibrary *> get();

  // success(), or an error naming the call and the result: Status::missing where this machine, its
  // GPU or this user's rights are at fault, internal where our call was wrong.
  llvm::Error check(CUptiResult result, const char *call) const;
};

// Declares parameters of the type, all zero but for the size that says which of them this build
// knows.
#define SPECMV_CUPTI_PARAMS(type, name)                                                            \
  type name{};                                                                                     \
  name.structSize = type##_STRUCT_SIZE

} // namespace specmv
