// Tests the bench's report on one matrix and on all, its suites, and the calls that it refuses.
#include "models/lab/families/families.h"
#include "models/lab/families/twins.h"
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/suite.h"
#include "runtime/cli/bench/totals.h"
#include "runtime/lab/evaluate/measured.h"
#include "tests/gpu_present.h"
#include "tests/tool/tool_testing.h"

#include <cmath>
#include <set>

using namespace tooltest;
using namespace specmv;
using namespace specmv::cli;

TEST_CASE("a summary tells of wrong products, and no figure of a choice that is wrong") {
  CsrMatrix matrix;
  matrix.name = "a", matrix.rows = 1, matrix.cols = 1;
  matrix.rowPtr = {0, 1}, matrix.col = {0}, matrix.val = {1};
  const TypedMatrix a(matrix, ValueType::f64);
  const Plan plan{.format = "ell"};
  BenchLine ours{.format = "ell", .plan = plan, .us = 2, .verified = true, .chosen = true};
  BenchLine cusparse{.format = "cusparse-csr", .us = 3, .verified = true};
  ours.plans = {{plan, 2, 2, true, false}};
  llvm::json::Object right = summaryOf(a, {1000, 900, 4000, {ours, cusparse}});
  CHECK(right.getBoolean("verified") == true);
  CHECK(right.getNumber("ratio") == 1.5);
  // Another plan is wrong, but the choice keeps its figures.
  ours.plans.push_back({plan, 3, 3, false, false});
  MatrixBench bench{1000, 900, 4000, {ours, cusparse}};
  CHECK(summaryOf(a, bench).getBoolean("verified") == false);
  CHECK(summaryOf(a, bench).getNumber("ratio") == 1.5);
  bench.lines[0].verified = false;
  bench.lines[0].plans.clear();
  const llvm::json::Object wrong = summaryOf(a, bench);
  CHECK_FALSE(wrong.getBoolean("verified").value_or(true));
  for (const char *figure : {"chosenUs", "ratio", "floorRatio", "rooflineRatio", "breakEven"})
    CHECK_MESSAGE(!wrong.get(figure), std::string(figure));
}

TEST_CASE("a summary tells of the first plan of a program, and no ratio if its product is wrong") {
  CsrMatrix matrix;
  matrix.name = "a", matrix.rows = 1, matrix.cols = 1;
  matrix.rowPtr = {0, 1}, matrix.col = {0}, matrix.val = {1};
  const TypedMatrix a(matrix, ValueType::f32);
  const ReplayTime replayed{.us = 1};
  MatrixBench bench{1000,
                    900,
                    4000,
                    {{.format = "cusparse-csr",
                      .plan = {.format = "cusparse-csr"},
                      .us = 3,
                      .replay = {.us = 2},
                      .verified = true}}};
  CHECK_FALSE(summaryOf(a, bench).get("first")); // a rigor that waits for its kernels
  CHECK(tableOf(a, bench).find("first plan") == std::string::npos);
  bench.first = BenchLine{.format = "qcsr",
                          .plan = {.format = "qcsr"},
                          .us = 4,
                          .replay = replayed,
                          .verified = true,
                          .isGeneral = true};
  llvm::json::Object right = summaryOf(a, bench);
  CHECK(right.getNumber("firstRatio") == 0.75);
  CHECK(right.getNumber("firstReplayRatio") == 2);
  const llvm::json::Object *first = right.getObject("first");
  REQUIRE(first);
  CHECK(first->getString("format") == "qcsr");
  CHECK(first->getBoolean("general") == true);
  CHECK(tableOf(a, bench).find("first plan") != std::string::npos);
  CHECK(wrongOf(bench).empty());
  bench.first->verified = false;
  const llvm::json::Object wrong = summaryOf(a, bench);
  CHECK(wrong.getBoolean("verified") == false);
  CHECK_FALSE(wrong.get("firstRatio"));
  CHECK_FALSE(wrong.get("firstReplayRatio"));
  CHECK(wrongOf(bench) == "qcsr");
  bench.first = BenchLine{.format = "qcsr", .plan = {.format = "qcsr"}, .why = "no kernel"};
  CHECK_FALSE(summaryOf(a, bench).get("first"));
  CHECK(tableOf(a, bench).find("no kernel") != std::string::npos);
}

TEST_CASE("totals are geometric means with their wins and extremes, by group") {
  const std::vector<BenchRecord> records = {
      {.matrix = "a", .type = "f32", .csrBytes = 100, .ratio = 2},
      {.matrix = "b", .type = "f32", .csrBytes = 100, .ratio = 0.5},
      {.matrix = "c", .type = "f32", .csrBytes = 5000, .ratio = 8},
      {.matrix = "a", .type = "f64", .csrBytes = 100, .ratio = 3},
      {.matrix = "gone", .type = "f32", .csrBytes = 50, .ratio = 0},
      {.matrix = "wrong", .type = "f32", .csrBytes = 50, .ratio = 9, .verified = false}};
  const std::vector<BenchTotal> totals = totalsOf(records, 1000);
  REQUIRE(totals.size() == 5);
  CHECK(totals[0].type == "f32");
  CHECK(std::string(totals[0].group) == "L2");
  CHECK(totals[0].matrices == 2);
  CHECK(totals[0].won == 1);
  CHECK(totals[0].ratio == doctest::Approx(1));
  CHECK(totals[0].worstMatrix == "b");
  CHECK(std::string(totals[1].group) == "memory");
  CHECK(totals[1].ratio == doctest::Approx(8));
  CHECK(std::string(totals[2].group) == "all");
  CHECK(totals[2].ratio == doctest::Approx(2)); // (2 x 0.5 x 8)^(1/3)
  CHECK(totals[2].best == 8);
  CHECK(totals[4].type == "f64");
  CHECK(totalsOf({}, 1000).empty());
  const std::vector<BenchTotal> both =
      totalsOf({{.matrix = "a", .type = "f32", .csrBytes = 100, .ratio = 2, .replayRatio = 1.5},
                {.matrix = "b", .type = "f32", .csrBytes = 100, .ratio = 2}},
               1000);
  REQUIRE(both.size() == 3); // within L2, all, and those of them with replays
  CHECK((both[2].replays && both[2].matrices == 1));
  CHECK(both[2].ratio == doctest::Approx(1.5));
}

TEST_CASE("totals of first plans are beside those of choices") {
  const std::vector<BenchTotal> totals = totalsOf({{.matrix = "a",
                                                    .type = "f64",
                                                    .csrBytes = 100,
                                                    .ratio = 2,
                                                    .replayRatio = 3,
                                                    .firstRatio = 0.5,
                                                    .firstReplayRatio = 4}},
                                                  1000);
  REQUIRE(totals.size() == 6);
  const double expected[] = {2, 2, 3, 0.5, 0.5, 4};
  for (size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(totals[i].first == (i >= 3));
    CHECK(totals[i].ratio == doctest::Approx(expected[i]));
  }
  CHECK(textOf(totals).find("a first plan") != std::string::npos);
  CHECK(jsonOf(totals[5]).getBoolean("first") == true);
}

TEST_CASE("a suite has the files of its folder and its specs") {
  const std::string folder = scratch("matrices");
  std::filesystem::create_directories(folder + "/inner");
  for (const char *name : {"/b.mtx", "/a.mtx.gz", "/INDEX.tsv"})
    writeFile(folder + name, "");
  REQUIRE(setenv("SPECMV_MATRICES", folder.c_str(), 1) == 0);
  const Suite quick = llvm::cantFail(findSuite("quick"));
  CHECK(quick.files == Strings{folder + "/a.mtx.gz", folder + "/b.mtx"});
  CHECK(quick.leastEntries == 300000);
  const Suite full = llvm::cantFail(findSuite("full"));
  CHECK(full.leastEntries == 50000);
  CHECK(full.specs.size() == quick.specs.size());
  REQUIRE(setenv("SPECMV_MATRICES", scratch("absent").c_str(), 1) == 0);
  CHECK(llvm::cantFail(findSuite("full")).files.empty());
  REQUIRE(unsetenv("SPECMV_MATRICES") == 0);
  auto unknown = findSuite("medium");
  REQUIRE_FALSE(static_cast<bool>(unknown));
  CHECK(llvm::toString(unknown.takeError()).find("medium") != std::string::npos);
}

// Each half of the list has every family that no fit may use, and no other.
TEST_CASE("the unseen suite has 60 SPECs of the unseen families, and no files") {
  const Suite suite = llvm::cantFail(findSuite("unseen"));
  CHECK(suite.files.empty());
  CHECK_FALSE(suite.hasFiles);
  REQUIRE(suite.specs.size() == 60);
  CHECK(std::set<std::string>(suite.specs.begin(), suite.specs.end()).size() == 60);
  for (const size_t begin : {0, 30}) {
    std::set<std::string> names;
    for (size_t i = begin; i < begin + 30; ++i)
      names.insert(familyOf(suite.specs[i]));
    for (const Family &family : families()) {
      CAPTURE(family.name.str());
      CHECK(names.count(family.name.str()) == (family.unseen ? 1 : 0));
      for (const std::string &each : suite.specs)
        if (familyOf(each) == family.name)
          CHECK(static_cast<bool>(readOptions(llvm::cantFail(parseSpec(each)), family.keys)));
    }
  }
  for (const char *name : {"full", "quick"})
    for (const std::string &each : llvm::cantFail(findSuite(name)).specs)
      CHECK_FALSE(isUnseen(familyOf(each)));
}

TEST_CASE("each paper's suite has as many matrices as the paper, and no files") {
  struct {
    const char *name, *one;
    size_t count;
  } const cases[] = {{"pmf", "twin:scircuit", 10},
                     {"qcsr", "twin:foldoc", 7},
                     {"hcghyb", "twin:bayer04,as=paper", 17},
                     {"strips", "dense:n=2000", 8},
                     {"statistics", "twin:cavity05", 30}};
  for (const auto &c : cases) {
    CAPTURE(std::string(c.name));
    const Suite suite = llvm::cantFail(findSuite(c.name));
    CHECK_FALSE(suite.hasFiles);
    CHECK(suite.leastEntries == 0);
    CHECK(suite.specs.size() == c.count);
    CHECK(std::set<std::string>(suite.specs.begin(), suite.specs.end()).size() == c.count);
    CHECK(llvm::is_contained(suite.specs, c.one));
    for (llvm::StringRef each : suite.specs) {
      CAPTURE(each.str());
      CHECK((!each.consume_front("twin:") || llvm::any_of(kTwins, [&](const Twin &twin) {
        return each.split(',').first == twin.name;
      })));
    }
  }
}

TEST_CASE("bench refuses what it cannot do before it measures") {
  checkRefusal(tooltest::tool({"bench", "--suite", "medium"}), 2);
  checkRefusal(tooltest::tool({"bench", "--target", "host", "stencil5:n=4"}), 2);
  if (!gpuIsPresent()) { // a suite without real matrices is half a suite
    const Outcome half = tooltest::tool({"bench", "--suite", "full", "--quiet"},
                                        {{"SPECMV_MATRICES=" + scratch("absent")}, ""});
    CHECK(half.status == 3);
    CHECK(messages(half, "warning") == 1);
    CHECK(half.err.find(scratch("absent")) != std::string::npos);
  }
  const std::string log = scratch("log.jsonl");
  writeFile(log, "as before");
  const std::vector<Strings> calls = {
      {"--format", "elll"},       {"--set", "ell.widht=5"},
      {"--set", "csr.lanes=1.5"}, {"--set", "ell.width=5", "--format", "sell"},
      {"--resume", log},          {"--resume", log, "--json", "-o", scratch("other")}};
  for (Strings call : calls) {
    CAPTURE(call.back());
    call.insert(call.begin(), {"bench", "stencil5:n=4"});
    checkRefusal(tooltest::tool(call), 2);
    if (call[2] != "--resume") {
      call.insert(call.end(), {"--json", "-o", log});
      checkRefusal(tooltest::tool(call), 2);
    }
  }
  CHECK(readFile(log) == "as before");
  if (!gpuIsPresent()) {
    const std::string kept = scratch("kept.jsonl");
    writeFile(kept, "as before");
    checkRefusal(tooltest::tool({"bench", "--json", "stencil5:n=4", "-o", kept}), 3);
    checkRefusal(tooltest::tool({"bench", "--json", "stencil5:n=4", "--resume", kept}), 3);
    CHECK(readFile(kept) == "as before");
  }
}
