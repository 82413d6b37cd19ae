// Sums up the bench's records.
#include "runtime/cli/bench/totals.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace specmv::cli {

bool isInGroup(const BenchRecord &record, llvm::StringRef group, int64_t l2Bytes) {
  return record.verified && (group == "all" || (group == "L2") == (record.csrBytes <= l2Bytes));
}

static double ratioForTotal(const BenchRecord &record, const BenchTotal &total) {
  if (total.first)
    return total.replays ? record.firstReplayRatio : record.firstRatio;
  return total.replays ? record.replayRatio : record.ratio;
}

static BenchTotal totalOf(const std::vector<BenchRecord> &records, BenchTotal total,
                          int64_t l2Bytes) {
  double logarithms = 0;
  for (const BenchRecord &record : records) {
    const double ratio = ratioForTotal(record, total);
    if (record.type != total.type || ratio <= 0 || !isInGroup(record, total.group, l2Bytes))
      continue;
    ++total.matrices;
    total.won += ratio > 1;
    logarithms += std::log(ratio);
    if (total.worst == 0 || ratio < total.worst)
      total.worst = ratio, total.worstMatrix = record.matrix;
    if (ratio > total.best)
      total.best = ratio, total.bestMatrix = record.matrix;
  }
  total.ratio = total.matrices ? std::exp(logarithms / total.matrices) : 0;
  return total;
}

std::vector<BenchTotal> totalsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes) {
  std::vector<BenchTotal> out;
  const auto add = [&](BenchTotal asked) {
    if (BenchTotal total = totalOf(records, std::move(asked), l2Bytes); total.matrices > 0)
      out.push_back(std::move(total));
  };
  for (const char *type : {"f32", "f64"})
    for (const bool first : {false, true}) {
      for (const char *group : kGroups)
        add({.type = type, .group = group, .first = first});
      add({.type = type, .group = kGroups[0], .replays = true, .first = first});
    }
  return out;
}

llvm::json::Object jsonOf(const BenchTotal &total) {
  return llvm::json::Object{{"total", true},        {"type", total.type},
                            {"group", total.group}, {"replays", total.replays},
                            {"first", total.first}, {"matrices", total.matrices},
                            {"won", total.won},     {"ratio", total.ratio},
                            {"worst", total.worst}, {"worstMatrix", total.worstMatrix},
                            {"best", total.best},   {"bestMatrix", total.bestMatrix}};
}

std::string textOf(const std::vector<BenchTotal> &totals) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const BenchTotal &t : totals)
    out << llvm::formatv(
        "{0} {1,-6} {2} of {3} won{9}, cuSPARSE's best takes {4:f2} times the time of {10} "
        "(geometric mean; worst {5:f2}, {6}; best {7:f2}, {8})\n",
        t.type, t.group, t.won, t.matrices, t.ratio, t.worst, t.worstMatrix, t.best, t.bestMatrix,
        t.replays ? " as graphs" : "", t.first ? "a first plan" : "the choice");
  return text;
}

} // namespace specmv::cli
