// Reads a source with its templates, rewrites their declarations for it, and prints those that it
// reaches.
#include "generator/source/specialized.h"

#include "generator/embedded.h"
#include "generator/source/declarations.h"
#include "generator/source/printed.h"
#include "generator/source/rewritten.h"
#include "generator/source/tokens.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::source {

// --- Reading -------------------------------------------------------------------------------------

// The comment with which a file begins.
static std::string headOf(llvm::ArrayRef<Token> tokens) {
  return textOf(tokens.take_while([](const Token &t) { return t.isComment(); }));
}

// The files of kernels of products lie in no folder.
static bool isOfFormat(const EmbeddedFile &file) {
  return file.name.find('/') == std::string_view::npos;
}

// Files that views need come before those of kernels, which read through views.
static std::vector<EmbeddedFile> filesOf(llvm::StringRef source) {
  std::vector<EmbeddedFile> out = expansionOf(source);
  llvm::stable_sort(out, [](const EmbeddedFile &a, const EmbeddedFile &b) {
    return isOfFormat(a) < isOfFormat(b);
  });
  return out;
}

static void readTemplates(SourceParts &out, llvm::StringRef source) {
  Macros macros;
  for (const EmbeddedFile &file : filesOf(source))
    for (Declaration &d : declarationsOf(preprocessed(tokensOf(file.text), out.arch, macros))) {
      d.isOfFormat = isOfFormat(file);
      out.templates.push_back(std::move(d));
    }
}

// Returns the plans.
static std::vector<PlanNumbers> readSource(SourceParts &out, llvm::ArrayRef<Token> tokens) {
  std::vector<PlanNumbers> plans;
  for (Declaration &d : declarationsOf(tokens)) {
    if (auto plan = planNumbersOf(d))
      plans.push_back(std::move(*plan));
    else
      (d.kind == Declaration::Kind::kernel ? out.kernels : out.own).push_back(std::move(d));
  }
  return plans;
}

// The title, the purposes of the formats' templates, and the files that are none, which a compiler
// refuses.
static std::string headOfText(llvm::StringRef source, llvm::ArrayRef<Token> tokens,
                              const Numbers &numbers) {
  std::string out = tokens.empty() || !tokens[0].isComment() ? "" : tokens[0].text + "\n";
  const auto width = numbers.find("EllPlan::width"); // 0: this part only stores beta y
  const std::vector<EmbeddedFile> files = includedBy(source);
  for (size_t i = 0; i < files.size(); ++i)
    if (i == 0 ? width == numbers.end() || width->second != 0 : isOfFormat(files[i]))
      out += headOf(tokensOf(files[i].text)) + "\n";
  for (const Token &token : tokens)
    if (llvm::StringRef(token.text).starts_with("#include") && includedBy(token.text).empty())
      out += token.text + "\n";
  return out + "\n";
}

// --- Rewriting -----------------------------------------------------------------------------------

// Takes `specmv::` away, since kernels are in the namespace, where no parameter has the name.
static void dropNamespace(Declaration &kernel) {
  Tokens &tokens = kernel.tokens;
  std::set<std::string> parameters;
  for (const Tokens &parameter : kernel.parameters())
    parameters.insert(parameter.empty() ? "" : parameter.back().text);
  for (size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i] == "specmv" && tokens[i + 1] == "::" &&
        !parameters.contains(tokens[i + 2].text)) {
      tokens[i + 2].before = tokens[i].before;
      tokens.erase(tokens.begin() + i, tokens.begin() + i + 2);
    }
}

static Numbers putPlans(SourceParts &parts, llvm::ArrayRef<PlanNumbers> plans) {
  Numbers out;
  for (const PlanNumbers &plan : plans) {
    for (Declaration &d : parts.templates)
      if (d.kind == Declaration::Kind::type && d.name == plan.type)
        out.merge(putConstants(d, plan));
      else
        putPlan(d, plan);
    for (Declaration &kernel : parts.kernels)
      dropPlan(kernel.tokens, plan);
  }
  return out;
}

constexpr const char *kReadsY = "readsY";

// Takes the parameter readsY out of the functions that store results, if all kernels agree on it.
static void putReadsY(SourceParts &parts, Numbers &numbers) {
  std::set<int64_t> values;
  for (const auto &[name, value] : numbers)
    if (llvm::StringRef(name).ends_with(std::string("::") + kReadsY))
      values.insert(value);
  if (values.size() != 1)
    return;
  numbers[kReadsY] = *values.begin();
  for (Declaration &d : parts.templates) {
    if (d.isTemplate())
      for (const Tokens &parameter : d.templateParameters())
        if (parameter.size() == 2 && parameter[1] == kReadsY) {
          eraseParameter(d, parameter);
          break;
        }
    for (size_t i = 1; i + 1 < d.tokens.size(); ++i) {
      if (!(d.tokens[i] == kReadsY) || (!(d.tokens[i + 1] == ">") && !(d.tokens[i + 1] == ",")))
        continue;
      const size_t first = d.tokens[i - 1] == "::" ? i - 2 : i; // with the plan's name
      if (!(d.tokens[first - 1] == "<") && !(d.tokens[first - 1] == ","))
        continue;
      size_t open = first - 1;
      while (!(d.tokens[open] == "<"))
        --open;
      eraseFromList(d.tokens, open, first, i + 1 - first);
      i = first - 1;
    }
  }
}

// True if a result is stored in another way than the plans say.
static bool storesOtherwise(const SourceParts &parts) {
  return llvm::any_of(parts.templates, [](const Declaration &d) {
    for (size_t i = 0; i + 2 < d.tokens.size(); ++i)
      if (d.tokens[i] == "storeResult" && d.tokens[i + 1] == "<" &&
          (d.tokens[i + 2] == "false" || d.tokens[i + 2] == "true"))
        return true;
    return false;
  });
}

static void addSizes(const TypeNames &types, Numbers &numbers) {
  for (const auto &[name, type] : types)
    if (const int size = type == "double" || type == "long long" ? 8
                         : type == "float" || type == "int"      ? 4
                                                                 : 0)
      numbers["sizeof(" + name + ")"] = size;
}

// Enumerators are constants of the file.
static void addEnumerators(const SourceParts &parts, Numbers &numbers) {
  for (const Declaration &d : parts.templates)
    if (d.kind == Declaration::Kind::numbers)
      for (const Tokens &one : enumeratorsOf(d))
        if (one.size() > 2)
          if (const auto value = evaluated(llvm::ArrayRef<Token>(one).drop_front(2), numbers))
            numbers[one[0].text] = *value;
}

// The enumerators of the structs that are kept, by name: what a parameter `Slots` has, if it is any
// of them, and all agree.
static std::map<std::string, std::set<int64_t>> membersOf(const SourceParts &parts,
                                                          const Reached &reached) {
  std::map<std::string, std::set<int64_t>> out;
  for (size_t i = 0; i < parts.templates.size(); ++i) {
    const llvm::ArrayRef<Token> tokens = parts.templates[i].tokens;
    if (!reached.isKept[i] || parts.templates[i].kind != Declaration::Kind::type)
      continue;
    for (size_t at = 0; at + 7 < tokens.size(); ++at) // enum : bool { kMayEnd = true }
      if (tokens[at] == "enum" && tokens[at + 2] == "bool" && tokens[at + 7] == "}")
        out[tokens[at + 4].text].insert(tokens[at + 6] == "true");
  }
  return out;
}

// The words that stand for members: behind a point, an arrow or colons.
static void addNamed(llvm::ArrayRef<Token> tokens, std::set<std::string> &out) {
  for (size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].isWord() &&
        (tokens[i - 1] == "." || tokens[i - 1] == "->" || tokens[i - 1] == "::"))
      out.insert((tokens[i - 1] == "::" ? "::" : ".") + tokens[i].text);
}

// The name of `enum : int { name = 1 }` or, in arguments, of `int name = 1`; "" of another member.
static std::string nameOfDefault(llvm::ArrayRef<Token> member, bool isOfArguments) {
  const size_t open = indexOf(member, "{"), equals = indexOf(member, "=");
  if (equals >= member.size() || splitAtCommas(member).size() != 1 || member[0] == "using")
    return "";
  if (member[0] == "enum")
    return splitAtCommas(insideOf(member, open)).size() == 1 ? member[open + 1].text : "";
  return isOfArguments ? member[equals - 1].text : "";
}

// Takes the constants that nothing names out of structs, and the arguments with a default.
static void dropUnused(SourceParts &parts, const Reached &reached) {
  std::set<std::string> named;
  for (size_t i = 0; i < parts.templates.size(); ++i)
    if (reached.isKept[i])
      addNamed(parts.templates[i].tokens, named);
  for (const auto *list : {&parts.kernels, &parts.own})
    for (const Declaration &d : *list)
      addNamed(d.tokens, named);
  for (size_t i = 0; i < parts.templates.size(); ++i)
    if (Declaration &d = parts.templates[i]; reached.isKept[i] && d.kind == Declaration::Kind::type)
      eraseMembers(d.tokens, [&](llvm::ArrayRef<Token> member) {
        const std::string name = nameOfDefault(member, llvm::StringRef(d.name).ends_with("Args"));
        const bool isConstant = member[0] == "enum";
        return !name.empty() && !named.contains((isConstant ? "::" : ".") + name) &&
               llvm::count_if(d.tokens, [&](const Token &token) { return token == name; }) == 1;
      });
}

static void decideAll(SourceParts &parts, const Numbers &numbers,
                      const std::map<std::string, std::set<int64_t>> &members) {
  for (Declaration &d : parts.templates) {
    Numbers own = numbers;
    if (d.isTemplate())
      for (const Tokens &parameter : d.templateParameters())
        for (const auto &[name, values] : members)
          if (values.size() == 1)
            own[parameter.back().text + "::" + name] = *values.begin();
    decide(d.tokens, std::move(own));
  }
  llvm::erase_if(parts.templates,
                 [](const Declaration &d) { return d.tokens.empty(); }); // an assertion
}

constexpr const char *kStreamed = "streamed";

static bool namesStreamed(const Declaration &d) {
  return llvm::any_of(d.tokens, [](const Token &token) { return token == kStreamed; });
}

static std::string textFor(llvm::StringRef source, llvm::StringRef architecture) {
  const Tokens tokens = tokensOf(source);
  if (includedBy(source).empty() || !isBalanced(tokens))
    return source.str();
  SourceParts parts;
  parts.arch = cudaArchOf(architecture);
  readTemplates(parts, source);
  const std::vector<PlanNumbers> plans = readSource(parts, tokens);

  Numbers numbers = putPlans(parts, plans);
  for (Declaration &kernel : parts.kernels)
    dropNamespace(kernel);
  putOperands(parts);
  putOneVector(parts);
  if (!storesOtherwise(parts))
    putReadsY(parts, numbers);
  addSizes(parts.types, numbers);
  addEnumerators(parts, numbers);
  decideAll(parts, numbers, {});
  decideAll(parts, numbers, membersOf(parts, reachedIn(parts)));
  dropUnused(parts, reachedIn(parts));
  for (Declaration &d : parts.templates)
    putOnDevice(d);
  Reached reached = reachedIn(parts);
  for (Declaration &kernel : parts.kernels)
    putInOrder(kernel, parts.templates);
  for (size_t i = 0; i < parts.templates.size(); ++i) // if braces took its place
    if (parts.templates[i].name == kStreamed && llvm::none_of(parts.kernels, namesStreamed))
      reached.isKept[i] = false;
  return headOfText(source, tokens, numbers) + textOfReached(parts, reached);
}

} // namespace specmv::source

namespace specmv {

std::string specializedText(llvm::StringRef source, llvm::StringRef architecture) {
  return specmv::source::textFor(source, architecture);
}

} // namespace specmv
