// Runs products before the plan is made, and the plan's set-up beside them.
#pragma once

#include "runtime/api/setup_task.h"
#include "runtime/threads/background.h"

namespace specmv {

// Makes the products that can run at once: on the GPU by the CSR arrays in place, on the host by a
// copy of them. Returns nullopt if there are none; the caller must then wait for the set-up.
llvm::Expected<std::optional<PlanProducts>> firstProducts(const SetupTask &task,
                                                          const SourceMatrix &a, Machine &machine);

// Used by one caller's thread at a time; it has a thread of its own for the set-up.
class PlanStart {
public:
  // The first products already exist and read arrays of `a`. On a GPU the set-up does not begin
  // yet: it would compete with the first product for the driver's locks.
  PlanStart(PlanProducts begun, SourceMatrix a, SetupTask task);
  // Begins the set-up unless it has begun or was cancelled. Every function that asks for the plan
  // calls it.
  void begin();
  // Begins the set-up, and counts a first product if it was launched.
  void productEnded(bool isLaunched);

  // Used until the plan takes over. They are kept afterwards, since their products may still run.
  PlanProducts first;

  // Returns true if there is something to take over. Costs one load.
  bool hasEnded() const { return state_ == State::running && (work_ ? work_->isDone() : !task_); }
  // Call after the end: moves the products into `own`, or records why there are none.
  void takeOver(PlanProducts &own);
  void wait();
  // Returns true if the set-up ended within that time.
  bool waitFor(std::chrono::milliseconds time);
  // Asks the set-up to end at its next step, and waits for it.
  void cancel();
  // Returns true if the plan has taken over, so that the first products are no longer used.
  bool isOver() const { return state_ == State::over; }
  // Frees what only the first products need. None of them may be running.
  void dropFirst();
  // Frees the first products' memory in stream order; all of them must be on this stream.
  void freeFirstOn(StreamHandle stream);
  // Returns true if neither later products nor the set-up read the caller's arrays.
  bool needsNoArrays() const;
  // Returns the status of a set-up that failed, otherwise success. Also sets this thread's detail.
  specmvStatus_t failure() const;
  // Returns the status of a set-up that has ended; unlike failure(), reports cancelling as well.
  specmvStatus_t outcome() const;
  const char *stateName() const;
  // Returns "the plan's set-up was cancelled", or "... failed (its error)" otherwise: the first
  // half of a sentence that refuses what only the plan could do.
  std::string whyNoPlan() const;
  // Returns true if there will be nothing to take over, because the set-up failed or was cancelled.
  bool hasFailed() const { return state_ == State::cancelled || state_ == State::failed; }
  // `own` is the text of the plan's own products.
  std::string report(const std::string &own) const;
  // Returns the device memory of the first products.
  int64_t bytes() const { return first.bytes() + matrix_.uploadedBytes(); }

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
  static void run(const SetupTask &task, const SourceMatrix &a, const GpuDevice *first,
                  Result &result, const std::atomic<bool> &cancelled) noexcept;

  void takeTurn(PlanProducts &own) const;

  SourceMatrix matrix_;
  std::string name_;                      // of the first products, for messages
  int64_t products_ = 0;                  // products put on streams before the plan took over
  std::shared_ptr<const SetupTask> task_; // null once the set-up has begun or was cancelled
  State state_ = State::running;
  std::shared_ptr<Result> result_ = std::make_shared<Result>();
  std::unique_ptr<Background> work_; // declared last, so it ends before the objects that it uses
};

} // namespace specmv
