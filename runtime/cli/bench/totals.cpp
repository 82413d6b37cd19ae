// Sums up the records of a bench.
#include "runtime/cli/bench/totals.h"

#include "runtime/measure/measure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace specmv::cli {

// --- Totals --------------------------------------------------------------------------------------

// Sums up the bench's records.

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

// --- Setup totals --------------------------------------------------------------------------------

// Sums up the records of bench --setup.

namespace json = llvm::json;

static void addWorst(WorstOf &to, double value, const std::string &matrix) {
  if (to.matrix.empty() || value > to.worst)
    to.worst = value, to.matrix = matrix;
}

WorstOf geometric(llvm::ArrayRef<FigureOf> list, double (*valueOf)(const SetupFigure &)) {
  WorstOf out;
  double logarithms = 0;
  for (const FigureOf &each : list) {
    const double value = valueOf(*each.figure);
    logarithms += std::log(value);
    addWorst(out, value, *each.matrix);
  }
  out.mean = list.empty() ? 0 : std::exp(logarithms / static_cast<double>(list.size()));
  return out;
}

// Returns the median and the worst number of products, over matrices that are clearly faster and
// have such a number.
static WorstOf
productsToPay(llvm::ArrayRef<FigureOf> list,
              llvm::function_ref<std::optional<double>(const SetupFigure &)> numberOf) {
  WorstOf out;
  std::vector<double> products;
  for (const FigureOf &each : list) {
    const auto number = each.figure->ratio < kClearRatio ? std::nullopt : numberOf(*each.figure);
    if (!number)
      continue;
    products.push_back(*number);
    addWorst(out, *number, *each.matrix);
  }
  out.mean = products.empty() ? 0 : median(products);
  return out;
}

static void addBreakEvens(SetupSum &sum, llvm::ArrayRef<FigureOf> list) {
  for (const FigureOf &each : list)
    if (each.figure->ratio >= kClearRatio)
      ++(each.figure->breakEven ? sum.paid : sum.neverPaid);
  sum.breakEven = productsToPay(list, [](const SetupFigure &f) { return f.breakEven; });
  sum.paysAfter = productsToPay(list, [](const SetupFigure &f) { return f.paysAfter(); });
}

static void addBelow(SetupSum &sum, llvm::ArrayRef<FigureOf> list) {
  sum.below.assign(std::size(kProductCounts), 0);
  for (const FigureOf &each : list) {
    const std::vector<bool> &below = each.figure->isBelow;
    sum.compared += !below.empty();
    for (size_t i = 0; i < std::min(below.size(), sum.below.size()); ++i)
      sum.below[i] += below[i];
  }
}

static SetupSum summedUp(SetupSum sum, llvm::ArrayRef<FigureOf> list) {
  sum.matrices = static_cast<int>(list.size());
  sum.products = geometric(list, [](const SetupFigure &f) { return f.inProducts(); });
  sum.ms = geometric(list, [](const SetupFigure &f) { return f.setupUs / 1000; });
  addBreakEvens(sum, list);
  addBelow(sum, list);
  return sum;
}

// Lists the states that occur, in the order in which they were measured.
static std::vector<std::string> statesOf(const std::vector<BenchRecord> &records) {
  std::vector<std::string> out;
  for (const BenchRecord &record : records)
    for (const SetupFigure &figure : record.setup)
      if (figure.products == 0 && !llvm::is_contained(out, figure.state))
        out.push_back(figure.state);
  return out;
}

static std::vector<FigureOf> figuresFor(const std::vector<BenchRecord> &records,
                                        const SetupSum &sum, int64_t l2Bytes) {
  std::vector<FigureOf> out;
  for (const BenchRecord &record : records)
    if (record.type == sum.type && isInGroup(record, sum.group, l2Bytes))
      for (const SetupFigure &figure : record.setup)
        if (figure.state == sum.state && figure.from == sum.from && figure.setupUs > 0 &&
            figure.productUs > 0)
          out.push_back({&figure, &record.matrix});
  return out;
}

std::vector<SetupSum> setupSumsOf(const std::vector<BenchRecord> &records, int64_t l2Bytes) {
  std::vector<SetupSum> out;
  const std::vector<std::string> states = statesOf(records);
  for (const char *type : {"f32", "f64"})
    for (const char *group : kGroups)
      for (const Side side : {Side::device, Side::host})
        for (const std::string &state : states) {
          const SetupSum head{.type = type, .group = group, .state = state, .from = side};
          if (const auto list = figuresFor(records, head, l2Bytes); !list.empty())
            out.push_back(summedUp(head, list));
        }
  return out;
}

static json::Object worstJson(const WorstOf &w, const char *mean) {
  return json::Object{{mean, w.mean}, {"worst", w.worst}, {"worstMatrix", w.matrix}};
}

// Marks the line as a summary as well as a total, since it belongs to no matrix.
json::Object jsonOf(const SetupSum &sum) {
  json::Object below;
  for (size_t i = 0; i < sum.below.size(); ++i)
    below[std::to_string(kProductCounts[i])] = sum.below[i];
  return json::Object{{"total", true},
                      {"summary", true},
                      {"setup", true},
                      {"type", sum.type},
                      {"group", sum.group},
                      {"state", sum.state},
                      {"from", nameOf(sum.from)},
                      {"matrices", sum.matrices},
                      {"setupProducts", worstJson(sum.products, "geomean")},
                      {"setupMs", worstJson(sum.ms, "geomean")},
                      {"paysAfter", worstJson(sum.paysAfter, "median")},
                      {"breakEven", worstJson(sum.breakEven, "median")},
                      {"paid", sum.paid},
                      {"neverPaid", sum.neverPaid},
                      {"compared", sum.compared},
                      {"below", std::move(below)}};
}

static std::string belowText(const SetupSum &sum) {
  std::string text;
  for (size_t i = 0; i < sum.below.size(); ++i)
    text += llvm::formatv("{0}{1} at {2}", i ? ", " : "", sum.below[i], kProductCounts[i]).str();
  return text;
}

static std::string paidText(const SetupSum &sum) {
  if (sum.paid + sum.neverPaid == 0)
    return llvm::formatv("nowhere is the product {0:f1} times as fast", kClearRatio);
  return llvm::formatv("where the product is {0:f1} times as fast, on {1}, it pays after {2:f0} "
                       "products (median; worst {3:f0}, {4}) against cuSPARSE's fastest without a "
                       "set-up",
                       kClearRatio, sum.paid + sum.neverPaid, sum.paysAfter.mean,
                       sum.paysAfter.worst, sum.paysAfter.matrix);
}

std::string textOf(const std::vector<SetupSum> &sums) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const SetupSum &s : sums) {
    out << llvm::formatv("{0} {1,-6} {2,-6} {3,-9} set-up {4:f1} products, {5:f3} ms (geometric "
                         "means of {6}; worst {7:f1}, {8}; {9:f3} ms, {10})\n",
                         s.type, s.group, nameOf(s.from), s.state, s.products.mean, s.ms.mean,
                         s.matrices, s.products.worst, s.products.matrix, s.ms.worst, s.ms.matrix);
    if (s.compared > 0)
      out << llvm::formatv("    below cuSPARSE's best on, of {0}: {1} products; {2}\n", s.compared,
                           belowText(s), paidText(s));
  }
  return text;
}

// --- Products totals -----------------------------------------------------------------------------

// Sums up the records of bench --setup by the number of products that was known.

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
