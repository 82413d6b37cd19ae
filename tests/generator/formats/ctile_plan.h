// Plans of column tiles for tests.
#pragma once

#include "models/plan.h"

namespace specmv::testing {

inline Plan ctilePlan(int64_t columns, int64_t blocks, bool sums, int64_t threads = 64) {
  return {"ctile",
          {{"ctile.columns", columns},
           {"ctile.threads", threads},
           {"ctile.blocks", blocks},
           {"sums", sums},
           {"offset", 32},
           {"column", 32}}};
}

} // namespace specmv::testing
