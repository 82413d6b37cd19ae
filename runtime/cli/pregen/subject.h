// Defines the inputs of pregen: a matrix, a SPEC, or a signature alone.
#pragma once

#include "models/base/error.h"
#include "models/profile/profile.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/plan/specialize.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace specmv::cli {

// A matrix, as far as it is known.
struct Described {
  SparsityProfile profile;
  std::optional<CsrMatrix> matrix = {}; // nullopt if only the signature is known
};

// A described matrix with values of one type. Further facts are found once, when they are needed.
// It refers to `of`.
class Typed {
public:
  Typed(const Described &of, ValueType type);

  // Returns the facts on which plans may depend beside the profile.
  FurtherFacts facts(const Request &request, const Machine &machine);
  // Returns true if the plan can be packed; empty if only the signature is known.
  std::function<bool(const Plan &)> fits(const Problem &problem);

private:
  const SparsityProfile &profile_;
  std::optional<TypedMatrix> a_;
  std::optional<ValueFacts> values_;
  std::vector<RepeatedBlocks> blocks_;
  std::optional<ColumnDegrees> columns_;
  std::optional<SparsityProfile> inOrder_;
  std::map<std::string, bool> fits_; // by problem and plan
};

// One matrix in one type, about which plans are asked.
struct Subject {
  std::string name;
  const Described &matrix;
  Typed &typed;
  const Request &request;
};

// Returns the requests for each matrix: one for each type and each number of vectors that a pass
// can have. --beta-is-zero adds one with that promise, and each --with adds one with its options.
std::vector<Request> requestsOf(const Options &options);

// Describes a matrix, a SPEC or a file of `analyze --signature`, or the transpose.
// Refuses a matrix whose values cannot have the coding of --set values=; a signature has no values.
llvm::Expected<Described> describeNamed(const std::string &argument, const Options &options);

// Calls `use` for each of requestsOf() of each matrix, SPEC or file of `analyze --signature` among
// the arguments.
llvm::Error forAllSubjects(const Options &options,
                           const std::function<llvm::Error(const Subject &)> &use);

// Returns the machines to plan for, one for each architecture of --arch, as modelToPlanFor() finds
// the GPU that is meant. They have no GPU even if this machine does.
llvm::Expected<std::vector<Machine>> machinesToPlanFor(const Options &options);

// Puts the subject's name before the sentence of the error.
inline llvm::Error prefixedBy(const std::string &name, llvm::Error error) {
  auto [status, sentence] = describe(std::move(error));
  return failWith(status, name + ": " + sentence);
}

// Implements pregen --coverage.
llvm::Error tellCoverage(const Options &options);

} // namespace specmv::cli
