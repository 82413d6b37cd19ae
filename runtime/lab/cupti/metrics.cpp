// Schedules a chip's metrics and evaluates them with CUPTI's host functions.
#ifdef SPECMV_HAS_CUPTI
#include "runtime/lab/cupti/metrics.h"

#include "runtime/cuda/toolkit.h"

#include <cmath>

namespace specmv {

void CuptiMetrics::Deinitialize::operator()(CUpti_Profiler_Host_Object *host) const {
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = host;
  cupti->cuptiProfilerHostDeinitialize(&params);
}

llvm::Error CuptiMetrics::open(const std::string &chip, const CuptiImage &availability) {
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  if (llvm::Error error = cupti_->check(cupti_->cuptiProfilerHostInitialize(&params),
                                        "cuptiProfilerHostInitialize"))
    return error;
  host_ = {params.pHostObject, Deinitialize{cupti_}};
  return llvm::Error::success();
}

bool CuptiMetrics::knows(const char *name) const {
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params);
  params.pHostObject = host_.get();
  params.pMetricName = name;
  return name && cupti_->cuptiProfilerHostGetMetricProperties(&params) == CUPTI_SUCCESS;
}

llvm::Error CuptiMetrics::choose(llvm::ArrayRef<Counter> counters) {
  for (const Counter &counter : counters) {
    const char *name = knows(counter.name) ? counter.name : counter.newerName;
    has_.push_back(knows(name));
    if (has_.back())
      names_.push_back(name);
  }
  // Adds all in one call, since metrics that are added by different calls never share a pass.
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
  params.pHostObject = host_.get();
  params.ppMetricNames = names_.data();
  params.numMetrics = names_.size();
  return cupti_->check(cupti_->cuptiProfilerHostConfigAddMetrics(&params),
                       "cuptiProfilerHostConfigAddMetrics");
}

llvm::Error CuptiMetrics::configure() {
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_.get();
  if (llvm::Error error = cupti_->check(cupti_->cuptiProfilerHostGetConfigImageSize(&size),
                                        "cuptiProfilerHostGetConfigImageSize"))
    return error;
  if (llvm::Error error = checkAnswer("cuptiProfilerHostGetConfigImageSize", size.configImageSize,
                                      0, kMostAnswered))
    return error;
  configuration_.resize(size.configImageSize);
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, params);
  params.pHostObject = host_.get();
  params.pConfigImage = configuration_.data();
  params.configImageSize = configuration_.size();
  return cupti_->check(cupti_->cuptiProfilerHostGetConfigImage(&params),
                       "cuptiProfilerHostGetConfigImage");
}

llvm::Error CuptiMetrics::countPasses() {
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, params);
  params.pConfigImage = configuration_.data();
  params.configImageSize = configuration_.size();
  if (llvm::Error error = cupti_->check(cupti_->cuptiProfilerHostGetNumOfPasses(&params),
                                        "cuptiProfilerHostGetNumOfPasses"))
    return error;
  passes_ = params.numOfPasses;
  return llvm::Error::success();
}

llvm::Expected<CuptiMetrics> CuptiMetrics::schedule(const CuptiLibrary &cupti,
                                                    const std::string &chip,
                                                    const CuptiImage &availability,
                                                    llvm::ArrayRef<Counter> counters) {
  CuptiMetrics out;
  out.cupti_ = &cupti;
  if (llvm::Error error = out.open(chip, availability))
    return error;
  if (llvm::Error error = out.choose(counters))
    return error;
  if (llvm::Error error = out.configure())
    return error;
  if (llvm::Error error = out.countPasses())
    return error;
  return out;
}

llvm::Expected<std::vector<double>> CuptiMetrics::evaluate(const CuptiImage &data) {
  std::vector<double> found(names_.size());
  SPECMV_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = host_.get();
  params.pCounterDataImage = data.data();
  params.counterDataImageSize = data.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names_.data();
  params.numMetrics = names_.size();
  params.pMetricValues = found.data();
  if (llvm::Error error = cupti_->check(cupti_->cuptiProfilerHostEvaluateToGpuValues(&params),
                                        "cuptiProfilerHostEvaluateToGpuValues"))
    return error;
  std::vector<double> values;
  auto next = found.begin();
  for (const bool has : has_)
    values.push_back(has ? *next++ : std::nan(""));
  return values;
}

} // namespace specmv
#endif
