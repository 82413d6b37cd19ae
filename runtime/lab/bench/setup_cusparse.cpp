// Prepares calls of cuSPARSE like a program that has a handle, vectors and a matrix in CSR.
#include "runtime/lab/bench/setup_cusparse.h"

#include "runtime/lab/yardstick/convert.h"

#include <optional>

namespace specmv {

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

} // namespace specmv
