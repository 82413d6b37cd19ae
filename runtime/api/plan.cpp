// Makes the plans of the C API.
#include "runtime/api/plan.h"

#include "runtime/follow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>

namespace specmv {

// C enums are converted to C++ enums by their numbers, which must be equal.
template <class To, class From> static constexpr bool isSame(To to, From from) {
  return static_cast<int>(to) == static_cast<int>(from);
}
static_assert(isSame(Target::automatic, SPECMV_TARGET_AUTO) &&
              isSame(Target::gpu, SPECMV_TARGET_GPU) && isSame(Target::host, SPECMV_TARGET_HOST));
static_assert(isSame(Rigor::estimate, SPECMV_RIGOR_ESTIMATE) &&
              isSame(Rigor::measure, SPECMV_RIGOR_MEASURE) &&
              isSame(Rigor::exhaustive, SPECMV_RIGOR_EXHAUSTIVE));

// The names in the list. An empty name stays in it and is refused later as an unknown format.
static std::vector<std::string> namesOf(const char *list) {
  if (!list)
    return {};
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(list).split(parts, ',');
  return {parts.begin(), parts.end()};
}

// Arrays on a GPU need a context of that GPU to be read, also for a plan that runs on the host.
static llvm::Expected<SourceMatrix> sourceOf(const CsrView &a, int device, const Machine &machine) {
  const bool onDevice =
      isDevicePointer(a.rowPtr) || isDevicePointer(a.col) || isDevicePointer(a.val);
  if (!onDevice)
    return SourceMatrix(a);
  if (machine.gpu)
    return SourceMatrix(a, machine.gpu);
  auto opened = GpuDevice::open(device);
  if (!opened)
    return opened.takeError();
  return SourceMatrix(a, std::move(*opened));
}

// What new values need is kept if it was asked for, or if it is nothing.
static llvm::Error prepareUpdates(ApiPlan &plan, const SourceMatrix &a, Built &built,
                                  Machine &machine, bool isWanted) {
  if (!isWanted && !keepsOrder(built))
    return llvm::Error::success();
  auto update = ValueUpdate::make(a, built, machine);
  if (!update)
    return update.takeError();
  plan.update = std::move(*update);
  return llvm::Error::success();
}

// The plan of a matrix that may have the same structure, if the request allows it.
static std::optional<Plan> planLike(const ApiPlan *like, const CsrView &a, const Request &request) {
  if (!like || like->rows != a.rows || like->cols != a.cols || like->nnz != a.nnz ||
      like->type != a.valueType)
    return std::nullopt;
  auto plan = parsePlan(like->text);
  const bool isAsked =
      plan && (request.formats.empty() || llvm::is_contained(request.formats, plan->format));
  return isAsked ? std::move(plan) : std::nullopt;
}

static llvm::Expected<Built> builtFor(const SourceMatrix &a, const Request &request,
                                      const ApiPlan *like, Machine &machine) {
  if (const auto plan = planLike(like, a.given(), request)) {
    auto built = follow(*plan, a, request.problem, machine);
    if (!built)
      return built.takeError();
    if (*built)
      return std::move(**built);
  }
  auto made = specialize(a, request, machine);
  if (!made)
    return made.takeError();
  return std::move(made->built);
}

llvm::Error makePlan(ApiPlan &plan, const CsrView &a, const specmvPlanOptions_t &options,
                     const ApiPlan *like) {
  auto machine = Machine::find({.target = static_cast<Target>(options.target),
                                .device = options.device,
                                .gpuModel = "",
                                .arch = "",
                                .onlyPacks = options.onlyPacks != 0});
  if (!machine)
    return machine.takeError();
  auto matrix = sourceOf(a, options.device, *machine);
  if (!matrix)
    return matrix.takeError();
  Request request{.problem = {a.valueType, options.betaIsZero == 0},
                  .rigor = static_cast<Rigor>(options.rigor),
                  .formats = namesOf(options.formats),
                  .fixed = {},
                  .expectedProducts = options.expectedProducts};
  auto built = builtFor(*matrix, request, like, *machine);
  if (!built)
    return built.takeError();
  plan.text = built->plan.text();
  plan.gpu = std::move(built->product);
  if (plan.gpu)
    return prepareUpdates(plan, *matrix, *built, *machine, options.updatable != 0);
  auto host = matrix->copyOnHost();
  if (!host)
    return host.takeError();
  plan.host = std::move(*host);
  return llvm::Error::success();
}

static llvm::Error updateOnHost(ApiPlan &plan, const void *val, const void *stream) {
  if (stream)
    return fail(Status::badCall, "the plan runs on the host, so stream must be NULL");
  if (isDevicePointer(val))
    return fail(Status::badCall,
                "val is in GPU memory, but the plan runs on the host; pass a host pointer");
  if (plan.nnz > 0)
    std::memmove(plan.host->val.data(), val, plan.host->val.size());
  return llvm::Error::success();
}

llvm::Error updateValues(ApiPlan &plan, const void *val, void *stream) {
  if (!plan.gpu)
    return updateOnHost(plan, val, stream);
  if (!plan.update)
    return fail(Status::badCall,
                "the plan '{0}' does not know the places of the entries, so its values are fixed; "
                "set updatable in specmvPlanOptions_t when the plan is made",
                plan.text);
  return plan.update->run(*plan.gpu, val, stream);
}

} // namespace specmv
