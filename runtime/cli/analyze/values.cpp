// Writes the facts about a matrix's values as text and as JSON.
#include "runtime/cli/analyze/values.h"

#include "models/base/text.h"
#include "models/signature/signature.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace specmv::cli {

namespace json = llvm::json;

static json::Value constantJson(const ValueFacts &facts) {
  const std::optional<double> value = facts.constant();
  return value && std::isfinite(*value) ? json::Value(*value) : json::Value(nullptr);
}

json::Object valuesJson(const ValueFacts &facts) {
  const bool isListed = facts.distinct <= kMostDistinct;
  return json::Object{{"distinct", isListed ? json::Value(facts.distinct) : json::Value(nullptr)},
                      {"allEqual", facts.distinct == 1},
                      {"value", constantJson(facts)},
                      {"plusMinusOne", facts.plusMinusOne},
                      {"exactIn", json::Object{{"f32", facts.exactInF32},
                                               {"f16", facts.exactInF16},
                                               {"i16", facts.exactInI16},
                                               {"i8", facts.exactInI8}}},
                      {"finite", facts.finite},
                      {"constantAlongDiagonals", facts.constantAlongDiagonals},
                      {"id", valuesId(facts)}};
}

// Names the shortest types: values that are exact in i8 are exact in f16 and i16, and those in
// either are exact in f32.
static std::string exactText(const ValueFacts &facts) {
  if (facts.exactInI8)
    return "i8";
  if (facts.exactInF16 && facts.exactInI16)
    return "f16 and i16";
  if (facts.exactInF16 || facts.exactInI16)
    return facts.exactInF16 ? "f16" : "i16";
  return facts.exactInF32 && facts.type == ValueType::f64 ? "f32" : "";
}

std::string valuesText(const ValueFacts &facts) {
  if (facts.count == 0)
    return "none";
  if (const std::optional<double> value = facts.constant())
    return "all equal (" + decimalText(*value) + ")";
  std::vector<std::string> parts{facts.distinct <= kMostDistinct
                                     ? std::to_string(facts.distinct) + " distinct"
                                     : "more than " + std::to_string(kMostDistinct) + " distinct"};
  if (facts.plusMinusOne)
    parts.emplace_back("1 and -1");
  if (const std::string exact = exactText(facts); !exact.empty())
    parts.push_back("exact in " + exact);
  if (facts.constantAlongDiagonals)
    parts.emplace_back("constant along diagonals");
  if (!facts.finite)
    parts.emplace_back("not all finite");
  return llvm::join(parts, ", ");
}

} // namespace specmv::cli
