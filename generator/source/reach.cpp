// Finds what is reached, from the kernels backwards.
#include "generator/source/reach.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::source {

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

} // namespace specmv::source
