// Totals of a bench: of products, of set-ups, and of set-ups for known numbers of products.
#pragma once

#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/records.h"

namespace specmv::cli {

// --- Totals --------------------------------------------------------------------------------------

// Computes the totals of a bench for each type: geometric means, wins, the best and the worst case.

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

// --- Setup totals --------------------------------------------------------------------------------

// Sums up bench --setup: the cost of our set-ups over all matrices, from each state and side.

// A mean over matrices, and the worst of them.
struct WorstOf {
  double mean = 0, worst = 0;
  std::string matrix = {};
};

// A figure and its matrix.
struct FigureOf {
  const SetupFigure *figure;
  const std::string *matrix;
};
WorstOf geometric(llvm::ArrayRef<FigureOf> list, double (*valueOf)(const SetupFigure &));

// The totals of one type, over the records that fit the L2 cache, that do not, or all.
struct SetupSum {
  std::string type;
  const char *group; // "L2", "memory" or "all"
  std::string state;
  Side from;
  int matrices = 0;      // for which our product is right
  WorstOf products = {}; // the set-up in products of the chosen kernel; a geometric mean
  WorstOf ms = {};       // the set-up; a geometric mean
  // These count only matrices where our product is at least kClearRatio times as fast as
  // cuSPARSE's: the number of products after which the set-up has paid for itself, and the number
  // from which on our total is below those of all of cuSPARSE's contenders with their own set-ups.
  // The means are medians.
  WorstOf paysAfter = {};
  int paid = 0, neverPaid = 0; // with and without a break-even
  WorstOf breakEven = {};
  int compared = 0; // number compared with cuSPARSE
  // For each of kProductCounts: on how many of these our total is below cuSPARSE's best.
  std::vector<int> below = {};
};
constexpr double kClearRatio = 1.3;

std::vector<SetupSum> setupSumsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes);

llvm::json::Object jsonOf(const SetupSum &sum);
std::string textOf(const std::vector<SetupSum> &sums);

// --- Products totals -----------------------------------------------------------------------------

// Sums up bench --setup where the number of products was known: compares our totals with cuSPARSE's
// best.

// The totals of one type, over the records that fit the L2 cache, that do not, or all.
struct ProductsSum {
  std::string type;
  const char *group; // "L2", "memory" or "all"
  Side from;
  int64_t products;
  int matrices = 0;  // number compared with cuSPARSE
  WorstOf over = {}; // our total / its best; a geometric mean
  int above = 0;     // number above kTolerated
};
// Choosing by the number of products should never be slower than this times the best.
constexpr double kTolerated = 1.05;

std::vector<ProductsSum> productsSumsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes);

llvm::json::Object jsonOf(const ProductsSum &sum);
std::string textOf(const std::vector<ProductsSum> &sums);

} // namespace specmv::cli
