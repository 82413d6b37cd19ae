// Finds what is reached, from the kernels backwards, and prints it as it stood in the templates.
#include "generator/source/printed.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace specmv::source {

// --- Reach ---------------------------------------------------------------------------------------

// Finds what is reached, from the kernels backwards.

std::vector<Tokens> enumeratorsOf(const Declaration &d) {
  return splitAtCommas(insideOf(d.tokens, indexOf(d.tokens, "{")));
}

namespace {
class ReachSearch {
public:
  explicit ReachSearch(const SourceParts &parts) : parts_(parts) {}

  Reached run() {
    for (const Declaration &d : parts_.templates) {
      if (d.kind == Declaration::Kind::type)
        types_.insert(d.name);
      ++namesakes_[d.name];
    }
    for (const auto *list : {&parts_.kernels, &parts_.own})
      for (const Declaration &d : *list) {
        use(d.tokens);
        addElements(d.tokens);
      }
    out_.isKept.assign(parts_.templates.size(), false);
    hasPointerToY_ = parts_.types.empty();
    for (const Declaration &kernel : parts_.kernels) // with operands of its own
      hasPointerToY_ |= indexOf(kernel.tokens, "Operands") < kernel.tokens.size();
    for (const auto &[name, type] : parts_.types)
      hasPointerToY_ |= name == "Y" && llvm::StringRef(type).ends_with("*");
    for (bool isNew = true; isNew;) {
      isNew = addDeclarations();
      isNew |= addTypeNames();
    }
    return std::move(out_);
  }

private:
  bool addDeclarations() {
    bool isNew = false;
    for (size_t i = 0; i < parts_.templates.size(); ++i)
      if (const Declaration &d = parts_.templates[i]; !out_.isKept[i] && isReached(d)) {
        out_.isKept[i] = isNew = true;
        keep(d);
      }
    return isNew;
  }

  bool addTypeNames() {
    const size_t before = out_.names.size();
    for (const auto &[name, type] : parts_.types)
      if (out_.has(name))
        use(tokensOf(type));
    return out_.names.size() > before;
  }

  void keep(const Declaration &d) {
    if (d.kind == Declaration::Kind::numbers) {
      for (const Tokens &one : enumeratorsOf(d))
        if (out_.has(one[0].text))
          use(one);
      return;
    }
    std::set<std::string> own; // the parameters of its template are no names of the file
    for (const Tokens &parameter : d.templateParameters())
      own.insert(parameter.size() > 1 ? parameter[1].text : "");
    use(d.tokens, own);
    if (d.kind == Declaration::Kind::type) {
      reachedTypes_.insert(d.name);
      hasPointerToY_ |= hasMemberY(d.tokens);
    }
    if (d.kind != Declaration::Kind::alias)
      addElements(d.tokens);
  }

  // A directive may name the number by which a loop is unrolled.
  void use(llvm::ArrayRef<Token> tokens, const std::set<std::string> &except = {}) {
    for (const Token &token : tokens) {
      if (token.isWord() && !except.contains(token.text))
        out_.names.insert(token.text);
      if (token.kind == Token::Kind::directive)
        for (const Token &each : tokensOf(llvm::StringRef(token.text).drop_front()))
          out_.names.insert(each.text);
    }
  }

  bool isReached(const Declaration &d) const {
    if (d.kind == Declaration::Kind::numbers)
      return llvm::any_of(enumeratorsOf(d),
                          [&](const Tokens &one) { return out_.has(one[0].text); });
    if (d.name != kOperator && !out_.has(d.name))
      return false;
    if (d.kind == Declaration::Kind::function && namesakes_.at(d.name) > 1 &&
        !(d.isTemplate() ? hasPointerToY(d) : hasElements(d)))
      return false;
    return llvm::all_of(d.condition(), [&](const std::string &word) {
      return word == d.name || !types_.contains(word) || reachedTypes_.contains(word);
    });
  }

  // --- Built-in types: an overload for one that no array and no value has is left out

  // The built-in type that begins at a token, as it is written or as a name of the file has it; ""
  // if there is none. `end` is behind it.
  std::string builtInAt(llvm::ArrayRef<Token> tokens, size_t at, size_t &end) const {
    static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kNames[] = {
        {"Int8", "unsigned char"},
        {"Int16", "unsigned short"},
        {"Int32", "int"},
        {"Int64", "long long"}};
    end = at + 1;
    for (const auto &[name, type] : kNames)
      if (tokens[at] == name)
        return type.str();
    for (const auto &[name, type] : parts_.types)
      if (tokens[at] == name)
        return tokensOf(type).size() <= 2 ? type : "";
    std::string type;
    for (end = at; end < tokens.size() && isBuiltIn(tokens[end]); ++end)
      type += (type.empty() ? "" : " ") + tokens[end].text;
    end = std::max(end, at + 1);
    return type;
  }
  static bool isBuiltIn(const Token &token) {
    static constexpr llvm::StringLiteral kWords[] = {"float", "double", "char",     "short",
                                                     "long",  "int",    "unsigned", "uint4"};
    return llvm::is_contained(kWords, llvm::StringRef(token.text));
  }

  void addElements(llvm::ArrayRef<Token> tokens) {
    for (size_t i = 0, end = 0; i < tokens.size(); i = end) {
      const std::string type = builtInAt(tokens, i, end);
      if (type.empty() || end == tokens.size())
        continue;
      values_.insert(type);
      const bool isPointer = tokens[end] == "*" || tokens[end] == "&";
      if (isPointer && isReadOnceByPointer(tokens, end))
        pointed_.insert(type);
      if (isPointer || tokens[end] == ">" || tokens[end] == ",")
        elements_.insert(type);
    }
  }
  // A struct with a member `Value *y`.
  static bool hasMemberY(llvm::ArrayRef<Token> tokens) {
    for (size_t i = 1; i + 2 < tokens.size(); ++i)
      if (tokens[i] == "Value" && tokens[i + 1] == "*" && tokens[i + 2] == "y" &&
          !(tokens[i - 1] == "const"))
        return true;
    return false;
  }
  // A kernel's parameter that becomes no view, as `col` of streamed(col, ...) does, and is no
  // vector.
  static bool isReadOnceByPointer(llvm::ArrayRef<Token> tokens, size_t pointer) {
    if (pointer + 2 >= tokens.size() || !(tokens[pointer + 1] == "__restrict__"))
      return false;
    const std::string &name = tokens[pointer + 2].text;
    if (name == "x")
      return false;
    for (size_t i = pointer + 3; i + 2 < tokens.size(); ++i)
      if (tokens[i] == "streamed" && tokens[i + 2] == name)
        return false;
    return true;
  }

  // Kernels of products read arrays of the matrix once by views, and vectors again and again; but
  // before sm_80, copies to shared memory are loads.
  bool readsByViews() const {
    constexpr int kWithCopies = 800;
    return !parts_.types.empty() && parts_.arch >= kWithCopies;
  }

  // True unless a parameter of the function has a type that nothing else has.
  bool hasElements(const Declaration &d) const {
    for (const Tokens &parameter : d.parameters()) {
      std::string type;
      const std::set<std::string> *among = nullptr;
      for (size_t i = 0, end = 0; i < parameter.size(); i = end) {
        const std::string found = builtInAt(parameter, i, end);
        type += found;
        const bool isView = parameter[i] == "Streamed" || parameter[i] == "Several";
        if (isView || parameter[i] == "*")
          among = isView || among == &elements_                                       ? &elements_
                  : llvm::StringRef(d.name).starts_with("loadOnce") && readsByViews() ? &pointed_
                                                                                      : &elements_;
        else if (!among && (found == "float" || found == "double"))
          among = &values_;
      }
      if (!type.empty() && among && !among->count(type))
        return false;
    }
    return true;
  }

  // False if the function takes a place in y by a pointer, and y is no pointer anywhere.
  bool hasPointerToY(const Declaration &d) const {
    const std::vector<Tokens> parameters = d.parameters();
    if (parameters.empty() || hasPointerToY_)
      return true;
    const Tokens &first = parameters[0];
    return !(first.size() == 3 && first[0] == "Value" && first[1] == "*" && first[2] == "y");
  }

  const SourceParts &parts_;
  Reached out_;
  std::set<std::string> types_, reachedTypes_;
  std::map<std::string, int> namesakes_;
  // The built-in types that kernels read once by plain pointers, that any array has, and all.
  std::set<std::string> pointed_, elements_, values_;
  bool hasPointerToY_ = false;
};
} // namespace

Reached reachedIn(const SourceParts &parts) { return ReachSearch(parts).run(); }

// --- Printed -------------------------------------------------------------------------------------

// Prints declarations as they stood in the templates, without what is not used.

// `which` of the types, as far as they are used.
static std::string namesText(const SourceParts &parts, const Reached &reached,
                             llvm::ArrayRef<llvm::StringRef> which) {
  std::string out;
  for (const auto &[name, type] : parts.types)
    if (llvm::is_contained(which, name) && reached.has(name))
      out += "using " + name + " = " + type + ";\n";
  return out;
}

static std::string enumerationText(const Declaration &d, const Reached &reached) {
  const std::vector<Tokens> enumerators = enumeratorsOf(d);
  if (enumerators.size() == 1)
    return trimmedTextOf(d.tokens);
  std::vector<std::string> used;
  for (const Tokens &one : enumerators)
    if (reached.has(one[0].text))
      used.push_back(trimmedTextOf(one));
  const size_t open = indexOf(d.tokens, "{");
  return trimmedTextOf(llvm::ArrayRef<Token>(d.tokens).take_front(open)) + " { " +
         llvm::join(used, ", ") + " };";
}

// The parameters of a function in lines that begin under the first of them.
static Tokens aligned(const Declaration &d) {
  Tokens out = d.tokens;
  const size_t open = d.openOfParameters();
  if (d.kind != Declaration::Kind::function || open >= out.size())
    return out;
  const std::string head = textOf(llvm::ArrayRef<Token>(out).take_front(open + 1));
  const size_t column = head.size() - (head.rfind('\n') + 1);
  for (size_t i = open + 2, end = closingOf(out, open); i < end; ++i)
    if (llvm::StringRef(out[i].before).contains('\n'))
      out[i].before = "\n" + std::string(column, ' ');
  return out;
}

static std::string textOfDeclaration(const Declaration &d, const Reached &reached) {
  std::string out;
  for (const Token &line : d.comment)
    out += line.text + "\n";
  return out +
         (d.kind == Declaration::Kind::numbers ? enumerationText(d, reached)
                                               : trimmedTextOf(aligned(d))) +
         "\n";
}

// Removes spaces at the ends of lines and in front of what follows a statement on its line, empty
// lines behind the first, and those at the begin of a block.
static std::string tidied(const std::string &text) {
  std::string out;
  bool isOpen = false;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n')) {
    if (line.trim().empty() && (out.empty() || isOpen || llvm::StringRef(out).ends_with("\n\n")))
      continue;
    isOpen = line.ends_with("{");
    llvm::StringRef behind;
    if (const size_t comment = line.find("  //"); !line.trim().starts_with("//"))
      std::tie(line, behind) = std::pair(line.take_front(comment),
                                         line.drop_front(std::min(comment, line.size())).trim());
    out += line.rtrim().str() + (behind.empty() ? "" : " " + behind.str()) + "\n";
  }
  return out;
}

// `using Int64 = long long;`, which is printed with the types of the operands.
static bool isNameOfNumber(const Declaration &d) {
  return d.kind == Declaration::Kind::alias && !d.isTemplate() &&
         llvm::StringRef(d.name).starts_with("Int");
}

std::string textOfReached(const SourceParts &parts, const Reached &reached) {
  const std::string views = namesText(parts, reached, {"Values", "Columns", "X", "Y"});
  std::string out =
      "\nnamespace specmv {\n\n" + namesText(parts, reached, {"Value", "Offset", "Column"});
  for (size_t i = 0; i < parts.templates.size(); ++i)
    if (reached.isKept[i] && isNameOfNumber(parts.templates[i]))
      out += textOfDeclaration(parts.templates[i], reached);
  out += "\n";
  bool hasViews = false, isNext = true; // to the last one that was printed
  const auto addViews = [&] {           // with the types of a fused step, which they may name
    for (const Declaration &d : parts.own)
      out += textOfDeclaration(d, reached) + "\n";
    out += views + "\n";
    hasViews = true;
  };
  for (size_t i = 0; i < parts.templates.size(); ++i) {
    const Declaration &d = parts.templates[i];
    isNext = isNext && d.isNext;
    if (!reached.isKept[i] || isNameOfNumber(d))
      continue;
    if (!hasViews && d.isOfFormat)
      addViews();
    if (isNext && llvm::StringRef(out).ends_with("\n\n"))
      out.pop_back();
    isNext = true;
    out += textOfDeclaration(d, reached) + "\n";
  }
  if (!hasViews)
    addViews();
  for (const Declaration &d : parts.kernels)
    out += textOfDeclaration(d, reached) + "\n";
  return tidied(out + "} // namespace specmv\n");
}

} // namespace specmv::source
