// Random texts of fused steps that are of the language that specmv-fused(7) describes, so that each
// is allowed and compiles.
#pragma once

#include "generator/fusion/words.h"
#include "runtime/include/specmv_fused.h"

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

// Knuth's MMIX constants, so that every machine gets the same texts.
class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}
  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % n;
  }
  template <size_t n> std::string oneOf(const char *const (&all)[n]) { return all[below(n)]; }

private:
  uint64_t state_;
};

class ValidTexts {
public:
  // Without functions that need local memory in double: sin, cos and tan.
  ValidTexts(RandomNumbers &random, bool fitsRegisters)
      : random_(random), fitsRegisters_(fitsRegisters) {}

  FusedTexts next() {
    FusedTexts out;
    variables_.clear();
    names_ = {"p", "q", "r", "a", "b", "ax", "s"};
    row_ = "i";
    for (size_t left = 1 + random_.below(6); left > 0; --left)
      out.epilogue += statement(3);
    out.epilogue +=
        random_.oneOf({"q += 0; r = q + p", "r = ax, q -= p;", "{ r = q = ax; } s += p;"});
    variables_.clear();
    names_ = {"p", "a", "b", "u"};
    row_ = "j";
    out.x = random_.below(2) == 0 ? random_.oneOf({"p", " p", "", "u + b * p"}) : any(3);
    if (out.x.empty()) // there is no product
      out.epilogue = "const real ax2 = p; q = r = ax2;";
    out.vectors = "p, q, r, u";
    out.epilogue += "; // " + random_.oneOf({"\xc3\xa9", "u", "for (;;) \" ' #"}) + "\ns += u;";
    out.written = "q, r";
    out.scalars = "a";
    out.gpuScalars = "b";
    out.sums = "s";
    return out;
  }

private:
  struct Variable {
    std::string name;
    bool isReal;
  };

  std::string space() { return random_.oneOf({"", "", " ", " ", "\n", " /* p\n */ ", "\t"}); }
  std::string listed(const std::vector<std::string> &arguments) {
    std::string out = "(";
    for (const std::string &one : arguments)
      out += (out.size() > 1 ? "," + space() : "") + one;
    return out + ")";
  }

  // Returns an expression of the type of the vectors.
  std::string exact(int depth) {
    if (depth == 0 || random_.below(3) == 0)
      return name(true);
    switch (random_.below(5)) {
    case 0:
      return random_.oneOf({"real", "(real)"}) + "(" + any(depth - 1) + ")";
    case 1:
      return "(-" + space() + "(" + exact(depth - 1) + "))";
    case 2:
      return "(" + exact(depth - 1) + random_.oneOf({" + ", "-", "*", " / "}) + exact(depth - 1) +
             ")";
    case 3:
      return "(" + condition(depth - 1) + "?" + exact(depth - 1) + ":" + exact(depth - 1) + ")";
    default:
      return call(depth);
    }
  }
  std::string call(int depth) {
    const auto all = stepFunctions();
    const StepFunction &f = all[random_.below(all.size())];
    const bool isSlow = f.name == "sin" || f.name == "cos" || f.name == "tan";
    if (f.isPredicate || (isSlow && fitsRegisters_))
      return name(true);
    std::vector<std::string> arguments;
    arguments.reserve(static_cast<size_t>(f.arguments));
    for (int k = 0; k < f.arguments; ++k)
      arguments.push_back(k == 1 && f.takes == Takes::realAndInteger ? integer(depth - 1)
                          : k == 1 && f.takes == Takes::power && random_.below(2) == 0
                              ? "3"
                              : exact(depth - 1));
    return f.name.str() + space() + listed(arguments);
  }
  std::string name(bool isReal) {
    std::vector<std::string> all = isReal ? names_ : std::vector<std::string>{row_, "7", "2"};
    for (const Variable &variable : variables_)
      if (variable.isReal == isReal)
        all.push_back(variable.name);
    return all[random_.below(all.size())];
  }
  std::string integer(int depth) {
    if (depth == 0 || random_.below(3) == 0)
      return name(false);
    switch (random_.below(4)) {
    case 0:
      return random_.oneOf({"int", "(long long)", "unsigned", "(unsigned int)"}) + "(" +
             any(depth - 1) + ")";
    case 1:
      return "(" + integer(depth - 1) + "%" + random_.oneOf({"3", " 7", "1"}) + ")";
    case 2:
      return "abs(int(" + any(depth - 1) + "))";
    default:
      return "(" + integer(depth - 1) + random_.oneOf({"+", " - ", "*"}) + integer(depth - 1) + ")";
    }
  }
  std::string condition(int depth) {
    switch (random_.below(depth == 0 ? 2 : 5)) {
    case 0:
      return random_.oneOf({"true", "false"});
    case 1:
      return "(" + name(true) + random_.oneOf({" < ", "<=", ">", " >= ", "==", "!="}) + "1.5e-3f)";
    case 2:
      return "(" + any(depth - 1) + random_.oneOf({"<", " == ", ">="}) + space() + any(depth - 1) +
             ")";
    case 3:
      return random_.oneOf({"!", "isnan", "isfinite", "signbit"}) + "(" + exact(depth - 1) + ")";
    default:
      return "(" + condition(depth - 1) + random_.oneOf({"&&", " || "}) + condition(depth - 1) +
             ")";
    }
  }
  // Returns an expression of any type.
  std::string any(int depth) {
    if (depth == 0)
      return random_.oneOf({"1", "2.5", "1e-3f", "0x1p-3", "true"});
    switch (random_.below(6)) {
    case 0:
      return integer(depth);
    case 1:
      return condition(depth);
    case 2:
      return any(depth - 1) + space() + random_.oneOf({"+", "-", "*"}) + " " + space() + "+ " +
             any(depth - 1);
    case 3:
      return random_.oneOf({"sqrtf(", "fabsf(", "expf(", "(double)(", "float("}) + any(depth - 1) +
             ")";
    default:
      return exact(depth);
    }
  }

  std::string declaration(int depth) {
    const bool isReal = random_.below(3) != 0;
    const std::string name =
        random_.oneOf({"t", "vector", "y", "fabs_", "Step", "_t"}) + std::to_string(++count_);
    const std::string type = isReal ? random_.oneOf({"real ", "const real ", "auto "}) : "int ";
    const std::string value = isReal ? exact(depth) : any(depth);
    variables_.push_back({name, isReal});
    return type + name + " =" + space() + value + ";\n";
  }
  std::string target() { return random_.oneOf({"q", "r", "s"}); }
  std::string block(int depth) {
    const std::vector<Variable> outer = variables_;
    std::string out = "{ ";
    for (size_t left = random_.below(3); left > 0; --left)
      out += statement(depth - 1);
    variables_ = outer;
    return out + "}";
  }
  std::string statement(int depth) {
    switch (random_.below(depth > 0 ? 7 : 3)) {
    case 0:
      return declaration(2);
    case 1:
      return target() + random_.oneOf({" = ", "+=", " -= ", " *= "}) + any(3) + ";" + space();
    case 2:
      return target() + " = " + target() + " = " + any(2) + ", " + target() + "++;\n";
    case 3:
      return "if (" + any(2) + ") " + block(depth);
    case 4:
      return "if (" + condition(2) + ") " + target() + " /= 2;\nelse " + block(depth);
    case 5:
      return "if (" + condition(1) + ")" + block(depth) + " else if (" + any(1) + ")" +
             block(depth);
    default:
      return block(depth) + ";";
    }
  }

  RandomNumbers &random_;
  const bool fitsRegisters_;
  std::vector<Variable> variables_;
  std::vector<std::string> names_;
  std::string row_;
  int count_ = 0;
};

} // namespace specmv::testing
