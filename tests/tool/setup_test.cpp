// Tests bench --setup: its report on one matrix and on all, its file, and the calls that it
// refuses.
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/bench/setup.h"
#include "runtime/cli/bench/totals.h"
#include "tests/gpu_present.h"
#include "tests/tool/tool_testing.h"

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

// A measured set-up: one product was run, the others are derived from it.
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
  CHECK_FALSE(continued.get("handleUs"));
  CHECK(refused.getString("why") == "does not apply");
  REQUIRE(refused.get("totalUs"));
  CHECK(refused.get("totalUs")->kind() == llvm::json::Value::Null);
}

// Returns the same bench plus one of our set-ups that knew the number of products.
static SetupBench weighedBench() {
  SetupBench out = bench();
  SetupTime known = measured("specmv", "products", 30, 4);
  known.products = 100;
  known.totals = {{100, 495, true}};
  out.times.push_back(known);
  return out;
}

TEST_CASE("a known number of products has a line, a row and a figure of its own") {
  const CsrMatrix matrix = oneEntry();
  const TypedMatrix a(matrix, ValueType::f64);
  const std::vector<Object> lines = objectsOf(linesOf(a, weighedBench()));
  REQUIRE(lines.size() == 12);
  CHECK(lines[11].getString("state") == "products");
  CHECK(lines[11].getInteger("n") == 100);
  CHECK(lines[11].getNumber("totalUs") == 495);
  const std::string text = tableOf(a, weighedBench());
  CHECK(text.find("plan  (1.10 times cuSPARSE's best)") != std::string::npos);
  const BenchRecord record = recordOf(summaryOf(a, weighedBench()));
  REQUIRE(record.setup.size() == 2);
  CHECK(record.setup[1].products == 100);
  CHECK(record.setup[1].overBest == doctest::Approx(1.1)); // of 50 + 4 x 100
  const auto sums = setupSumsOf({record}, 1);
  CHECK(sums[0].state == "again");
  CHECK(sums.size() == 2); // memory and all: what knew the number is summed up apart
}

TEST_CASE("totals of known numbers of products tell how often they lose") {
  const auto figure = [](int64_t products, double overBest) {
    return SetupFigure{.state = "products", .products = products, .overBest = overBest};
  };
  const std::vector<ProductsSum> sums =
      productsSumsOf({record("a", 100, figure(10, 2)), record("b", 100, figure(10, 0.5)),
                      record("c", 5000, figure(10, 1.04)), record("d", 100, figure(100, 0)),
                      record("e", 100, figure(1000, 0.9))},
                     1000);
  REQUIRE(sums.size() == 5); // L2: 10 and 1000; memory: 10; all: 10 and 1000
  CHECK(sums[0].products == 10);
  CHECK(sums[0].matrices == 2);
  CHECK(sums[0].over.mean == doctest::Approx(1));
  CHECK(sums[0].over.matrix == "a");
  CHECK(sums[0].above == 1);
  CHECK(sums[2].above == 0);
  CHECK(sums[3].matrices == 3);
  const Object json = jsonOf(sums[0]);
  CHECK(json.getBoolean("total") == true);
  CHECK(json.getString("state") == "products");
  CHECK(json.getInteger("n") == 10);
  CHECK(json.getObject("overBest")->getNumber("worst") == 2);
  CHECK(textOf(sums).find("worst 2.000, a); more than 1.05 times on 1") != std::string::npos);
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
  CHECK(text.find("from the host") == std::string::npos); // nothing was measured from there
  for (const char *part : {"from the device", "10000", "20.600~", "0.602 ", "plan  WRONG",
                           "plan  (conversion not counted)", "does not apply"})
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
  CHECK(cached.paysAfter.mean == 201); // 1000 / 5 + 1, and 2000 / 10 + 1
  CHECK(cached.paysAfter.worst == 201);
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
  CHECK(json.getObject("paysAfter")->getNumber("median") == 201);
  const std::string text = textOf(sums);
  CHECK(text.find("f64 L2     device pack") == 0);
  CHECK(text.find("on 2, it pays after 201 products") != std::string::npos);
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

TEST_CASE("a file of set-ups is not gone on with in other states or from another side") {
  const auto session = [](const Object &asked) {
    Object request{{"setup", true}};
    for (const auto &[key, value] : asked)
      request[key] = value;
    return Object{{"machine", "GPU"}, {"arch", "sm_90"}, {"request", std::move(request)}};
  };
  using llvm::json::Array;
  Array all{"cold", "pack", "again", "structure", "now"};
  const Object old = session(Object{}),
               same = session(Object{{"states", std::move(all)}, {"from", "both"}}),
               fewer = session(Object{{"states", Array{"again"}}, {"from", "both"}}),
               device = session(Object{{"states", Array{"again"}}, {"from", "device"}});
  const auto isRefused = [](const Object &before, const Object &now) {
    return llvm::errorToBool(checkSession(before, now, "file"));
  };
  CHECK_FALSE(isRefused(old, same)); // of a version that had no other states
  CHECK_FALSE(isRefused(fewer, fewer));
  CHECK(isRefused(old, fewer));
  CHECK(isRefused(same, fewer));
  CHECK(isRefused(fewer, device));
}

TEST_CASE("bench --setup refuses what it cannot do") {
  checkRefusal(tooltest::tool({"bench", "--setup", "--only-packs", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--setup", "--target", "host", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--setup"}), 2);
  checkRefusal(tooltest::tool({"bench", "--states", "again", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--from", "host", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--setup", "--states", "warm", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"bench", "--setup", "--from", "disk", "stencil5:n=4"}), 2);
  checkRefusal(tooltest::tool({"run", "--setup", "stencil5:n=4"}), 2);
  if (!gpuIsPresent())
    checkRefusal(tooltest::tool({"bench", "--setup", "stencil5:n=4"}), 3);
}
