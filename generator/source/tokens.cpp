// Reads and prints tokens.
#include "generator/source/tokens.h"

#include "llvm/ADT/StringExtras.h"

namespace specmv::source {

static bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_'; }

static size_t lengthOfLine(llvm::StringRef text) { return std::min(text.find('\n'), text.size()); }

// Counts the lines that a backslash continues, too.
static size_t lengthOfDirective(llvm::StringRef text) {
  size_t end = lengthOfLine(text);
  while (end < text.size() && end > 0 && text[end - 1] == '\\')
    end += 1 + lengthOfLine(text.substr(end + 1));
  return end;
}

static size_t lengthOfQuoted(llvm::StringRef text) {
  size_t end = 1;
  while (end < text.size() && text[end] != text[0])
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

static size_t lengthOfPunctuation(llvm::StringRef text) {
  static constexpr llvm::StringLiteral kLong[] = {
      "<<=", "...", "::", "->", "<<", "<=", ">=", "==", "!=", "&&", "||",
      "+=",  "-=",  "*=", "/=", "%=", "|=", "&=", "^=", "++", "--"};
  for (const llvm::StringLiteral one : kLong)
    if (text.starts_with(one))
      return one.size();
  return 1;
}

static std::pair<Token::Kind, size_t> tokenAt(llvm::StringRef text, bool isFirstOfLine) {
  using Kind = Token::Kind;
  if (text.starts_with("//"))
    return {Kind::comment, lengthOfLine(text)};
  if (text.starts_with("/*"))
    return {Kind::comment, std::min(text.find("*/") + 2, text.size())};
  if (text[0] == '#' && isFirstOfLine)
    return {Kind::directive, lengthOfDirective(text)};
  if (text[0] == '"' || text[0] == '\'')
    return {Kind::string, lengthOfQuoted(text)};
  if (llvm::isDigit(text[0]))
    return {Kind::number, text.take_while([](char c) { return isOfWord(c) || c == '.'; }).size()};
  if (isOfWord(text[0]))
    return {Kind::word, text.take_while(isOfWord).size()};
  return {Kind::punctuation, lengthOfPunctuation(text)};
}

Tokens tokensOf(llvm::StringRef source) {
  Tokens out;
  bool isFirstOfLine = true;
  while (true) {
    const llvm::StringRef before = source.take_while(llvm::isSpace);
    source = source.drop_front(before.size());
    if (source.empty())
      return out;
    isFirstOfLine |= before.contains('\n');
    const auto [kind, length] = tokenAt(source, isFirstOfLine);
    out.push_back({kind, source.take_front(length).str(), before.str()});
    source = source.drop_front(length);
    isFirstOfLine = false;
  }
}

std::string textOf(llvm::ArrayRef<Token> tokens) {
  std::string out;
  for (const Token &token : tokens)
    out += token.before + token.text;
  return out;
}

std::string trimmedTextOf(llvm::ArrayRef<Token> tokens) {
  return llvm::StringRef(textOf(tokens)).trim().str();
}

size_t indexOf(llvm::ArrayRef<Token> tokens, llvm::StringRef text, size_t from) {
  while (from < tokens.size() && !(tokens[from] == text))
    ++from;
  return from;
}

static char closerOf(const Token &token) {
  if (token.kind != Token::Kind::punctuation || token.text.size() != 1)
    return 0;
  const size_t which = llvm::StringRef("([{<").find(token.text[0]);
  return which == llvm::StringRef::npos ? 0 : ")]}>"[which];
}

// A comparison in parentheses is no bracket: the parenthesis that closes first ends the search.
size_t closingOf(llvm::ArrayRef<Token> tokens, size_t open) {
  const char wanted = closerOf(tokens[open]);
  for (size_t i = open + 1; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.kind != Token::Kind::punctuation)
      continue;
    if (token.text.size() == 1 && token.text[0] == wanted)
      return i;
    const char closer = closerOf(token);
    if (closer && (closer != '>' || wanted == '>'))
      i = closingOf(tokens, i);
    else if (wanted == '>' && (token == ";" || token == ")" || token == "}"))
      return tokens.size();
  }
  return tokens.size();
}

llvm::ArrayRef<Token> insideOf(llvm::ArrayRef<Token> tokens, size_t open) {
  if (open >= tokens.size())
    return {};
  return tokens.slice(open + 1, closingOf(tokens, open) - open - 1);
}

bool isBalanced(llvm::ArrayRef<Token> tokens) {
  std::string open; // the brackets that are to close
  for (const Token &token : tokens) {
    if (token.kind != Token::Kind::punctuation)
      continue;
    if (const char closer = closerOf(token); closer && closer != '>')
      open += closer;
    else if (token == ")" || token == "]" || token == "}") {
      if (open.empty() || open.back() != token.text[0])
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

std::vector<Tokens> splitAtCommas(llvm::ArrayRef<Token> tokens) {
  std::vector<Tokens> out;
  if (tokens.empty())
    return out;
  out.emplace_back();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    if (token.isComment() || token.kind == Token::Kind::directive)
      continue;
    if (token == ",") {
      out.emplace_back();
      continue;
    }
    size_t end = i;
    if (closerOf(token)) {
      end = closingOf(tokens, i);
      if (end == tokens.size())
        end = i; // a comparison
    }
    out.back().insert(out.back().end(), tokens.begin() + i, tokens.begin() + end + 1);
    i = end;
  }
  if (out.back().empty()) // behind a last comma
    out.pop_back();
  return out;
}

} // namespace specmv::source
