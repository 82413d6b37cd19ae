// Computes the totals of a bench for each type: geometric means, wins, the best and the worst case.
#pragma once

#include "runtime/cli/bench/log.h"

namespace specmv::cli {

// The totals of one type, over matrices that fit the L2 cache, that do not, or all, of plans with
// all kernels compiled or of the first plans of programs.
struct BenchTotal {
  std::string type;
  const char *group;    // "L2", "memory" or "all"
  bool replays = false; // times are of replays of a graph
  bool first = false;   // times are of first plans
  int matrices = 0;     // number with a ratio and no wrong product
  int won = 0;          // ratio above 1
  double ratio = 0;     // geometric mean of cuSPARSE's best time / the plan's
  double worst = 0, best = 0;
  std::string worstMatrix = {}, bestMatrix = {};
};

// Groups of matrices; csrBytes decides whether a record is in one.
constexpr const char *kGroups[] = {"L2", "memory", "all"};
bool isInGroup(const BenchRecord &record, llvm::StringRef group, int64_t l2Bytes);

// Returns the totals of each type, group and state that has a matrix; those of replays, which are
// timed within L2 only, for that group.
std::vector<BenchTotal> totalsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes);

llvm::json::Object jsonOf(const BenchTotal &total);
std::string textOf(const std::vector<BenchTotal> &totals);

} // namespace specmv::cli
