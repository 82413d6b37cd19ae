// Makes first products, and lets the plan's own products take over as the C API does.
#include "runtime/cli/bench/setup_start.h"

#include "runtime/api/start.h"
#include "runtime/measure/stopwatch.h"

namespace specmv::cli {

namespace {
struct Started {
  std::unique_ptr<PlanStart> start;
  PlanProducts own = {};
};
} // namespace

static llvm::Error multiply(Started &started, double alpha, DevicePointer x, double beta,
                            DevicePointer y, StreamHandle stream) {
  PlanStart &start = *started.start;
  if (start.hasEnded())
    start.takeOver(started.own);
  const PlanProducts &now = start.isOver() ? started.own : start.first;
  llvm::Error error = now.gpu->run(alpha, x, beta, y, stream);
  if (!start.isOver())
    start.productEnded(/*isLaunched=*/!error);
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
  const auto started = std::make_shared<Started>(
      Started{std::make_unique<PlanStart>(std::move(**first), a, std::move(task))});
  out.storedBytes = started->start->first.bytes();
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
