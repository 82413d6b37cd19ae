// Tests of the text that is compiled: it has the plan's numbers, and of the templates what the
// kernel reaches, whatever stands in the source.
#include "generator/source/specialized.h"

#include "generator/embedded.h"
#include "generator/source/declarations.h"
#include "generator/source/rewritten.h"
#include "generator/source/tokens.h"
#include "models/lab/families/families.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include <random>

using namespace specmv;
using namespace specmv::source;
using namespace specmv::testing;

namespace {

std::string textFor(const CsrMatrix &a, const std::string &format, const Fixed &fixed = {},
                    const Problem &problem = kDouble) {
  const Offer offer = offerOf(a, format, fixed, problem);
  return specializedText(offer.format->source(offer.plans.at(0), problem).text, "sm_90");
}

size_t linesOf(const std::string &text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::optional<int64_t> valueOf(const std::string &expression) {
  return evaluated(tokensOf(expression),
                   {{"k", 8}, {"EllPlan::width", 5}, {"flag", 1}, {"sizeof(Offset)", 4}});
}

} // namespace

TEST_CASE("tokens give their text back") {
  for (const EmbeddedFile &file : embeddedTemplates()) {
    const std::string text = file.text;
    CHECK(textOf(tokensOf(text)) + "\n" == text);
  }
}

TEST_CASE("a constant expression has its value, as far as that is known") {
  CHECK(valueOf("EllPlan::width == 5 && k > 7") == 1);
  CHECK(valueOf("1 << k / 2") == 16);
  CHECK(valueOf("-(k - 3) * 2") == -10);
  CHECK(valueOf("sizeof(Offset) == 4 ? k : unknown") == 8);
  CHECK(valueOf("0xffU & ~0") == std::nullopt); // no operator of ours
  CHECK(valueOf("unknown && false") == 0);
  CHECK(valueOf("flag || unknown<3>(k)") == 1);
  CHECK(valueOf("flag && unknown") == std::nullopt);
  CHECK(valueOf("Slots::kMayEnd") == std::nullopt);
  CHECK(valueOf("k / 0") == std::nullopt);
  CHECK(valueOf("k >> 1") == 4);
  CHECK(valueOf("(k") == std::nullopt);
  CHECK(valueOf("") == std::nullopt);
  CHECK(valueOf("k k") == std::nullopt);
}

TEST_CASE("constants of a function decide what follows, and go where nothing names them") {
  source::Tokens tokens =
      tokensOf("int f() {\n"
               "  constexpr int places = k - 3, most = places <= 8 ? 9 : kOther;\n"
               "  constexpr bool isOther = unknown<int, 3>() ? true : false;\n"
               "  constexpr int unrolled = k / 2;\n"
               "  static_assert(places % 5 == 0);\n"
               "#pragma unroll unrolled\n"
               "  if constexpr (places % most != 0)\n    g<most>();\n"
               "  else\n    h();\n"
               "}");
  decide(tokens, {{"k", 8}});
  CHECK(textOf(tokens) == "int f() {\n"
                          "  constexpr int most = 9;\n"
                          "  constexpr bool isOther = unknown<int, 3>() ? true : false;\n"
                          "  constexpr int unrolled = k / 2;\n"
                          "#pragma unroll unrolled\n"
                          "  g<most>();\n"
                          "}");
}

TEST_CASE("members are taken out of a struct with the comments that belong to them") {
  source::Tokens tokens = tokensOf("template <class T> struct S {\n"
                                   "  // of a\n  int a = 1; // and more\n"
                                   "  enum : int { b = 2 };\n"
                                   "  T at(int i) const {\n    return i;\n  }\n"
                                   "  // of c\n  // in two lines\n  T c = {};\n"
                                   "  int d; // stays\n"
                                   "};");
  std::vector<std::string> seen;
  eraseMembers(tokens, [&](llvm::ArrayRef<source::Token> member) {
    seen.push_back(trimmedTextOf(member));
    return contains(seen.back(), "=");
  });
  CHECK(seen == std::vector<std::string>{"int a = 1;", "enum : int { b = 2 };",
                                         "T at(int i) const {\n    return i;\n  }", "T c = {};",
                                         "int d;"});
  CHECK(textOf(tokens) == "template <class T> struct S {\n"
                          "  T at(int i) const {\n    return i;\n  }\n"
                          "  int d; // stays\n"
                          "};");
}

TEST_CASE("conditions on the architecture are decided, and macros expanded") {
  const std::string text = "#define TWICE(x, n) \\\n  f(\"a\" n \"b\", x, x)\n"
                           "#if __CUDA_ARCH__ >= 800\nint new_;\n#else\nint old;\n#endif\n"
                           "int g = TWICE(h(1, 2), \"-\");\n#undef TWICE\nint TWICE(1);\n";
  for (const auto &[arch, word] : {std::pair(900, "new_"), std::pair(750, "old")}) {
    Macros macros;
    const std::string out = textOf(preprocessed(tokensOf(text), arch, macros));
    CHECK(contains(out, std::string("int ") + word + ";"));
    CHECK_FALSE(contains(out, "#"));
    CHECK(contains(out, "f(\"a-b\", h(1, 2), h(1, 2))"));
    CHECK(contains(out, "int TWICE(1);"));
  }
}

TEST_CASE("the text has the numbers of the plan, and nothing for others") {
  const std::string text = textFor(evenMatrix(640, 5), "ell");
  CHECK(contains(text, "struct EllPlan {"));
  CHECK(contains(text, "enum : Int64 { width = 5 };"));
  for (const char *absent : {"#include", "ellRowOfAnyWidth", "RowsOfX", "typename T::", "specmv::",
                             "loadOnceIf", "static_assert", "Operands", "Team"})
    CHECK_FALSE_MESSAGE(contains(text, absent), std::string(absent));
  CHECK(contains(text, "section 4.3.3")); // where the format is from
  const std::string narrow = textFor(evenMatrix(640, 5), "ell", {}, {ValueType::f32});
  CHECK(contains(narrow, "using Value = float;"));
  CHECK_FALSE(contains(narrow, "<double>"));
}

TEST_CASE("a number that is an argument is none of the text, and needs code for all of them") {
  const Plan plan = offerOf(evenMatrix(640, 5), "ell").plans.at(0);
  std::string source = findFormat("ell")->source(plan, kDouble).text;
  const std::string field = ".width = 5";
  source.replace(source.find(field), field.size(), ".width = -1");
  const std::string text = specializedText(source, "sm_90");
  CHECK_FALSE(contains(text, "width = -1"));
  CHECK(contains(text, "Offset width = 0; // K, if it is not a constant"));
  CHECK(contains(text, "ellRowOfAnyWidth"));
}

TEST_CASE("lists of a plan are constants too") {
  const std::string text = textFor(llvm::cantFail(generateFamily("stencil5:n=20")), "dia");
  CHECK(contains(text, "all[] = {-20, -1, 0, 1, 20};"));
  CHECK_FALSE(contains(text, "DiaListed"));
}

TEST_CASE("what a plan leaves at its default is no argument of the text") {
  const std::string text = textFor(evenMatrix(640, 5), "sell", {{"sell.sigma", 1}});
  CHECK_FALSE(contains(text, "perm"));
  CHECK(contains(text,
                 "sell(SellArgs{sliceStart, {col, policy}, {val, policy}, x, {y, added}, alpha, "
                 "beta, rows});"));
  CHECK(contains(textFor(evenMatrix(640, 5), "sell", {{"sell.sigma", 1024}}),
                 "Streamed<Int16> perm"));
}

TEST_CASE("several vectors keep their teams") {
  Problem problem = kDouble;
  problem.vectors = 4;
  CHECK(
      contains(textFor(evenMatrix(640, 5), "sell", {}, problem), "using X = RowsOfX<double, 4>;"));
}

TEST_CASE("no emitted text is longer than its format needs") {
  // The lines of 5-point stencils in f64, without the head that `specmv emit` adds.
  const std::pair<const char *, size_t> most[] = {
      {"ell", 139}, {"csr-scalar", 136}, {"csr-vector", 136}, {"jad", 150},
      {"dia", 216}, {"sell", 169},       {"qcsr", 329},       {"sell-bytes", 300},
      {"coo", 504}, {"csr-merge", 488},  {"csr5", 574},       {"ctile", 582}};
  const CsrMatrix a = llvm::cantFail(generateFamily("stencil5:n=100"));
  for (const auto &[format, lines] : most) {
    const std::string name = format;
    CAPTURE(name);
    CHECK(linesOf(textFor(a, name)) <= lines);
  }
}

TEST_CASE("a source without templates stays as it is, and files that are none stay in the text") {
  const std::string plain = "extern \"C\" __global__ void k() {}\n";
  CHECK(specializedText(plain, "sm_90") == plain);
  CHECK(contains(specializedText("#include \"ell.cuh\"\n#include \"none.h\"\n", "sm_90"),
                 "#include \"none.h\"\n"));
}

TEST_CASE("a source with a hole anywhere is only another text") {
  const Offer offer = offerOf(evenMatrix(64, 5), "ell");
  const std::string source = offer.format->source(offer.plans.at(0), kDouble).text;
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    std::string holed = source;
    const size_t at = random() % holed.size();
    holed.erase(at, 1 + random() % 60);
    CHECK_FALSE(specializedText(holed, "sm_90").empty());
  }
}
