// Puts the types of operands in the place of the parameter that stands for them.
#include "generator/source/operands.h"

#include "generator/source/lists.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::source {

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

} // namespace specmv::source
