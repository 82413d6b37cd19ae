// Describes the output of the verb emit, as comments before the source, and as JSON.
#pragma once

#include "generator/format.h"
#include "runtime/cli/matrix_argument.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace specmv::cli {

struct Emitted {
  const TypedMatrix &a;
  Problem problem;
  const Plan &plan;
  const Layout &layout;
  Steps steps, several; // `several` is for products with several vectors; may be empty
  KernelSource source;
  std::string signature, arch;
  std::string call; // the tool's command line
};

// Returns comments with matrix, signature, version, command, launches and arrays. They are not in
// the source itself, whose text identifies a compiled kernel.
std::string headerOf(const Emitted &e);

llvm::json::Object jsonOf(const Emitted &e);

} // namespace specmv::cli
