// Sums up the records of bench --setup by the number of products that was known.
#include "runtime/cli/bench/products_totals.h"

#include "runtime/cli/bench/totals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace json = llvm::json;

static double overBestOf(const SetupFigure &figure) { return figure.overBest; }

static std::vector<FigureOf> comparedFor(const std::vector<BenchRecord> &records,
                                         const ProductsSum &sum, int64_t l2Bytes) {
  std::vector<FigureOf> out;
  for (const BenchRecord &record : records)
    if (record.type == sum.type && isInGroup(record, sum.group, l2Bytes))
      for (const SetupFigure &figure : record.setup)
        if (figure.products == sum.products && figure.from == sum.from && figure.overBest > 0)
          out.push_back({&figure, &record.matrix});
  return out;
}

static ProductsSum comparedUp(ProductsSum sum, llvm::ArrayRef<FigureOf> list) {
  sum.matrices = static_cast<int>(list.size());
  sum.over = geometric(list, overBestOf);
  sum.above = static_cast<int>(llvm::count_if(
      list, [](const FigureOf &each) { return each.figure->overBest > kTolerated; }));
  return sum;
}

std::vector<ProductsSum> productsSumsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes) {
  std::vector<ProductsSum> out;
  for (const char *type : {"f32", "f64"})
    for (const char *group : kGroups)
      for (const Side side : {Side::device, Side::host})
        for (const int64_t n : kProductCounts) {
          const ProductsSum head{.type = type, .group = group, .from = side, .products = n};
          if (const auto list = comparedFor(records, head, l2Bytes); !list.empty())
            out.push_back(comparedUp(head, list));
        }
  return out;
}

json::Object jsonOf(const ProductsSum &sum) {
  return json::Object{{"total", true},
                      {"summary", true},
                      {"setup", true},
                      {"type", sum.type},
                      {"group", sum.group},
                      {"state", "products"},
                      {"from", nameOf(sum.from)},
                      {"n", sum.products},
                      {"matrices", sum.matrices},
                      {"overBest", json::Object{{"geomean", sum.over.mean},
                                                {"worst", sum.over.worst},
                                                {"worstMatrix", sum.over.matrix}}},
                      {"tolerated", kTolerated},
                      {"above", sum.above}};
}

std::string textOf(const std::vector<ProductsSum> &sums) {
  std::string text;
  for (const ProductsSum &s : sums)
    text += llvm::formatv("{0} {1,-6} {2,-6} {3,5} products, known: {4:f3} times the time of "
                          "cuSPARSE's best (geometric mean of {5}; worst {6:f3}, {7}); more than "
                          "{8:f2} times on {9}\n",
                          s.type, s.group, nameOf(s.from), s.products, s.over.mean, s.matrices,
                          s.over.worst, s.over.matrix, kTolerated, s.above)
                .str();
  return text;
}

} // namespace specmv::cli
