// Tests what `analyze` tells about the values of small matrices.
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using llvm::json::Value;

TEST_CASE("analyze tells facts about the values, in one line and in JSON") {
  const auto lineOf = [](const std::string &entries, const std::string &type) {
    const std::string file =
        fileOf("values.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n" + entries);
    for (const std::string &line : linesOf(tool({"analyze", file, "--type", type}).out))
      if (line.rfind("values ", 0) == 0)
        return line;
    return std::string();
  };
  const std::string ones = "1 1 1\n1 3 1\n2 2 1\n", tenths = "1 1 0.1\n1 3 1\n2 2 0.1\n";
  CHECK(lineOf(ones, "f64") == "values     all equal (1)");
  CHECK(lineOf("1 1 1\n1 3 -1\n2 2 1\n", "f64") ==
        "values     2 distinct, 1 and -1, exact in i8, constant along diagonals");
  CHECK(lineOf("1 1 0.5\n1 3 2\n2 2 3\n", "f32") == "values     3 distinct, exact in f16");
  CHECK(lineOf("1 1 1e-9\n1 3 2\n2 2 3\n", "f64") == "values     3 distinct");
  CHECK(lineOf("1 1 100000\n1 3 2\n2 2 3\n", "f64") == "values     3 distinct, exact in f32");
  CHECK(lineOf(tenths, "f64") == "values     2 distinct, constant along diagonals");
  const Value json =
      analyzed({fileOf("tenths.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                     "2 3 3\n" +
                                         tenths),
                "--type", "f64,f32"});
  CHECK(number(json, "values.distinct") == 2);
  CHECK_FALSE(flag(json, "values.allEqual"));
  CHECK(find(json, "values.value")->getAsNull());
  CHECK_FALSE(flag(json, "values.exactIn.f32"));
  CHECK(flag(json, "values.finite"));
  CHECK(flag(json, "values.constantAlongDiagonals"));
  CHECK(text(json, "values.id").size() == 32);
  const Value &narrow = array(json, "further").front();
  CHECK(flag(narrow, "values.exactIn.f32"));
  CHECK(text(narrow, "values.id") != text(json, "values.id"));
  const Value equal = analyzed({fileOf("ones.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                                   "2 3 3\n" +
                                                       ones)});
  CHECK(flag(equal, "values.allEqual"));
  CHECK(number(equal, "values.value") == 1);
  CHECK(flag(equal, "values.exactIn.i8"));
}

// A former bug: the choice was explained by values that are all equal.
TEST_CASE("analyze tells nothing of the values of a matrix without entries") {
  const std::string none =
      fileOf("none.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
  for (const char *format : {"dia", "csr-vector"}) {
    const Outcome outcome =
        tool({"analyze", "--why", "--set", "values=ones", "--format", format, none});
    CHECK(outcome.status == 0);
    CHECK_MESSAGE(outcome.out.find("equal") == std::string::npos, outcome.out);
    CHECK(outcome.out.find("values     none\n") != std::string::npos);
  }
}

// A former bug: values that became 0 were not counted.
TEST_CASE("values that f32 cannot hold are counted in a warning") {
  const std::string file =
      fileOf("range.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 7\n"
                          "1 1 1e-300\n1 2 -1e-46\n1 3 0\n2 1 1e-45\n2 2 1e39\n3 3 inf\n3 1 nan\n");
  const std::string beyond = "1 values of range are beyond the range of f32 and become infinite",
                    below = "2 values of range are below the range of f32 and become 0",
                    advice = "; use --type f64\n";
  const Outcome narrow = tool({"analyze", file, "--type", "f32"});
  CHECK(messages(narrow, "warning") == 2);
  for (const std::string &lost : {beyond, below})
    CHECK_MESSAGE(narrow.err.find(lost + advice) != std::string::npos, narrow.err);
  CHECK(messages(tool({"analyze", file, "--type", "f64"}), "warning") == 0);
}
