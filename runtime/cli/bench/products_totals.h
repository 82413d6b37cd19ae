// The totals of bench --setup where the number of products was known: what ours come to of the best
// that cuSPARSE does.
#pragma once

#include "runtime/cli/bench/setup_totals.h"

namespace specmv::cli {

// The records of one type that fit the L2 cache, or that do not, or all.
struct ProductsSum {
  std::string type;
  const char *group; // "L2", "memory" or "all"
  Side from;
  int64_t products;
  int matrices = 0;  // that were compared with cuSPARSE
  WorstOf over = {}; // our total / its best; a geometric mean
  int above = 0;     // on how many it is more than kTolerated
};
// Choosing by the number of products should never lose more than this.
constexpr double kTolerated = 1.05;

std::vector<ProductsSum> productsSumsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes);

llvm::json::Object jsonOf(const ProductsSum &sum);
std::string textOf(const std::vector<ProductsSum> &sums);

} // namespace specmv::cli
