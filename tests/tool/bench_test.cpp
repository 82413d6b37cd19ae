// The bench's file: what is kept when it is interrupted, what is gone on with, and the totals.
#include "runtime/cli/bench_lines.h"
#include "runtime/cli/bench_log.h"
#include "runtime/cli/bench_totals.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/cli/suite.h"
#include "tests/gpu_present.h"
#include "tests/tool/tool_testing.h"

#include <cmath>
#include <sys/stat.h>

using namespace tooltest;
using namespace specmv;
using namespace specmv::cli;

namespace {

const std::string kMachine = "{\"machine\":\"GPU\",\"copyGbps\":4000}\n";

std::string summary(const std::string &matrix, const std::string &type, double ratio,
                    int64_t bytes = 1000) {
  return "{\"matrix\":\"" + matrix + "\",\"type\":\"" + type +
         "\",\"summary\":true,\"rows\":3,\"cols\":4,\"nnz\":5,\"csrBytes\":" +
         std::to_string(bytes) + ",\"ratio\":" + std::to_string(ratio) + "}\n";
}

// A matrix of the summaries' size, as far as a bench looks at it.
CsrMatrix matrixOf(const std::string &name, int32_t rows = 3) {
  CsrMatrix matrix;
  matrix.name = name, matrix.rows = rows, matrix.cols = 4;
  matrix.col.resize(5), matrix.val.resize(5);
  return matrix;
}

std::string line(const std::string &matrix) {
  return "{\"matrix\":\"" + matrix + "\",\"type\":\"f32\",\"format\":\"ell\",\"us\":3}\n";
}

BenchLog resumed(const std::string &file, const std::string &bytes) {
  writeFile(file, bytes);
  return llvm::cantFail(BenchLog::resume(file));
}

} // namespace

TEST_CASE("a bench goes on behind the last matrix that is whole") {
  const std::string file = scratch("bench.jsonl");
  const std::string whole =
      kMachine + line("a") + summary("a", "f32", 1.5) + line("b") + summary("b", "f32", 0.5);
  // Cut in the lines of a matrix, in the middle of a line, and behind the totals.
  for (const std::string &rest : {std::string(), line("c"), line("c").substr(0, 20),
                                  std::string("{\"total\":true,\"ratio\":0.8}\n")}) {
    CAPTURE(rest);
    {
      BenchLog log = resumed(file, whole + rest);
      CHECK(log.records().size() == 2);
      CHECK(log.takeDone(matrixOf("a"), ValueType::f32));
      CHECK_FALSE(log.takeDone(matrixOf("a"), ValueType::f64));
      CHECK_FALSE(log.takeDone(matrixOf("c"), ValueType::f32));
      CHECK(log.records().size() == 2);
      CHECK_FALSE(log.isEmpty());
      llvm::cantFail(log.append(line("d")));
    }
    CHECK(readFile(file) == whole + line("d"));
  }
}

TEST_CASE("a bench that stopped before its first matrix starts anew") {
  const std::string file = scratch("started.jsonl");
  for (const std::string &bytes : {std::string(), kMachine, kMachine + line("a")}) {
    const BenchLog log = resumed(file, bytes);
    CHECK(log.isEmpty());
    CHECK(log.records().empty());
    CHECK(readFile(file).empty());
  }
  std::filesystem::remove(file);
  CHECK(llvm::cantFail(BenchLog::resume(file)).isEmpty());
}

TEST_CASE("a file that is no bench's is refused with its line and left alone") {
  const std::string file = scratch("notes.txt");
  const std::string bytes = kMachine + "remember the milk\n" + summary("a", "f32", 1);
  writeFile(file, bytes);
  auto log = BenchLog::resume(file);
  REQUIRE_FALSE(static_cast<bool>(log));
  CHECK(llvm::toString(log.takeError()).find("notes.txt:2:1: error: ") != std::string::npos);
  CHECK(readFile(file) == bytes);
}

TEST_CASE("what no bench wrote is refused and left alone, with an end of the line and without") {
  const std::string file = scratch("foreign");
  for (const std::string &bytes :
       {std::string("{\"id\":1}\n{\"id\":2}\n"), std::string("{\"name\":\"x\"}"),
        std::string("{\"name\":\"x\"}\n"), std::string("remember the milk"), std::string("\n"),
        std::string("{"), std::string(3, '\0'), line("a"), summary("a", "f32", 1),
        kMachine + "{\"id\":2}\n", kMachine + "\n", kMachine + "[1]\n",
        kMachine + "{\"matrix\":\"a\"}\n", kMachine + "remember the milk"}) {
    CAPTURE(bytes);
    writeFile(file, bytes);
    auto log = BenchLog::resume(file);
    CHECK_FALSE(static_cast<bool>(log));
    if (!log)
      CHECK(llvm::toString(log.takeError()).find("foreign:") != std::string::npos);
    CHECK(readFile(file) == bytes);
  }
}

TEST_CASE("what is done is a matrix of the file, not of this run, and counts once") {
  BenchLog log = resumed(scratch("done.jsonl"), kMachine + summary("a", "f32", 1.5));
  log.add(recordOf(*llvm::cantFail(llvm::json::parse(summary("b", "f32", 2))).getAsObject()));
  CHECK(log.records().size() == 2);
  CHECK_FALSE(log.takeDone(matrixOf("b"), ValueType::f32));
  CHECK_FALSE(log.takeDone(matrixOf("a", 30), ValueType::f32));
  CHECK(log.takeDone(matrixOf("a"), ValueType::f32));
  CHECK_FALSE(log.takeDone(matrixOf("a"), ValueType::f32)); // a namesake in another folder
}

TEST_CASE("a matrix with a wrong product is not done and counts in no total") {
  std::string wrong = summary("a", "f32", 1.5);
  wrong.insert(1, "\"verified\":false,");
  const std::string file = scratch("wrong.jsonl"), bytes = kMachine + wrong;
  BenchLog log = resumed(file, bytes);
  CHECK(log.records().empty());
  CHECK_FALSE(log.takeDone(matrixOf("a"), ValueType::f32));
  CHECK(readFile(file) == bytes);
}

TEST_CASE("a summary tells of wrong products, and no figure of a choice that is wrong") {
  const CsrMatrix matrix = matrixOf("a");
  const TypedMatrix a(matrix, ValueType::f64);
  const Plan plan{.format = "ell"};
  BenchLine ours{.format = "ell", .plan = plan, .us = 2, .verified = true, .chosen = true};
  BenchLine cusparse{.format = "cusparse-csr", .us = 3, .verified = true};
  ours.plans = {{plan, 2, 2, true}};
  llvm::json::Object right = summaryOf(a, {1000, 900, 4000, {ours, cusparse}});
  CHECK(right.getBoolean("verified") == true);
  CHECK(right.getNumber("ratio") == 1.5);
  // Another plan is wrong: the choice keeps its figures.
  ours.plans.push_back({plan, 3, 3, false});
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

TEST_CASE("a matrix is known by the name that it has, however it was asked for") {
  const std::string name = "twin:bcsstk04,as=paper,seed=3";
  const CsrMatrix spelled = llvm::cantFail(loadMatrix("twin:bcsstk04,seed=3,as=paper"));
  const CsrMatrix named = llvm::cantFail(loadMatrix("twin:name=bcsstk04,as=paper,seed=3"));
  BenchRecord record{name, "f64", spelled.rows, spelled.cols, spelled.nnz(), 1000, 2};
  CHECK(isOf(record, spelled, ValueType::f64));
  CHECK(isOf(record, named, ValueType::f64));
}

TEST_CASE("a machine's line that is torn is the beginning of a bench") {
  const std::string file = scratch("torn.jsonl");
  CHECK(resumed(file, "{\"arch\":\"sm_90\",\"copyG").isEmpty());
  CHECK(readFile(file).empty());
}

TEST_CASE("only a regular file is gone on with") {
  const std::string fifo = scratch("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string &path : {fifo, scratch(""), std::string("/dev/null")}) {
    CAPTURE(path);
    auto log = BenchLog::resume(path);
    REQUIRE_FALSE(static_cast<bool>(log));
    llvm::consumeError(log.takeError());
  }
}

TEST_CASE("lines are in the file as soon as they are appended") {
  const std::string file = scratch("lines.jsonl");
  BenchLog log = llvm::cantFail(BenchLog::create(file));
  CHECK(log.isEmpty());
  llvm::cantFail(log.append(line("a")));
  CHECK(readFile(file) == line("a"));
  CHECK_FALSE(static_cast<bool>(BenchLog::create(scratch("no/such/folder/x"))));
}

TEST_CASE("totals are geometric means with their wins and extremes, by group") {
  const std::vector<BenchRecord> records = {
      {.matrix = "a", .type = "f32", .csrBytes = 100, .ratio = 2},
      {.matrix = "b", .type = "f32", .csrBytes = 100, .ratio = 0.5},
      {.matrix = "c", .type = "f32", .csrBytes = 5000, .ratio = 8},
      {.matrix = "a", .type = "f64", .csrBytes = 100, .ratio = 3},
      {.matrix = "gone", .type = "f32", .csrBytes = 50, .ratio = 0}};
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

TEST_CASE("bench refuses what it cannot do before it measures") {
  checkRefusal(tooltest::specmv({"bench", "--suite", "medium"}), 2);
  checkRefusal(tooltest::specmv({"bench", "--target", "host", "stencil5:n=4"}), 2);
  const std::string log = scratch("log.jsonl");
  writeFile(log, kMachine);
  const std::vector<Strings> calls = {
      {"--format", "elll"},       {"--set", "ell.widht=5"},
      {"--set", "csr.lanes=1.5"}, {"--set", "ell.width=5", "--format", "sell"},
      {"--resume", log},          {"--resume", log, "--json", "-o", scratch("other")}};
  for (Strings call : calls) {
    CAPTURE(call.back());
    call.insert(call.begin(), {"bench", "stencil5:n=4"});
    checkRefusal(tooltest::specmv(call), 2);
    if (call[2] != "--resume") {
      call.insert(call.end(), {"--json", "-o", log});
      checkRefusal(tooltest::specmv(call), 2);
    }
  }
  CHECK(readFile(log) == kMachine);
  if (!gpuIsPresent()) {
    const std::string kept = scratch("kept.jsonl");
    writeFile(kept, kMachine);
    checkRefusal(tooltest::specmv({"bench", "--json", "stencil5:n=4", "-o", kept}), 3);
    checkRefusal(tooltest::specmv({"bench", "--json", "stencil5:n=4", "--resume", kept}), 3);
    CHECK(readFile(kept) == kMachine);
  }
}
