// Tests which words, names, characters and numbers texts of fused steps can have.
#include "generator/embedded.h"
#include "generator/fusion/step.h"
#include "generator/fusion/tokens.h"
#include "generator/fusion/words.h"
#include "tests/generator/fusion/testing.h"
#include "tests/text.h"

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("every word of C++ that steps do not have is refused with its place") {
  int refused = 0;
  for (const llvm::StringLiteral &word : wordsOfCpp()) {
    CAPTURE(word.str());
    if (isWordOfSteps(word))
      continue;
    ++refused;
    const std::string why = "'" + word.str() +
                            "' is not allowed: a fused step has assignments, declarations, "
                            "conditions and calls of functions, without loops, jumps or types";
    CHECK(refusalOf("q = ax; /* a\nb */ " + word.str() + " (1);") == onLine2(why, 6));
    CHECK(refusalOf("q = ax;\n" + word.str() + " t = 1;") == onLine2(why));
    CHECK(refusalOf("q = ax\n" + word.str() + " p;") == onLine2(why));
  }
  CHECK(refused == 80); // the others are types, if, else, const, auto, true and false
}

TEST_CASE("every word of the kernels is refused in a text that does not declare it") {
  std::set<std::string> words;
  for (const EmbeddedFile &file : embeddedTemplates())
    words.merge(identifiersOf(file.text));
  Problem problem{.type = ValueType::f64, .betaCanBeNonZero = false};
  const Fusion step = plainStep();
  problem.fusion = &step;
  words.merge(identifiersOf(stepSource(problem).text));
  for (const char *known : {"q", "p", "i", "ax", "a", "s"})
    words.erase(known);
  int refused = 0;
  for (const std::string &word : words) {
    CAPTURE(word);
    if (isWordOfSteps(word) || findStepFunction(word))
      continue;
    ++refused;
    const std::string begin = onLine2("'" + word + "' is ");
    for (const char *use : {" = 1;", "(ax);", "++;", " * p = 1;", ";"})
      CHECK(refusalOf("q = ax;\n" + word + use).substr(0, begin.size()) == begin);
    for (const char *use : {";", "(1);"})
      CHECK(refusalOf("q = ax +\n" + word + use).substr(0, begin.size()) == begin);
  }
  CHECK(refused > 1000);
  for (const char *word : {"sumOfThreads", "kSums", "vector1", "prefetch", "waitForPrevious"})
    CHECK(words.contains(word));
}

TEST_CASE("unknown names are refused with their place, and similar ones are named") {
  const auto unknown = [](const std::string &word, const std::string &meant = "") {
    return onLine2("'" + word +
                   "' is not a name of the step, a variable that is declared before, or a function "
                   "of fused steps" +
                   meant + "; see specmv-fused(7)");
  };
  for (const char *word : {"threadIdx", "malloc", "memcpy", "atomicAdd", "__shfl", "__syncthreads",
                           "sumOfThreads", "specmvSums", "kSums", "std", "HUGE_VAL", "_Pragma"}) {
    CHECK(refusalOf("q = ax;\n" + std::string(word) + "(1);") == unknown(word));
    CHECK(refusalOf("q =\n" + std::string(word) + ";") == unknown(word));
  }
  for (const char *word : {"INFINITY", "NAN"})
    CHECK(refusalOf("q =\n" + std::string(word) + ";") ==
          unknown(word, " (pass such a number as a scalar)"));
  CHECK(refusalOf("q =\nfasb(ax);") == unknown("fasb", " (did you mean 'fabs'?)"));
  CHECK(refusalOf("real alpha = 1; q =\nalhpa;") == unknown("alhpa", " (did you mean 'alpha'?)"));
  CHECK(refusalOf("{ real t = 1; }\nt = 2; q = ax;") == unknown("t"));
  CHECK(refusalOf("if (a) real t = 1;\nt = 2; q = ax;") == unknown("t"));
  CHECK(contains(refusalOf("q = " + std::string(8000, 'a')), ": 'aaa"));
  CHECK(refusalOf("q = " + std::string(8000, 'a')).size() < 300);
}

TEST_CASE("a variable has a name that is free") {
  const auto refusal = [](const std::string &name) {
    return refusalOf("q = ax;\nreal " + name + " = 1;");
  };
  for (const char *name : {"q", "p", "a", "s"})
    CHECK(refusal(name) ==
          onLine2("'" + std::string(name) + "' is declared already; choose another name", 6));
  CHECK(refusalOf("real t = 1; {\nreal t = 2; } q = ax;") ==
        onLine2("'t' is declared already; choose another name", 6));
  for (const char *name : {"i", "j", "ax", "specmvSums", "SPECMV_X", "__a", "_A"})
    CHECK(contains(refusal(name), "' cannot be the name of a variable: i, j, ax, real and names "));
  for (const char *name : {"threadIdx", "NULL", "cudaStreamLegacy", "NV_IS_HOST", "CU_A"})
    CHECK(refusal(name) == onLine2("'" + std::string(name) +
                                       "', the name of a variable, is a name of CUDA; choose "
                                       "another name",
                                   6));
  CHECK(refusal("real") ==
        onLine2("'real real' is not a type of fused steps; write real, double, float, int, long "
                "long, unsigned, bool or auto"));
  CHECK(refusalOf("q = ax;\nreal t = t;") ==
        onLine2("'t' has no value yet in its own declaration; use another name", 10));
}

// --- Characters, numbers and operators ---

TEST_CASE("characters that are not of the language are refused with their place") {
  const auto refused = [](const std::string &c) {
    return onLine2(
        "'" + c +
            "' is not allowed: the operators of a fused step are + - * / % < <= > >= == != "
            "&& || ! ?: and those that assign; there are no addresses, bits, members or "
            "brackets [ ]",
        5);
  };
  for (const std::string c :
       {"#",   "\"",       "'",   "@",  "$",  "`",  "[",   "]",  "&",  "|",  "^",   "~",
        ".",   "\xc3\xa9", "<<",  ">>", "->", "::", "<=>", "&=", "|=", "^=", "<<=", ">>=",
        "...", ".*",       "->*", "##", "<%", "%>", "<:",  ":>", "%:", "?\?"}) {
    CAPTURE(c);
    CHECK(refusalOf("q = ax;\nq = " + c + "p;") == refused(c));
    CHECK(refusalOf("q = ax; // " + c) == "");
  }
}

TEST_CASE("bytes that could leave a comment are refused with their place") {
  const auto byte = [](int column, int code) {
    return "epilogue, line 1, column " + std::to_string(column) + ": the byte " +
           std::to_string(code) +
           " is not allowed in a fused step: comments are UTF-8 without control characters, and "
           "all else is ASCII";
  };
  // NVRTC takes the byte 255 for the end of the file.
  for (const int code : {0, 1, 8, 11, 12, 13, 14, 27, 31, 127, 128, 0xe9, 0xef, 254, 255})
    for (const std::string begin : {"q = ax; // ", "q = ax; /* ", "q = ax;    "})
      CHECK(refusalOf(begin + static_cast<char>(code) + " a*/\n") == byte(12, code));
  CHECK(refusalOf("q = ax; // \xc3\xa9\xe2\x80\xa8") == byte(14, 0xe2)); // U+2028
  CHECK(refusalOf("q = ax; // \xc3") == byte(12, 0xc3));
  CHECK(refusalOf("q = ax; // \xc0\xaf") == byte(12, 0xc0));
  const std::string joins =
      "the character '\\' is not allowed in a fused step, since it could join "
      "lines; remove it";
  CHECK(refusalOf("q = ax; // a\n// b \\\n q = 1;") == onLine2(joins, 6));
  CHECK(refusalOf("q = ax; /*\n\\ */") == onLine2(joins));
  CHECK(refusalOf("q = ax;\n\\u0061 = 1;") == onLine2(joins));
  CHECK(refusalOf("q = ax; //\n//?\?/\n}") ==
        onLine2("'?\?/' is not allowed in a fused step; remove it", 3));
}

TEST_CASE("numbers are those of double, float and long long") {
  for (const char *number :
       {"0", "2147483648", "9223372036854775807", "1.", ".5", "1e5", "1.E-3", "1e+5f", "2.F",
        "0x1.8p3", "0X1P-3F", "1e-310", "1e-40f", "1.7976931348623158e308", "0.0e-999999"})
    CHECK(refusalOf("q = ax * " + std::string(number) + ";") == "");
  for (const std::string number : {"9223372036854775808",
                                   "007",
                                   "00",
                                   "0xff",
                                   "0b1",
                                   "1u",
                                   "1l",
                                   "1.L",
                                   "5km",
                                   "1e",
                                   "1e+",
                                   "1..2",
                                   "1.2.3",
                                   "1f",
                                   "0x1p",
                                   "0x1.8",
                                   "1e999",
                                   "1e-999",
                                   "1e39f",
                                   "1e-46f",
                                   "1.0_a",
                                   "0x1p-1080",
                                   "1e+5+"}) {
    CAPTURE(number);
    CHECK(refusalOf("q = ax;\nq = " + number + ";") ==
          onLine2(number == "1e+5+"
                      ? "an expression is missing before ';'"
                      : "'" + number +
                            "' is not a number of fused steps: write digits, at most "
                            "9223372036854775807, or a number of double such as 1.5e-3, or 1.5e-3f "
                            "of float",
                  number == "1e+5+" ? 10 : 5));
  }
}

TEST_CASE("what a number is divided by is no 0, and % has integers") {
  CHECK(refusalOf("q = ax / 0 + ax / 0.0 + i / 2;") == "");
  CHECK(refusalOf("q = ax;\nq = i / 0;") ==
        onLine2("'/' divides an integer by 0; write 0.0 for a real number", 7));
  CHECK(refusalOf("q = ax; int k = 1;\nk %= 0;") ==
        onLine2("'%=' divides an integer by 0; write 0.0 for a real number", 3));
  CHECK(refusalOf("q = ax;\nq = ax % 2;") ==
        onLine2("'%' needs integers; write fmod(a, b) for others", 8));
  CHECK(refusalOf("q = ax;\nq %= 2;") ==
        onLine2("'%=' needs integers; write fmod(a, b) for others", 3));
}

TEST_CASE("tokens are those of the compiler") {
  const auto split = [](const char *text) {
    std::string out;
    Tokens tokens(text);
    for (Token token = tokens.next(); !token.text.empty(); token = tokens.next())
      out += token.text.str() +
             (token.isWord()     ? "w"
              : token.isNumber() ? "n"
                                 : "") +
             std::to_string(token.line) + ":" + std::to_string(token.column) + " ";
    return out;
  };
  CHECK(split("") == "");
  CHECK(split(" // a") == "");
  CHECK(split("a=2.f*.5e-3+0x1p+4-1e5-x.y") ==
        "aw1:1 =1:2 2.fn1:3 *1:6 .5e-3n1:7 +1:12 0x1p+4n1:13 -1:19 1e5n1:20 -1:23 xw1:24 .1:25 "
        "yw1:26 ");
  CHECK(split("a\n/*\n\n*/ _b1\n//c\n(d)") == "aw1:1 _b1w4:4 (6:1 dw6:2 )6:3 ");
  CHECK(split("1..2 3e+ 4.x5") == "1..2n1:1 3e+n1:6 4.x5n1:10 ");
  CHECK(split("a+++b<=>c<:d\xc3\xa9?e") ==
        "aw1:1 ++1:2 +1:4 bw1:5 <=>1:6 cw1:9 <:1:10 dw1:12 \xc3\xa9"
        "1:13 ?1:15 ew1:16 ");
}
