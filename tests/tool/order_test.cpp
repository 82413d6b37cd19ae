// Tests the tool's choice of an order of rows and columns, by --set order=.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace specmv::testing;
using namespace tooltest;

TEST_CASE("--set order= names the order of plans, or lets the tool choose one") {
  const std::string mesh = "fem2d:rows=2000,order=random";
  const auto chosen = [](const Strings &call) {
    const Outcome outcome = tool(call);
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    const Strings lines = linesOf(outcome.out);
    return lines.empty() ? "" : lines.back();
  };
  CHECK(contains(chosen({"analyze", mesh, "--set", "order=bfs"}), " order=bfs"));
  for (const char *order : {"order=none", "order=any"}) // too small for an order to pay
    CHECK_FALSE(contains(chosen({"analyze", mesh, "--set", order}), "order="));
  CHECK(contains(
      chosen({"analyze", "fem2d:rows=200000,order=random", "--type", "f32", "--set", "order=any"}),
      " order=bfs"));
  const Outcome emitted = tool({"emit", mesh, "--format", "sell", "--set", "order=bfs"});
  CHECK(contains(emitted.out, "specmv_orderX("));
  const std::string why = tool({"analyze", "--why", mesh, "--set", "order=bfs"}).out;
  CHECK_MESSAGE(contains(why, "wins: rows and columns are in an order in which x is read in fewer "
                              "pieces, and "),
                why);
}

TEST_CASE("an order that cannot be is refused in a sentence") {
  const std::pair<Strings, std::string> calls[] = {
      {{"analyze", "stencil5:n=9", "--set", "order=rcm"},
       "order='rcm' is no order of rows and columns; use order=bfs or order=none; --set also takes "
       "order=any\n"},
      {{"pregen", "stencil5:n=9", "--set", "order=rcm", "-o", scratch("any.pack")},
       "order='rcm' is no order of rows and columns; use order=bfs or order=none\n"},
      {{"pregen", "stencil5:n=9", "--set", "order=any", "-o", scratch("any.pack")},
       "pregen takes no --set order=any; name the order, order=bfs, or leave it out"}};
  for (const auto &[call, sentence] : calls) {
    const Outcome outcome = tool(call);
    CHECK(outcome.status == 2);
    CHECK_MESSAGE(contains(outcome.err, sentence), outcome.err);
  }
  const Outcome wide = tool({"analyze", "lp:rows=40,cols=9000", "--set", "order=bfs"});
  CHECK(wide.status != 0);
  CHECK_MESSAGE(contains(wide.err, "order=bfs takes square matrices; this one has 40 rows and "
                                   "9000 columns"),
                wide.err);
}
