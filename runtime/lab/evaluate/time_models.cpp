// Lists the models, and maps our plans to the kernels that a paper's model covers.
#include "runtime/lab/evaluate/time_models.h"

#include "generator/shared/kept.h"

namespace specmv {

template <double predict(const Traffic &, const GpuModel &)>
static std::optional<double> trafficUs(const PlanRequest &request, const Plan &plan,
                                       const StripsReading & /*reading*/) {
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

PmfVariant pmfVariantOf(const StripsReading &reading) {
  return reading.variant == StripsVariant::asPrinted ? PmfVariant::asPrinted
                                                     : PmfVariant::corrected;
}

// The paper's CSR gives each row to a thread, as COO, ELL and HYB do what our formats of these
// names do. The matrix is on the device, so only CT counts.
static std::optional<double> pmfUs(const PlanRequest &request, const Plan &plan,
                                   const StripsReading &reading) {
  const PmfInput in{request.profile.lengths, request.profile.rows, request.profile.cols,
                    request.problem.type};
  const PmfVariant variant = pmfVariantOf(reading);
  if (plan.format == "coo")
    return pmfCoo(in, request.gpu, variant).ct;
  if (plan.format == "csr-scalar")
    return pmfCsr(in, request.gpu, variant).ct;
  if (plan.format == "ell")
    return pmfEll(in, request.gpu, variant).ct;
  if (plan.format == "hyb")
    return pmfHyb(in, request.gpu, variant, plan.get(key::kHybK)).ct;
  return std::nullopt;
}

// Means of the absolute errors over Table 3, for times including the copies to and from the GPU.
constexpr PublishedError kPmfErrors[] = {
    {"coo", 15.0, "with copies; GT 645M, 10 matrices, Table 3"},
    {"csr-scalar", 14.9, "with copies; GT 645M, 10 matrices, Table 3"},
    {"ell", 12.9, "with copies; GT 645M, 10 matrices, Table 3"}};

static StripsTarget targetOf(const PlanRequest &request, int64_t /*number*/) {
  return stripsTarget(request.profile);
}

static StripsPrediction byStrips(const PlanRequest &request, const Plan &plan,
                                 const StripsReading &reading) {
  return stripsPrediction(plan, kept<targetOf>(request), request.gpu, request.problem.type,
                          reading);
}
static std::optional<double> stripsTimeUs(const PlanRequest &request, const Plan &plan,
                                          const StripsReading &reading) {
  return byStrips(request, plan, {reading.variant}).strips;
}
static std::optional<double> statisticsTimeUs(const PlanRequest &request, const Plan &plan,
                                              const StripsReading &reading) {
  return byStrips(request, plan, reading).statistics;
}

constexpr PublishedError kStripsErrors[] = {{"csr-vector", 4.2, "C2050, 8 matrices, figure 15"},
                                            {"ell", 5.2, "C2050, 8 matrices, figure 15"},
                                            {"coo", 1.0, "C2050, 8 matrices, figure 15"},
                                            {"hyb", 5.7, "C2050, 8 matrices, figure 15"}};
constexpr const char *kFigures[] = {
    "GTX 540M, 30 matrices, figure 7", "GTX 540M, 30 matrices, figure 8",
    "GTX 540M, 30 matrices, figure 9", "GTX 540M, 30 matrices, figure 10"};
// The errors of figures 7 to 10 by law; the paper has no Poisson lengths.
struct StatisticsErrors {
  PublishedError of[4];
};
constexpr StatisticsErrors statisticsErrors(double csrV, double csrS, double ell, double jad) {
  return {{{"csr-vector", csrV, kFigures[0]},
           {"csr-scalar", csrS, kFigures[1]},
           {"ell", ell, kFigures[2]},
           {"jad", jad, kFigures[3]}}};
}
constexpr StatisticsErrors kFixedErrors = statisticsErrors(5.05, 5.44, 5.79, 5.97),
                           kNormalErrors = statisticsErrors(2.42, 3.52, 3.26, 3.94),
                           kUniformErrors = statisticsErrors(2.56, 3.21, 3.53, 4.28),
                           // uniform for CSR-S, normal for the others, as the kernels' own laws are
    kOwnErrors = statisticsErrors(2.42, 3.21, 3.26, 3.94);

static llvm::ArrayRef<PublishedError> publishedOf(std::optional<RowLaw> law) {
  if (!law)
    return kOwnErrors.of;
  switch (*law) {
  case RowLaw::fixed:
    return kFixedErrors.of;
  case RowLaw::normal:
    return kNormalErrors.of;
  case RowLaw::uniform:
    return kUniformErrors.of;
  case RowLaw::poisson:
    break;
  }
  return {};
}

constexpr TimeModel kTraffic{"traffic", trafficUs<predictUs>, {}, trafficCompared, trafficCaution};
constexpr TimeModel kReplayModel{
    "replays", trafficUs<predictReplayUs>, {}, trafficCompared, trafficCaution};

std::vector<TimeModel> timeModels(const StripsReading &reading) {
  std::vector<TimeModel> out{{"pmf", pmfUs, kPmfErrors},
                             {"strips", stripsTimeUs, kStripsErrors},
                             {"statistics", statisticsTimeUs, publishedOf(reading.law)}};
  for (TimeModel &model : out)
    model.reading = reading;
  out.push_back(kTraffic);
  return out;
}
const TimeModel &trafficModel() { return kTraffic; }
const TimeModel &replayModel() { return kReplayModel; }

} // namespace specmv
