// Runs the set-up of products that will take the place of others, and finds a better plan for them.
#include "runtime/api/successor.h"

#include "runtime/api/guarded.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv {

// --- Successor -----------------------------------------------------------------------------------

// Runs the set-up of products that will take the place of others, and hands them over.

// Fails if the program has reset the GPU of the products that run: the machine then has a new
// context, and a plan's marks, streams and memory must not mix two.
static llvm::Error wantSameContext(const GpuDevice *gpu, const Machine &machine) {
  if (!gpu || (machine.gpu && &gpu->owner() == &machine.gpu->owner()))
    return llvm::Error::success();
  if (llvm::Error error = GpuDevice::Current(*gpu).check())
    return error;
  return fail(Status::internal, "the set-up finds {0}, but the products run on a GPU",
              machine.gpu ? "another GPU" : "no GPU");
}

// Objects that were compiled for it are found even if the cache stores nothing.
llvm::Expected<PlanProducts> Successor::setUp(const Input &input, NewerValues &newer,
                                              const std::atomic<bool> &cancelled) {
  const SetupTask &task = input.task;
  auto machine = Machine::find(task.where);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = wantSameContext(input.gpu.get(), *machine))
    return error;
  if (task.cache)
    machine->cache = *task.cache;
  if (input.kernels)
    machine->ahead = std::make_shared<const ObjectsById>(input.kernels->objects);
  auto stream = setupStreamOf(*machine, input.matrix, StreamPriority::low);
  if (!stream)
    return stream.takeError();
  machine->cancelled = &cancelled;
  auto made = doSetup(task, input.matrix, *machine);
  if (made)
    if (llvm::Error error = newer.giveTo(*made, stream->get()))
      return error;
  return made;
}

void Successor::run(const Input &input, NewerValues &newer, Result &result,
                    const std::atomic<bool> &cancelled) noexcept {
  result.status = guarded([&]() -> llvm::Error {
    auto made = setUp(input, newer, cancelled);
    if (!made)
      return made.takeError();
    result.products = std::move(*made);
    return llvm::Error::success();
  });
  result.wasCancelled = cancelled; // an earlier failure has another reason
  if (result.status != SPECMV_STATUS_SUCCESS)
    guarded([&] { // without memory for the detail, the status must suffice
      result.detail = lastDetail();
      if (!result.wasCancelled && !input.kernels)
        input.task.context->log(SPECMV_LOG_ERROR,
                                "a set-up beside products failed: " + result.detail);
      return llvm::Error::success();
    });
}

Successor::Successor(SetupTask task, SourceMatrix a, std::shared_ptr<const GpuDevice> gpu,
                     std::shared_ptr<CompileJob> kernels)
    : input_(std::make_shared<const Input>(
          Input{std::move(task), std::move(a), std::move(gpu), std::move(kernels)})),
      isStart_(!input_->kernels) {}

// The status must suffice if there is no memory for the reason.
void Successor::end(specmvStatus_t status, bool wasCancelled, const char *why) {
  const std::shared_ptr<const Input> input = std::exchange(input_, nullptr); // may own the reason
  if (input && input->kernels)
    input->kernels->isWanted = false;
  result_->status = status;
  result_->wasCancelled = wasCancelled;
  result_->products = PlanProducts();
  result_->detail = why;
}

// Says why products of another process are none here.
const char *Successor::elsewhere() const {
  return isStart_ ? "the plan's set-up runs in the process that this one was forked from, so the "
                    "first products stay in use here; wait for the plan before fork(), or make a "
                    "new plan"
                  : "it is made in the process that this one was forked from";
}

void Successor::begin() {
  if (!input_)
    return;
  if (const CompileJob *kernels = input_->kernels.get()) {
    if (!kernels->ending.isOver())
      return;
    if (kernels->ending.isLost())
      return end(SPECMV_STATUS_MISSING, false, elsewhere());
    if (const char *why = kernels->whyNot())
      return end(SPECMV_STATUS_MISSING, false, why);
  }
  work_ = std::make_unique<Background>(
      [input = input_, newer = newer_, result = result_](const std::atomic<bool> &stop) {
        run(*input, *newer, *result, stop);
      });
  input_.reset();
}

void Successor::tryToBegin() noexcept {
  try {
    begin();
  } catch (const std::exception &) { // no memory
  }
}

void Successor::wait() {
  if (input_ && input_->kernels)
    input_->kernels->ending.wait();
  begin();
  if (work_)
    work_->wait();
}

bool Successor::waitFor(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  if (input_ && input_->kernels && !input_->kernels->ending.waitFor(time))
    return false;
  begin();
  return !work_ || work_->waitFor(std::chrono::ceil<std::chrono::milliseconds>(
                       until - std::chrono::steady_clock::now()));
}

std::optional<PlanProducts> Successor::take(llvm::function_ref<void(PlanProducts &)> prepare) {
  if (work_ && work_->isLost()) {
    result_ = std::make_shared<Result>(); // the other one is not touched
    end(SPECMV_STATUS_MISSING, false, elsewhere());
  }
  if (result_->status != SPECMV_STATUS_SUCCESS) {
    state_ = result_->wasCancelled ? State::cancelled : State::failed;
    return std::nullopt;
  }
  prepare(result_->products);
  state_ = State::over;
  return std::move(result_->products);
}

void Successor::cancel() {
  if (input_) // it has not begun
    end(SPECMV_STATUS_INVALID_VALUE, true, "the set-up was cancelled");
  if (work_) {
    work_->cancel();
    work_->wait();
  }
}

void Successor::drop(const std::string &why) {
  if (why.empty())
    end(SPECMV_STATUS_INVALID_VALUE, true, "it was cancelled");
  else
    end(SPECMV_STATUS_NOT_APPLICABLE, false, why.c_str());
}

int64_t Successor::bytes() const {
  if (work_ && work_->isLost()) // a thread of another process may hold a lock
    return 0;
  return newer_->bytes() + (isRunning() && hasEnded() ? result_->products.bytes() : 0);
}

void Successor::freeOn(StreamHandle stream) { result_->products.freeOn(stream); }

const char *Successor::Result::why() const {
  return detail.empty() ? kMemoryRanOut : detail.c_str();
}

specmvStatus_t Successor::failure() const {
  return state_ == State::failed ? failed(result_->status, result_->why()) : SPECMV_STATUS_SUCCESS;
}

specmvStatus_t Successor::outcome() const {
  return state_ == State::cancelled
             ? failed(SPECMV_STATUS_INVALID_VALUE,
                      "the plan's set-up was cancelled, so it keeps its first products")
             : failure();
}

std::string Successor::whyNone() const {
  return state_ == State::cancelled ? "was cancelled" : std::string("failed (") + error() + ")";
}

const char *Successor::stateName() const {
  switch (state_) {
  case State::running:
    return "running";
  case State::over:
    return "ready";
  case State::cancelled:
    return "cancelled";
  case State::failed:
    break;
  }
  return "failed";
}

// --- Improvement ---------------------------------------------------------------------------------

// Describes the set-up of a better plan, and decides whether there is one.

// Returns the candidate with this plan; null if the plan was not chosen among candidates.
static const Candidate *candidateOf(const PlanFacts &facts, const std::string &plan) {
  const auto found = llvm::find_if(facts.ranked.candidates,
                                   [&](const Candidate &c) { return c.plan.text() == plan; });
  return found == facts.ranked.candidates.end() ? nullptr : &*found;
}

// Plans whose predictions tie are as good as one another.
static bool isWorthIt(const PlanFacts &facts, const BetterPlan &better) {
  const std::vector<Candidate> &ranked = facts.ranked.candidates;
  if (facts.choice.index >= ranked.size())
    return true;
  const Candidate &taken = ranked[facts.choice.index];
  const Candidate *const best = candidateOf(facts, better.plan);
  return best ? !ties(taken, *best) : taken.predictedUs > better.predictedUs * (1 + kTie);
}

// Returns why the plan must stay; "" if it may be improved. With a limit of bytes, it was chosen
// among candidates, so that those of the better plan are known.
static std::string whyNot(const SetupTask &task, const PlanFacts &facts, int64_t stored) {
  if (task.request.problem.vectorsAreOrdered)
    return "vectors are in the order of the plan that runs (vectorsInPlanOrder)";
  const Candidate *const best = candidateOf(facts, facts.choice.better->plan);
  const int64_t most = task.request.maxBytes, all = stored + (best ? best->traffic.storedBytes : 0);
  return most == 0 || all <= most
             ? ""
             : llvm::formatv("the plans together would store {0} bytes, more than the limit, "
                             "maxBytes = {1}",
                             all, most)
                   .str();
}

static bool hasBetter(const SetupTask &task, const PlanFacts &facts) {
  return task.improves && facts.choice.better && isWorthIt(facts, *facts.choice.better);
}

bool willImprove(const SetupTask &task, const PlanFacts &facts, int64_t stored) {
  return hasBetter(task, facts) && whyNot(task, facts, stored).empty();
}

// Returns the set-up of the better plan, as if the caller had given its text.
static SetupTask taskOf(const SetupTask &task, const PlanFacts &facts, int64_t stored,
                        bool isCompared, Plan better) {
  SetupTask out = task;
  out.improves = false;
  out.where.kernels = KernelKind::specialized; // they are compiled before it begins
  out.improved = std::make_shared<const PlanFacts>(facts);
  out.isCompared = isCompared;
  out.request.plan = std::move(better);
  out.request.like.reset();
  if (out.request.maxBytes > 0)
    out.request.maxBytes -= stored;
  return out;
}

std::shared_ptr<Improvement> improvementOf(const PlanProducts &products, const PlanFacts &facts,
                                           int64_t stored, const SetupTask &task,
                                           const SourceMatrix &a, const Machine &machine) {
  const std::optional<BetterPlan> &better = facts.choice.better;
  auto plan = better && task.isSpecializedLater ? parsePlan(better->plan) : std::nullopt;
  if (!plan)
    return nullptr;
  auto kernels = compileForLater(better->plan, task.request.problem, a.setupCsr().indexType,
                                 machine, willImprove(task, facts, stored));
  if (!hasBetter(task, facts))
    return nullptr;
  std::shared_ptr<Improvement> out(new Improvement{
      *better, products.text,
      Successor(taskOf(task, facts, stored, products.isCompared, std::move(*plan)),
                a.withoutCopies(), products.gpu->gpu().shared_from_this(), std::move(kernels))});
  if (const std::string why = whyNot(task, facts, stored); !why.empty())
    out->next.drop(why);
  return out;
}

PlanFacts factsOfBetter(const PlanFacts &before, Specialized &made) {
  PlanFacts out = before;
  const std::string text = made.built.plan.text();
  const Candidate *const known = candidateOf(before, text);
  if (known)
    out.choice = {.index = static_cast<size_t>(known - before.ranked.candidates.data()),
                  .by = before.choice.by};
  else { // as for any plan that is known from before
    out.choice = {.by = before.choice.by};
    out.ranked.candidates.assign(1, {.plan = made.built.plan,
                                     .predictedUs = before.choice.better->predictedUs,
                                     .comparedUs = before.choice.better->predictedUs});
  }
  addBuilt(out, made.built);
  out.warnings = std::move(made.warnings);
  return out;
}

std::string Improvement::report() const {
  if (next.isRunning())
    return "; the better plan '" + plan.plan + "' is being made";
  return next.isOver() || next.wasCancelled()
             ? ""
             : "; the better plan '" + plan.plan + "' is not taken: " + next.error();
}

JsonMembers Improvement::json() const {
  return {{"state", next.stateName()},
          {"before", before},
          {"plan", plan.plan},
          {"predictedUs", plan.predictedUs},
          {"why", next.hasFailed() ? JsonText(next.error()) : nullptr}};
}

} // namespace specmv
