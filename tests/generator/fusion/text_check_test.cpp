// Tests which texts of fused steps are refused, with the line and the reason, and which are not.
#include "generator/fusion/tokens.h"
#include "tests/generator/fusion/testing.h"

using namespace specmv;
using namespace specmv::testing;

namespace {

// Why statements are refused; "" if they are not.
std::string refusalOf(const std::string &statements) {
  Fusion fusion = plainStep();
  fusion.statements = statements;
  return whyNot(fusion);
}

std::string refusalOfX(const std::string &x) {
  Fusion fusion = plainStep();
  fusion.x = x;
  return whyNot(fusion);
}

std::string times(int count, const std::string &text) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += text;
  return out;
}

} // namespace

TEST_CASE("statements may be assignments, declarations, conditions, calls and comments") {
  for (const char *text :
       {"q = ax;", "q = ax", "const real t = 2.f * ax; if (t < 0) { q = t; } else q = -t;",
        "q = fmax(ax, 1e-30) ? ax : 0x1p-3;", "// \" ' # @ $ `\nq = ax;",
        "/* for\n while */ q = ax; // return", "/**/q/***/=/* * / */ax/*/ */;",
        "{{real t = 1;}}q=1;", "q = (ax) * 2 * (3 + i) && ax || 1;", "q = ax;\r\nq += 1;\t",
        "q = i % 2 > 1 ? ::fabs(ax) : 1. ;", "q = ax; /* \xc3\xa9 */",
        "format = fortran; dodo = 1; q = whiler + forward;", "q = ax; // ends in a comment",
        "q = ax < ::fabs(q) ? q : ax;"}) {
    CAPTURE(text);
    CHECK(refusalOf(text) == "");
  }
}

TEST_CASE("loops, jumps, types and words of the compiler are refused with their line") {
  for (const std::string word :
       {"for",    "while",        "do",        "goto",   "return",  "switch",     "asm",
        "static", "extern",       "template",  "struct", "class",   "union",      "enum",
        "using",  "namespace",    "operator",  "new",    "delete",  "throw",      "try",
        "catch",  "thread_local", "co_return", "friend", "typedef", "_Pragma_no", "this"}) {
    CAPTURE(word);
    const std::string why = refusalOf("q = ax;\n/* a\nb */ " + word + " ();");
    if (word == "_Pragma_no")
      CHECK(why == "");
    else
      CHECK(why == "epilogue, line 3: '" + word +
                       "' is not allowed: a fused step has assignments, declarations, conditions "
                       "and calls of functions, without loops, jumps or types");
  }
}

TEST_CASE("characters that could leave the text are refused with their line") {
  const auto why = [](int line, const std::string &c) {
    return "epilogue, line " + std::to_string(line) + ": the character " + c +
           " is not allowed in a fused step";
  };
  CHECK(refusalOf("q = ax;\n#define q p") == why(2, "'#'"));
  CHECK(refusalOf("q = \"a\";") == why(1, "'\"'"));
  CHECK(refusalOf("q = 'a';") == why(1, "'''"));
  CHECK(refusalOf("q = @;") == why(1, "'@'"));
  CHECK(refusalOf("q = $;") == why(1, "'$'"));
  CHECK(refusalOf("q = `;") == why(1, "'`'"));
  CHECK(refusalOf("q =\n\n\xc3\xa9;") == why(3, "with code 195"));
  CHECK(refusalOf("q = \\u0061;") == why(1, "'\\'"));
  // These hide in comments: they join lines, or end them for some compilers.
  CHECK(refusalOf("q = ax; // a\n// b \\\n q = 1;") == why(2, "'\\'"));
  CHECK(refusalOf("q = ax; /* \\ */") == why(1, "'\\'"));
  CHECK(refusalOf("q = ax; // a\rwhile (1);") == why(1, "with code 13"));
  CHECK(refusalOf("q = ax; // a\fwhile (1);") == why(1, "with code 12"));
  CHECK(refusalOf("q = ax; // a\vwhile (1);") == why(1, "with code 11"));
  CHECK(refusalOf("q = ax; // \x7f") == why(1, "with code 127"));
  CHECK(refusalOf(std::string("q = ax; // \0 a", 14)) == why(1, "with code 0"));
  CHECK(refusalOf(std::string("q = \0 ax;", 9)) == why(1, "with code 0"));
  CHECK(refusalOf("q = ax; // why?\?/\n}") ==
        "epilogue, line 1: '?\?/' is not allowed in a fused step");
}

TEST_CASE("other spellings of brackets and of # are refused, the same operators apart are not") {
  for (const std::string pair : {"<%", "%>", "<:", ":>", "%:", "?\?"}) {
    CAPTURE(pair);
    CHECK(refusalOf("q = ax;\nq = ax " + pair + " p;") ==
          "epilogue, line 2: '" + pair +
              "' is not allowed in a fused step; write a space between both characters if they are "
              "operators");
    CHECK(refusalOf("q = ax " + pair.substr(0, 1) + " " + pair.substr(1) + " p;") == "");
    CHECK(refusalOf("q = ax; // " + pair) == "");
  }
  CHECK(refusalOf("q = ax; %> while_ <%") != "");
}

TEST_CASE("what is of the kernel, of memory or of other threads is refused with its line") {
  for (const std::string word : {"__asm__", "__shfl", "specmvSums", "SPECMV_X", "__device__",
                                 "reinterpret_cast", "const_cast", "atomicAdd", "threadIdx",
                                 "clock64", "malloc", "printf", "prefetchRow", "run"}) {
    CAPTURE(word);
    CHECK(refusalOf("q = ax;\n" + word + " ();") ==
          "epilogue, line 2: '" + word +
              "' is not allowed: a fused step uses nothing of the kernel but its own names, and "
              "names that begin with specmv or __ are reserved");
  }
}

TEST_CASE("addresses, pointers, subscripts and lambdas are refused with their line") {
  const auto refused = [](const char *c) {
    return llvm::formatv("epilogue, line 2: '{0}' is not allowed here: a fused step has no "
                         "addresses and no pointers",
                         c)
        .str();
  };
  for (const char *text : {"q = *(double*)0x1000;", "real *a = 0;", "q = ax ** 2;", "q = (*ax);",
                           "double * b;", "q = static_cast<real *>(0) != 0;"}) {
    CAPTURE(text);
    CHECK(refusalOf(std::string("q = ax;\n") + text) == refused("*"));
  }
  for (const char *text : {"q = (&ax) != 0;", "real &r = q;", "(real &)q = 5;", "q = i & 1;"}) {
    CAPTURE(text);
    CHECK(refusalOf(std::string("q = ax;\n") + text) == refused("&"));
  }
  for (const char *text : {"q = ax[1];", "auto f = [](auto s) { s(s); };"}) {
    CAPTURE(text);
    CHECK(refusalOf(std::string("q = ax;\n") + text) ==
          "epilogue, line 2: the character '[' is not allowed in a fused step");
  }
}

TEST_CASE("brackets must be balanced, and a comment must end") {
  const auto closes = [](const char *bracket) {
    return llvm::formatv("epilogue, line 1: '{0}' closes what is not open", bracket).str();
  };
  CHECK(refusalOf("} q = ax; {") == closes("}"));
  CHECK(refusalOf("q = (ax};") == closes("}"));
  CHECK(refusalOf("q = ax);") == closes(")"));
  CHECK(refusalOf("if (ax) {\nq = ax;\n") == "epilogue, line 2: '}' is missing at the end");
  CHECK(refusalOf("q = ax;\n\n /* a\n b") ==
        "epilogue, line 3: the comment that begins here has no end");
  // The star that begins a comment does not end it.
  CHECK(refusalOf("q = ax; /*/") == "epilogue, line 1: the comment that begins here has no end");
  CHECK(refusalOf("q = ax; /*/ // */ while (q < 1) q = 2;") != "");
  CHECK(refusalOf("q = ax; /*/ { /* */ }") == closes("}"));
  CHECK(refusalOf("q = ax; /* // */ }") == closes("}"));
  CHECK(refusalOf("q = ax; // /*\n }") == "epilogue, line 2: '}' closes what is not open");
}

TEST_CASE("texts that would keep the compiler busy are refused") {
  const std::string end = "q = ax;";
  CHECK(refusalOf(std::string((8 << 10) - end.size(), ' ') + end) == "");
  CHECK(refusalOf(std::string((8 << 10) + 1 - end.size(), ' ') + end) ==
        "epilogue of 8193 bytes exceeds the limit, 8192 bytes");
  CHECK(refusalOf(times(256, "{") + end + times(256, "}")) == "");
  CHECK(refusalOf(times(257, "{") + end + times(257, "}")) ==
        "epilogue, line 1: 257 brackets are open after 0 conditions; 256 of both together are the "
        "limit");
  CHECK(refusalOf("q = " + times(256, "i ? ax : ") + "ax;") == "");
  CHECK(refusalOf("q = " + times(257, "i ? ax : ") + "ax;") ==
        "epilogue, line 1: 0 brackets are open after 257 conditions; 256 of both together are the "
        "limit");
  CHECK(refusalOfX(std::string(8 << 10, ' ') + "p") ==
        "x of 8193 bytes exceeds the limit, 8192 bytes");
}

TEST_CASE("x is one expression of columns") {
  for (const char *x :
       {"p", "1", "j", "2 * p", "(p, p)", "fmin(p, real(j))", "p // of the column", "p\n* 2"}) {
    CAPTURE(x);
    CHECK(refusalOfX(x) == "");
  }
  CHECK(refusalOfX("p; q = 1") == "x, line 1: ';' is not allowed: it must be one expression");
  CHECK(refusalOfX("p\n, p") == "x, line 2: ',' is not allowed: it must be one expression");
  CHECK(refusalOfX("p) + (p") == "x, line 1: ')' closes what is not open");
  CHECK(refusalOfX("p /* a") == "x, line 1: the comment that begins here has no end");
  CHECK(refusalOfX(" // a") == "x has 5 bytes but no expression; name a vector, or leave it out "
                               "for a step without a product");
  for (const std::string name : {"i", "ax"})
    CHECK(
        refusalOfX("p * " + name) ==
        "x = 'p * " + name + "' names " + name +
            ", which belongs to rows; x is computed for columns, and the number of a column is j");
}

TEST_CASE("tokens are those of the compiler") {
  const auto split = [](const char *text) {
    std::string out;
    Tokens tokens(text);
    for (Token token = tokens.next(); !token.text.empty(); token = tokens.next())
      out += token.text.str() + (token.isWord() ? "w" : "") + std::to_string(token.line) + " ";
    return out;
  };
  CHECK(split("") == "");
  CHECK(split(" // a") == "");
  CHECK(split("a=2.f*.5e-3+0x1p+4-1e5-x.y") ==
        "aw1 =1 2.f1 *1 .5e-31 +1 0x1p+41 -1 1e51 -1 xw1 .1 yw1 ");
  CHECK(split("a\n/*\n\n*/ _b1\n//c\n(d)") == "aw1 _b1w4 (6 dw6 )6 ");
  CHECK(split("1..2 3e+ 4.x5") == "1..21 3e+1 4.x51 ");
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
        "if (r) { s = 1; } ; q = 2;", "{ r = 1; r = 2; } ; q = r;"}) {
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
