// Tests what bench and run say of cuSPARSE, on the fake driver and a fake of its newest version:
// the version, SpMVOp and SpMVGeneric, what it prepares, and products as replays of a graph.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <llvm/ADT/StringExtras.h>

#include <map>

using namespace tooltest;
using specmv::testing::contains;

namespace {

// The size of the fake GPU's L2, by its number among the attributes. Otherwise it has 1024 bytes.
const std::string kLargeL2 = "SPECMV_FAKE_ATTRIBUTE=38=1000000";

// Returns the lines of formats, by name, and the summary as "". The fake's kernels do nothing, so
// that only calls of cuSPARSE are right.
std::map<std::string, llvm::json::Object> benchLines(const Strings &more, const char *type) {
  const Outcome outcome = tool(
      {"bench", "--json", "--quiet", "--type", type, "--format", "cusparse-op", "stencil5:n=4"},
      onFakeGpu(more));
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  std::map<std::string, llvm::json::Object> out;
  for (llvm::json::Object &line : objectsOf(outcome.out)) {
    if (line.getString("machine"))
      CHECK(line.getString("cusparse") == llvm::StringRef("cuSPARSE 12.9.4"));
    const bool isSummary = line.getBoolean("summary").value_or(false);
    if (const auto format = line.getString("format"); format || isSummary)
      out.emplace(format.value_or("").str(), std::move(line));
  }
  return out;
}

} // namespace

TEST_CASE("bench times SpMVOp and SpMVGeneric by their algorithms, and what they take to prepare") {
  const auto lines = benchLines({}, "f64");
  for (const char *format : {"cusparse-op", "cusparse-op1", "cusparse-op2", "cusparse-generic",
                             "cusparse-generic1", "cusparse-csr"}) {
    CAPTURE(format);
    REQUIRE(lines.count(format) == 1);
    const llvm::json::Object &line = lines.at(format);
    CHECK(line.getNumber("us").value_or(0) > 0);
    CHECK(line.getNumber("prepareUs").value_or(0) > 0);
    CHECK(line.getBoolean("verified") == true);
  }
  const auto single = benchLines({}, "f32"); // where the fake refuses the second algorithm
  CHECK(single.at("cusparse-op1").getNumber("us").value_or(0) > 0);
  CHECK_FALSE(single.at("cusparse-op2").getNumber("us"));
  CHECK(contains(single.at("cusparse-op2").getString("why")->str(),
                 "cusparseSpMVOp_bufferSize failed"));
}

TEST_CASE("products within L2 are timed as replays too, ours and cuSPARSE's") {
  const auto lines = benchLines({kLargeL2}, "f64");
  for (const char *format : {"cusparse-op", "cusparse-csr"}) {
    CAPTURE(format);
    CHECK(lines.at(format).getNumber("usReplay").value_or(0) > 0);
    CHECK_FALSE(lines.at(format).get("whyNoReplay"));
  }
  const llvm::json::Object &summary = lines.at("");
  for (const char *figure : {"chosenReplayUs", "cusparseBestReplayUs", "replayRatio"})
    CHECK_MESSAGE(summary.getNumber(figure).value_or(0) > 0, std::string(figure));
  CHECK(llvm::StringRef(*summary.getString("cusparseBestReplay")).starts_with("cusparse-"));
}

// A former bug: a file that was not there yet could not be opened.
TEST_CASE("evaluate begins the file that it is to continue, and times replays as well") {
  const std::string file = scratch("begun.jsonl");
  const Outcome outcome = tool({"evaluate", "--json", "--quiet", "--resume", file, "--format",
                                "cusparse-csr", "stencil5:n=4"},
                               onFakeGpu({kLargeL2}));
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  size_t plans = 0;
  for (const llvm::json::Object &line : objectsOf(readFile(file)))
    if (line.getString("format") == llvm::StringRef("cusparse-csr") && line.getArray("plans"))
      for (const llvm::json::Value &plan : *line.getArray("plans")) {
        ++plans;
        CHECK(plan.getAsObject()->getNumber("usReplay").value_or(0) > 0);
      }
  CHECK(plans == 1);
}

TEST_CASE("a product that cannot be captured, or a matrix beyond L2, has no replay and says why") {
  struct Case {
    Strings environment;
    std::string why;
  };
  for (const Case &c : {Case{{}, "it is timed up to 1024 bytes of CSR"},
                        {{kLargeL2, "SPECMV_FAKE_FAILS=cuStreamEndCapture"},
                         "it cannot be captured: cuStreamEndCapture failed"}}) {
    CAPTURE(c.why);
    const auto lines = benchLines(c.environment, "f64");
    const llvm::json::Object &line = lines.at("cusparse-csr");
    CHECK(line.getNumber("us").value_or(0) > 0);
    CHECK_FALSE(line.getNumber("usReplay"));
    CHECK_MESSAGE(contains(line.getString("whyNoReplay")->str(), c.why),
                  line.getString("whyNoReplay")->str());
    CHECK_FALSE(lines.at("").get("replayRatio"));
    CHECK(lines.at("").getNumber("ratio").value_or(0) > 0);
  }
}

TEST_CASE("run names the version of cuSPARSE, its best as launches and as replays") {
  const Strings call = {"run", "stencil5:n=4", "--format", "cusparse-csr", "--quiet"};
  Strings json = call;
  json.emplace_back("--json");
  const auto run = document(tool(json, onFakeGpu({kLargeL2})));
  CHECK(text(run, "cusparse.version") == "cuSPARSE 12.9.4");
  CHECK(number(run, "usReplay") > 0);
  CHECK(number(run, "cusparse.replay.ratio") > 0);
  CHECK(number(run, "cusparse.allReplay.cusparse-op1") > 0);
  CHECK(number(run, "cusparse.prepareUs.cusparse-op1") > 0);
  const Outcome shown = tool(call, onFakeGpu({kLargeL2}));
  CHECK_MESSAGE(contains(shown.out, "the best of cuSPARSE 12.9.4: "), shown.out);
  CHECK_MESSAGE(contains(shown.out, "as a CUDA graph; cuSPARSE "), shown.out);
}

// A former bug: the format was left with the reason of its first plan.
TEST_CASE("in place of a plan that cannot be built bench measures the next of its format") {
  // The profile samples a part of the blocks, which are full; one elsewhere is not.
  const std::string whole = scratch("whole.mtx"), file = scratch("almost.mtx");
  REQUIRE(tool({"generate", "blocks:b=3,k=9,band=50,rows=30000", "-o", whole}).status == 0);
  Strings lines = linesOf(readFile(whole));
  const auto sizes = std::find_if(lines.begin(), lines.end(), [](auto &l) { return l[0] != '%'; });
  const std::string count = sizes->substr(sizes->rfind(' ') + 1);
  sizes->replace(sizes->rfind(' ') + 1, count.size(), std::to_string(std::stoll(count) - 1));
  lines.erase(sizes + static_cast<std::ptrdiff_t>(std::stoll(count)) / 3);
  writeFile(file, llvm::join(lines, "\n") + "\n");
  const auto plans = array(analyzed({file, "--format", "bcsr"}), "candidates");
  REQUIRE(number(plans[0], "params.full") == 1);
  const Outcome outcome =
      tool({"bench", "--json", "--quiet", "--format", "bcsr", file}, onFakeGpu());
  // The fake's kernels do nothing, so that the product of a plan that was built is wrong.
  CHECK(contains(outcome.out, "\"why\":\"wrong product\""));
  CHECK_FALSE(contains(outcome.out, "needs an entry in every place of a block"));
}

TEST_CASE("bench --setup counts what the experimental products take to prepare") {
  const Outcome outcome = tool({"bench", "--setup", "--json", "--quiet", "--states", "again",
                                "--from", "device", "stencil5:n=4"},
                               onFakeGpu({}));
  std::map<std::string, double> setUps;
  for (const llvm::json::Object &line : objectsOf(outcome.out))
    if (const auto contender = line.getString("contender"))
      setUps[contender->str()] = line.getNumber("setupUs").value_or(0);
  for (const char *format :
       {"cusparse-op", "cusparse-op1", "cusparse-op2", "cusparse-generic", "cusparse-generic1"})
    CHECK_MESSAGE(setUps[format] > 0, std::string(format));
}
