// Defines the inputs of pregen: a matrix, a SPEC, or a signature alone.
#pragma once

#include "models/base/error.h"
#include "models/profile/profile.h"
#include "runtime/cli/options.h"
#include "runtime/plan/candidates.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace specmv::cli {

// A matrix, as far as it is known.
struct Described {
  SparsityProfile profile;
  std::optional<ColumnDegrees> columns = {};   // nullopt if only the signature is known
  std::optional<SparsityProfile> inOrder = {}; // if the options name an order

  // Returns the facts on which plans may depend beside the profile.
  FurtherFacts facts() const;
};

struct Subject {
  std::string name;
  Described matrix;
  std::vector<Request> requests; // requestsOf()
};

// Returns the requests for each matrix: one for each type and each number of vectors that a pass
// can have. --beta-is-zero adds one with that promise, and each --with adds one with its options.
std::vector<Request> requestsOf(const Options &options);

// Describes a matrix, a SPEC or a file of `analyze --signature`, or the transpose.
// Refuses a matrix whose values cannot have the coding of --set values=; a signature has no values.
llvm::Expected<Described> describeNamed(const std::string &argument, const Options &options);

// Calls `use` for each matrix, SPEC or file of `analyze --signature` among the arguments.
llvm::Error forAllSubjects(const Options &options,
                           const std::function<llvm::Error(const Subject &)> &use);

// Returns the architectures of --arch, otherwise that of the GPU model.
std::vector<std::string> architecturesOf(const Options &options, const Machine &machine);

// Returns the machine to plan for, which has no GPU even if this one does.
llvm::Expected<Machine> machineToPlanFor(const Options &options);

// Puts the subject's name before the sentence of the error.
inline llvm::Error prefixedBy(const std::string &name, llvm::Error error) {
  auto [status, sentence] = describe(std::move(error));
  return failWith(status, name + ": " + sentence);
}

// Implements pregen --coverage.
llvm::Error tellCoverage(const Options &options);

} // namespace specmv::cli
