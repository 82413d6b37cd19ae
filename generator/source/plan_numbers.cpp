// Puts a plan's numbers into declarations.
#include "generator/source/plan_numbers.h"

#include "generator/source/lists.h"
#include "templates/shared/constants.cuh"

namespace specmv::source {

// constexpr TYPE FUNCTION ( ) { return { .FIELD = VALUE, ... } ; }
std::optional<PlanNumbers> planNumbersOf(const Declaration &d) {
  const llvm::ArrayRef<Token> all = d.tokens;
  if (all.size() < 8 || !(all[0] == "constexpr") || !(all[3] == "(") || !(all[6] == "return"))
    return {};
  PlanNumbers out{all[1].text, all[2].text, {}, {}};
  for (const Tokens &field : splitAtCommas(insideOf(all, 7))) {
    if (field.size() < 4) // . name = value
      continue;
    const llvm::ArrayRef<Token> value = llvm::ArrayRef<Token>(field).drop_front(3);
    if (value[0] == "{" && value.size() > 1)
      out.lists[field[1].text] = trimmedTextOf(value.slice(1, value.size() - 2));
    else if (const auto number = evaluated(value, {}))
      out.fields[field[1].text] = *number;
  }
  return out;
}

static bool standsForPlan(const Tokens &parameter, const PlanNumbers &plan) {
  return parameter.size() == 2 && parameter[0] == plan.type;
}

void putPlan(Declaration &d, const PlanNumbers &plan) {
  std::string name;
  if (d.tokens[0] == "template")
    for (const Tokens &parameter : d.templateParameters())
      if (standsForPlan(parameter, plan)) {
        name = parameter[1].text;
        eraseParameter(d, parameter);
        break;
      }
  if (name.empty())
    return;
  Tokens &all = d.tokens;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!(all[i] == name))
      continue;
    if (i + 2 < all.size() && all[i + 1] == ".") {
      all[i].text = plan.type;
      all[i + 1].text = "::";
      if (plan.lists.contains(all[i + 2].text)) { // an element of a list
        const size_t close = closingOf(all, i + 3);
        all[i + 2].text += "At";
        all[i + 3].text = "(";
        all[close].text = ")";
      }
    } else if (all[i - 1] == "<") {
      eraseFromList(all, i - 1, i, 1);
      --i;
    }
  }
}

static std::string valueText(llvm::StringRef type, int64_t value) {
  if (value == kAsArgument)
    return "kAsArgument";
  if (value == kAsNarrowArgument)
    return "kAsNarrowArgument";
  return type == "bool" ? (value ? "true" : "false") : std::to_string(value);
}

// The function that takes the place of a list: NVRTC would make a variable of an array.
static std::string functionOfList(const std::string &type, const std::string &name,
                                  const std::string &elements) {
  return "  static __device__ " + type + " " + name + "At(int k) {\n    static constexpr " + type +
         " all[] = {" + (elements.empty() ? "0" : elements) + "};\n    return all[k];\n  }\n";
}

namespace {
// A field of a plan's struct, and its comment.
struct PlanField {
  std::string type, name;
  std::optional<int64_t> otherwise; // its default
  std::string comment;
};
} // namespace

// Returns the fields of a struct. A comment belongs to the field behind it, or in front of it on
// its line.
static std::vector<PlanField> planFieldsOf(llvm::ArrayRef<Token> body) {
  std::vector<PlanField> out;
  std::string before;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].isComment()) {
      const bool isBehind = !llvm::StringRef(body[i].before).contains('\n') && !out.empty();
      std::string &comment = isBehind ? out.back().comment : before;
      comment +=
          (comment.empty() ? "" : " ") + llvm::StringRef(body[i].text).drop_front(2).trim().str();
      continue;
    }
    const size_t end = indexOf(body, ";", i);
    for (const Tokens &one : splitAtCommas(body.slice(i + 1, end - i - 1))) {
      const bool hasDefault = one.size() > 2 && one[1] == "=";
      out.push_back(
          {body[i].text, one[0].text,
           hasDefault ? evaluated(llvm::ArrayRef<Token>(one).drop_front(2), {}) : std::nullopt,
           before});
      before.clear();
    }
    i = end;
  }
  return out;
}

Numbers putConstants(Declaration &d, const PlanNumbers &plan) {
  constexpr size_t kLongestLine = 100;
  Numbers out;
  std::string text = "struct " + plan.type + " {\n";
  for (const PlanField &field : planFieldsOf(insideOf(d.tokens, indexOf(d.tokens, "{")))) {
    if (const auto list = plan.lists.find(field.name); list != plan.lists.end()) {
      text += functionOfList(field.type, field.name, list->second);
      continue;
    }
    const auto given = plan.fields.find(field.name);
    const auto value =
        given != plan.fields.end() ? std::optional<int64_t>(given->second) : field.otherwise;
    if (!value)
      continue;
    out[plan.type + "::" + field.name] = *value;
    const std::string line = "  enum : " + field.type + " { " + field.name + " = " +
                             valueText(field.type, *value) + " };";
    const std::string comment = field.comment.empty() ? "" : "// " + field.comment;
    if (line.size() + 1 + comment.size() > kLongestLine)
      text += "  " + comment + "\n" + line + "\n";
    else
      text += line + (comment.empty() ? "" : " ") + comment + "\n";
  }
  d.tokens = tokensOf(text + "};");
  return out;
}

void dropPlan(Tokens &tokens, const PlanNumbers &plan) {
  constexpr size_t kLength = 7; // < specmv :: plan ( ) >
  for (size_t i = 0; i + kLength <= tokens.size(); ++i)
    if (tokens[i] == "<" && tokens[i + 3] == plan.function && tokens[i + 4] == "(")
      tokens.erase(tokens.begin() + i, tokens.begin() + i + kLength);
}

} // namespace specmv::source
