// Products before the plan is made: the first ones, the set-up beside them, and how it ended.
#pragma once

#include "runtime/api/setup_task.h"
#include "runtime/threads/background.h"

namespace specmv {

// The products that can run at once: on the GPU by the CSR arrays as they are, on the host by a
// copy of them. nullopt if there are none, so that the set-up must be waited for.
llvm::Expected<std::optional<PlanProducts>> firstProducts(const SetupTask &task,
                                                          const SourceMatrix &a, Machine &machine);

// For one thread at a time, beside its own.
class PlanStart {
public:
  // Starts the set-up. The first products, which have begun, read arrays of `a`.
  PlanStart(PlanProducts begun, SourceMatrix a, SetupTask task);

  // Until the plan takes over. They stay afterwards, since products by them may still run.
  PlanProducts first;
  int64_t products = 0; // that were put on streams before

  // Whether there is something to take over; one load.
  bool hasEnded() const { return state_ == State::running && work_->isDone(); }
  // After the end: gives the plan its products, or keeps why there are none.
  void takeOver(PlanProducts &own);
  void wait() { work_->wait(); }
  // Whether it has ended within so long.
  bool waitFor(std::chrono::milliseconds time) { return work_->waitFor(time); }
  // Asks the set-up to end at its next step, and waits for that.
  void cancel();
  // Whether the plan has taken over, so that the first products are not used any more.
  bool isOver() const { return state_ == State::over; }
  // Frees what only the first products need, of which none may run.
  void dropFirst();
  // Frees their memory in order on the stream, where all of them are.
  void freeFirstOn(StreamHandle stream);
  // Whether neither products from now on nor the set-up read the caller's arrays.
  bool needsNoArrays() const;
  // The status of a set-up that failed, or success. The detail becomes that of this thread.
  specmvStatus_t failure() const;
  // The same of a set-up that has ended, which is no success either if it was cancelled.
  specmvStatus_t outcome() const;
  const char *stateName() const;
  // Whether there will be nothing to take over; a set-up that was cancelled, too.
  bool hasFailed() const { return state_ == State::cancelled || state_ == State::failed; }
  // `own` names the products of the plan.
  std::string report(const std::string &own) const;
  // The memory of the first products.
  int64_t bytes() const { return first.bytes() + matrix_.uploadedBytes(); }

private:
  enum class State : uint8_t { running, over, cancelled, failed };
  // What the thread hands over.
  struct Result {
    specmvStatus_t status = SPECMV_STATUS_SUCCESS;
    bool wasCancelled = false; // when it ended; a set-up that was over by then has its own status
    std::string detail;        // "" if there was no memory for it
    PlanProducts products;

    const char *why() const;
  };
  static void run(const SetupTask &task, const SourceMatrix &a, Result &result,
                  const std::atomic<bool> &cancelled) noexcept;

  SourceMatrix matrix_;
  std::string name_; // of the first products, in sentences
  State state_ = State::running;
  std::shared_ptr<Result> result_ = std::make_shared<Result>();
  std::unique_ptr<Background> work_; // ended before what it uses is destroyed
};

} // namespace specmv
