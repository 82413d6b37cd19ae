// Wraps a built plan as a product under test: values, x and y go to the device and y comes back.
#pragma once

#include "runtime/build.h"
#include "runtime/measure/verify.h"
#include "runtime/plan/request.h"

namespace specmv {

// Runs on the machine's GPU, or as plain CSR on the host if there is no GPU; with one vector or, if
// the plan has kernels for several, with that many. Refers to all arguments.
ProductUnderTest checkedProduct(const CsrView &a, Machine &machine, Built &built,
                                int64_t vectors = 1);

// Other values would not fit a plan with a coding.
inline CheckedValues valuesToCheck(const Request &request) {
  return request.mayCode || !request.values.empty() ||
                 (request.plan && !request.plan->values.empty())
             ? CheckedValues::own
             : CheckedValues::drawn;
}

} // namespace specmv
