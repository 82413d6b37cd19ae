// The functions of CUPTI that read hardware counters, resolved at run time. Only for the files of
// this folder, and only in builds that found CUPTI's headers.
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

  // Opens the first of these libraries that opens; Status::missing if none opens, or if it lacks a
  // function.
  static llvm::Expected<CuptiLibrary> open(const std::vector<std::string> &paths);
  // Returns the toolkit's library, opened on first use. The pointer stays valid.
  static llvm::Expected<const CuptiLibrary *> get();

  // Returns success(), or an error with the names of the call and of the result. It is
  // Status::internal for a bug of specmv. Otherwise it is Status::missing: the machine, the GPU or
  // the user's rights are at fault.
  llvm::Error check(CUptiResult result, const char *call) const;
};

// Declares a structure of parameters, all zero except its size, which tells CUPTI which fields this
// build has.
#define SPECMV_CUPTI_PARAMS(type, name)                                                            \
  type name{};                                                                                     \
  name.structSize = type##_STRUCT_SIZE

} // namespace specmv
