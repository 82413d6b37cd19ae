// bench --setup: what it tells of a matrix and of all, its file, the calls that it refuses, and a
// whole run on the fake driver.
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/setup_lines.h"
#include "runtime/cli/bench/setup_totals.h"
#include "tests/gpu_present.h"
#include "tests/tool/tool_testing.h"

#include <map>

using namespace tooltest;
using namespace specmv;
using namespace specmv::cli;
using llvm::json::Object;

namespace {

CsrMatrix oneEntry() {
  CsrMatrix matrix;
  matrix.name = "a", matrix.rows = 1, matrix.cols = 1;
  matrix.rowPtr = {0, 1}, matrix.col = {0}, matrix.val = {1};
  return matrix;
}

// What was measured of a set-up: one product was run, the others follow from it.
SetupTime measured(const char *contender, const char *state, double setupUs, double productUs) {
  SetupTime out{.contender = contender,
                .state = state,
                .plan = "plan",
                .setupUs = setupUs,
                .productUs = productUs,
                .storedBytes = 12,
                .peakBytes = 34,
                .verified = true};
  out.totals = continuedTotals({setupUs + productUs}, productUs);
  return out;
}

SetupBench bench() {
  SetupBench out{
      .csrBytes = 1000,
      .times = {measured("specmv", "again", 600, 2), measured("cusparse-sell", "again", 50, 4)}};
  out.times[0].parts.build.pack = 0.5;
  out.times[1].conversionIsCounted = false;
  out.times.push_back({.contender = "cusparse-bsr", .state = "again", .why = "does not apply"});
  return out;
}

std::vector<Object> objectsOf(const std::string &text) {
  std::vector<Object> out;
  for (const std::string &line : tooltest::linesOf(text))
    out.push_back(*llvm::cantFail(llvm::json::parse(line)).getAsObject());
  return out;
}

// A record of a matrix with one figure.
BenchRecord record(const char *matrix, int64_t csrBytes, const SetupFigure &figure) {
  return {.matrix = matrix, .type = "f64", .csrBytes = csrBytes, .setup = {figure}};
}

} // namespace

TEST_CASE("set-ups have a line for each contender and number of products") {
  const CsrMatrix matrix = oneEntry();
  const TypedMatrix a(matrix, ValueType::f64);
  const std::vector<Object> lines = objectsOf(linesOf(a, bench()));
  REQUIRE(lines.size() == 5 + 5 + 1);
  const Object &first = lines[0], &continued = lines[9], &refused = lines[10];
  CHECK(first.getString("matrix") == "a");
  CHECK(first.getString("type") == "f64");
  CHECK(first.getBoolean("setup") == true);
  CHECK(first.getString("contender") == "specmv");
  CHECK(first.getString("state") == "again");
  CHECK(first.getString("from") == "device");
  CHECK(first.getInteger("n") == 1);
  CHECK(first.getNumber("totalUs") == 602);
  CHECK(first.getNumber("setupUs") == 600);
  CHECK(first.getBoolean("measured") == true);
  CHECK(first.getBoolean("verified") == true);
  CHECK(first.getInteger("peakBytes") == 34);
  CHECK(first.getObject("setupMs")->getNumber("pack") == 0.5);
  CHECK_FALSE(first.get("conversion"));
  CHECK(continued.getInteger("n") == 10'000);
  CHECK(continued.getNumber("totalUs") == 50 + 4 * 10'000);
  CHECK(continued.getBoolean("measured") == false);
  CHECK(continued.getString("conversion") == "not counted");
  CHECK_FALSE(continued.get("setupMs"));
  CHECK(refused.getString("why") == "does not apply");
  REQUIRE(refused.get("totalUs"));
  CHECK(refused.get("totalUs")->kind() == llvm::json::Value::Null);
}

TEST_CASE("the summary of set-ups can be read again") {
  const CsrMatrix matrix = oneEntry();
  const TypedMatrix a(matrix, ValueType::f32);
  const Object summary = summaryOf(a, bench());
  CHECK(summary.getBoolean("summary") == true);
  CHECK(summary.getBoolean("setup") == true);
  CHECK(summary.getBoolean("verified") == true);
  const BenchRecord record = recordOf(summary);
  CHECK(record.csrBytes == 1000);
  REQUIRE(record.setup.size() == 1);
  CHECK(record.setup[0].state == "again");
  CHECK(record.setup[0].inProducts() == 300);
  CHECK(record.setup[0].ratio == 2);
  CHECK(record.setup[0].breakEven == 276);
  CHECK(record.setup[0].isBelow == std::vector<bool>{false, false, false, true, true});
  CHECK(wrongOf(bench()).empty());
  SetupBench wrong = bench();
  wrong.times[1].verified = false;
  CHECK(wrongOf(wrong) == "cusparse-sell again from the device");
  CHECK(summaryOf(a, wrong).getBoolean("verified") == false);
}

TEST_CASE("tables of set-ups tell what was continued, not counted and wrong") {
  const CsrMatrix matrix = oneEntry();
  const TypedMatrix a(matrix, ValueType::f64);
  SetupBench wrong = bench();
  wrong.times[0].verified = false;
  const std::string text = tableOf(a, wrong);
  CHECK(text.find("a f64: 1 x 1, 1 entries") == 0);
  for (const char *part : {"from the device", "from the host", "10000", "20.600~", "0.602 ",
                           "plan  WRONG", "plan  (conversion not counted)", "does not apply"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, std::string(part));
}

TEST_CASE("totals of set-ups are means and worst cases by type, group, side and state") {
  const auto figure = [](double setupUs, double ratio, std::optional<double> breakEven,
                         std::vector<bool> isBelow) {
    return SetupFigure{.state = "pack",
                       .setupUs = setupUs,
                       .productUs = 10,
                       .ratio = ratio,
                       .breakEven = breakEven,
                       .isBelow = std::move(isBelow)};
  };
  std::vector<BenchRecord> records = {
      record("a", 100, figure(1000, 1.5, 40, {false, false, true, true, true})),
      record("b", 100, figure(4000, 1.2, 900, {false, false, false, true, true})),
      record("c", 100, figure(2000, 2, 60, {false, false, true, true, true})),
      record("d", 5000, figure(100, 1.4, std::nullopt, {true, true, true, false, false})),
      record("e", 100, figure(2000, 0, std::nullopt, {}))};
  records.push_back(records[0]);
  records.back().verified = false;
  const std::vector<SetupSum> sums = setupSumsOf(records, 1000);
  REQUIRE(sums.size() == 3); // L2, memory, all
  const SetupSum &cached = sums[0], &all = sums[2];
  CHECK(std::string(cached.group) == "L2");
  CHECK(cached.matrices == 4);
  CHECK(cached.products.mean == doctest::Approx(200)); // (100 x 400 x 200 x 200)^(1/4)
  CHECK(cached.products.worst == 400);
  CHECK(cached.products.matrix == "b");
  CHECK(cached.ms.mean == doctest::Approx(2));
  CHECK(cached.ms.worst == 4);
  CHECK(cached.paid == 2); // not of b, whose product is hardly faster
  CHECK(cached.breakEven.mean == 60);
  CHECK(cached.breakEven.worst == 60);
  CHECK(cached.breakEven.matrix == "c");
  CHECK(cached.compared == 3);
  CHECK(cached.below == std::vector<int>{0, 0, 2, 3, 3});
  CHECK(all.neverPaid == 1);
  CHECK(all.below == std::vector<int>{1, 1, 3, 3, 3});
  const Object json = jsonOf(cached);
  for (const char *key : {"total", "summary", "setup"})
    CHECK_MESSAGE(json.getBoolean(key) == true, std::string(key));
  CHECK(json.getObject("below")->getInteger("100") == 2);
  CHECK(json.getObject("setupMs")->getNumber("geomean") == doctest::Approx(2));
  CHECK(json.getObject("breakEven")->getNumber("median") == 60);
  const std::string text = textOf(sums);
  CHECK(text.find("f64 L2     device pack") == 0);
  CHECK(text.find("it has paid on 2 of 2 after 60 products") != std::string::npos);
  CHECK(setupSumsOf({}, 1000).empty());
}

TEST_CASE("a file of set-ups is gone on with, without its totals, and only by --setup") {
  const CsrMatrix matrix = oneEntry();
  const TypedMatrix a(matrix, ValueType::f64);
  const auto lineOf = [](Object object) {
    return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str();
  };
  const auto session = [](bool setup) {
    return Object{{"machine", "GPU"}, {"arch", "sm_90"}, {"request", Object{{"setup", setup}}}};
  };
  const std::string file = scratch("setups.jsonl");
  const std::string whole =
      lineOf(session(true)) + linesOf(a, bench()) + lineOf(summaryOf(a, bench()));
  const std::vector<BenchRecord> records = {recordOf(summaryOf(a, bench()))};
  writeFile(file, whole + lineOf(jsonOf(setupSumsOf(records, 1)[0])));
  auto other = BenchLog::resume(file, session(false));
  REQUIRE_FALSE(static_cast<bool>(other));
  CHECK(llvm::toString(other.takeError()).find("was measured with --setup") != std::string::npos);
  auto plain = BenchLog::resume(file, Object{{"machine", "GPU"}});
  CHECK(llvm::errorToBool(plain.takeError()));
  BenchLog log = llvm::cantFail(BenchLog::resume(file, session(true)));
  CHECK(readFile(file) == whole);
  REQUIRE(log.records().size() == 1);
  CHECK(log.records()[0].setup.size() == 1);
  CHECK(log.takeDone(matrix, ValueType::f64));
}

TEST_CASE("bench --setup refuses what it cannot do") {
  checkRefusal(tooltest::tool({"bench", "--setup", "--only-packs", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--setup", "--target", "host", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--setup"}), 2);
  checkRefusal(tooltest::tool({"run", "--setup", "stencil5:n=4"}), 2);
  if (!gpuIsPresent())
    checkRefusal(tooltest::tool({"bench", "--setup", "stencil5:n=4"}), 3);
}

TEST_CASE("bench --setup on the fake driver measures all states in a cache of its own") {
  const std::string temporary = scratch("temporary"), cache = scratch("untouched");
  std::filesystem::create_directories(temporary);
  const Outcome outcome =
      tooltest::tool({"bench", "--setup", "--json", "--format", "csr-scalar", "stencil5:n=8"},
                     {{std::string("LD_LIBRARY_PATH=") + SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
                       std::string("SPECMV_CUDA_HOME=") + SPECMV_FAKE_TOOLKIT,
                       "TMPDIR=" + temporary, "SPECMV_CACHE_DIR=" + cache},
                      ""});
  CHECK(outcome.status == 1); // the kernels of the fake driver do nothing
  CHECK(outcome.err.find("specmv cold from the device gives a wrong product") != std::string::npos);
  std::map<std::string, int> lines; // of each state and side
  for (const Object &line : objectsOf(outcome.out))
    if (line.getString("contender") == llvm::StringRef("specmv"))
      ++lines[(*line.getString("state") + " " + *line.getString("from")).str()];
  CHECK(lines == std::map<std::string, int>{{"cold device", 5},
                                            {"pack device", 5},
                                            {"pack host", 5},
                                            {"again device", 5},
                                            {"again host", 5},
                                            {"structure device", 5},
                                            {"structure host", 5},
                                            {"now device", 1}}); // why there is none
  CHECK(std::filesystem::is_empty(temporary));
  CHECK_FALSE(std::filesystem::exists(cache));
}
