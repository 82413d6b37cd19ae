// Takes the branches that are not taken out of declarations.
#include "generator/source/decided.h"

namespace specmv::source {

// The index of the next token that is no comment.
static size_t behindComments(llvm::ArrayRef<Token> tokens, size_t at) {
  while (at < tokens.size() && tokens[at].isComment())
    ++at;
  return at;
}

// The index behind the statement that begins here.
static size_t endOfStatement(llvm::ArrayRef<Token> tokens, size_t at) {
  while (tokens[at].isComment() || tokens[at].kind == Token::Kind::directive)
    ++at;
  if (tokens[at] == "{")
    return closingOf(tokens, at) + 1;
  if (tokens[at] == "if" || tokens[at] == "for" || tokens[at] == "while") {
    size_t open = at + 1;
    while (!(tokens[open] == "("))
      ++open;
    size_t end = endOfStatement(tokens, closingOf(tokens, open) + 1);
    if (tokens[at] == "if")
      if (const size_t next = behindComments(tokens, end);
          next < tokens.size() && tokens[next] == "else")
        end = endOfStatement(tokens, next + 1);
    return end;
  }
  while (!(tokens[at] == ";")) {
    if (tokens[at] == "(" || tokens[at] == "{" || tokens[at] == "[")
      at = closingOf(tokens, at);
    ++at;
  }
  return at + 1;
}

static size_t indentOf(llvm::StringRef before) { return before.size() - before.rfind('\n') - 1; }

// The statement without its braces, as far in as the one that it replaces.
static Tokens unwrapped(llvm::ArrayRef<Token> statement, const std::string &before) {
  Tokens out = statement.vec();
  if (out[0] == "{")
    out = statement.slice(1, statement.size() - 2).vec();
  if (out.empty())
    return out;
  const size_t wanted = indentOf(before);
  size_t own = wanted;
  for (const Token &token : out)
    if (llvm::StringRef(token.before).contains('\n')) {
      own = indentOf(token.before);
      break;
    }
  if (own > wanted)
    for (Token &token : out)
      if (llvm::StringRef(token.before).contains('\n') && indentOf(token.before) >= own - wanted)
        token.before.resize(token.before.size() - (own - wanted));
  out[0].before = before;
  return out;
}

static void decideIf(Tokens &all, size_t at, const Numbers &numbers) {
  const size_t open = at + 2, close = closingOf(all, open);
  const auto value =
      evaluated(llvm::ArrayRef<Token>(all).slice(open + 1, close - open - 1), numbers);
  if (!value)
    return;
  const size_t end = endOfStatement(all, close + 1), next = behindComments(all, end);
  const bool hasElse = next < all.size() && all[next] == "else";
  const size_t otherwise = hasElse ? endOfStatement(all, next + 1) : end;
  Tokens taken;
  const llvm::ArrayRef<Token> whole = all;
  if (*value)
    taken = unwrapped(whole.slice(close + 1, end - close - 1), all[at].before);
  else if (hasElse)
    taken = unwrapped(whole.slice(next + 1, otherwise - next - 1), all[at].before);
  all.erase(all.begin() + at, all.begin() + otherwise);
  all.insert(all.begin() + at, taken.begin(), taken.end());
}

void decide(Tokens &all, const Numbers &numbers) {
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    if (all[i] == "if" && all[i + 1] == "constexpr") {
      const size_t before = all.size();
      decideIf(all, i, numbers);
      if (all.size() != before && i > 0)
        --i; // what took its place may begin with another one
    } else if (all[i] == "static_assert") {
      const size_t close = closingOf(all, i + 1);
      const std::vector<Tokens> parts =
          splitAtCommas(llvm::ArrayRef<Token>(all).slice(i + 2, close - i - 2));
      if (evaluated(parts[0], numbers).value_or(0)) {
        all.erase(all.begin() + i, all.begin() + close + 2);
        --i;
      }
    }
  }
}

static void insertDevice(Tokens &tokens, size_t at) {
  tokens.insert(tokens.begin() + at, {Token::Kind::word, "__device__", tokens[at].before});
  tokens[at + 1].before = " ";
}

void putOnDevice(Declaration &d) {
  Tokens &all = d.tokens;
  if (d.kind == Declaration::Kind::function) {
    if (const size_t at = d.behindTemplate(); !(all[at] == "__device__"))
      insertDevice(all, at);
    return;
  }
  if (d.kind != Declaration::Kind::type)
    return;
  size_t depth = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    depth += all[i] == "{" ? 1 : 0;
    depth -= all[i] == "}" ? 1 : 0;
    if (depth == 1 && all[i] == "constexpr" && !(all[i - 1] == "static") &&
        !(all[i - 1] == "__device__"))
      insertDevice(all, i++);
  }
}

} // namespace specmv::source
