// Lists the models, and maps our plans to the kernels that a paper's model covers.
#include "runtime/lab/evaluate/time_models.h"

#include "generator/shared/kept.h"
#include "models/predict/pmf/pmf.h"
#include "models/predict/strips/strips.h"

namespace specmv {

template <double predict(const Traffic &, const GpuModel &)>
static std::optional<double> trafficUs(const PlanRequest &request, const Plan &plan) {
  const Format *format = findFormat(plan.format);
  return format ? std::optional(predict(format->traffic(request, plan), request.gpu))
                : std::nullopt;
}

static double trafficCompared(const PlanRequest &request, const Plan &plan) {
  return predictBoth(findFormat(plan.format)->traffic(request, plan), request.gpu).comparedUs();
}

static double trafficCaution(const PlanRequest &request, const Plan &plan) {
  return findFormat(plan.format)->traffic(request, plan).caution;
}

// The paper's CSR uses a warp per row. The matrix is on the device, so only CT counts.
static std::optional<double> pmfUs(const PlanRequest &request, const Plan &plan) {
  const PmfInput in{request.profile.lengths, request.profile.rows, request.profile.cols,
                    request.problem.type};
  constexpr auto kVariant = PmfVariant::corrected;
  if (plan.format == "coo")
    return pmfCoo(in, request.gpu, kVariant).ct;
  if (plan.format == "csr-vector" && plan.get(key::kCsrLanes) == request.gpu.warpSize)
    return pmfCsr(in, request.gpu, kVariant).ct;
  if (plan.format == "ell")
    return pmfEll(in, request.gpu, kVariant).ct;
  if (plan.format == "hyb")
    return pmfHyb(in, request.gpu, kVariant, plan.get(key::kHybK)).ct;
  return std::nullopt;
}

// Means of the absolute errors over Table 3, for times including the copies to and from the GPU.
constexpr PublishedError kPmfErrors[] = {
    {"coo", 15.0, "with copies; GT 645M, 10 matrices, Table 3"},
    {"csr-vector", 14.9, "with copies; GT 645M, 10 matrices, Table 3"},
    {"ell", 12.9, "with copies; GT 645M, 10 matrices, Table 3"}};

static StripsTarget targetOf(const PlanRequest &request, int64_t /*number*/) {
  return stripsTarget(request.profile);
}

static StripsPrediction byStrips(const PlanRequest &request, const Plan &plan) {
  return stripsPrediction(plan, kept<targetOf>(request), request.gpu, request.problem.type);
}
static std::optional<double> stripsTimeUs(const PlanRequest &request, const Plan &plan) {
  return byStrips(request, plan).strips;
}
static std::optional<double> statisticsTimeUs(const PlanRequest &request, const Plan &plan) {
  return byStrips(request, plan).statistics;
}

constexpr PublishedError kStripsErrors[] = {{"csr-vector", 4.2, "C2050, 8 matrices, figure 15"},
                                            {"ell", 5.2, "C2050, 8 matrices, figure 15"},
                                            {"coo", 1.0, "C2050, 8 matrices, figure 15"},
                                            {"hyb", 5.7, "C2050, 8 matrices, figure 15"}};
// The errors are for the law that the model assumes for each kernel: uniform for CSR-S, normal for
// the others.
constexpr PublishedError kStatisticsErrors[] = {
    {"csr-vector", 2.42, "GTX 540M, 30 matrices, figure 7"},
    {"csr-scalar", 3.21, "GTX 540M, 30 matrices, figure 8"},
    {"ell", 3.26, "GTX 540M, 30 matrices, figure 9"},
    {"jad", 3.94, "GTX 540M, 30 matrices, figure 10"}};

constexpr TimeModel kTimeModels[] = {
    {"pmf", pmfUs, kPmfErrors},
    {"strips", stripsTimeUs, kStripsErrors},
    {"statistics", statisticsTimeUs, kStatisticsErrors},
    {"traffic", trafficUs<predictUs>, {}, trafficCompared, trafficCaution}};
constexpr TimeModel kReplayModel{
    "replays", trafficUs<predictReplayUs>, {}, trafficCompared, trafficCaution};

llvm::ArrayRef<TimeModel> timeModels() { return kTimeModels; }
const TimeModel &trafficModel() { return timeModels().back(); }
const TimeModel &replayModel() { return kReplayModel; }

} // namespace specmv
