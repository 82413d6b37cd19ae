// Sums up the bench's records.
#include "runtime/cli/bench/totals.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace specmv::cli {

bool isInGroup(const BenchRecord &record, llvm::StringRef group, int64_t l2Bytes) {
  return record.verified && (group == "all" || (group == "L2") == (record.csrBytes <= l2Bytes));
}

static BenchTotal totalOf(const std::vector<BenchRecord> &records, const char *type,
                          const char *group, int64_t l2Bytes) {
  BenchTotal total{.type = type, .group = group};
  double logarithms = 0;
  for (const BenchRecord &record : records) {
    if (record.type != type || record.ratio <= 0 || !isInGroup(record, group, l2Bytes))
      continue;
    ++total.matrices;
    total.won += record.ratio > 1;
    logarithms += std::log(record.ratio);
    if (total.worst == 0 || record.ratio < total.worst)
      total.worst = record.ratio, total.worstMatrix = record.matrix;
    if (record.ratio > total.best)
      total.best = record.ratio, total.bestMatrix = record.matrix;
  }
  total.ratio = total.matrices ? std::exp(logarithms / total.matrices) : 0;
  return total;
}

std::vector<BenchTotal> totalsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes) {
  std::vector<BenchTotal> out;
  for (const char *type : {"f32", "f64"})
    for (const char *group : kGroups)
      if (BenchTotal total = totalOf(records, type, group, l2Bytes); total.matrices > 0)
        out.push_back(std::move(total));
  return out;
}

llvm::json::Object jsonOf(const BenchTotal &total) {
  return llvm::json::Object{{"total", true},        {"type", total.type},
                            {"group", total.group}, {"matrices", total.matrices},
                            {"won", total.won},     {"ratio", total.ratio},
                            {"worst", total.worst}, {"worstMatrix", total.worstMatrix},
                            {"best", total.best},   {"bestMatrix", total.bestMatrix}};
}

std::string textOf(const std::vector<BenchTotal> &totals) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const BenchTotal &t : totals)
    out << llvm::formatv(
        "{0} {1,-6} {2} of {3} won, cuSPARSE's best takes {4:f2} times the choice's "
        "time (geometric mean; worst {5:f2}, {6}; best {7:f2}, {8})\n",
        t.type, t.group, t.won, t.matrices, t.ratio, t.worst, t.worstMatrix, t.best, t.bestMatrix);
  return text;
}

} // namespace specmv::cli
