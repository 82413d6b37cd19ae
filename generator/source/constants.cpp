// Evaluates expressions by precedence climbing.
#include "generator/source/constants.h"

namespace specmv::source {

namespace {
using Number = std::optional<int64_t>;

struct Operator {
  llvm::StringLiteral text;
  int precedence;
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                                   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                                   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
constexpr int kTightest = 11;

class Expression {
public:
  Expression(llvm::ArrayRef<Token> tokens, const Numbers &numbers)
      : tokens_(tokens), numbers_(numbers) {}

  Number value() {
    const Number out = ternary();
    return isWrong_ || at_ != tokens_.size() ? Number() : out;
  }

private:
  llvm::StringRef next(size_t distance = 0) const {
    return at_ + distance < tokens_.size() ? llvm::StringRef(tokens_[at_ + distance].text) : "";
  }
  bool take(llvm::StringRef text) {
    if (next() != text)
      return false;
    ++at_;
    return true;
  }
  Number wrong() {
    isWrong_ = true;
    return {};
  }

  Number ternary() {
    const Number condition = binary(1);
    if (!take("?"))
      return condition;
    const Number yes = ternary();
    if (!take(":"))
      return wrong();
    const Number no = ternary();
    if (!condition)
      return {};
    return *condition ? yes : no;
  }

  // A shift to the right is two tokens.
  const Operator *nextOperator() const {
    const llvm::StringRef text = next() == ">" && next(1) == ">" ? ">>" : next();
    for (const Operator &each : kOperators)
      if (each.text == text)
        return &each;
    return nullptr;
  }

  Number binary(int least) {
    if (least == kTightest)
      return unary();
    Number left = binary(least + 1);
    while (const Operator *which = nextOperator()) {
      if (which->precedence != least)
        break;
      at_ += which->text == ">>" ? 2 : 1;
      const Number right = binary(least + 1);
      left = combined(which->text, left, right);
    }
    return left;
  }

  static Number combined(llvm::StringRef what, Number a, Number b) {
    if (what == "&&" && ((a && !*a) || (b && !*b)))
      return 0;
    if (what == "||" && ((a && *a) || (b && *b)))
      return 1;
    if (!a || !b)
      return {};
    if ((what == "/" || what == "%") && *b == 0)
      return {};
    return what == "||" || what == "&&" ? 1 * (what == "&&")
           : what == "|"                ? *a | *b
           : what == "^"                ? *a ^ *b
           : what == "&"                ? *a & *b
           : what == "=="               ? *a == *b
           : what == "!="               ? *a != *b
           : what == "<"                ? *a < *b
           : what == ">"                ? *a > *b
           : what == "<="               ? *a <= *b
           : what == ">="               ? *a >= *b
           : what == "<<"               ? *a << *b
           : what == ">>"               ? *a >> *b
           : what == "+"                ? *a + *b
           : what == "-"                ? *a - *b
           : what == "*"                ? *a * *b
           : what == "/"                ? *a / *b
                                        : *a % *b;
  }

  Number unary() {
    if (take("-")) {
      const Number of = unary();
      return of ? Number(-*of) : of;
    }
    if (take("!")) {
      const Number of = unary();
      return of ? Number(*of == 0) : of;
    }
    return primary();
  }

  // A call, a cast or a template has no number: its tokens are left, which makes the whole unknown.
  Number primary() {
    if (take("(")) {
      const Number inner = ternary();
      return take(")") ? inner : wrong();
    }
    if (at_ == tokens_.size())
      return wrong();
    const Token &token = tokens_[at_++];
    if (token.kind == Token::Kind::number) {
      int64_t number = 0;
      llvm::StringRef digits = token.text;
      const bool isInteger = !digits.consumeInteger(0, number);
      return isInteger && digits.ltrim("uUlL").empty() ? Number(number) : wrong();
    }
    if (!token.isWord())
      return wrong();
    if ((token == "int" || token == "Int64") && (next() == "(" || next() == "{")) { // a cast
      const llvm::StringRef closer = next() == "(" ? ")" : "}";
      ++at_;
      const Number inner = ternary();
      return take(closer) ? inner : wrong();
    }
    std::string name = token.text;
    while (next() == "::" || next() == ".") {
      name += next().str() + next(1).str();
      at_ += 2;
    }
    if (name == "sizeof" && next() == "(") {
      const size_t end = closingOf(tokens_, at_);
      name += textOf(tokens_.slice(at_, std::min(end + 1, tokens_.size()) - at_));
      at_ = std::min(end + 1, tokens_.size());
    }
    if (name == "true" || name == "false")
      return name == "true";
    skipArguments();
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? Number() : Number(found->second);
  }

  // Skips the arguments of a call or a template, so that `x<3>(y) && false` is read to its end.
  void skipArguments() {
    for (const llvm::StringRef open : {"<", "(", "{", "["})
      if (next() == open)
        if (const size_t end = closingOf(tokens_, at_); end < tokens_.size())
          if (open != "<" ||
              (end + 1 < tokens_.size() && (tokens_[end + 1] == "(" || tokens_[end + 1] == "::")))
            at_ = end + 1;
    while (next() == "::")
      at_ += 2;
  }

  llvm::ArrayRef<Token> tokens_;
  const Numbers &numbers_;
  size_t at_ = 0;
  bool isWrong_ = false;
};
} // namespace

std::optional<int64_t> evaluated(llvm::ArrayRef<Token> expression, const Numbers &numbers) {
  return Expression(expression, numbers).value();
}

} // namespace specmv::source
