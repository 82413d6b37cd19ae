// Tests the names of fused steps: which are refused, and how they go together with the texts.
#include "generator/fusion/words.h"
#include "tests/generator/fusion/testing.h"
#include "tests/generator/fusion_texts.h"
#include "tests/text.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

std::vector<std::string> numbered(const char *prefix, int count) {
  std::vector<std::string> out;
  out.reserve(static_cast<size_t>(count));
  for (int k = 0; k < count; ++k)
    out.push_back(prefix + std::to_string(k));
  return out;
}

std::string textOfAll(const std::vector<std::string> &names) {
  std::string out = "real q = 0";
  for (const std::string &name : names)
    out += " + " + name;
  return out + ";";
}

template <class Change> std::string whyNotWith(const Change &change) {
  Fusion fusion = plainStep();
  change(fusion);
  return whyNot(fusion);
}

} // namespace

TEST_CASE("the steps of the tests are allowed") {
  for (const auto &list : {fusedSteps(), unusualSteps()})
    for (const Fusion *fusion : list)
      CHECK(whyNot(*fusion) == "");
  CHECK(whyNot(plainStep()) == "");
}

TEST_CASE("only written vectors change, and scalars never do") {
  const auto with = [](const std::string &statements) {
    return whyNotWith([&](Fusion &f) {
      f.statements = statements;
      f.scalars = {"b"};
    });
  };
  for (const std::string before : {"", "q = ", "{ ", "++q, ", "if (q == p) "})
    for (const std::string change : {"p = 1", "p += 1", "p++", "++p", "p -= 2", "p = q = 1"}) {
      CAPTURE(before + change);
      if (before == "q = " && contains(change, "++"))
        continue;
      const auto column = 1 + before.size() + (change == "++p" ? 2 : 0);
      CHECK(with("q = ax;\n" + before + change + ";") ==
            "epilogue, line 2, column " + std::to_string(column) +
                ": 'p' is changed, but is not among the 1 written vectors; list it there");
    }
  CHECK(with("q = ax;\nb -= 1;") ==
        "epilogue, line 2, column 1: 'b' is a scalar, which a step cannot change; use a sum or a "
        "variable");
  CHECK(with("q = ax;\ni = 1;") ==
        "epilogue, line 2, column 1: 'i' is the number of the row, which a step cannot change; use "
        "a variable");
  CHECK(with("q = p;\n++ax;") ==
        "epilogue, line 2, column 3: 'ax' is the value of A x, which a step cannot change; use a "
        "variable");
  CHECK(with("q = p == 1 ? b : p <= 2 ? -p : p + +b;") == "");
}

TEST_CASE("ax needs an x, and x knows no sum") {
  CHECK(whyNotWith([](Fusion &f) { f.x = ""; }) ==
        "epilogue, line 1, column 5: 'ax' is the value of A x, but x is empty, so that there is no "
        "product; set x");
  CHECK(whyNotWith([](Fusion &f) {
          f.statements += " s += 1;";
          f.sums = {"s"};
          f.x = "p + s";
        }) == "x, line 1, column 5: 's' is a sum, which is not known before the step has run; use "
              "a scalar");
}

TEST_CASE("words of C++, names of CUDA and long names are refused") {
  for (const llvm::StringLiteral &word : wordsOfCpp()) {
    const std::string name = word.str();
    const std::string why = "', the name of a scalar, is a word of C++; choose another name";
    CHECK(whyNotWith([&](Fusion &f) { f.scalars = {name}; }) == "'" + name + why);
  }
  for (const std::string name : {"threadIdx", "warpSize", "NULL", "cudaStreamLegacy", "CUDART_CB"})
    CHECK(whyNotWith([&](Fusion &f) { f.sums = {name}; }) ==
          "'" + name + "', the name of a sum, is a name of CUDA; choose another name");
  CHECK(whyNotWith([](Fusion &f) { f.scalars = {std::string(64, 'a')}; }) == "");
  CHECK(whyNotWith([](Fusion &f) { f.scalars = {std::string(65, 'a')}; }) ==
        "the name of a scalar has 65 bytes, more than the limit, 64");
}

TEST_CASE("a step must do something") {
  CHECK(whyNot({}) == "a fused step must have statements (it has 0 bytes) that write a vector or "
                      "add to a sum (it has 0 and 0)");
  CHECK(
      whyNotWith([](Fusion &f) { f.statements = ""; }) ==
      "a fused step must have statements (it has 0 bytes) that write a vector or add to a sum (it "
      "has 1 and 0)");
  CHECK(whyNotWith([](Fusion &f) { f.written = {}; }) != "");
}

TEST_CASE("names are words, once each, and not taken") {
  for (const std::string name : {"1a", "a b", " a", "a ", "a-b", "\xc3\xa9", "a.b", "//", "/*a*/b",
                                 ";", "p;q", "1", "a\n"}) {
    CAPTURE(name);
    const std::string why = "'" + name + "' is not a name for a ";
    const std::string rest = ": use letters, digits and _";
    CHECK(whyNotWith([&](Fusion &f) { f.vectors.push_back(name); }) == why + "vector" + rest);
    CHECK(whyNotWith([&](Fusion &f) { f.scalars = {name}; }) == why + "scalar" + rest);
    CHECK(whyNotWith([&](Fusion &f) { f.gpuScalars = {name}; }) == why + "scalar" + rest);
    CHECK(whyNotWith([&](Fusion &f) { f.sums = {name}; }) == why + "sum" + rest);
  }
  CHECK(whyNotWith([](Fusion &f) { f.sums = {""}; }) ==
        "a sum has no name; remove the comma before or behind it");
  for (const std::string name :
       {"i", "j", "ax", "real", "specmvX", "specmv", "SPECMV_A", "__a", "_A"})
    CHECK(whyNotWith([&](Fusion &f) { f.scalars = {name}; }) ==
          "'" + name +
              "' cannot be the name of a scalar: i, j, ax, real and names that begin with specmv, "
              "two underscores, or _ and a capital are taken; choose another name");
  CHECK(whyNotWith([](Fusion &f) { f.sums = {"p"}; }) ==
        "'p' is named twice in a fused step; names must differ");
  CHECK(whyNotWith([](Fusion &f) { f.scalars = f.gpuScalars = {"a"}; }) ==
        "'a' is named twice in a fused step; names must differ");
  CHECK(whyNotWith([](Fusion &f) { f.scalars = {"I", "AX", "_a", "vector0", "x"}; }) == "");
}

TEST_CASE("vectors, scalars and sums are limited") {
  const auto with = [](int vectors, int scalars, int gpuScalars, int sums, int written = 1) {
    Fusion f{.x = "1",
             .statements = "",
             .vectors = numbered("v", vectors),
             .scalars = numbered("a", scalars),
             .gpuScalars = numbered("b", gpuScalars),
             .sums = numbered("s", sums)};
    f.statements = textOfAll(f.vectors);
    f.written.assign(f.vectors.begin(), f.vectors.begin() + written);
    return whyNot(f);
  };
  CHECK(with(8, 8, 0, 4, 4) == "");
  CHECK(with(8, 0, 8, 4) == "");
  CHECK(with(8, 3, 5, 4) == "");
  CHECK(with(9, 0, 0, 0) == "9 vectors are too many for a fused step: 8 are allowed here");
  CHECK(with(1, 9, 0, 0) ==
        "9 scalars are too many for a fused step: with those on the GPU, 0, the limit is 8");
  CHECK(with(1, 5, 4, 0) ==
        "9 scalars are too many for a fused step: with those on the GPU, 4, the limit is 8");
  CHECK(with(1, 0, 9, 0) ==
        "9 scalars are too many for a fused step: with those on the GPU, 9, the limit is 8");
  CHECK(with(1, 0, 0, 5) == "5 sums are too many for a fused step: 4 are allowed here");
  CHECK(with(8, 0, 0, 0, 5) == "5 written vectors are too many for a fused step: 4 are allowed");
}

TEST_CASE("written vectors are vectors that the statements name and x does not") {
  CHECK(whyNotWith([](Fusion &f) { f.written = {"r"}; }) ==
        "'r' is to be written, but is not among the 2 vectors");
  CHECK(whyNotWith([](Fusion &f) {
          f.written = {"q", "q"};
        }) == "'q' is listed twice among the 2 written vectors");
  CHECK(whyNotWith([](Fusion &f) { f.statements = "real r = ax; // q"; }) ==
        "'q' is to be written, but the statements never name it; remove it from the 1 written "
        "vectors");
  CHECK(whyNotWith([](Fusion &f) { f.x = "p + q"; }) ==
        "'q' is to be written, but the product multiplies it (x: 'p + q'): other rows still read "
        "it; write another vector");
  // The e of a number is no vector.
  CHECK(
      whyNot(
          {.x = "2.e0 * p", .statements = "e0 = ax;", .vectors = {"p", "e0"}, .written = {"e0"}}) ==
      "");
  const std::vector<std::string> eight = numbered("v", 8);
  std::string sum = "v0";
  for (int k = 1; k < 8; ++k)
    sum += " + v" + std::to_string(k);
  CHECK(whyNot({.x = sum, .statements = "s += ax;", .vectors = eight, .sums = {"s"}}) ==
        "x names 8 vectors, more than the limit, 7");
}

TEST_CASE("what is multiplied is a vector, an expression or nothing") {
  Fusion fusion = plainStep();
  CHECK((fusion.hasProduct() && !fusion.hasExpression() && fusion.multiplied() == 0));
  CHECK((fusion.writes("q") && !fusion.writes("p")));
  fusion.x = "2 * p";
  CHECK((fusion.hasProduct() && fusion.hasExpression() && fusion.multiplied() == -1));
  fusion.x = "";
  CHECK((!fusion.hasProduct() && !fusion.hasExpression() && fusion.multiplied() == -1));
  fusion.x = kComputedX;
  CHECK((fusion.hasProduct() && !fusion.hasExpression()));
}
