// Sums up bench --setup where the number of products was known: compares our totals with cuSPARSE's
// best.
#pragma once

#include "runtime/cli/bench/setup_totals.h"

namespace specmv::cli {

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
