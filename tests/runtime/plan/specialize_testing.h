// Utilities for the tests of specialize(): a matrix, a call with the cache in a given directory,
// and checks of the result.
#pragma once

#include "runtime/plan/specialize.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/host_machine.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/text.h"

#include <cstdlib>

namespace specmv::testing {

// The matrix for which the children specialize too.
inline CsrMatrix theMatrix() { return evenMatrix(640, 27); }

inline llvm::Expected<Specialized> specializeIn(const std::string &directory, const CsrMatrix &a,
                                                const Request &request = {}, int64_t seed = 1) {
  Machine machine = hostMachine(directory);
  return specialize(Valued(a.view(), request.problem.type, seed).view(), request, machine);
}

// Builds what a source of plans proposes.
template <class Propose>
std::optional<BuiltChoice> recalled(Session &session, const Propose &propose) {
  return llvm::cantFail(realize(session, llvm::cantFail(propose(session))));
}

inline Request requestOfFormats(const std::vector<std::string> &formats, const Fixed &fixed = {}) {
  Request request;
  request.formats = formats;
  request.fixed = fixed;
  return request;
}

inline bool holdsValues(const Layout &layout, const Valued &a) {
  const LayoutArray &val = *layout.find(layout.valueArray);
  for (int64_t e = 0; e < a.view().nnz; ++e) // no entry of theMatrix() shares a slot
    if (val.as<double>()[layout.slots.empty() ? e : layout.slots[static_cast<size_t>(e)]] != a[e])
      return false;
  return true;
}

inline std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace specmv::testing
