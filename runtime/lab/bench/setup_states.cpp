// Brings the process and the cache into the states that a set-up may begin with, and runs it.
#include "runtime/lab/bench/setup_time.h"

#include "runtime/measure/temporary_directory.h"
#include "runtime/plan/recall.h"

#include <optional>

namespace fs = llvm::sys::fs;

namespace specmv {

namespace {
// The state that our contenders share.
struct SharedState {
  Machine machine; // with the cache of the present contender
  Request request;
  TemporaryDirectory folder = {};
  std::optional<Plan> plan = {}; // the choice, once it was made

  std::string filled() const {
    return (folder.path + "/filled").str();
  }                                                                    // filled by the cold set-up
  std::string own() const { return (folder.path + "/own").str(); }     // the user's cache
  std::string empty() const { return (folder.path + "/empty").str(); } // for a first plan
};

using Make = llvm::Expected<MadeProduct> (*)(SharedState &, const SetupBed &, Side);

struct StateKind {
  const char *name;
  bool once; // runs once, from the device only
  llvm::Error (*before)(SharedState &, const SetupBed &);
  Make make;
};
} // namespace

static MadeProduct madeOf(Built built, const SetupTimes &parts) {
  MadeProduct out{.plan = built.plan.text(), .parts = parts};
  const auto product = std::make_shared<const GpuProduct>(std::move(*built.product));
  out.storedBytes = built.layout.storedBytes();
  out.run = [product](double alpha, DevicePointer x, double beta, DevicePointer y,
                      StreamHandle stream) { return product->run(alpha, x, beta, y, stream); };
  return out;
}

static llvm::Expected<MadeProduct> specializeFrom(SharedState &shared, const SetupBed &bed,
                                                  Side side) {
  auto made = specialize(bed.source(side), shared.request, shared.machine);
  if (!made)
    return made.takeError();
  shared.plan = made->built.plan;
  return madeOf(std::move(made->built), made->setup);
}

// If nothing was compiled, the cold set-up was able to fill the cache.
static llvm::Expected<MadeProduct> specializeFromPack(SharedState &shared, const SetupBed &bed,
                                                      Side side) {
  auto made = specializeFrom(shared, bed, side);
  if (made && made->parts.build.compile > 0)
    return fail(Status::missing, "the kernel of '{0}' was not found in the temporary cache {1}",
                made->plan, shared.filled());
  return made;
}

static llvm::Expected<MadeProduct> followPlan(SharedState &shared, const SetupBed &bed, Side side) {
  if (!shared.plan)
    return fail(Status::missing, "no other set-up chose a plan that could be followed");
  Request request = shared.request;
  request.plan = shared.plan;
  auto made = specialize(bed.source(side), request, shared.machine);
  if (!made)
    return made.takeError();
  return madeOf(std::move(made->built), made->setup);
}

// The state of a program that makes its first plan of a pattern. Nothing is loaded, and only
// installed packs have kernels. The set-up does not wait for the compiler if a plan at hand is fast
// enough.
static llvm::Error beforeFirst(SharedState &shared, const SetupBed & /*bed*/) {
  shared.machine.gpu->forget();
  forgetChoices();
  fs::remove_directories(shared.empty());
  return llvm::Error::success();
}

static llvm::Expected<MadeProduct> specializeFirst(SharedState &shared, const SetupBed &bed,
                                                   Side side) {
  Machine machine = shared.machine;
  machine.cache = Cache::open(CacheUse::all, {.own = shared.empty()});
  machine.kernels = KernelKind::atHand;
  machine.found = std::make_shared<FoundObjects>();
  machine.storesBehind = [](const std::string &) {};
  auto made = specialize(bed.source(side), shared.request, machine);
  return made ? madeOf(std::move(made->built), made->setup)
              : llvm::Expected<MadeProduct>(made.takeError());
}

// Nothing is loaded and nothing cached.
static llvm::Error beforeCold(SharedState &shared, const SetupBed & /*bed*/) {
  shared.machine.gpu->forget();
  forgetChoices();
  fs::remove_directories(shared.filled());
  shared.machine.cache = Cache({}, shared.filled());
  return llvm::Error::success();
}

// A cold set-up fills the cache and chooses a plan; runs here if it was not requested.
static llvm::Error chooseBefore(SharedState &shared, const SetupBed &bed) {
  if (shared.plan)
    return llvm::Error::success();
  if (llvm::Error error = beforeCold(shared, bed))
    return error;
  return specializeFrom(shared, bed, Side::device).takeError();
}

// The kernels are cached, and no choice is known.
static llvm::Error beforeNew(SharedState &shared, const SetupBed &bed) {
  if (llvm::Error error = chooseBefore(shared, bed))
    return error;
  forgetChoices();
  for (const std::string &cache : {shared.filled(), shared.own()})
    fs::remove_directories(cache + "/wisdom");
  shared.machine.cache = Cache({shared.filled()}, shared.own());
  return llvm::Error::success();
}

// The kernels are cached but not loaded, and no choice is known.
static llvm::Error beforePack(SharedState &shared, const SetupBed &bed) {
  if (llvm::Error error = beforeNew(shared, bed))
    return error;
  shared.machine.gpu->forget();
  return llvm::Error::success();
}

// The state after the last set-up: a first run, which is not timed, makes the choice known and
// loads the kernels if necessary.
static llvm::Error beforeAgain(SharedState &shared, const SetupBed & /*bed*/) {
  shared.machine.cache = Cache({shared.filled()}, shared.own());
  return llvm::Error::success();
}

static llvm::Error beforeStructure(SharedState &shared, const SetupBed &bed) {
  if (llvm::Error error = chooseBefore(shared, bed))
    return error;
  return beforeAgain(shared, bed);
}

constexpr StateKind kStates[] = {{"first", false, beforeFirst, specializeFirst},
                                 {"cold", true, beforeCold, specializeFrom},
                                 {"pack", false, beforePack, specializeFromPack},
                                 {"new", false, beforeNew, specializeFromPack},
                                 {"again", false, beforeAgain, specializeFrom},
                                 {"structure", false, beforeStructure, followPlan}};

llvm::Expected<std::vector<SetupContender>> ownContenders(const Machine &machine,
                                                          const Request &request) {
  const std::shared_ptr<SharedState> shared(new SharedState{machine, request});
  if (llvm::Error error = shared->folder.create())
    return error;
  std::vector<SetupContender> out;
  for (const StateKind &kind : kStates) {
    const StateKind *state = &kind;
    out.push_back(
        {.name = kOwnContender,
         .state = state->name,
         .make = [=](const SetupBed &bed, Side side) { return state->make(*shared, bed, side); },
         .before = [=](const SetupBed &bed, Side) { return state->before(*shared, bed); },
         .once = state->once});
  }
  return out;
}

} // namespace specmv
