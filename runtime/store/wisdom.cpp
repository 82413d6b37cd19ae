// Writes and reads wisdom, makes its key, and chooses among the entries of several directories.
#include "runtime/store/wisdom.h"

#include "models/base/text.h"
#include "models/plan.h"
#include "runtime/store/entry_file.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

namespace specmv {

// The version of the text; the file around it has its own, kCacheVersion.
static constexpr llvm::StringLiteral kFirstLine = "specmv wisdom 1\n";

// Indexed by the numbers of Chosen.
constexpr llvm::StringLiteral kChosenNames[] = {"predicted", "tried", "measured"};
static std::string nameOf(Chosen chosen) { return kChosenNames[static_cast<size_t>(chosen)].str(); }
static Chosen chosenOf(llvm::StringRef name) {
  const auto *found = llvm::find(kChosenNames, name);
  return found == std::end(kChosenNames) ? Chosen::predicted
                                         : static_cast<Chosen>(found - kChosenNames);
}

static std::string line(const char *name, const std::string &value) {
  return std::string(name) + " " + value + "\n";
}

std::string textOf(const Wisdom &wisdom) {
  return kFirstLine.str() + line("plan", wisdom.plan) + line("chosen", nameOf(wisdom.chosen)) +
         line("predictedUs", decimalText(wisdom.predictedUs)) +
         (wisdom.measuredUs ? line("measuredUs", decimalText(*wisdom.measuredUs)) : "") +
         (wisdom.setupUs ? line("setupUs", decimalText(*wisdom.setupUs)) : "") +
         (wisdom.object.empty() ? "" : line("object", wisdom.object)) +
         (wisdom.signature.empty() ? "" : line("signature", wisdom.signature)) +
         (wisdom.products ? line("products", std::to_string(*wisdom.products)) : "");
}

// If the text begins with the line of that name, removes the line and returns its value; otherwise
// "".
static std::string takeLine(llvm::StringRef &text, llvm::StringRef name) {
  auto [first, rest] = text.split('\n');
  if (!first.consume_front(name) || !first.consume_front(" "))
    return "";
  text = rest;
  return first.str();
}

// Returns `otherwise` if the text is not a number.
template <class Number> static Number parseNumber(const std::string &text, Number otherwise) {
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}
static double parseTime(const std::string &text) { return parseNumber<double>(text, NAN); }

static bool isTime(double us) { return std::isfinite(us) && !std::signbit(us); }

static bool isValidWisdom(const Wisdom &w) {
  return parsePlan(w.plan) && isTime(w.predictedUs) && (!w.measuredUs || isTime(*w.measuredUs)) &&
         (!w.setupUs || isTime(*w.setupUs)) && (w.chosen != Chosen::measured || w.measuredUs) &&
         (w.object.empty() || isId(w.object)) && (w.signature.empty() || isId(w.signature)) &&
         (!w.products || *w.products > 0);
}

// Reads without checking the format, then writes the result and compares it with the text. This
// detects lines that are missing, repeated, out of order or not written as textOf() writes them.
std::optional<Wisdom> parseWisdom(llvm::StringRef text) {
  llvm::StringRef rest = text;
  rest.consume_front(kFirstLine);
  Wisdom wisdom;
  wisdom.plan = takeLine(rest, "plan");
  wisdom.chosen = chosenOf(takeLine(rest, "chosen"));
  wisdom.predictedUs = parseTime(takeLine(rest, "predictedUs"));
  if (const std::string measured = takeLine(rest, "measuredUs"); !measured.empty())
    wisdom.measuredUs = parseTime(measured);
  if (const std::string setup = takeLine(rest, "setupUs"); !setup.empty())
    wisdom.setupUs = parseTime(setup);
  wisdom.object = takeLine(rest, "object");
  wisdom.signature = takeLine(rest, "signature");
  if (const std::string products = takeLine(rest, "products"); !products.empty())
    wisdom.products = parseNumber<int64_t>(products, 0);
  if (!isValidWisdom(wisdom) || textOf(wisdom) != text)
    return std::nullopt;
  return wisdom;
}

CacheKey wisdomKey(llvm::StringRef pattern, llvm::StringRef gpu, llvm::StringRef problem) {
  return makeKey(kWisdomEntry, {{"pattern", pattern}, {"gpu", gpu}, {"problem", problem}});
}

std::optional<Wisdom> recall(const Cache &cache, const CacheKey &key) {
  std::optional<Wisdom> best;
  for (const std::string &text : cache.findWisdom(key)) {
    std::optional<Wisdom> wisdom = parseWisdom(text);
    if (wisdom && (!best || best->chosen < wisdom->chosen))
      best = std::move(wisdom);
  }
  return best;
}

void remember(Cache &cache, const CacheKey &key, const Wisdom &wisdom) {
  const std::string text = textOf(wisdom);
  if (parseWisdom(text))
    cache.storeWisdom(key, text);
}

} // namespace specmv
