// Tests impossible calls: each is refused with 2 and one error, before any work is done.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

TEST_CASE("a bad call exits with 2 and one error") {
  const std::vector<Strings> calls = {
      {},
      {"frobnicate"},
      {"run"},
      {"analyze"},
      {"report"},
      {"emit"},
      {"bench"},
      {"profile"},
      {"generate"},
      {"pregen"},
      {"pregen", "stencil5:n=4"},
      {"pregen", "-o", scratch("never.pack")},
      {"pregen", "-o", scratch("never.pack"), "--format", "nonsense", "stencil5:n=4"},
      {"pregen", "-o", scratch("never.pack"), "--set", "nonsense=3", "stencil5:n=4"},
      {"run", "--standard", "stencil5:n=4"},
      {"run", "--frobnicate", "stencil5:n=4"},
      {"run", "stencil5:n=4", "stencil5:n=5"},
      {"profile", "stencil5:n=4", "stencil5:n=5"},
      {"profile", "--target", "host", "stencil5:n=4"},
      {"profile", "--format", "nonsense", "stencil5:n=4"},
      {"profile", "--format", "sell", "--set", "ell.width=5", "stencil5:n=4"},
      {"run", "--format", "nonsense", "--target", "gpu", scratch("absent.mtx")},
      {"run", "--type", "f16", "stencil5:n=4"},
      {"run", "--target", "mars", "stencil5:n=4"},
      {"run", "--rigor", "guess", "stencil5:n=4"},
      {"run", "--start", "soon", "stencil5:n=4"},
      {"run", "--products", "many", "stencil5:n=4"},
      {"run", "--products", "0", "stencil5:n=4"},
      {"run", "--products", "-1", "stencil5:n=4"},
      {"run", "--host-products", "0", "stencil5:n=4"},
      {"run", "--format", "nonsense", "stencil5:n=4"},
      {"run", "--format", "ell,nonsense", "stencil5:n=4"},
      {"run", "--format", "ell,,hyb", "stencil5:n=4"},
      {"run", "--format", "", "stencil5:n=4"},
      {"run", "--set", "ell.width", "stencil5:n=4"},
      {"run", "--set", "ell.width=wide", "stencil5:n=4"},
      {"run", "--set", "nonsense=3", "stencil5:n=4"},
      {"run", "--format", "ell", "--set", "hyb.k=3", "stencil5:n=4"},
      {"run", "stencil5:n=4", "--format"},
      {"run", "stencil5:n=4", "-o"},
      {"emit", "stencil5:n=4", "--cubin"},
      {"analyze", "stencil5:n=4", "--signature"},
      {"bench", "--suite"},
      {"bench", "stencil5:n=4", "--resume"},
      {"bench", "stencil5:n=4", "--json", "--resume"},
      {"run", "--json=foo", "stencil5:n=4"},
      {"run", "stencil5:n=4", "--quiet=1"},
      {"run", "--help=foo"},
      {"--version=3"},
      {"-o"},
      {"--json", "run", "stencil5:n=4"},
      {"emit", "--type", "f32,f64", "stencil5:n=4"},
      {"run", "--device", "one", "stencil5:n=4"},
      {"run", "--device", "-1", "stencil5:n=4"},
      {"analyze", "--gpu", "nonsense", "stencil5:n=4"},
      {"analyze", "stencil5:nonsense=4"},
      {"analyze", "stencil5:n=four"},
      {"analyze", "stencil5:n=-4"},
      {"analyze", "stencil5:n=99999999999999999999"},
      {"analyze", "stencil5:"},
      {"analyze", "stencil5:n"},
      {"analyze", "nonsense:n=4"},
      {"generate", "nonsense", "-o", scratch("never.mtx")},
      {"generate", "stencil5:n=4", "nonsense=5", "-o", scratch("never.mtx")},
      {"generate", "stencil5:n=4"}};
  for (const Strings &call : calls) {
    std::string line;
    for (const std::string &word : call)
      line += word + " ";
    CAPTURE(line);
    checkRefusal(tool(call), 2);
  }
  CHECK_FALSE(std::filesystem::exists(scratch("never.mtx")));
}

TEST_CASE("an error names the number at fault") {
  CHECK(tool({"run", "--products", "-17", "stencil5:n=4"}).err.find("-17") != std::string::npos);
  CHECK(tool({"run", "--set", "ell.width=2", "--format", "ell", "stencil5:n=4"}).err.find('5') !=
        std::string::npos);
  CHECK(tool({"analyze", "stencil5:n=-23"}).err.find("-23") != std::string::npos);
}

// A former bug: the last of several values won silently.
TEST_CASE("a number that --set names twice is refused") {
  for (const char *second : {"hyb.k=5", "hyb.k=3", "values=ones"}) {
    const std::string first = second[0] == 'v' ? "values=plain" : "hyb.k=3";
    const Outcome outcome = tool({"analyze", "--set", first, "--set", second, "stencil5:n=4"});
    checkRefusal(outcome, 2);
    CHECK_MESSAGE(contains(outcome.err, "--set names '" + first.substr(0, first.find('=')) +
                                            "' twice; leave out one of the values"),
                  outcome.err);
  }
  CHECK(contains(tool({"run", "--help"}).out, "values=ones"));
}

// A former bug: the words that --set takes were those of a plan's text, which has no values=any.
TEST_CASE("a bad coding is answered with all words that --set takes") {
  const Outcome outcome = tool({"analyze", "--set", "values=twos", "stencil5:n=4"});
  checkRefusal(outcome, 2);
  CHECK_MESSAGE(
      contains(outcome.err, "values='twos' is no coding of values; the codings are plain, "),
      outcome.err);
  CHECK_MESSAGE(contains(outcome.err, ", blocks; --set also takes values=any\n"), outcome.err);
}

TEST_CASE("a result does not take the place of what it is made from") {
  const std::string matrix = scratch("input.mtx");
  REQUIRE(tool({"generate", "stencil5:n=4", "-o", matrix}).status == 0);
  const std::string before = readFile(matrix);
  const std::vector<Strings> calls = {
      {"run", matrix, "-o", matrix},
      {"analyze", matrix, "-o", matrix},
      {"analyze", matrix, "--signature", matrix},
      {"report", matrix, "-o", matrix},
      {"emit", matrix, "--cubin=" + matrix},
      {"pregen", matrix, "-o", matrix},
      {"pregen", "--coverage", matrix, "stencil5:n=4", "-o", matrix}};
  for (const Strings &call : calls) {
    CAPTURE(call[0]);
    const Outcome outcome = tool(call);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, " would overwrite the input " + matrix));
    CHECK(readFile(matrix) == before);
  }
}
