// Measures all contenders one after another, ours and cuSPARSE's, and compares them.
#include "runtime/lab/bench/setup_time.h"
#include "runtime/lab/yardstick/convert.h"
#include "runtime/lab/yardstick/yardstick.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <optional>

namespace specmv {

// --- Setup cusparse ------------------------------------------------------------------------------

// Prepares calls of cuSPARSE like a program that has a handle, vectors and a matrix in CSR.

// Lists the formats that a program can prepare from CSR; all begin with a loaded library.
static std::vector<std::string> preparedFormats() {
  return {"cusparse-csr",  "cusparse-csr1",    "cusparse-csr2",    "cusparse-coo",
          "cusparse-sell", "cusparse-bsr",     "cusparse-op",      "cusparse-op1",
          "cusparse-op2",  "cusparse-generic", "cusparse-generic1"};
}

namespace {
// A call with the arrays that it reads.
struct Prepared {
  std::vector<DeviceBuffer> uploads = {};
  std::shared_ptr<const CusparseMatrix> matrix = {};
  std::optional<CusparseCall> call = {};
};

// The state that a contender keeps between its runs.
struct CusparseWay {
  Plan plan;
  Problem problem;
  bool converts;
  // Used if cuSPARSE cannot convert: the packed matrix, and its arrays on the device for that side.
  std::optional<Layout> packed = {};
  std::shared_ptr<const CusparseMatrix> onDevice = {};
};
} // namespace

// Packs, and places on the device what exists before the clock starts.
static llvm::Error packBefore(CusparseWay &way, const SetupBed &bed, Side side) {
  if (way.converts)
    return llvm::Error::success();
  if (!way.packed) {
    auto layout = pack(bed.onHost, way.plan, way.problem);
    if (!layout)
      return layout.takeError();
    way.packed = std::move(*layout);
  }
  if (side == Side::host)
    way.onDevice.reset();
  if (side == Side::host || way.onDevice)
    return llvm::Error::success();
  auto uploaded = uploadedMatrix(*bed.gpu, *way.packed);
  if (!uploaded)
    return uploaded.takeError();
  way.onDevice = std::move(*uploaded);
  return llvm::Error::success();
}

static llvm::Expected<DeviceArrays> uploadedCsr(const SetupBed &bed,
                                                std::vector<DeviceBuffer> &kept) {
  const CsrView &a = bed.onHost;
  for (const auto &[from, bytes] : {std::pair(a.rowPtr, bed.rowPtr.bytes()),
                                    {a.col, bed.col.bytes()},
                                    {a.val, bed.val.bytes()}}) {
    auto buffer = bed.gpu->uploaded(from, bytes);
    if (!buffer)
      return buffer.takeError();
    kept.push_back(std::move(*buffer));
  }
  return DeviceArrays{kept[0].pointer(), kept[1].pointer(), kept[2].pointer()};
}

// Makes the arrays that the routine reads from CSR on this side.
static llvm::Expected<std::shared_ptr<const CusparseMatrix>>
arraysFor(const CusparseWay &way, const SetupBed &bed, Side side, Prepared &kept) {
  if (!way.converts) {
    if (side == Side::host)
      return uploadedMatrix(*bed.gpu, *way.packed);
    return way.onDevice;
  }
  DeviceArrays csr{bed.rowPtr.pointer(), bed.col.pointer(), bed.val.pointer()};
  if (side == Side::host) {
    auto uploaded = uploadedCsr(bed, kept.uploads);
    if (!uploaded)
      return uploaded.takeError();
    csr = *uploaded;
  }
  const DeviceCsr size{dimensionsOf(bed.onHost), bed.onHost.indexType, bed.onHost.valueType};
  auto converted = convertOnGpu(bed.gpu, *bed.handle, way.plan, way.problem, size, csr);
  if (!converted)
    return converted.takeError();
  return std::make_shared<const CusparseMatrix>(std::move(*converted));
}

static llvm::Expected<MadeProduct> prepareCall(const CusparseWay &way, const SetupBed &bed,
                                               Side side) {
  if (!bed.handle)
    return failWith(Status::missing, bed.whyNoHandle);
  auto kept = std::make_shared<Prepared>();
  auto matrix = arraysFor(way, bed, side, *kept);
  if (!matrix)
    return matrix.takeError();
  kept->matrix = std::move(*matrix);
  auto call =
      CusparseCall::prepare(bed.gpu, way.plan.format, kept->matrix->layout, kept->matrix->finder(),
                            way.problem.type, {bed.handle, bed.x.pointer(), bed.y.pointer()});
  if (!call)
    return call.takeError();
  kept->call = std::move(*call);
  MadeProduct out{.plan = way.plan.text(), .storedBytes = kept->matrix->layout.storedBytes()};
  out.run = [kept](double alpha, DevicePointer x, double beta, DevicePointer y,
                   StreamHandle stream) { return kept->call->run(alpha, x, beta, y, stream); };
  return out;
}

static SetupContender contenderOf(const Offer &offer, const Problem &problem) {
  SetupContender out{.name = offer.format->name, .state = "again"};
  if (offer.plans.empty()) {
    out.why = offer.why.empty() ? "no plan" : offer.why;
    return out;
  }
  const Plan &plan = offer.plans.front();
  const auto way =
      std::make_shared<CusparseWay>(CusparseWay{plan, problem, cusparseConverts(plan)});
  out.conversionIsCounted = way->converts;
  out.before = [way](const SetupBed &bed, Side side) { return packBefore(*way, bed, side); };
  out.make = [way](const SetupBed &bed, Side side) { return prepareCall(*way, bed, side); };
  return out;
}

llvm::Expected<std::vector<SetupContender>>
cusparseContenders(const SparsityProfile &profile, const Problem &problem, const Machine &machine) {
  const Fixed none;
  auto offered = offers({profile, problem, machine.model, none}, preparedFormats());
  if (!offered)
    return offered.takeError();
  std::vector<SetupContender> out;
  for (const Offer &offer : *offered)
    out.push_back(contenderOf(offer, problem));
  return out;
}

// --- Setup figures -------------------------------------------------------------------------------

// Compares our set-ups with those of cuSPARSE from the same side.

// Each of the others gives a lower or an upper bound of the number of products.
std::optional<double> paidAfter(const CostLine &ours, llvm::ArrayRef<CostLine> others) {
  double least = 1, most = std::numeric_limits<double>::infinity();
  for (const CostLine &other : others) {
    const double price = ours.setupUs - other.setupUs, gain = other.productUs - ours.productUs;
    if (gain > 0)
      least = std::max(least, std::floor(price / gain) + 1);
    else if (gain < 0)
      most = std::min(most, std::ceil(price / gain) - 1);
    else if (price >= 0)
      return std::nullopt;
  }
  return !others.empty() && least <= most ? std::optional(least) : std::nullopt;
}

static bool isOurs(const SetupTime &time) { return time.contender == kOwnContender; }

// Returns cuSPARSE's contenders from that side with right products.
static std::vector<const SetupTime *> rivalsFrom(llvm::ArrayRef<SetupTime> times, Side side) {
  std::vector<const SetupTime *> out;
  for (const SetupTime &time : times)
    if (!isOurs(time) && time.verified && time.from == side)
      out.push_back(&time);
  return out;
}

// Returns infinity if none has a total for that many products.
static double leastTotal(llvm::ArrayRef<const SetupTime *> rivals, int64_t n) {
  double least = std::numeric_limits<double>::infinity();
  for (const SetupTime *rival : rivals)
    for (const TotalTime &total : rival->totals)
      if (total.n == n)
        least = std::min(least, total.us);
  return least;
}

static SetupFigure figureOf(const SetupTime &ours, llvm::ArrayRef<const SetupTime *> rivals) {
  SetupFigure out{.state = ours.state,
                  .from = ours.from,
                  .products = ours.products,
                  .setupUs = ours.setupUs,
                  .productUs = ours.productUs};
  if (rivals.empty())
    return out;
  std::vector<CostLine> lines;
  double fastest = std::numeric_limits<double>::infinity();
  for (const SetupTime *rival : rivals) {
    lines.push_back({rival->setupUs, rival->productUs});
    fastest = std::min(fastest, rival->productUs);
  }
  out.ratio = fastest / ours.productUs;
  out.breakEven = paidAfter({ours.setupUs, ours.productUs}, lines);
  for (const TotalTime &total : ours.totals) {
    const double best = leastTotal(rivals, total.n);
    out.isBelow.push_back(total.us < best);
    if (ours.products > 0)
      out.overBest = total.us / best;
  }
  return out;
}

std::vector<SetupFigure> figuresOf(llvm::ArrayRef<SetupTime> times) {
  std::vector<SetupFigure> out;
  for (const SetupTime &time : times)
    if (isOurs(time) && time.verified)
      out.push_back(figureOf(time, rivalsFrom(times, time.from)));
  return out;
}

const SetupTime *wrongSetup(llvm::ArrayRef<SetupTime> times) {
  const auto *found = llvm::find_if(
      times, [](const SetupTime &time) { return time.why.empty() && !time.verified; });
  return found == times.end() ? nullptr : found;
}

// --- Setup bench ---------------------------------------------------------------------------------

// Measures all contenders one after another, from the device and from the host.

static llvm::Expected<std::vector<SetupContender>>
allContenders(const CsrView &a, const Request &request, const Machine &machine) {
  auto profiled = profileMatrix(a);
  if (!profiled)
    return profiled.takeError();
  auto contenders = ownContenders(machine, request);
  if (!contenders)
    return contenders;
  auto others = cusparseContenders(profiled->profile, request.problem, machine);
  if (!others)
    return others;
  for (SetupContender &other : *others)
    contenders->push_back(std::move(other));
  return contenders;
}

// Makes a line with the reason if the contender does not apply or is not available here.
static llvm::Expected<SetupTime> measureOrTell(const SetupContender &contender, const SetupBed &bed,
                                               Side side) {
  auto time = measureSetup(contender, bed, side);
  if (time)
    return time;
  auto [status, sentence] = describe(time.takeError());
  if (status != Status::notApplicable && !isMissing(status))
    return fail(status, "{0} {1}: {2}", contender.name, contender.state, sentence);
  return SetupTime{.contender = contender.name,
                   .state = contender.state,
                   .products = contender.products,
                   .from = side,
                   .why = sentence};
}

static bool isAsked(const SetupContender &contender, Side side, const SetupAsked &asked) {
  const bool isState = contender.name != kOwnContender || asked.states.empty() ||
                       llvm::is_contained(asked.states, contender.state);
  const bool isSide = asked.from.value_or(side) == side;
  return isState && isSide && !(contender.once && side == Side::host);
}

llvm::Expected<SetupBench> benchSetup(const CsrView &a, const Request &request,
                                      const Machine &machine,
                                      const std::vector<SetupContender> &others,
                                      const SetupAsked &asked) {
  auto contenders = allContenders(a, request, machine);
  if (!contenders)
    return contenders.takeError();
  contenders->insert(contenders->end(), others.begin(), others.end());
  auto bed = SetupBed::make(a, machine.gpu);
  if (!bed)
    return bed.takeError();
  SetupBench out{.csrBytes = csrBytes(a), .times = {}};
  for (SetupContender &next : *contenders) {
    const SetupContender contender = std::move(next); // its resources end with it
    for (const Side side : {Side::device, Side::host}) {
      if (!isAsked(contender, side, asked))
        continue;
      auto time = measureOrTell(contender, **bed, side);
      if (!time)
        return time.takeError();
      out.times.push_back(std::move(*time));
    }
  }
  return out;
}

} // namespace specmv
