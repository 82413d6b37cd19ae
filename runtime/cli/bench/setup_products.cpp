// Makes the kernels of the plan that suits the number of products, and sets up as the C API does.
#include "runtime/cli/bench/setup_products.h"

#include "runtime/api/setup_task.h"
#include "runtime/measure/temporary_directory.h"
#include "runtime/plan/sources.h"

namespace specmv::cli {

namespace {
// The state that the contenders share.
struct Weighing {
  Machine machine;
  TemporaryDirectory folder = {};
};

// The state of one contender.
struct Weighed {
  std::shared_ptr<Weighing> shared;
  Request request;
  bool hasKernels = false;
};
} // namespace

// Makes the kernels of CSR in place, and of the plan that would be chosen if all kernels were
// loaded.
static llvm::Error makeKernels(const Request &request, const SourceMatrix &a, Machine &machine) {
  for (const Plan &plan : plansAsItIs(a.deviceCsr(), machine))
    if (llvm::Error error = build(a, plan, request.problem, machine).takeError())
      return error;
  Session session(a, request, machine);
  auto profiled = session.profiled();
  if (!profiled)
    return profiled.takeError();
  auto ranked = rankPlans(request, (*profiled)->profile, machine, Look::never,
                          {.columns = [&] { return session.columnDegrees(); }});
  if (!ranked)
    return ranked.takeError();
  session.know(std::move(*ranked));
  return choose(session).takeError();
}

static llvm::Error makeKernelsOnce(Weighed &way, const SetupBed &bed) {
  if (way.hasKernels)
    return llvm::Error::success();
  way.hasKernels = true;
  return makeKernels(way.request, bed.source(Side::device), way.shared->machine);
}

static llvm::Expected<MadeProduct> setUpWeighed(const Weighed &way, const SetupBed &bed,
                                                Side side) {
  Machine &machine = way.shared->machine;
  const SetupTask task{.view = bed.source(side).given(),
                       .where = {.target = Target::gpu, .device = machine.gpu->info().ordinal},
                       .request = way.request,
                       .isLent = true};
  auto matrix = sourceOf(task, machine);
  if (!matrix)
    return matrix.takeError();
  auto made = doSetup(task, *matrix, machine);
  if (!made)
    return made.takeError();
  MadeProduct out{.plan = made->text, .storedBytes = made->bytes()};
  const auto products = std::make_shared<const PlanProducts>(std::move(*made));
  out.run = [products](double alpha, DevicePointer x, double beta, DevicePointer y,
                       StreamHandle stream) {
    return products->gpu->run(alpha, x, beta, y, stream);
  };
  return out;
}

static SetupContender contenderFor(int64_t products, const std::shared_ptr<Weighing> &shared,
                                   const Request &request) {
  const auto way = std::make_shared<Weighed>(Weighed{shared, request});
  way->request.expectedProducts = products;
  return {.name = kOwnContender,
          .state = "products",
          .make = [=](const SetupBed &bed, Side side) { return setUpWeighed(*way, bed, side); },
          .before = [=](const SetupBed &bed, Side) { return makeKernelsOnce(*way, bed); },
          .products = products};
}

llvm::Expected<std::vector<SetupContender>> productsContenders(const Machine &machine,
                                                               const Request &request) {
  const std::shared_ptr<Weighing> shared(new Weighing{machine});
  if (llvm::Error error = shared->folder.create())
    return error;
  shared->machine.cache = Cache({}, shared->folder.path.str().str());
  std::vector<SetupContender> out;
  for (const int64_t n : kProductCounts)
    if (n > 1)
      out.push_back(contenderFor(n, shared, request));
  return out;
}

} // namespace specmv::cli
