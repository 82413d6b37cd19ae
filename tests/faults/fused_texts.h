// Random descriptions of fused steps that may be wrong: texts of the language with small changes,
// the steps of specmv_fused.h with changes, and noise.
#pragma once

#include "generator/fusion/tokens.h"
#include "tests/api/ready_fusions.h"
#include "tests/faults/valid_texts.h"

namespace specmv::testing {

class RandomTexts {
public:
  explicit RandomTexts(uint64_t seed) : random_(seed) {}

  // Sometimes the lists of names are changed, too.
  FusedTexts next(bool changesNames) {
    switch (random_.below(8)) {
    case 0:
      return noise();
    case 1:
    case 2:
      return changed(
          FusedTexts(apitest::readyFusions()[random_.below(apitest::readyFusions().size())]),
          changesNames);
    default:
      return changed(ValidTexts(random_, false).next(), changesNames);
    }
  }

private:
  std::string character() {
    return std::string(1, static_cast<char>(random_.below(4) == 0 ? 1 + random_.below(255)
                                                                  : ' ' + random_.below(95)));
  }
  std::string piece() {
    return random_.below(3) == 0 ? character()
                                 : random_.oneOf({"%>",
                                                  "<%",
                                                  "<:",
                                                  ":>",
                                                  "/*",
                                                  "*/",
                                                  "//",
                                                  "\\\n",
                                                  "\n",
                                                  "{",
                                                  "}",
                                                  "(",
                                                  ")",
                                                  "[",
                                                  "]",
                                                  ";",
                                                  ",",
                                                  "#",
                                                  "\"",
                                                  "'",
                                                  "%:",
                                                  "?\?/",
                                                  "for",
                                                  " if ",
                                                  " else ",
                                                  "=",
                                                  "ax",
                                                  "i",
                                                  "j",
                                                  "real ",
                                                  "const ",
                                                  "return",
                                                  "1e",
                                                  "0x",
                                                  "..",
                                                  "::",
                                                  "->",
                                                  "[]",
                                                  "[&]",
                                                  "()",
                                                  "auto ",
                                                  "int ",
                                                  "sizeof ",
                                                  "*",
                                                  "&",
                                                  "__asm",
                                                  "this",
                                                  "x",
                                                  "p",
                                                  "/*/",
                                                  "\r",
                                                  "\t",
                                                  "vector0",
                                                  " bitand ",
                                                  " or ",
                                                  " not ",
                                                  "alignas(16) ",
                                                  " sumOfThreads(",
                                                  "threadIdx",
                                                  "kSums",
                                                  "run(",
                                                  "static ",
                                                  "volatile ",
                                                  "constexpr ",
                                                  "co_await ",
                                                  "memcpy(",
                                                  "blockIdx",
                                                  "NULL",
                                                  "\xff",
                                                  "\xc3\xa9",
                                                  "0",
                                                  "1",
                                                  "2.5f",
                                                  "3000000000",
                                                  "1e999",
                                                  " % ",
                                                  " / ",
                                                  " ? ",
                                                  " : ",
                                                  " < ",
                                                  "++",
                                                  "--",
                                                  "+=",
                                                  "fmax(",
                                                  "pow(",
                                                  "min(",
                                                  "ratio(",
                                                  "abs(",
                                                  "(real)",
                                                  "bool ",
                                                  "sqrt(",
                                                  "unsigned ",
                                                  "double ",
                                                  "float ",
                                                  "(long long)",
                                                  "!"});
  }
  // Puts a token in the place of another one, so that most texts stay statements.
  void exchange(std::string &text) {
    std::vector<Token> all;
    Tokens tokens(text);
    for (Token token = tokens.next(); !token.text.empty(); token = tokens.next())
      all.push_back(token);
    if (all.empty())
      return;
    const std::string other = all[random_.below(all.size())].text.str();
    const llvm::StringRef place = all[random_.below(all.size())].text;
    text.replace(static_cast<size_t>(place.data() - text.data()), place.size(), other);
  }
  void change(std::string &text) {
    const size_t at = random_.below(text.size() + 1);
    switch (random_.below(12)) {
    case 0:
      text.insert(at, piece());
      return;
    case 1:
      text.erase(at, 1 + random_.below(12));
      return;
    case 2:
      text.replace(at, random_.below(4), piece());
      return;
    case 3:
      text.insert(at, text.substr(random_.below(text.size() + 1), random_.below(20)));
      return;
    default:
      exchange(text);
    }
  }
  FusedTexts changed(FusedTexts out, bool changesNames) {
    for (size_t left = random_.below(3); left > 0; --left)
      switch (random_.below(changesNames ? 8 : 6)) {
      case 0:
        change(out.x);
        break;
      case 6:
        change(random_.below(2) == 0 ? out.vectors : out.written);
        break;
      case 7:
        change(random_.below(2) == 0 ? out.sums : out.gpuScalars);
        break;
      default:
        change(out.epilogue);
      }
    return out;
  }
  FusedTexts noise() {
    FusedTexts out = ValidTexts(random_, false).next();
    std::string &text = random_.below(4) == 0 ? out.x : out.epilogue;
    if (random_.below(2) == 0)
      text.clear();
    for (size_t left = 1 + random_.below(40); left > 0; --left)
      text += piece();
    return out;
  }

  RandomNumbers random_;
};

} // namespace specmv::testing
