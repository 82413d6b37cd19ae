// The sentence with which a layout is refused, for tests of codings.
#pragma once

#include "generator/layout.h"
#include "models/base/error.h"

#include <doctest/doctest.h>
#include <string>

namespace specmv::testing {

// "" if it is not refused.
inline std::string whyRefused(llvm::Expected<Layout> layout) {
  if (layout)
    return "";
  const auto [status, sentence] = describe(layout.takeError());
  CHECK(status == Status::notApplicable);
  return sentence;
}

} // namespace specmv::testing
