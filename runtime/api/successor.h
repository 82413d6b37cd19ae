// Makes the products that take the place of those that run, such as those of a better plan.
#pragma once

#include "models/base/json_text.h"
#include "runtime/api/newer_values.h"
#include "runtime/api/setup_task.h"
#include "runtime/api/value_update.h"
#include "runtime/threads/background.h"

namespace specmv {

// --- Successor -----------------------------------------------------------------------------------

// Makes the products that take the place of those that run: on a thread and a stream of low
// priority, between two calls of the program.

// The set-up of a plan beside products: beside the first ones of SPECMV_START_NOW, or beside those
// of a plan that was taken since its kernels were at hand. Used by one caller's thread at a time;
// it has a thread of its own for the set-up.
class Successor {
public:
  // The products that run are on this GPU; null: on the host. The set-up does not begin yet. It
  // begins once these kernels were compiled; null: at any time.
  Successor(SetupTask task, SourceMatrix a, std::shared_ptr<const GpuDevice> gpu,
            std::shared_ptr<CompileJob> kernels = nullptr);
  // Begins the set-up unless it has begun or was cancelled, or its kernels are not compiled yet.
  void begin();
  // Does the same for a caller that cannot use an error: the next call tries again.
  void tryToBegin() noexcept;

  // Returns true if there is something to take over. Costs one load.
  bool hasEnded() const { return state_ == State::running && (work_ ? work_->isDone() : !input_); }
  // Call after the end. Returns the products, which then run; nullopt if there are none. `prepare`
  // gets the products first and may throw: then they are still to be taken.
  std::optional<PlanProducts> take(llvm::function_ref<void(PlanProducts &)> prepare);
  void wait();
  // Returns true if the set-up ended within that time.
  bool waitFor(std::chrono::milliseconds time);
  // Asks the set-up to end at its next step, and waits for it, but not for its kernels. If it has
  // ended before, its products can still be taken.
  void cancel();
  // Drops what is made, for this reason; "": it counts as cancelled. A set-up that has begun must
  // have ended, and nothing may use its products.
  void drop(const std::string &why);
  // Keeps new values for the products, which have them when they take over. Returns false if it is
  // too late: they are made, and can be taken after wait().
  llvm::Expected<bool> keepValues(const GpuDevice &gpu, const void *val, size_t bytes,
                                  StreamHandle stream) {
    return newer_->keep(gpu, val, bytes, stream);
  }
  // Returns true until the end is known: there may be something to take over.
  bool isRunning() const { return state_ == State::running; }
  // Returns the products that were not taken yet; null before the end, or if there are none.
  PlanProducts *made() {
    return isRunning() && hasEnded() && result_->status == SPECMV_STATUS_SUCCESS
               ? &result_->products
               : nullptr;
  }
  // Returns true if the caller's arrays are still needed for the set-up.
  bool readsArrays() const { return isRunning() && !hasEnded(); }
  // Returns the device memory of products that were not taken yet, and of new values for them.
  int64_t bytes() const;
  // Returns true if its products have taken over.
  bool isOver() const { return state_ == State::over; }
  // Returns true if there will be nothing to take over, because the set-up failed or was cancelled.
  bool hasFailed() const { return state_ == State::cancelled || state_ == State::failed; }
  bool wasCancelled() const { return state_ == State::cancelled; }
  // Frees the products of a set-up that ended before it was cancelled, in stream order.
  void freeOn(StreamHandle stream);

  // Returns the status of a set-up that failed, otherwise success. Also sets this thread's detail.
  specmvStatus_t failure() const;
  // Returns the status of a set-up that has ended; unlike failure(), reports cancelling as well.
  specmvStatus_t outcome() const;
  // Returns "running", "ready", "cancelled" or "failed".
  const char *stateName() const;
  // Returns "was cancelled", or "failed (its error)" otherwise.
  std::string whyNone() const;
  // Returns the error of a set-up that failed.
  const char *error() const { return result_->why(); }

private:
  enum class State : uint8_t { running, over, cancelled, failed };
  // The thread's result.
  struct Result {
    specmvStatus_t status = SPECMV_STATUS_SUCCESS;
    bool wasCancelled = false; // before it ended; otherwise `status` is its own
    std::string detail;        // "" if there was no memory for it
    PlanProducts products;

    const char *why() const;
  };
  // The thread's input.
  struct Input {
    SetupTask task;
    SourceMatrix matrix;
    std::shared_ptr<const GpuDevice> gpu; // on which the products before run
    std::shared_ptr<CompileJob> kernels;
  };
  static llvm::Expected<PlanProducts> setUp(const Input &input, NewerValues &newer,
                                            const std::atomic<bool> &cancelled);
  static void run(const Input &input, NewerValues &newer, Result &result,
                  const std::atomic<bool> &cancelled) noexcept;
  // Ends it without products.
  void end(specmvStatus_t status, bool wasCancelled, const char *why);
  const char *elsewhere() const;

  std::shared_ptr<const Input> input_; // null once the set-up has begun or was cancelled
  bool isStart_;                       // the first set-up of the plan
  State state_ = State::running;
  std::shared_ptr<Result> result_ = std::make_shared<Result>();
  std::shared_ptr<NewerValues> newer_ = std::make_shared<NewerValues>();
  std::unique_ptr<Background> work_; // declared last, so it ends before the objects that it uses
};

// --- Improvement ---------------------------------------------------------------------------------

// A plan that improves while it multiplies: the best plan is made beside the one that was taken
// since its kernels were at hand, and takes its place.

struct Improvement {
  BetterPlan plan;
  std::string before; // the text of the plan that was taken instead
  Successor next;

  // Says in words that follow the name of what runs, and in JSON, how far it is.
  std::string report() const;
  JsonMembers json() const;
};

// Returns true if a better plan than the one with these facts is to be made. `stored` is the number
// of bytes of all plans that were packed.
bool willImprove(const SetupTask &task, const PlanFacts &facts, int64_t stored);

// Makes the improvement of these products, which `task` has made with the facts, and compiles the
// kernels of the better plan. Null if there is nothing to improve, or the plan is not to change; if
// there is a better plan, its kernels are compiled for later ones then. If something forbids it,
// the improvement has failed and says why.
std::shared_ptr<Improvement> improvementOf(const PlanProducts &products, const PlanFacts &facts,
                                           int64_t stored, const SetupTask &task,
                                           const SourceMatrix &a, const Machine &machine);

// Returns the facts of a better plan that was made: those of the plan before, but for the plan
// itself.
PlanFacts factsOfBetter(const PlanFacts &before, Specialized &made);

} // namespace specmv
