// Makes first products, and lets the plan's own products take over as the C API does.
#include "runtime/cli/bench/setup_start.h"

#include "runtime/api/first_products.h"
#include "runtime/api/successor.h"
#include "runtime/measure/stopwatch.h"

namespace specmv::cli {

namespace {
struct Started {
  PlanProducts now;
  Successor next;
  std::optional<PlanProducts> first = {}; // kept, since they may still run
};
} // namespace

static llvm::Error multiply(Started &started, double alpha, DevicePointer x, double beta,
                            DevicePointer y, StreamHandle stream) {
  PlanProducts &now = started.now;
  if (started.next.hasEnded())
    if (auto made = started.next.take([&](PlanProducts &own) { own.gpu->takeTurnOf(*now.gpu); }))
      started.first = std::exchange(now, std::move(*made));
  llvm::Error error = now.gpu->run(alpha, x, beta, y, stream);
  started.next.tryToBegin();
  return error;
}

static llvm::Expected<MadeProduct> startAtOnce(Machine &machine, const Request &request,
                                               const SourceMatrix &a) {
  SetupTask task{.view = a.given(),
                 .where = {.target = Target::gpu, .device = machine.gpu->info().ordinal},
                 .request = request,
                 .isLent = false,
                 .cache = machine.cache};
  auto first = firstProducts(task, a, machine);
  if (!first)
    return first.takeError();
  if (!*first)
    return fail(Status::missing, "no product can be launched before the set-up has ended");
  MadeProduct out{.plan = (*first)->text};
  out.storedBytes = (*first)->bytes();
  const std::shared_ptr<Started> started(
      new Started{std::move(**first), Successor(std::move(task), a, machine.gpu)});
  out.run = [started](double alpha, DevicePointer x, double beta, DevicePointer y,
                      StreamHandle stream) {
    return multiply(*started, alpha, x, beta, y, stream);
  };
  return out;
}

// The set-up includes making a handle, while cuSPARSE's contenders find one, so its time is
// reported separately.
static double timeOfHandle(const std::shared_ptr<const GpuDevice> &gpu) {
  const Stopwatch watch;
  const bool isMade = !llvm::errorToBool(makeCusparseHandle(gpu).takeError());
  return isMade ? watch.milliseconds() * 1000 : 0;
}

SetupContender startContender(const Machine &machine, const Request &request) {
  const auto used = std::make_shared<Machine>(machine);
  used->cache = Cache({}, ""); // compiled kernels are not kept
  const auto handleUs = std::make_shared<double>(0);
  return {.name = kOwnContender,
          .state = "now",
          .make = [=](const SetupBed &bed, Side side) -> llvm::Expected<MadeProduct> {
            auto made = startAtOnce(*used, request, bed.source(side));
            if (made)
              made->handleUs = *handleUs;
            return made;
          },
          .before =
              [=](const SetupBed &, Side) {
                used->gpu->forget();
                *handleUs = timeOfHandle(used->gpu);
                used->gpu->forget();
                return llvm::Error::success();
              },
          .once = true};
}

} // namespace specmv::cli
