// Random descriptions of fused steps: by a grammar, by changes of those in specmv_fused.h, and
// noise.
#pragma once

#include "tests/api/ready_fusions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv::testing {

// The texts of specmvFusion_t.
struct FusedTexts {
  std::string x, epilogue, vectors, written, scalars, gpuScalars, sums;

  FusedTexts() = default;
  explicit FusedTexts(const specmvFusion_t &f)
      : x(textOf(f.x)), epilogue(textOf(f.epilogue)), vectors(textOf(f.vectors)),
        written(textOf(f.written)), scalars(textOf(f.scalars)), gpuScalars(textOf(f.gpuScalars)),
        sums(textOf(f.sums)) {}
  specmvFusion_t description() const {
    return {sizeof(specmvFusion_t), x.c_str(),       epilogue.c_str(),   vectors.c_str(),
            written.c_str(),        scalars.c_str(), gpuScalars.c_str(), sums.c_str()};
  }
  std::string shown() const {
    return "x: " + x + "\nepilogue: " + epilogue + "\nvectors: " + vectors +
           "\nwritten: " + written + "\nscalars: " + scalars + "\ngpuScalars: " + gpuScalars +
           "\nsums: " + sums;
  }

private:
  static std::string textOf(const char *text) { return text ? text : ""; }
};

class RandomTexts {
public:
  explicit RandomTexts(uint64_t seed) : state_(seed) {}

  FusedTexts next() {
    switch (below(4)) {
    case 0:
      return byGrammar();
    case 1:
      return changed(2, false);
    case 2:
      return changed(2, true);
    default:
      return noise();
    }
  }

private:
  // Knuth's MMIX constants, so that every machine gets the same texts.
  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % n;
  }
  template <size_t n> std::string oneOf(const char *const (&all)[n]) { return all[below(n)]; }

  std::string value() {
    return oneOf({"p", "q", "r", "a", "b", "ax", "t", "s", "1", "2.5f", "1e-3", "i", "real(i)"});
  }
  // Few operators that numbers do not have, since the others are to be compiled.
  std::string expression(int depth) {
    if (below(40) == 0)
      return oneOf({"~", "*", "&", "1 % ", "ax >> "}) + value();
    if (depth == 0 || below(3) == 0)
      return value();
    switch (below(5)) {
    case 0:
      return "(" + expression(depth - 1) + ")";
    case 1:
      return oneOf({"-", "!", "fabs", "sqrt", "(real)"}) + "((real)" + expression(depth - 1) + ")";
    case 2:
      return expression(depth - 1) + " ? " + expression(depth - 1) + " : " + expression(depth - 1);
    default:
      return expression(depth - 1) + oneOf({" + ", " - ", " * ", " / ", " < ", " == ", " && "}) +
             expression(depth - 1);
    }
  }
  std::string statement(int depth) {
    switch (below(depth > 0 ? 7 : 4)) {
    case 0:
      return "real t" + std::to_string(below(100)) + " = " + expression(3) + ";\n";
    case 1:
      return oneOf({"q", "r", "s", "t"}) + oneOf({" = ", " += ", " *= ", " == "}) + expression(3) +
             ";\n";
    case 2:
      return "s += " + expression(2) + "; // " + value() + "\n";
    case 3:
      return "/* " + value() + "\n */ q = " + expression(2) + ";";
    case 4:
      return "if (" + expression(2) + ") " + statement(depth - 1);
    case 5:
      return "{ " + statement(depth - 1) + statement(depth - 1) + "}\n";
    default:
      return "if (" + expression(1) + ") { " + statement(depth - 1) + "} else " +
             statement(depth - 1);
    }
  }
  FusedTexts byGrammar() {
    FusedTexts out;
    out.epilogue = "real t = ax;\n";
    for (size_t left = 1 + below(5); left > 0; --left)
      out.epilogue += statement(3);
    out.epilogue += "q += 0; r += p;";
    out.x = oneOf({"p", "p + a * p", "", "p * b", "j", "2"});
    if (below(4) == 0)
      out.x = expression(2);
    out.vectors = "p, q, r";
    out.written = "q, r";
    out.scalars = "a";
    out.gpuScalars = "b";
    out.sums = "s";
    return out;
  }

  std::string character() {
    return std::string(1, static_cast<char>(below(4) == 0 ? 1 + below(255) : ' ' + below(95)));
  }
  std::string piece() {
    return below(3) == 0
               ? character()
               : oneOf({"%>",    "<%",  "<:",      ":>", "/*",     "*/",    "//",    "\\\n",
                        "\n",    "{",   "}",       "(",  ")",      "[",     "]",     ";",
                        ",",     "#",   "\"",      "'",  "%:",     "?\?/",  "for",   "if",
                        "else",  "=",   "ax",      "i",  "j",      "real",  "const", "return",
                        "1e",    "0x",  "..",      "::", "->",     "[]",    "[&]",   "()",
                        "auto ", "int", "sizeof ", "*",  "&",      "__asm", "this",  "x",
                        "p",     "/*/", "\r",      "\t", "vector0"});
  }
  void change(std::string &text, bool inPieces) {
    const size_t at = below(text.size() + 1);
    switch (below(3)) {
    case 0:
      text.insert(at, inPieces ? piece() : character());
      return;
    case 1:
      text.erase(at, 1 + below(inPieces ? 12 : 1));
      return;
    default:
      text.insert(at, text.substr(below(text.size() + 1), below(20)));
    }
  }
  FusedTexts changed(size_t most, bool inPieces) {
    FusedTexts out(apitest::readyFusions()[below(apitest::readyFusions().size())]);
    for (size_t left = 1 + below(most); left > 0; --left)
      switch (below(8)) {
      case 0:
        change(out.x, inPieces);
        break;
      case 1:
        change(below(2) == 0 ? out.vectors : out.written, inPieces);
        break;
      case 2:
        change(below(2) == 0 ? out.sums : out.gpuScalars, inPieces);
        break;
      default:
        change(out.epilogue, inPieces);
      }
    return out;
  }
  FusedTexts noise() {
    FusedTexts out = byGrammar();
    std::string &text = below(4) == 0 ? out.x : out.epilogue;
    if (below(2) == 0)
      text.clear();
    for (size_t left = 1 + below(40); left > 0; --left)
      text += piece();
    return out;
  }

  uint64_t state_;
};

} // namespace specmv::testing
