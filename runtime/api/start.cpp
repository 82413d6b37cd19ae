// Makes first products, and the plan's own on a thread and a stream beside them.
#include "runtime/api/start.h"

#include "models/base/in_turn.h"
#include "runtime/api/guarded.h"
#include "runtime/plan/specialize.h"

namespace specmv {

static llvm::Expected<std::optional<PlanProducts>> firstOnHost(const SourceMatrix &a) {
  return andThen(a.copyOnHost(), [](std::shared_ptr<HostCopy> copy) {
    return std::optional(
        PlanProducts{.text = "csr", .gpu = {}, .update = {}, .host = std::move(copy)});
  });
}

llvm::Expected<std::optional<PlanProducts>> firstProducts(const SetupTask &task,
                                                          const SourceMatrix &a, Machine &machine) {
  // First products need no format; the set-up beside them must not find the error.
  if (llvm::Error error = checkAsked(task.request.formats, {}))
    return error;
  if (!machine.gpu)
    return firstOnHost(a);
  Problem problem = task.request.problem;
  problem.vectors = 1;
  const auto productsOf = [](std::optional<FirstProduct> first) -> std::optional<PlanProducts> {
    if (!first)
      return std::nullopt;
    return PlanProducts{
        .text = first->plan.text(), .gpu = std::move(first->product), .update = {}, .host = {}};
  };
  return andThen(firstProduct(a, problem, machine), productsOf);
}

// Fails if the program has reset the GPU of the first products: the machine then has a new context,
// and a plan's marks, streams and memory must not mix two.
static llvm::Error wantSameContext(const GpuDevice *first, const Machine &machine) {
  if (!first || (machine.gpu && &first->owner() == &machine.gpu->owner()))
    return llvm::Error::success();
  if (llvm::Error error = GpuDevice::Current(*first).check())
    return error;
  return fail(Status::internal, "the set-up finds {0}, but the first products run on a GPU",
              machine.gpu ? "another GPU" : "no GPU");
}

static llvm::Expected<PlanProducts> setUpBeside(const SetupTask &task, const SourceMatrix &a,
                                                const GpuDevice *first,
                                                const std::atomic<bool> &cancelled) {
  auto machine = Machine::find(task.where);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = wantSameContext(first, *machine))
    return error;
  if (task.cache)
    machine->cache = *task.cache;
  auto stream = setupStreamOf(*machine, a, StreamPriority::low);
  if (!stream)
    return stream.takeError();
  machine->cancelled = &cancelled;
  return doSetup(task, a, *machine);
}

void PlanStart::run(const SetupTask &task, const SourceMatrix &a, const GpuDevice *first,
                    Result &result, const std::atomic<bool> &cancelled) noexcept {
  result.status = guarded([&]() -> llvm::Error {
    auto made = setUpBeside(task, a, first, cancelled);
    if (!made)
      return made.takeError();
    result.products = std::move(*made);
    return llvm::Error::success();
  });
  result.wasCancelled = cancelled; // an earlier failure has another reason
  if (result.status != SPECMV_STATUS_SUCCESS)
    guarded([&] { // without memory for the detail, the status must suffice
      result.detail = lastDetail();
      if (!result.wasCancelled)
        task.context->log(SPECMV_LOG_ERROR, "a set-up beside products failed: " + result.detail);
      return llvm::Error::success();
    });
}

static std::string nameOfFirst(const PlanProducts &first) {
  const std::string format = first.text.substr(0, first.text.find(' '));
  return first.gpu ? format + " on the arrays as they are" : "plain CSR on the host";
}

PlanStart::PlanStart(PlanProducts begun, SourceMatrix a, SetupTask task)
    : first(std::move(begun)), matrix_(std::move(a)), name_(nameOfFirst(first)),
      task_(std::make_shared<const SetupTask>(std::move(task))) {
  if (!first.gpu)
    begin();
}

void PlanStart::begin() {
  if (!task_)
    return;
  std::shared_ptr<const GpuDevice> gpu = first.gpu ? first.gpu->gpu().shared_from_this() : nullptr;
  work_ = std::make_unique<Background>([task = task_, a = matrix_, gpu = std::move(gpu),
                                        result = result_](const std::atomic<bool> &stop) {
    run(*task, a, gpu.get(), *result, stop);
  });
  task_.reset();
}

void PlanStart::productEnded(bool isLaunched) {
  products_ += isLaunched ? 1 : 0;
  try {
    begin();
  } catch (const std::exception &) { // no memory: the next call tries again
  }
}

void PlanStart::wait() {
  begin();
  if (work_)
    work_->wait();
}

bool PlanStart::waitFor(std::chrono::milliseconds time) {
  begin();
  return !work_ || work_->waitFor(time);
}

constexpr const char *kSetupIsElsewhere =
    "the plan's set-up runs in the process that this one was forked from, so the first products "
    "stay in use here; wait for the plan before fork(), or make a new plan";

// The plan's products take over the first products' share of L2: the two never multiply in turn, so
// L2 need not be divided between them.
void PlanStart::takeTurn(PlanProducts &own) const {
  if (!first.gpu)
    return;
  if (own.gpu)
    own.gpu->takeTurnOf(*first.gpu);
  for (PlanProducts &rival : own.rivals)
    if (rival.gpu)
      rival.gpu->takeTurnOf(*first.gpu);
}

void PlanStart::takeOver(PlanProducts &own) {
  wait();
  if (work_ && work_->isLost())
    result_ = std::make_shared<Result>(Result{SPECMV_STATUS_MISSING, false, kSetupIsElsewhere, {}});
  if (result_->status == SPECMV_STATUS_SUCCESS) {
    takeTurn(result_->products); // may throw, so it is first
    own = std::move(result_->products);
    state_ = State::over;
    first.host.reset(); // host products are synchronous, so none runs now
  } else {
    state_ = result_->wasCancelled ? State::cancelled : State::failed;
  }
}

void PlanStart::cancel() {
  if (task_) { // it has not begun
    task_.reset();
    *result_ = {SPECMV_STATUS_INVALID_VALUE, true, "the set-up was cancelled", {}};
  }
  if (work_)
    work_->cancel();
  wait();
}

void PlanStart::dropFirst() {
  first.gpu.reset();
  matrix_ = SourceMatrix(CsrView{});
}

void PlanStart::freeFirstOn(StreamHandle stream) {
  first.freeOn(stream);
  result_->products.freeOn(stream); // the set-up may have ended before it was cancelled
  matrix_.freeOn(stream);
  matrix_ = SourceMatrix(CsrView{});
}

bool PlanStart::needsNoArrays() const {
  const bool isRead = first.gpu && matrix_.isOnGpu();
  return state_ == State::over || (state_ != State::running && !isRead);
}

const char *PlanStart::Result::why() const {
  return detail.empty() ? kMemoryRanOut : detail.c_str();
}

specmvStatus_t PlanStart::failure() const {
  return state_ == State::failed ? failed(result_->status, result_->why()) : SPECMV_STATUS_SUCCESS;
}

specmvStatus_t PlanStart::outcome() const {
  return state_ == State::cancelled
             ? failed(SPECMV_STATUS_INVALID_VALUE,
                      "the plan's set-up was cancelled, so it keeps its first products")
             : failure();
}

std::string PlanStart::whyNoPlan() const {
  const std::string what = "the plan's set-up ";
  return what + (state_ == State::cancelled ? "was cancelled"
                                            : std::string("failed (") + result_->why() + ")");
}

const char *PlanStart::stateName() const {
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

std::string PlanStart::report(const std::string &own) const {
  switch (state_) {
  case State::running:
    return name_ + " runs now, while the plan is made";
  case State::over:
    if (products_ == 0)
      return own + " runs";
    return llvm::formatv("{0} runs, after {1} {2} by {3}", own, products_,
                         products_ == 1 ? "product" : "products", name_);
  case State::cancelled:
    return name_ + " stays in use, because the set-up was cancelled";
  case State::failed:
    break;
  }
  return name_ + " stays in use, because the set-up failed: " + result_->why();
}

} // namespace specmv
