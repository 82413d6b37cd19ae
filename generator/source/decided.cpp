// Takes the branches that are not taken out of declarations.
#include "generator/source/rewritten.h"

#include "generator/source/declarations.h"

#include "llvm/ADT/STLExtras.h"

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
  const bool isBehindElse =
      statement[0] == "if" && !llvm::StringRef(statement[0].before).contains('\n');
  for (const Token &token : out)
    if (llvm::StringRef(token.before).contains('\n') && !isBehindElse) {
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

// Replaces `condition ? a : b` by what is taken. Returns the end of what is left of it.
static size_t decideChoice(Tokens &all, size_t begin, size_t end, const Numbers &numbers) {
  const llvm::ArrayRef<Token> value = llvm::ArrayRef<Token>(all).slice(begin, end - begin);
  const size_t question = indexOf(value, "?"), colon = indexOf(value, ":", question);
  if (colon >= value.size() || indexOf(value, "?", question + 1) < value.size())
    return end;
  const auto condition = evaluated(value.take_front(question), numbers);
  if (!condition)
    return end;
  Tokens taken =
      (*condition ? value.slice(question + 1, colon - question - 1) : value.drop_front(colon + 1))
          .vec();
  taken[0].before = " ";
  all.erase(all.begin() + begin, all.begin() + end);
  all.insert(all.begin() + begin, taken.begin(), taken.end());
  return begin + taken.size();
}

// Reads the numbers of `constexpr int a = 1, b = 2;`, which decide what follows.
static void decideConstants(Tokens &all, size_t at, Numbers &numbers) {
  for (size_t i = at; i + 2 < all.size() && !(all[i] == ";"); ++i) {
    if (!all[i].isWord() || !(all[i + 1] == "="))
      continue;
    size_t end = i + 2;
    while (end < all.size() && !(all[end] == ";") && !(all[end] == ","))
      end = (all[end] == "(" || all[end] == "{" ? closingOf(all, end) : end) + 1;
    end = decideChoice(all, i + 2, end, numbers);
    if (const auto value = evaluated(llvm::ArrayRef<Token>(all).slice(i + 2, end - i - 2), numbers))
      numbers[all[i].text] = *value;
    i = end - 1;
  }
}

static bool isConstant(llvm::ArrayRef<Token> all, size_t at) {
  return all[at] == "constexpr" && at > 0 && !(all[at - 1] == "if") && !(all[at - 1] == "static") &&
         (all[at + 1] == "int" || all[at + 1] == "bool" || all[at + 1] == "Int64");
}

// A directive may name the number by which a loop is unrolled.
static bool isNamedOnce(llvm::ArrayRef<Token> all, const std::string &name) {
  return llvm::count_if(all, [&](const Token &token) {
           return token == name || (token.kind == Token::Kind::directive &&
                                    llvm::StringRef(token.text).ends_with(" " + name));
         }) == 1;
}

// Takes the constants with a number that nothing names out of a function, the last one first.
static void dropConstants(Tokens &all, const Numbers &numbers) {
  for (size_t i = all.size(); i-- > 1;) {
    if (i + 4 >= all.size() || !isConstant(all, i))
      continue;
    const size_t open = i + 1; // its type, as the bracket of a list
    for (size_t end = indexOf(all, ";", i), at = end; at > open; --at) {
      if (!(all[at - 1] == ",") && at - 1 != open)
        continue;
      const bool hasNumber =
          all[at].isWord() && all[at + 1] == "=" && numbers.contains(all[at].text);
      if (hasNumber && isNamedOnce(all, all[at].text)) {
        if (at - 1 != open)
          all.erase(all.begin() + at - 1, all.begin() + end);
        else if (all[end] == ";")
          all.erase(all.begin() + i, all.begin() + end + 1);
        else
          eraseFromList(all, open, at, end - at);
      }
      end = at - 1;
    }
  }
}

void decide(Tokens &all, Numbers numbers) {
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    if (isConstant(all, i))
      decideConstants(all, i + 1, numbers);
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
  dropConstants(all, numbers);
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
