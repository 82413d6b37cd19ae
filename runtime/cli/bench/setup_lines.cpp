// Writes the lines of bench --setup with the field names of runtime/cli/JSON.md, and its tables for
// people.
#include "runtime/cli/bench/setup_lines.h"

#include "models/base/units.h"
#include "runtime/cli/bench/lines.h"
#include "runtime/cli/json.h"
#include "runtime/cli/plan_text.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::cli {

namespace json = llvm::json;

std::string wrongOf(const SetupBench &b) {
  const SetupTime *wrong = wrongSetup(b.times);
  return wrong ? llvm::formatv("{0} {1} from the {2}", wrong->contender, wrong->state,
                               nameOf(wrong->from))
                     .str()
               : "";
}

// Returns the fields that all lines of a contender share.
static json::Object contenderJson(const TypedMatrix &a, const SetupBench &b,
                                  const SetupTime &time) {
  json::Object out = headOf(a);
  out["setup"] = true;
  out["contender"] = time.contender;
  out["state"] = time.state;
  out["from"] = nameOf(time.from);
  out["csrBytes"] = b.csrBytes;
  if (!time.why.empty()) {
    out["why"] = json::fixUTF8(time.why);
    out["n"] = time.products > 0 ? json::Value(time.products) : json::Value(nullptr);
    for (const char *figure : {"totalUs", "setupUs"})
      out[figure] = nullptr;
    return out;
  }
  out["plan"] = time.plan;
  out["setupUs"] = time.setupUs;
  out["productUs"] = time.productUs;
  out["storedBytes"] = time.storedBytes;
  if (time.peakBytes > 0)
    out["peakBytes"] = time.peakBytes;
  if (!time.conversionIsCounted)
    out["conversion"] = "not counted";
  if (time.handleUs > 0)
    out["handleUs"] = time.handleUs;
  if (time.parts.total() > 0)
    out["setupMs"] = jsonOf(time.parts);
  out["verified"] = time.verified;
  out["maxErrorRatio"] = std::min(time.maxErrorRatio, 1e300);
  return out;
}

std::string linesOf(const TypedMatrix &a, const SetupBench &b) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const SetupTime &time : b.times) {
    json::Object line = contenderJson(a, b, time);
    for (const TotalTime &total : time.totals) {
      line["n"] = total.n;
      line["totalUs"] = total.us;
      line["measured"] = total.measured;
      out << jsonLine("bench", line);
    }
    if (time.totals.empty())
      out << jsonLine("bench", std::move(line));
  }
  return text;
}

static json::Object figureJson(const SetupFigure &figure) {
  json::Array below;
  for (const bool is : figure.isBelow)
    below.push_back(is);
  json::Object out{
      {"state", figure.state},
      {"from", nameOf(figure.from)},
      {"setupUs", figure.setupUs},
      {"productUs", figure.productUs},
      {"ratio", figure.ratio},
      {"breakEven", figure.breakEven ? json::Value(*figure.breakEven) : json::Value(nullptr)},
      {"below", std::move(below)}};
  if (figure.products > 0)
    out["products"] = figure.products, out["overBest"] = figure.overBest;
  return out;
}

static SetupFigure figureIn(const json::Object &line) {
  const auto number = [&](const char *key) { return line.getNumber(key).value_or(0); };
  SetupFigure out{.state = line.getString("state").value_or("").str(),
                  .from =
                      line.getString("from") == llvm::StringRef("host") ? Side::host : Side::device,
                  .products = line.getInteger("products").value_or(0),
                  .setupUs = number("setupUs"),
                  .productUs = number("productUs"),
                  .ratio = number("ratio"),
                  .overBest = number("overBest")};
  if (const auto breakEven = line.getNumber("breakEven"))
    out.breakEven = *breakEven;
  if (const json::Array *below = line.getArray("below"))
    for (const json::Value &is : *below)
      out.isBelow.push_back(is.getAsBoolean().value_or(false));
  return out;
}

std::vector<SetupFigure> figuresIn(const json::Object &summary) {
  std::vector<SetupFigure> out;
  if (const json::Array *figures = summary.getArray("figures"))
    for (const json::Value &figure : *figures)
      if (const json::Object *object = figure.getAsObject())
        out.push_back(figureIn(*object));
  return out;
}

json::Object summaryOf(const TypedMatrix &a, const SetupBench &b) {
  json::Object out = headOf(a);
  out["summary"] = true;
  out["setup"] = true;
  out["verified"] = wrongSetup(b.times) == nullptr;
  out["csrBytes"] = b.csrBytes;
  json::Array figures;
  for (const SetupFigure &figure : figuresOf(b.times))
    figures.push_back(figureJson(figure));
  out["figures"] = std::move(figures);
  return out;
}

// Puts the totals into the columns of their numbers; blanks where there is none.
static std::string totalsText(const SetupTime &time) {
  std::string text;
  for (const int64_t n : kProductCounts) {
    const auto total =
        llvm::find_if(time.totals, [&](const TotalTime &each) { return each.n == n; });
    text +=
        total == time.totals.end()
            ? std::string(11, ' ')
            : llvm::formatv(" {0,9:f3}{1}", total->us / 1000, total->measured ? " " : "~").str();
  }
  return text;
}

// Returns the comparison for the row of a set-up that knew the number of products.
static std::string overBestText(const SetupTime &time, llvm::ArrayRef<SetupFigure> figures) {
  for (const SetupFigure &figure : figures)
    if (figure.overBest > 0 && figure.products == time.products && figure.from == time.from)
      return llvm::formatv("  ({0:f2} times cuSPARSE's best)", figure.overBest);
  return "";
}

static std::string rowOf(const SetupTime &time, llvm::ArrayRef<SetupFigure> figures) {
  std::string text = llvm::formatv("    {0,-14} {1,-9}", time.contender, time.state);
  llvm::raw_string_ostream out(text);
  if (!time.why.empty()) {
    out << llvm::formatv(" {0,9}  {1}\n", "-", time.why);
    return text;
  }
  out << llvm::formatv(" {0,9:f3}{1} {2,12}  {3}{4}{5}{6}\n", time.setupUs / 1000, totalsText(time),
                       shortTime(time.productUs), planText(time.plan),
                       time.conversionIsCounted ? "" : "  (conversion not counted)",
                       overBestText(time, figures), time.verified ? "" : "  WRONG");
  return text;
}

std::string tableOf(const TypedMatrix &a, const SetupBench &b) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::formatv("{0} {1}: {2} x {3}, {4} entries, {5} in CSR\n", a.matrix.name,
                       nameOf(a.view.valueType), a.matrix.rows, a.matrix.cols, a.matrix.nnz(),
                       shortBytes(static_cast<double>(b.csrBytes)));
  const std::vector<SetupFigure> figures = figuresOf(b.times);
  for (const Side side : {Side::device, Side::host}) {
    if (llvm::none_of(b.times, [&](const SetupTime &time) { return time.from == side; }))
      continue;
    out << llvm::formatv("  from the {0}, milliseconds to the last of n products (~: continued by "
                         "the time of one)\n    {1,-14} {2,-9} {3,9}",
                         nameOf(side), "contender", "state", "set-up");
    for (const int64_t n : kProductCounts)
      out << llvm::formatv(" {0,9} ", n);
    out << llvm::formatv(" {0,12}\n", "one product");
    for (const SetupTime &time : b.times)
      if (time.from == side)
        out << rowOf(time, figures);
  }
  return text;
}

} // namespace specmv::cli
