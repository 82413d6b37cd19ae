// Takes parameters and arguments out of their lists.
#include "generator/source/lists.h"

namespace specmv::source {

void eraseFromList(Tokens &tokens, size_t open, size_t at, size_t count) {
  const auto begin = tokens.begin() + at;
  if (tokens[at + count] == ",") {
    const std::string before = tokens[at].before;
    tokens[at + count + 1].before = before;
    tokens.erase(begin, begin + count + 1);
  } else if (at > open + 1) {
    tokens.erase(begin - 1, begin + count);
  } else {
    tokens.erase(tokens.begin() + open, begin + count + 1);
  }
}

void eraseParameter(Declaration &d, const Tokens &parameter) {
  const size_t end = closingOf(d.tokens, 1);
  for (size_t i = 2; i + parameter.size() <= end; ++i)
    if (std::equal(parameter.begin(), parameter.end(), d.tokens.begin() + i,
                   [](const Token &a, const Token &b) { return a.text == b.text; })) {
      eraseFromList(d.tokens, 1, i, parameter.size());
      break;
    }
  if (!(d.tokens[1] == "<")) {
    d.tokens[1].before = d.tokens[0].before;
    d.tokens.erase(d.tokens.begin());
  }
}

} // namespace specmv::source
