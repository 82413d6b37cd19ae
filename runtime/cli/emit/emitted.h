// What the verb emit made, and what it says of it: as comments before the source, and as JSON.
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
  Steps steps, several; // the second of products with several vectors, or empty
  KernelSource source;
  std::string signature, arch;
  std::string call; // of the tool
};

// Comments: matrix, signature, version, command, launches, arrays. They are not in the source
// itself, whose text is the identity of a compiled kernel.
std::string headerOf(const Emitted &e);

llvm::json::Object jsonOf(const Emitted &e);

} // namespace specmv::cli
