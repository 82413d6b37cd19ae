// Tests which statements and expressions of fused steps are refused, with the place and the reason,
// and which are not.
#include "tests/generator/fusion/testing.h"
#include "tests/text.h"

using namespace specmv;
using namespace specmv::testing;

TEST_CASE("statements may be assignments, declarations, conditions, calls and comments") {
  for (
      const char *text :
      {"q = ax;",
       "q = ax",
       "const real t = 2.f * ax; if (t < 0) { q = t; } else q = -t;",
       "q = fmax(ax, 1e-30) ? ax : 0x1p-3;",
       "// \" ' # @ $ `\nq = ax;",
       "/* for\n while */ q = ax; // return",
       "/**/q/***/=/* * / */ax/*/ */;",
       "{{real t = 1;}}q=1;",
       "q = (ax) * 2 * (3 + i) && ax || 1;",
       "q = ax;\r\nq += 1;\t",
       "q = i % 2 > 1 ? fabs(ax) : 1. ;",
       "q = ax; /* \xc3\xa9 \xe2\x88\x87 */",
       "q = ax; // ends in a comment",
       "q = ax < -p ? - -q : + -ax;",
       ";;q = ax;;{}",
       "real t, u = 2; t = u = ax, s += t, ++t, u--; q /= t * u;",
       "q = ax; q -= 1; q *= 2;",
       "if (ax > p && !(i % 2 == 0)) if (a) q = 1; else q = 2; else {}",
       "auto k = i; k %= 7; const auto t = float(k); q = t;",
       "{ real t = ax; q = t; } real t = q;",
       "long long k = (long long)ax; unsigned int m = 3; bool b = true; long n = m; q = k + n * b;",
       "q = sqrtf(i) + fma(ax, 2, p) + pow(ax, 3) + ldexp(ax, i) + abs(i) + min(i, i) + max(1, 2);",
       "q = isnan(ax) ? 1 : ratio(ax, p) * (real(i)) * (unsigned(ax) + 1) * ((real)ax);",
       "int y1 = 2; real max = ax; q = max + y1;",
       "real vector0 = 1, run = 2, kSums = 3, Value = 4; q = vector0 + run + kSums + Value;"}) {
    CAPTURE(text);
    CHECK(refusalOf(text) == "");
  }
}

// --- Statements ---

TEST_CASE("what is no statement is refused where it ceases to be one") {
  const auto refused = [](const std::string &text) { return refusalOf("q = ax;\n" + text); };
  const std::string assigns = "' is not allowed here: an assignment is a statement of its own; "
                              "compare with ==, and write a space between two signs";
  CHECK(refused("if (q = 1) q = 2;") == onLine2("'=" + assigns, 7));
  CHECK(refused("q = (p *= 2);") == onLine2("'*=" + assigns, 8));
  CHECK(refused("q = p --ax;") == onLine2("'--" + assigns, 7));
  CHECK(refused("q = ++q;") == onLine2("'++" + assigns, 5));
  CHECK(refused("q = ;") == onLine2("an expression is missing before ';'", 5));
  CHECK(refused("q = ax +") == onLine2("an expression is missing at the end", 8));
  CHECK(refused("q = ax p;") == onLine2("';' is missing before 'p'", 8));
  CHECK(refused("q;") == onLine2("'q' is not assigned to; a statement is an assignment"));
  CHECK(refused("fabs(ax);") == onLine2("an assignment is missing before 'fabs'"));
  CHECK(refused("(q) = 1;") == onLine2("an assignment is missing before '('"));
  CHECK(refused("*q = 1;") == onLine2("an assignment is missing before '*'"));
  CHECK(refused("1;") == onLine2("an assignment is missing before '1'"));
  CHECK(refused("q = *(double) 0x1p3;") == onLine2("an expression is missing before '*'", 5));
  CHECK(refused("q = (real *)0;") == onLine2("an expression is missing before 'real'", 6));
  CHECK(refused("q = p ? 1;") == onLine2("':' is missing before ';'", 10));
  CHECK(refused("q = fmax(ax p);") == onLine2("')' is missing before 'p'", 13));
  CHECK(refused("q = fma(ax, p);") == onLine2("'fma' has 2 arguments, but takes 3", 5));
  CHECK(refused("q = fabs();") == onLine2("an expression is missing before ')'", 10));
  CHECK(refused("q = fabs;") == onLine2("'(' is missing before ';'", 9));
  CHECK(refused("q = p(1);") == onLine2("'p' is a value here and cannot be called; give it another "
                                        "name than the function's",
                                        5));
  CHECK(refused("if (ax)") == onLine2("a statement is missing at the end", 7));
  CHECK(refused("else q = 1;") == onLine2("an assignment is missing before 'else'"));
  CHECK(refused("real *t = 1;") == onLine2("a name is missing behind the type", 6));
  CHECK(refused("real f(real);") == onLine2("';' is missing before '('", 7));
  CHECK(refused("real t[1000000];").substr(0, 38) == onLine2("'[' is not all", 7).substr(0, 38));
  CHECK(refused("const real t;") == onLine2("'= VALUE' is missing before ';'", 13));
  CHECK(refused("auto t;") == onLine2("'= VALUE' is missing before ';'", 7));
  CHECK(refused("auto t = 1, u = 2.0;") == onLine2("';' is missing before ','", 11));
  CHECK(refused("const t = 1;") == onLine2("a type is missing before 't'", 7));
  CHECK(refused("(auto)1;") == onLine2("an assignment is missing before '('"));
  CHECK(refused("q = long long(ax);") == onLine2("an expression is missing before 'long'", 5));
  CHECK(refused("bool b = ax > 0; ++b;") ==
        onLine2("'b' is a bool, which cannot be counted; declare an int", 20));
  CHECK(refused("const int t = 1; t += 1;") == onLine2("'t' is declared const; remove const", 18));
  CHECK(refused("q = j;") == onLine2("'j' is the number of a column; the statements are for a row, "
                                     "whose number is i",
                                     5));
}

TEST_CASE("functions get arguments for which the compiler finds one function") {
  const auto refused = [](const std::string &text, ValueType type = ValueType::f64) {
    return refusalOf("q = ax;\nq = " + text + ";", type);
  };
  CHECK(refused("sqrt(2)") ==
        onLine2("'sqrt' needs an argument that is no integer; write real(...) around one", 5));
  const std::string mixed = " has an argument of float and one of double; write real(...) around "
                            "each that is not real";
  CHECK(refused("fmax(ax, 1e-3)") == "");
  CHECK(refused("fmax(ax, 1e-3)", ValueType::f32) == onLine2("'fmax'" + mixed, 5));
  CHECK(refused("fmax(ax, real(1e-3))", ValueType::f32) == "");
  CHECK(refused("fma(ax, 2.f, p)") == onLine2("'fma'" + mixed, 5));
  CHECK(refused("fma(ax, 2.f, p)", ValueType::f32) == "");
  CHECK(refused("pow(ax, i)") == onLine2("'pow' has an exponent that is an integer but no int; "
                                         "write int(...) or real(...) around it",
                                         5));
  CHECK(refused("ldexp(ax, 1.5)") ==
        onLine2("'ldexp' needs an integer second; write int(...) around it", 5));
  CHECK(contains(refused("ratio(ax, 1)"), "'ratio' needs two arguments of the same type"));
  CHECK(contains(refused("ratio(i, i)"), "'ratio' needs two arguments of the same type"));
  CHECK(contains(refused("max(ax, 1)"), "'max' has arguments of different types"));
  CHECK(contains(refused("max(i, 1)"), "'max' has arguments of different types"));
  CHECK(contains(refused("max(unsigned(1), unsigned(2))"), "'max' has arguments of different"));
  CHECK(contains(refused("abs(unsigned(1))"), "'abs' needs an int, a long long or a real"));
  CHECK(contains(refused("isnan(i)"), "'isnan' needs an argument that is no integer"));
}

TEST_CASE("brackets must be balanced, and a comment must end") {
  CHECK(refusalOf("} q = ax; {") ==
        "epilogue, line 1, column 1: '}' closes what is not open; remove it");
  CHECK(refusalOf("q = (ax};") == "epilogue, line 1, column 8: ')' is missing before '}'");
  CHECK(refusalOf("q = ax);") == "epilogue, line 1, column 7: ';' is missing before ')'");
  CHECK(refusalOf("if (ax) {\nq = ax;\n") == onLine2("'}' is missing at the end", 7));
  const auto open = [](int line, int column) {
    return llvm::formatv("epilogue, line {0}, column {1}: the comment that begins here has no end; "
                         "write */",
                         line, column)
        .str();
  };
  CHECK(refusalOf("q = ax;\n\n /* a\n b") == open(3, 2));
  // The star that begins a comment does not end it.
  CHECK(refusalOf("q = ax; /*/") == open(1, 9));
  CHECK(refusalOf("q = ax; /*/ // */ while (q < 1) q = 2;") != "");
  CHECK(refusalOf("q = ax; /*/ { /* */ }") != "");
  CHECK(refusalOf("q = ax; /* // */ }") != "");
  CHECK(refusalOf("q = ax; // /*\n }") == onLine2("'}' closes what is not open; remove it", 2));
}

// --- Limits ---

TEST_CASE("texts that would keep the compiler busy are refused") {
  const std::string end = "q = ax;";
  CHECK(refusalOf(std::string((8 << 10) - end.size(), ' ') + end) == "");
  CHECK(refusalOf(std::string((8 << 10) + 1 - end.size(), ' ') + end) ==
        "epilogue of 8193 bytes exceeds the limit, 8192 bytes");
  CHECK(refusalOfX(std::string(8 << 10, ' ') + "p") ==
        "x of 8193 bytes exceeds the limit, 8192 bytes");
  CHECK(refusalOf("q = ax" + times(255, "+p") + "; q = ax" + times(255, "+p") + ";") == "");
  CHECK(refusalOf("q = ax" + times(256, "+p") + ";") ==
        "epilogue, line 1, column 517: this is operator 257 of a statement, more than the limit, "
        "256; divide the statement into several");
  CHECK(refusalOfX("p" + times(256, "+p")) == "");
  CHECK(refusalOfX("p" + times(257, "+p")) != "");
}

TEST_CASE("everything that nests is limited together") {
  const struct {
    const char *begin, *middle, *end;
    int most;
  } kinds[] = {{"{", "q = ax;", "}", 63},
               {"if (ax) ", "q = ax;", "", 63},
               {"if (ax) q = 1; else ", "q = ax;", "", 63},
               {"if (ax) { ", "q = ax;", "}", 31},
               {"q = ", "ax", "", 64}};
  for (const auto &kind : kinds) {
    CAPTURE(std::string(kind.begin));
    const auto nested = [&](int n) {
      return refusalOf(times(n, kind.begin) + kind.middle + times(n, kind.end));
    };
    CHECK(nested(kind.most) == "");
    CHECK(contains(nested(kind.most + 1), "brackets, calls, operators and conditions are 65 levels "
                                          "deep, more than the limit, 64; store parts in "));
  }
  const struct {
    const char *begin, *end;
    int most;
  } expressions[] = {{"(", ")", 63},         {"- ", "", 63},     {"i ? p : ", "", 63},
                     {"i ? ", ": p", 63},    {"(real)", "", 63}, {"fabs(", ")", 31},
                     {"real(", ")", 31},     {"p * (", ")", 31}, {"i || p && (", ")", 21},
                     {"fma(p, p, ", ")", 31}};
  for (const auto &kind : expressions) {
    CAPTURE(std::string(kind.begin));
    const auto nested = [&](int n) {
      return refusalOf("q = " + times(n, kind.begin) + "ax" + times(n, kind.end));
    };
    CHECK(nested(kind.most) == "");
    CHECK(contains(nested(kind.most + 1), " levels deep, more than the limit, 64; "));
    CHECK(contains(nested(250), " levels deep, more than the limit, 64; "));
  }
}

// --- x ---

TEST_CASE("x is one expression of columns") {
  for (const char *x :
       {"p", "1", "j", "2 * p", "(p)", "fmin(p, real(j))", "p // of the column", "p\n* 2"}) {
    CAPTURE(x);
    CHECK(refusalOfX(x) == "");
  }
  CHECK(refusalOfX("p; q = 1") ==
        "x, line 1, column 2: ';' is not allowed: it must be one expression");
  CHECK(refusalOfX("p\n, p") == "x, line 2, column 1: ',' is not allowed: it must be one "
                                "expression");
  CHECK(refusalOfX("p) + (p") ==
        "x, line 1, column 2: ')' is not allowed: it must be one expression");
  CHECK(refusalOfX("p /* a") ==
        "x, line 1, column 3: the comment that begins here has no end; write */");
  CHECK(refusalOfX(" // a") == "x has 5 bytes but no expression; name a vector, or leave it out "
                               "for a step without a product");
  for (const std::string name : {"i", "ax"})
    CHECK(refusalOfX("p * " + name) ==
          "x, line 1, column 5: '" + name +
              "' belongs to rows; x is computed for columns, and the number of a column is j");
  CHECK(refusalOfX("p + s") == "x, line 1, column 5: 's' is a sum, which is not known before the "
                               "step has run; use a scalar");
}

TEST_CASE("identifiers are words outside of comments and numbers") {
  CHECK(identifiersOf("q = 2.f * p1 + .5e0 /* r */; // s\n t(u);") ==
        std::set<std::string>{"q", "p1", "t", "u"});
  CHECK(identifiersOf("").empty());
  CHECK(identifiersOf("/* a").empty());
  CHECK(identifiersOf("/*/ a */ b") == std::set<std::string>{"b"});
}

TEST_CASE("a vector is assigned first if nothing reads it and nothing skips the assignment") {
  const auto isFirst = [](const char *text) { return isAssignedFirst(text, "q"); };
  for (const char *text :
       {"q = ax;", "r = 1; q = ax * 2;", "// q\n q = ax", "r = q1; q = r; q += 1;",
        "if (r) { s = 1; } ; q = 2;", "{ r = 1; r = 2; } ; q = r;", "q = r == s; q += q;"}) {
    CAPTURE(text);
    CHECK(isFirst(text));
  }
  for (const char *text :
       {"", "r = ax;", "q += ax;", "q == ax;", "r = q; q = 1;", "q = q + 1;", "q = r == q;",
        "if (r) q = 1;", "if (r) { s = 1; q = 2; }", "if (q) ; q = 1;", "real q = 1;",
        "if (r) s = 1; else q = 2;", "f(q);", "r = 1, q = 2;"}) {
    CAPTURE(text);
    CHECK_FALSE(isFirst(text));
  }
}
