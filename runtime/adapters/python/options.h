// The options of a plan, as Python's dictionary of the names of the C API.
#pragma once

#include "runtime/adapters/python/failure.h"

#include <deque>
#include <string>

namespace specmv_python {

struct Options {
  explicit Options(const nb::dict &given);

  specmvPlanOptions_t values = SPECMV_PLAN_OPTIONS_INIT;

private:
  std::deque<std::string> texts_; // of the strings in `values`
};

} // namespace specmv_python
