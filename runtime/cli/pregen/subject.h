// What kernels are made for: a matrix or a SPEC, or a signature alone.
#pragma once

#include "models/base/error.h"
#include "models/profile/profile.h"
#include "runtime/cli/options.h"

#include <functional>
#include <string>
#include <vector>

namespace specmv::cli {

struct Subject {
  std::string name;
  SparsityProfile profile;
  std::vector<Request> requests; // requestsOf()
};

// What kernels are made for each matrix: one request for each type and each number of vectors that
// a pass can have; with --beta-is-zero one more with the promise, and with each --with one more
// with these options.
std::vector<Request> requestsOf(const Options &options);

// The profile of a matrix, a SPEC or a file of `analyze --signature`, or of the transpose.
llvm::Expected<SparsityProfile> profileNamed(const std::string &argument, bool isTransposed);

// Calls `use` for each matrix, SPEC or file of `analyze --signature` among the arguments.
llvm::Error forAllSubjects(const Options &options,
                           const std::function<llvm::Error(const Subject &)> &use);

// The architectures of --arch, or that of the GPU model.
std::vector<std::string> architecturesOf(const Options &options, const Machine &machine);

// The machine to plan for: it has no GPU, whatever this one has.
llvm::Expected<Machine> machineToPlanFor(const Options &options);

// The same error with the subject's name before its sentence.
inline llvm::Error prefixedBy(const std::string &name, llvm::Error error) {
  auto [status, sentence] = describe(std::move(error));
  return failWith(status, name + ": " + sentence);
}

// pregen --coverage.
llvm::Error tellCoverage(const Options &options);

} // namespace specmv::cli
