// Tests the bench's file: what is kept after an interruption, and what is continued.
#include "models/lab/matrix_market/text.h"
#include "runtime/cli/bench/log.h"
#include "runtime/cli/bench/records.h"
#include "runtime/cli/bench/session.h"
#include "runtime/cli/matrix_argument.h"
#include "tests/tool/tool_testing.h"

#include <sys/stat.h>

using namespace tooltest;
using namespace specmv;
using namespace specmv::cli;
using llvm::json::Array;
using llvm::json::Object;

namespace {

const std::string kMachine = "{\"machine\":\"GPU\",\"copyGbps\":4000}\n";

std::string summary(const std::string &matrix, const std::string &type, double ratio,
                    int64_t bytes = 1000) {
  return "{\"matrix\":\"" + matrix + "\",\"type\":\"" + type +
         "\",\"summary\":true,\"rows\":3,\"cols\":4,\"nnz\":5,\"csrBytes\":" +
         std::to_string(bytes) + ",\"ratio\":" + std::to_string(ratio) + "}\n";
}

// A matrix of the summaries' size; a bench looks at no more than that.
CsrMatrix matrixOf(const std::string &name, int32_t rows = 3) {
  CsrMatrix matrix;
  matrix.name = name, matrix.rows = rows, matrix.cols = 4;
  matrix.col.resize(5), matrix.val.resize(5);
  return matrix;
}

std::string line(const std::string &matrix) {
  return "{\"matrix\":\"" + matrix + "\",\"type\":\"f32\",\"format\":\"ell\",\"us\":3}\n";
}

// Returns the line of a session started today, for a request by formats and rigor.
Object session(const Array &formats = {}, const char *gpu = "GPU", const char *rigor = "estimate",
               const char *suite = "") {
  return Object{
      {"machine", gpu},
      {"arch", "sm_90"},
      {"request", Object{{"formats", Array(formats)}, {"rigor", rigor}, {"suite", suite}}}};
}

std::string lineOf(Object object) {
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str();
}

BenchLog resumed(const std::string &file, const std::string &bytes) {
  writeFile(file, bytes);
  return llvm::cantFail(BenchLog::resume(file, session()));
}

} // namespace

TEST_CASE("two benches do not write to one file at once") {
  const std::string file = scratch("shared.jsonl");
  const std::string bytes = kMachine + line("a") + summary("a", "f32", 1.5);
  {
    const BenchLog first = resumed(file, bytes);
    for (bool resumes : {true, false}) {
      auto second = resumes ? BenchLog::resume(file, session()) : BenchLog::create(file);
      REQUIRE_FALSE(static_cast<bool>(second));
      CHECK(describe(second.takeError()).second.find("another bench") != std::string::npos);
    }
    CHECK(readFile(file) == bytes);
  }
  CHECK(static_cast<bool>(BenchLog::create(file)));
}

TEST_CASE("a bench goes on behind the last matrix that is whole") {
  const std::string file = scratch("bench.jsonl");
  const std::string whole =
      kMachine + line("a") + summary("a", "f32", 1.5) + line("b") + summary("b", "f32", 0.5);
  // Cut within the lines of a matrix, in the middle of a line, and after the totals.
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
      llvm::cantFail(log.append(line("d")));
    }
    CHECK(readFile(file) == whole + line("d"));
  }
}

TEST_CASE("a bench that stopped before its first matrix starts anew") {
  const std::string file = scratch("started.jsonl");
  for (const std::string &bytes : {std::string(), kMachine, kMachine + line("a")}) {
    const BenchLog log = resumed(file, bytes);
    CHECK(log.records().empty());
    CHECK(readFile(file).empty());
  }
  std::filesystem::remove(file);
  CHECK(llvm::cantFail(BenchLog::resume(file, session())).records().empty());
}

TEST_CASE("a file that is no bench's is refused with its line and left alone") {
  const std::string file = scratch("notes.txt");
  const std::string bytes = kMachine + "remember the milk\n" + summary("a", "f32", 1);
  writeFile(file, bytes);
  auto log = BenchLog::resume(file, session());
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
    auto log = BenchLog::resume(file, session());
    CHECK_FALSE(static_cast<bool>(log));
    if (!log)
      CHECK(llvm::toString(log.takeError()).find("foreign:") != std::string::npos);
    CHECK(readFile(file) == bytes);
  }
}

TEST_CASE("a line that nests deeper than the stack is refused and left alone") {
  const std::string file = scratch("deep.jsonl"), deep(50'000, '[');
  for (const std::string &bytes : {deep + "\n", kMachine + deep + "\n" + summary("a", "f32", 1)}) {
    writeFile(file, bytes);
    auto log = BenchLog::resume(file, session());
    REQUIRE_FALSE(static_cast<bool>(log));
    CHECK(llvm::toString(log.takeError())
              .find("error: more than 100 brackets inside one another are too many for a line of "
                    "a bench") != std::string::npos);
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

TEST_CASE("a file is gone on with by the same request on the same GPU only") {
  const std::string file = scratch("session.jsonl");
  const std::string whole = kMachine + summary("a", "f32", 1) +
                            lineOf(session(Array{"ell"}, "GPU", "estimate", "full")) +
                            summary("b", "f32", 1);
  // The last session has no summary, so it does not count.
  const std::string bytes = whole + lineOf(session(Array{"hyb"}));
  writeFile(file, bytes);
  const std::pair<Object, const char *> others[] = {
      {session(Array{"sell"}), "formats [\"ell\"], but this call has formats [\"sell\"]"},
      {session(Array{"ell"}, "GPU 2"), "machine \"GPU\", but this call has machine \"GPU 2\""},
      {session(Array{"ell"}, "GPU", "measure"), "rigor \"estimate\""}};
  for (const auto &[other, said] : others) {
    auto log = BenchLog::resume(file, other);
    REQUIRE_FALSE(static_cast<bool>(log));
    CHECK(llvm::toString(log.takeError()).find(said) != std::string::npos);
    CHECK(readFile(file) == bytes);
  }
  llvm::cantFail(BenchLog::resume(file, session(Array{"ell"}, "GPU", "estimate", "quick")));
  CHECK(readFile(file) == whole);
}

TEST_CASE("a file is gone on with by the same grid, reading and law only") {
  const std::string file = scratch("readings.jsonl");
  const auto with = [](const char *key, const char *value) {
    Object out = session();
    (*out.getObject("request"))[key] = value;
    return out;
  };
  struct Field {
    const char *key, *usual, *other;
  };
  for (const Field &field : {Field{"papers", "lines", "full"},
                             {"reading", "corrected", "asPrinted"},
                             {"law", "own", "fixed"}}) {
    const char *key = field.key, *usual = field.usual, *other = field.other;
    CAPTURE(key);
    // A request names only what is not usual.
    for (const auto &[before, now] :
         {std::pair{session(), with(key, other)}, {with(key, other), session()}}) {
      writeFile(file, lineOf(before) + summary("a", "f32", 1));
      auto log = BenchLog::resume(file, now);
      REQUIRE_FALSE(static_cast<bool>(log));
      const std::string said = llvm::toString(log.takeError());
      CHECK_MESSAGE(said.find(llvm::formatv("{0} \"{1}\"", key, usual)) != std::string::npos, said);
      CHECK(said.find(llvm::formatv("{0} \"{1}\"", key, other)) != std::string::npos);
    }
    writeFile(file, lineOf(with(key, other)) + summary("a", "f32", 1));
    llvm::cantFail(BenchLog::resume(file, with(key, other)));
    writeFile(file, lineOf(with(key, usual)) + summary("a", "f32", 1));
    llvm::cantFail(BenchLog::resume(file, session()));
  }
}

TEST_CASE("what was measured of the GPU itself is kept, with the session that measured it") {
  const std::string file = scratch("curves_log.jsonl");
  const std::string before = lineOf(session()) + "{\"curves\":{\"chase\":1}}\n";
  const std::string bytes = before + lineOf(session()) + "{\"format\":\"ell\",\"mat";
  {
    const BenchLog log = resumed(file, bytes);
    REQUIRE(log.curves());
    CHECK(log.curves()->getAsObject()->getInteger("chase") == 1);
    CHECK(log.records().empty());
  }
  CHECK(readFile(file) == before);
  CHECK_FALSE(resumed(file, lineOf(session())).curves().has_value());
  // Another document under that name is refused.
  writeFile(file, lineOf(session()) + "{\"curves\":7}\n");
  auto log = BenchLog::resume(file, session());
  CHECK(llvm::errorToBool(log.takeError()));
}

TEST_CASE("the files that were kept can be read and gone on with") {
  for (const char *name : {"2026-11-20-h200.jsonl", "2026-11-21-h200.jsonl.gz"}) {
    const auto bytes = llvm::cantFail(
        matrixmarket::readText(std::string(SPECMV_SOURCE_DIR "/tests/bench/results/") + name));
    const BenchText text = llvm::cantFail(parseBench(bytes.text(), name));
    CHECK(text.records.size() >= 94);
    REQUIRE(text.sessions.size() == 1);
    CHECK_FALSE(
        static_cast<bool>(checkSession(text.sessions[0], session({}, "NVIDIA H200"), name)));
  }
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
  CHECK(resumed(file, "{\"arch\":\"sm_90\",\"copyG").records().empty());
  CHECK(readFile(file).empty());
}

TEST_CASE("only a regular file is gone on with") {
  const std::string fifo = scratch("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string &path : {fifo, scratch(""), std::string("/dev/null")}) {
    CAPTURE(path);
    auto log = BenchLog::resume(path, session());
    REQUIRE_FALSE(static_cast<bool>(log));
    llvm::consumeError(log.takeError());
  }
}

TEST_CASE("lines are in the file as soon as they are appended") {
  const std::string file = scratch("lines.jsonl");
  BenchLog log = llvm::cantFail(BenchLog::create(file));
  llvm::cantFail(log.append(line("a")));
  CHECK(readFile(file) == line("a"));
  CHECK_FALSE(static_cast<bool>(BenchLog::create(scratch("no/such/folder/x"))));
}
