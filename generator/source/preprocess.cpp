// Evaluates conditions on the architecture and expands macros.
#include "generator/source/preprocess.h"

#include "generator/source/constants.h"

#include "llvm/ADT/STLExtras.h"

namespace specmv::source {

int cudaArchOf(llvm::StringRef architecture) {
  int number = 0;
  if (!architecture.consume_front("sm_") || architecture.consumeInteger(10, number))
    return 0;
  return number * 10;
}

// Lines of a body are as far in as those of a declaration.
static void unindent(Tokens &body) {
  constexpr llvm::StringLiteral kIndent = "\n  ";
  for (Token &token : body)
    if (llvm::StringRef(token.before).starts_with(kIndent))
      token.before.erase(1, kIndent.size() - 1);
}

static Macro macroOf(llvm::ArrayRef<Token> definition) {
  Macro out;
  const size_t end = closingOf(definition, 1);
  for (const Tokens &parameter : splitAtCommas(definition.slice(2, end - 2)))
    out.parameters.push_back(parameter[0].text);
  out.body.assign(definition.begin() + end + 1, definition.end());
  unindent(out.body);
  return out;
}

static Tokens expanded(llvm::ArrayRef<Token> tokens, const Macros &macros);

static Tokens expandedMacro(const Macro &macro, const std::vector<Tokens> &arguments,
                            const Macros &macros) {
  Tokens out;
  for (const Token &token : macro.body) {
    const auto found = llvm::find(macro.parameters, token.text);
    if (found == macro.parameters.end()) {
      out.push_back(token);
      continue;
    }
    const Tokens &argument = arguments[found - macro.parameters.begin()];
    const size_t first = out.size();
    out.insert(out.end(), argument.begin(), argument.end());
    out[first].before = token.before;
  }
  return expanded(out, macros);
}

// Adjacent strings become one.
static void append(Tokens &out, const Tokens &more) {
  for (const Token &token : more)
    if (token.kind == Token::Kind::string && !out.empty() &&
        out.back().kind == Token::Kind::string) {
      out.back().text.pop_back();
      out.back().text += token.text.substr(1);
    } else {
      out.push_back(token);
    }
}

static Tokens expanded(llvm::ArrayRef<Token> tokens, const Macros &macros) {
  Tokens out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto found = tokens[i].isWord() ? macros.find(tokens[i].text) : macros.end();
    if (found == macros.end() || i + 1 == tokens.size() || !(tokens[i + 1] == "(")) {
      append(out, {tokens[i]});
      continue;
    }
    const size_t end = closingOf(tokens, i + 1);
    Tokens made =
        expandedMacro(found->second, splitAtCommas(tokens.slice(i + 2, end - i - 2)), macros);
    if (!made.empty())
      made[0].before = tokens[i].before;
    append(out, made);
    i = end;
  }
  return out;
}

namespace {
// A condition whose end has not been reached.
struct Condition {
  bool isTaken;  // its lines are read
  bool wasTaken; // these or those of an earlier branch
};
} // namespace

// Code for the host declares shared memory in a way of its own (templates/shared/device.cuh).
static bool isDefined(const Tokens &words, int arch, const Macros &macros) {
  const bool isOfHost = words[1] == "SPECMV_SHARED_ARRAY" && arch == 0;
  return isOfHost || macros.contains(words[1].text);
}

// Evaluates the condition of an #if or #elif.
static bool holds(const Tokens &words, int arch) {
  Tokens condition;
  for (size_t i = 1; i < words.size(); ++i)
    if (words[i] == "defined") { // which only __CUDA_ARCH__ is asked for
      condition.push_back({Token::Kind::word, arch > 0 ? "true" : "false", " "});
      i += 3;
    } else {
      condition.push_back(words[i]);
    }
  return evaluated(condition, {{"__CUDA_ARCH__", arch}}).value_or(0) != 0;
}

static std::string withoutBackslashes(llvm::StringRef directive) {
  std::string out = directive.str();
  for (size_t at = 0; (at = out.find("\\\n", at)) != std::string::npos; ++at) {
    size_t begin = at;
    while (begin > 0 && out[begin - 1] == ' ')
      --begin;
    out.erase(begin, at + 1 - begin);
    at = begin;
  }
  return out;
}

static void define(const Tokens &words, Macros &macros) {
  macros[words[1].text] = macroOf(llvm::ArrayRef<Token>(words).drop_front());
}

Tokens preprocessed(Tokens tokens, int arch, Macros &macros) {
  Tokens out, pending;
  std::vector<Condition> open;
  const auto isRead = [&] { return llvm::all_of(open, [](auto &c) { return c.isTaken; }); };
  const auto flush = [&] {
    append(out, expanded(pending, macros));
    pending.clear();
  };
  const auto flushWithoutComment = [&] { // which tells of a macro
    while (!pending.empty() && pending.back().isComment())
      pending.pop_back();
    flush();
  };
  for (Token &token : tokens) {
    if (token.kind != Token::Kind::directive) {
      if (isRead())
        pending.push_back(std::move(token));
      continue;
    }
    const Tokens words = tokensOf(withoutBackslashes(llvm::StringRef(token.text).drop_front()));
    const llvm::StringRef what = words[0].text;
    if (what == "if" || what == "ifdef" || what == "ifndef") {
      const bool taken =
          what == "if" ? holds(words, arch) : isDefined(words, arch, macros) == (what == "ifdef");
      open.push_back({taken, taken});
    } else if (what == "elif" || what == "else") {
      Condition &last = open.back();
      last.isTaken = !last.wasTaken && (what == "else" || holds(words, arch));
      last.wasTaken |= last.isTaken;
    } else if (what == "endif") {
      open.pop_back();
    } else if (isRead() && what == "pragma" && words[1] == "unroll") {
      pending.push_back(std::move(token));
    } else if (isRead() && what == "define") {
      flushWithoutComment();
      define(words, macros);
    } else if (isRead() && what == "undef") {
      flush();
      macros.erase(words[1].text);
    }
  }
  flush();
  return out;
}

} // namespace specmv::source
