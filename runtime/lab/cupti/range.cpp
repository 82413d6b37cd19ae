// Drives CUPTI's range profiler: user ranges with user replay.
#ifdef SPECMV_HAS_CUPTI
#include "runtime/lab/cupti/range.h"

#include "runtime/cuda/toolkit.h"

namespace specmv {

void CuptiRange::Disable::operator()(CUpti_RangeProfiler_Object *range) const {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
  params.pRangeProfilerObject = range;
  cupti->cuptiRangeProfilerDisable(&params);
}

llvm::Error CuptiRange::enable() {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
  params.ctx = static_cast<CUcontext>(gpu_.context());
  if (llvm::Error error =
          cupti_.check(cupti_.cuptiRangeProfilerEnable(&params), "cuptiRangeProfilerEnable"))
    return error;
  range_ = {params.pRangeProfilerObject, Disable{&cupti_}};
  return llvm::Error::success();
}

llvm::Error CuptiRange::makeData(std::vector<const char *> &names) {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = range_.get();
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  if (llvm::Error error = cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataSize(&size),
                                       "cuptiRangeProfilerGetCounterDataSize"))
    return error;
  if (llvm::Error error = checkAnswer("cuptiRangeProfilerGetCounterDataSize", size.counterDataSize,
                                      0, kMostAnswered))
    return error;
  data_.assign(size.counterDataSize, 0);
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params);
  params.pRangeProfilerObject = range_.get();
  params.pCounterData = data_.data();
  params.counterDataSize = data_.size();
  return cupti_.check(cupti_.cuptiRangeProfilerCounterDataImageInitialize(&params),
                      "cuptiRangeProfilerCounterDataImageInitialize");
}

llvm::Error CuptiRange::configure(const CuptiImage &configuration) {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, params);
  params.pRangeProfilerObject = range_.get();
  params.pConfig = configuration.data();
  params.configSize = configuration.size();
  params.pCounterDataImage = data_.data();
  params.counterDataImageSize = data_.size();
  params.range = CUPTI_UserRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = 1;
  // Levels are numbered from 1. Only the first pass is set; CUPTI advances to the next by itself.
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.targetNestingLevel = 1;
  params.passIndex = 0;
  return cupti_.check(cupti_.cuptiRangeProfilerSetConfig(&params), "cuptiRangeProfilerSetConfig");
}

llvm::Error CuptiRange::start() {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
  params.pRangeProfilerObject = range_.get();
  return cupti_.check(cupti_.cuptiRangeProfilerStart(&params), "cuptiRangeProfilerStart");
}

llvm::Expected<bool> CuptiRange::stop() {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
  params.pRangeProfilerObject = range_.get();
  if (llvm::Error error =
          cupti_.check(cupti_.cuptiRangeProfilerStop(&params), "cuptiRangeProfilerStop"))
    return error;
  return params.isAllPassSubmitted != 0;
}

llvm::Error CuptiRange::runOnce(const Enqueue &product) const {
  if (llvm::Error error = product())
    return error;
  return gpu_.synchronize(nullptr);
}

llvm::Error CuptiRange::countOnce(const Enqueue &product) {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
  push.pRangeProfilerObject = range_.get();
  push.pRangeName = "product";
  if (llvm::Error error =
          cupti_.check(cupti_.cuptiRangeProfilerPushRange(&push), "cuptiRangeProfilerPushRange"))
    return error;
  if (llvm::Error error = runOnce(product))
    return error;
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
  pop.pRangeProfilerObject = range_.get();
  return cupti_.check(cupti_.cuptiRangeProfilerPopRange(&pop), "cuptiRangeProfilerPopRange");
}

llvm::Expected<bool> CuptiRange::pass(const Enqueue &product) {
  // This run is not counted: it leaves the caches as they are between products in a sequence.
  if (llvm::Error error = runOnce(product))
    return error;
  if (llvm::Error error = start())
    return error;
  if (llvm::Error error = countOnce(product))
    return error;
  return stop();
}

llvm::Error CuptiRange::decode() {
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
  params.pRangeProfilerObject = range_.get();
  if (llvm::Error error = cupti_.check(cupti_.cuptiRangeProfilerDecodeData(&params),
                                       "cuptiRangeProfilerDecodeData"))
    return error;
  SPECMV_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  if (llvm::Error error = cupti_.check(cupti_.cuptiRangeProfilerGetCounterDataInfo(&info),
                                       "cuptiRangeProfilerGetCounterDataInfo"))
    return error;
  if (params.numOfRangeDropped == 0 && info.numTotalRanges == 1)
    return llvm::Error::success();
  return fail(Status::internal,
              "CUPTI counted {0} ranges and dropped {1}; it must count 1 and drop 0",
              info.numTotalRanges, params.numOfRangeDropped);
}

llvm::Expected<CuptiImage> CuptiRange::count(CuptiMetrics &metrics, const Enqueue &product) {
  if (llvm::Error error = enable())
    return error;
  if (llvm::Error error = makeData(metrics.names()))
    return error;
  if (llvm::Error error = configure(metrics.configuration()))
    return error;
  // CUPTI reports the last pass. The limit, which is well above, prevents an endless loop if it
  // never does.
  const size_t most = 4 * metrics.passes();
  for (size_t done = 0; done < most; ++done) {
    auto last = pass(product);
    if (!last)
      return last.takeError();
    if (!*last)
      continue;
    if (llvm::Error error = decode())
      return error;
    return data_;
  }
  return fail(Status::internal, "CUPTI announced {0} passes, but is not finished after {1}",
              metrics.passes(), most);
}

} // namespace specmv
#endif
