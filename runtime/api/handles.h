// What the handles of the C API point to.
#pragma once

#include "runtime/api/plan.h"

// The caller's arrays.
struct specmvMatrix {
  specmv::CsrView view;
};

struct specmvPlan : specmv::ApiPlan {};
