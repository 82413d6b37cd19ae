// A session is one set-up of one matrix. It has the request, the machine, and the facts about the
// matrix; each fact is found once and only if it is needed.
#pragma once

#include "generator/order/order.h"
#include "models/base/error.h"
#include "models/profile/value_facts.h"
#include "runtime/build.h"
#include "runtime/cuda/workspace.h"
#include "runtime/plan/candidates.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Milliseconds of each part of the set-up.
struct SetupTimes {
  double machine = 0;    // finding the GPU, its model and the caches, and making the stream
  double profile = 0;    // includes identifying the pattern and checking the arrays
  double recall = 0;     // looking for an earlier choice
  double predict = 0;    // ranking the candidates
  double choose = 0;     // deciding between them, which includes looking for kernels
  BuildTimes build = {}; // sums over all plans that were tried
  double measure = 0;
  double keep = 0;   // remembering the choice
  double update = 0; // preparing for new values, and reporting
  double total() const;
};

// Returns all times by name, in the order of the steps.
std::vector<std::pair<const char *, double>> partsOf(const SetupTimes &times);

class Session {
public:
  // Refers to the machine. Without a GPU nothing is run, so a trial, or a request to learn, becomes
  // an estimate, whose choice later estimates follow.
  Session(SourceMatrix a, Request asked, Machine &on);
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const SourceMatrix matrix;
  const Request request;
  Machine &machine;
  SetupTimes times;
  std::vector<std::string> warnings;
  std::string whyNotFollowed; // why the plan of structureOf could not be built
  std::string signature;      // "" until a profile or an earlier choice gives it

  const CsrView &given() const { return matrix.given(); }
  IndexType csrIndex() const { return matrix.setupCsr().indexType; }
  // Returns the arrays on the host, unless the set-up was cancelled.
  llvm::Expected<CsrView> onHost() const;

  // The arrays of a workspace: those that set-up kernels read, or those that products in place do.
  enum class Arrays : uint8_t { ofSetup, inPlace };
  // Returns the session's workspace on the machine's GPU, with the matrix and nothing else in it.
  // This frees the arrays that an earlier caller left there.
  llvm::Expected<GpuWorkspace *> workspace(Arrays which = Arrays::ofSetup);
  void leaveWorkspace() { workspace_.reset(); }
  // Gives away an array that was made in the workspace.
  DeviceBuffer take(const std::string &name) { return workspace_->take(name); }
  // Waits for the set-up's work on the GPU, and leaves the workspace.
  llvm::Error finish();
  // Returns the result of `work` in the workspace. nullopt if the host must do the work: there is
  // no GPU, or the kernels are not available.
  template <class Work> auto onGpu(const Work &work, Arrays which = Arrays::ofSetup) {
    using Result = decltype(work(std::declval<GpuWorkspace &>()));
    if (!machine.gpu)
      return Result(std::nullopt);
    auto done = andThen(workspace(which), [&](GpuWorkspace *place) { return work(*place); });
    if (done || !workspace_ || !workspace_->lacksKernels())
      return done;
    llvm::consumeError(done.takeError());
    leaveWorkspace();
    return Result(std::nullopt);
  }
  // Returns what was done on the GPU; if the host must do it, leaves the workspace and returns what
  // `work` does with the arrays on the host.
  template <class T, class Work>
  llvm::Expected<T> elseOnHost(llvm::Expected<std::optional<T>> onGpu, const Work &work) {
    return andThen(std::move(onGpu), [&](std::optional<T> done) -> llvm::Expected<T> {
      if (done)
        return std::move(*done);
      leaveWorkspace();
      return andThen(onHost(), work);
    });
  }

  // Checks that the arrays form a matrix. Status::badInput, with the reason, if they do not.
  llvm::Error checkMatrix();
  // Returns the pattern, which is much cheaper to find than a profile; nullopt if a matrix on the
  // GPU would have to be copied to the host. Status::badInput if the host finds no valid matrix.
  llvm::Expected<std::optional<Identified>> identified();
  // Status::badInput if the arrays form no valid matrix.
  llvm::Expected<const Profiled *> profiled();
  // Returns the facts about the values, which are needed only if a plan may depend on them.
  // Status::badInput if the matrix has no values.
  llvm::Expected<const ValueFacts *> valueFacts();
  // Returns these facts if a coding of the values may pay. Null if not, if there are no values, or
  // if kernels would have to be compiled that a set-up does not wait for.
  llvm::Expected<const ValueFacts *> factsToCode();
  // Returns these facts if they were needed; null if not.
  const ValueFacts *knownValueFacts() const { return valueFacts_ ? &*valueFacts_ : nullptr; }
  // Returns a sample of the matrix's blocks, which is made once for each shape. nullopt if a GPU
  // would have to compile the kernel first.
  llvm::Expected<std::optional<RepeatedBlocks>> repeatedBlocks(int64_t r, int64_t c);
  // Returns the order of rows and columns that plans with `order` have, which is made once.
  // Status::notApplicable if the matrix cannot be ordered.
  llvm::Expected<const Order *> order();
  // Returns the profile of the matrix in this order. Null if nobody asks for the order by name, and
  // it could not pay: if there is no GPU, if its kernels must be compiled first, or if the search
  // has so few levels that neighbouring rows still read columns that lie far apart.
  llvm::Expected<const SparsityProfile *> profileInOrder();
  const Order *knownOrder() const { return order_ ? &*order_ : nullptr; }
  KnownFacts knownFacts() const { return {.values = knownValueFacts(), .order = knownOrder()}; }
  // Returns how many entries the columns have, which is counted only where plans depend on it. Null
  // if a GPU would have to compile the kernels first, or to hand the matrix to the host.
  llvm::Expected<const ColumnDegrees *> columnDegrees();
  // Returns all plans for the matrix, ranked.
  llvm::Expected<const Ranked *> ranked();
  bool isProfiled() const { return profiled_.has_value(); }
  // Returns true if no kernel was loaded since the session began, so that its times are typical.
  bool isTypical() const { return machine.gpu && machine.gpu->loads() == loads_; }

  // Takes facts that are known already.
  void know(Profiled seen);
  void know(Ranked plans) { ranked_ = std::move(plans); }
  // Gives them away; empty if they were not needed.
  std::optional<Profiled> takeProfiled() { return std::move(profiled_); }
  Ranked takeRanked() { return ranked_ ? std::move(*ranked_) : Ranked(); }

private:
  llvm::Expected<bool> formsMatrix();
  bool looksAtValues() const;
  bool mayUse(const KernelSource &kernels) const;
  llvm::Expected<std::optional<Identified>> identify();
  llvm::Expected<Profiled> profile();

  size_t loads_;
  std::optional<GpuWorkspace> workspace_;
  std::optional<std::optional<Identified>> identified_;
  std::optional<Profiled> profiled_;
  std::optional<ValueFacts> valueFacts_;
  std::vector<RepeatedBlocks> blocks_;
  std::optional<ColumnDegrees> columns_;
  std::optional<Order> order_;
  std::optional<SparsityProfile> profileInOrder_;
  std::optional<Ranked> ranked_;
};

// Finds the facts about the values of a valid matrix, by a session of their own.
llvm::Expected<ValueFacts> valueFactsOf(const SourceMatrix &a, Machine &machine);

} // namespace specmv
