// Puts types, numbers and values in the place of the parameters that stand for them.
#include "generator/source/rewritten.h"

#include "generator/source/declarations.h"
#include "templates/shared/constants.cuh"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace specmv::source {

// --- Operands ------------------------------------------------------------------------------------

// Puts the types of operands in the place of the parameter that stands for them.

constexpr const char *kOperands = "T";

static bool takesOperands(const Declaration &d) {
  if (!(d.tokens[0] == "template") || llvm::none_of(d.templateParameters(), [](auto &p) {
        return p.size() == 2 && p[1] == kOperands;
      }))
    return false;
  for (size_t i = 1; i + 1 < d.tokens.size(); ++i)
    if (d.tokens[i] == kOperands &&
        (d.tokens[i + 1] == "::" ||
         (d.tokens[i - 1] == "<" && llvm::StringRef(d.tokens[i - 2].text).ends_with("Args"))))
      return true;
  return false;
}

// The type of a member of the operands; "" if the file has a name for it.
static std::string typeOfView(const TypeNames &types, llvm::StringRef name) {
  static constexpr llvm::StringLiteral kViews[] = {"Values", "X", "Y", "Columns"};
  for (const auto &[each, type] : types)
    if (each == name && llvm::is_contained(kViews, name))
      return type;
  return "";
}

// Takes T out of a declaration whose operands are those of the file. Structs keep the members that
// others name, and their own members get the types of views.
static void takeOut(Declaration &d, const TypeNames &types, const std::set<std::string> &members) {
  for (const Tokens &parameter : d.templateParameters())
    if (parameter.size() == 2 && parameter[1] == kOperands) {
      eraseParameter(d, parameter);
      break;
    }
  Tokens &all = d.tokens;
  for (size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i] == kOperands && all[i + 1] == "::") {
      const bool hasTypename = i > 0 && all[i - 1] == "typename";
      const size_t first = hasTypename ? i - 1 : i;
      const std::string before = all[first].before;
      Tokens type = {all[i + 2]};
      if (const std::string view = typeOfView(types, all[i + 2].text);
          d.kind == Declaration::Kind::type && !view.empty() && !(all[first - 1] == "="))
        type = tokensOf(view);
      if (type.back() == "*")
        all[i + 3].before.clear();
      type[0].before = before;
      all.erase(all.begin() + first, all.begin() + i + 3);
      all.insert(all.begin() + first, type.begin(), type.end());
      i = first;
    }
  // `using Value = Value;`
  for (size_t i = 0; i + 4 < all.size(); ++i) {
    if (!(all[i] == "using") || !(all[i + 4] == ";") || all[i + 1].text != all[i + 3].text)
      continue;
    if (d.kind == Declaration::Kind::type && members.contains(all[i + 1].text)) {
      all[i + 3].text = "specmv::" + all[i + 3].text;
    } else {
      all.erase(all.begin() + i, all.begin() + i + 5);
      --i;
    }
  }
}

// The members of arguments that a declaration names, as in `Args::Value`.
static std::set<std::string> membersOfArguments(llvm::ArrayRef<Token> tokens) {
  std::set<std::string> out;
  for (size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i] == "Args" && tokens[i + 1] == "::")
      out.insert(tokens[i + 2].text);
  return out;
}

// Takes T, or what a kernel has in its place, out of the arguments of these templates.
static void dropOperands(Tokens &tokens, llvm::StringRef argument,
                         const std::set<std::string> &templates) {
  for (size_t i = 1; i + 1 < tokens.size(); ++i)
    if (tokens[i] == "<" && templates.contains(tokens[i - 1].text)) {
      const std::vector<Tokens> arguments = splitAtCommas(insideOf(tokens, i));
      if (!arguments.empty() && trimmedTextOf(arguments[0]) == argument &&
          closingOf(tokens, i) < tokens.size())
        eraseFromList(tokens, i, i + 1, arguments[0].size());
    }
}

namespace {
// `Args<Operands<...>, ...>` of a kernel.
struct KernelOperands {
  std::string args, text;
  TypeNames types;
};
} // namespace

// Returns the members of Operands (templates/shared/operands.cuh) with their defaults.
static TypeNames typesOf(const std::string &operands) {
  static constexpr llvm::StringLiteral kNames[] = {"Value", "Offset", "Column", "Values",
                                                   "X",     "Y",      "Columns"};
  const Tokens tokens = tokensOf(operands);
  const std::vector<Tokens> given = splitAtCommas(insideOf(tokens, 1));
  const std::string value = trimmedTextOf(given[0]), column = trimmedTextOf(given[2]);
  const std::string usual[] = {value,
                               value,
                               value,
                               "Streamed<" + value + ">",
                               "const " + value + " *",
                               value + " *",
                               "Streamed<" + column + ">"};
  TypeNames out;
  for (size_t i = 0; i < std::size(kNames); ++i)
    out.emplace_back(kNames[i], i < given.size() ? trimmedTextOf(given[i]) : usual[i]);
  return out;
}

static std::vector<KernelOperands> operandsOf(llvm::ArrayRef<Declaration> kernels) {
  std::vector<KernelOperands> out;
  for (const Declaration &kernel : kernels) {
    const llvm::ArrayRef<Token> tokens = kernel.tokens;
    for (size_t i = 2; i + 1 < tokens.size(); ++i)
      if (tokens[i] == "Operands" && tokens[i + 1] == "<") {
        const size_t end = closingOf(tokens, i + 1);
        if (end == tokens.size() || splitAtCommas(insideOf(tokens, i + 1)).size() < 3)
          continue;
        const std::string text = trimmedTextOf(tokens.slice(i, end + 1 - i));
        out.push_back({tokens[i - 2].text, text, typesOf(text)});
      }
  }
  return out;
}

static bool names(const Declaration &d, llvm::StringRef word) {
  return llvm::any_of(d.tokens, [&](const Token &token) { return token == word; });
}

// True if the struct and the functions that take it need only types that the file has.
static bool fits(const KernelOperands &one, const SourceParts &parts) {
  for (const Declaration &d : parts.templates)
    if (takesOperands(d) && names(d, one.args))
      for (size_t i = 0; i + 2 < d.tokens.size(); ++i)
        if (d.tokens[i] == kOperands && d.tokens[i + 1] == "::") {
          const auto own = llvm::find_if(
              one.types, [&](const auto &type) { return type.first == d.tokens[i + 2].text; });
          if (own != one.types.end() && !llvm::is_contained(parts.types, *own))
            return false;
        }
  return true;
}

void putOperands(SourceParts &parts) {
  const std::vector<KernelOperands> all = operandsOf(parts.kernels);
  if (all.empty())
    return;
  parts.types =
      llvm::max_element(all, [](auto &a, auto &b) { return a.text.size() < b.text.size(); })->types;
  std::set<std::string> apart, templates, members;
  for (const KernelOperands &one : all)
    if (!fits(one, parts))
      apart.insert(one.args);
  for (const Declaration &d : parts.templates)
    members.merge(membersOfArguments(d.tokens));
  for (Declaration &d : parts.templates)
    if (takesOperands(d) &&
        llvm::none_of(apart, [&](const std::string &args) { return names(d, args); })) {
      takeOut(d, parts.types, members);
      templates.insert(d.name);
    }
  for (Declaration &d : parts.templates)
    dropOperands(d.tokens, kOperands, templates);
  for (Declaration &kernel : parts.kernels)
    for (const KernelOperands &one : all)
      dropOperands(kernel.tokens, one.text, templates);
}

// --- One vector ----------------------------------------------------------------------------------

// Replaces `count` tokens by one, or with its operator by none if it is a factor of 1. Returns the
// index of the last token in front of what follows.
static size_t putFactorOne(Tokens &all, size_t at, size_t count) {
  all[at] = {Token::Kind::number, "1", all[at].before};
  all.erase(all.begin() + at + 1, all.begin() + at + count);
  if (at == 0 || (!(all[at - 1] == "*") && !(all[at - 1] == "/")))
    return at;
  all.erase(all.begin() + at - 1, all.begin() + at + 1);
  return at - 2;
}

// Takes `team = 1` out of a list of constants, and the constant where it is used.
static void dropTeam(Tokens &all) {
  for (size_t i = 1; i + 3 < all.size(); ++i) {
    if (!(all[i] == "team" && all[i + 1] == "=" && all[i + 2] == "1"))
      continue;
    if (all[i - 1] == ",")
      all.erase(all.begin() + i - 1, all.begin() + i + 3);
    else if (all[i + 3] == ",")
      all.erase(all.begin() + i, all.begin() + i + 4);
    else
      continue;
    for (size_t k = i; k < all.size(); ++k)
      if (all[k] == "team")
        k = putFactorOne(all, k, 1);
    return;
  }
}

static void putOneVector(Tokens &all) {
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    if (all[i] == "teamThreads" && all[i + 1] == "<") {
      i = putFactorOne(all, i, closingOf(all, i + 1) + 3 - i);
    } else if (all[i] == "SumOf" && all[i + 1] == "<") {
      const size_t end = closingOf(all, i + 1);
      all[i].text = "Value";
      all.erase(all.begin() + i + 1, all.begin() + end + 1);
    } else if (all[i] == "ofThread" && all[i + 1] == "(") {
      const size_t end = closingOf(all, i + 1);
      all.erase(all.begin() + end);
      all[i + 2].before = all[i].before;
      all.erase(all.begin() + i, all.begin() + i + 2);
    }
  }
  dropTeam(all);
}

void putOneVector(SourceParts &parts) {
  if (parts.types.empty() ||
      llvm::any_of(parts.types,
                   [](const auto &t) { return llvm::StringRef(t.second).starts_with("RowsOf"); }) ||
      llvm::any_of(parts.kernels,
                   [](const Declaration &d) { return names(d, "RowsOfX") || names(d, "RowsOfY"); }))
    return;
  for (Declaration &d : parts.templates)
    if (d.isOfFormat || d.name == "paddedBatch")
      putOneVector(d.tokens);
}

// --- Plan numbers --------------------------------------------------------------------------------

// Puts a plan's numbers into declarations.

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

// --- Arguments -----------------------------------------------------------------------------------

// Prints the arguments of a kernel.

namespace {
struct Member {
  std::string name, otherwise; // what it is if it is not given; "" if there is no such value
  bool isPointer;
};
} // namespace

// Returns the members of a struct that has no functions.
static std::vector<Member> membersIn(const Declaration &d) {
  std::vector<Member> out;
  size_t at = indexOf(d.tokens, "{");
  const size_t close = closingOf(d.tokens, at);
  for (++at; at < close; ++at) {
    const size_t end = indexOf(d.tokens, ";", at);
    const llvm::ArrayRef<Token> statement = llvm::ArrayRef<Token>(d.tokens).slice(at, end - at);
    at = end;
    if (llvm::any_of(statement, [](const Token &t) { return t == "using"; }))
      continue;
    for (const Tokens &one : splitAtCommas(statement)) {
      size_t behind = 0;
      while (behind < one.size() && !(one[behind] == "=") && !(one[behind] == "["))
        ++behind;
      out.push_back({one[behind - 1].text,
                     behind < one.size() && one[behind] == "="
                         ? trimmedTextOf(llvm::ArrayRef<Token>(one).drop_front(behind + 1))
                         : "",
                     behind > 1 && one[behind - 2] == "*"});
    }
  }
  return out;
}

// The pieces in lines of at most 100 characters behind a text; the others begin under the first.
static std::string filled(const std::string &text, llvm::ArrayRef<std::string> pieces) {
  constexpr size_t kLongestLine = 100, kNarrow = 60;
  std::string out = text;
  const size_t begin = llvm::StringRef(text).rfind('\n') + 1;
  const size_t indent = text.size() - begin > kNarrow ? 6 : text.size() - begin;
  size_t column = text.size() - begin;
  for (const std::string &piece : pieces) {
    if (column > indent && column + piece.size() + 3 > kLongestLine) {
      out = llvm::StringRef(out).rtrim().str() + "\n" + std::string(indent, ' ');
      column = indent;
    }
    const bool isLast = &piece == &pieces.back();
    out += piece + (isLast ? "" : ", ");
    column += piece.size() + 2;
  }
  return out;
}

// A piece as it is in one line.
static std::string lineOf(llvm::ArrayRef<Token> tokens) {
  std::string out;
  for (const Token &token : tokens)
    out += (token.before.empty() || out.empty() ? "" : " ") + token.text;
  return out;
}

// `streamed(array, policy)` as the value of a member of this type.
static std::string givenTo(const Member &member, const std::string &given) {
  llvm::StringRef array = given;
  if (!array.consume_front("streamed(") || !array.consume_back(", policy)"))
    return given;
  return member.isPointer ? array.str() : "{" + array.str() + ", policy}";
}

// `Args{.a = x, .c = z}` -> `Args{x, {}, z}`
static void putInOrder(Tokens &tokens, size_t open, const Declaration &type) {
  const size_t close = closingOf(tokens, open);
  std::map<std::string, std::string> given;
  for (const Tokens &one : splitAtCommas(insideOf(tokens, open)))
    if (one.size() > 3) // . name = value
      given[one[1].text] = lineOf(llvm::ArrayRef<Token>(one).drop_front(3));
  std::vector<std::string> values;
  for (const Member &field : membersIn(type)) {
    if (given.empty())
      break;
    const auto found = given.find(field.name);
    values.push_back(found != given.end()      ? givenTo(field, found->second)
                     : field.otherwise.empty() ? "{}"
                                               : field.otherwise);
    given.erase(field.name);
  }
  size_t begin = open; // of the statement, for the column of the values
  while (begin > 0 && !llvm::StringRef(tokens[begin].before).contains('\n'))
    --begin;
  std::string before = lineOf(llvm::ArrayRef<Token>(tokens).slice(begin, open + 1 - begin));
  const std::string all = filled(tokens[begin].before + before, values);
  Tokens made = tokensOf(all);
  tokens[close].before.clear();
  tokens.erase(tokens.begin() + begin, tokens.begin() + close);
  tokens.insert(tokens.begin() + begin, made.begin(), made.end());
}

void putInOrder(Declaration &kernel, llvm::ArrayRef<Declaration> types) {
  Tokens &tokens = kernel.tokens;
  // `f(\n      Args{` and `const auto a =\n      Args{` become one line.
  for (size_t i = 1; i < tokens.size(); ++i) {
    const auto *const type = llvm::find_if(types, [&](const Declaration &d) {
      return d.kind == Declaration::Kind::type && tokens[i] == d.name &&
             llvm::StringRef(d.name).ends_with("Args");
    });
    if (type == types.end())
      continue;
    tokens[i].before = tokens[i - 1] == "(" ? "" : " ";
    size_t open = i + 1;
    if (open < tokens.size() && tokens[open] == "<")
      open = closingOf(tokens, open) + 1;
    if (open < tokens.size() && tokens[open] == "{") {
      putInOrder(tokens, open, *type);
      break;
    }
  }
  size_t open = indexOf(tokens, "(");
  if (open > 0 && open < tokens.size() && tokens[open - 1] == "__launch_bounds__")
    open = indexOf(tokens, "(", closingOf(tokens, open));
  if (open == 0 || open >= tokens.size())
    return;
  const size_t close = closingOf(tokens, open);
  std::vector<std::string> parameters;
  for (const Tokens &one : splitAtCommas(insideOf(tokens, open)))
    parameters.push_back(lineOf(one));
  const Tokens made = tokensOf(filled("\n" + tokens[open - 1].text + "(", parameters));
  tokens.erase(tokens.begin() + open - 1, tokens.begin() + close);
  tokens.insert(tokens.begin() + open - 1, made.begin(), made.end());
}

} // namespace specmv::source
