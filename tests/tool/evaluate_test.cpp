// Tests the verb evaluate as far as it needs no GPU: judging earlier measurements.
#include "tests/text.h"
#include "tests/tool/measured_file.h"

using namespace tooltest;
using specmv::testing::contains;
namespace json = llvm::json;

namespace {

// Returns the error of its prediction if it takes `times` times as long as predicted with its
// caution.
double errorOf(const std::string &format, double times) {
  const json::Value seen = analyzed({kMatrix, "--type", "f32"});
  for (const json::Value &each : array(seen, "candidates"))
    if (tooltest::text(each, "format") == format)
      return 1 - number(each, "predictedUs.traffic") /
                     (times * number(each, "comparedUs") * number(each, "caution"));
  return 0;
}

} // namespace

TEST_CASE("evaluate judges what bench measured") {
  const std::string file = benchFile("measured.jsonl");
  const Outcome outcome = tool({"evaluate", "--measured", file, "--json", "--quiet"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err == "");
  const json::Object regret = totalOf(outcome.out, "model", "traffic");
  CHECK(regret.getInteger("cases") == 1);
  CHECK(regret.getNumber("regret") == 1);
  const json::Object error = totalOf(outcome.out, "format", "ell");
  CHECK(error.getInteger("plans") == 1);
  CHECK(*error.getNumber("meanError") == doctest::Approx(errorOf("ell", kLonger)));

  const Outcome table = tool({"evaluate", "--measured", file, "--quiet"});
  REQUIRE(table.status == 0);
  CHECK(table.out.find("traffic") != std::string::npos);
}

TEST_CASE("evaluate keeps the replays of bench and judges them by themselves") {
  const std::string plain = readFile(benchFile("launches.jsonl"));
  CHECK(tool({"evaluate", "--measured", fileOf("launches.jsonl", plain), "--quiet"})
            .out.find("replays ") == std::string::npos);
  // A line of bench has a replay of its fastest plan, whose numbers the line repeats.
  std::string text;
  for (const json::Object &each : objectsOf(plain)) {
    json::Object line = each;
    if (const json::Array *plans = line.getArray("plans")) {
      const json::Object &plan = *plans->front().getAsObject();
      line["usReplay"] = *plan.getNumber("us") / 2;
      line["params"] = *plan.get("params");
    }
    text += llvm::formatv("{0}\n", json::Value(std::move(line))).str();
  }
  const Outcome first =
      tool({"evaluate", "--measured", fileOf("replays.jsonl", text), "--json", "--quiet"});
  REQUIRE(first.status == 0);
  const json::Object regret = totalOf(first.out, "model", "replays", "replays");
  CHECK(regret.getInteger("cases") == 1);
  CHECK(regret.getNumber("regret") == 1);
  CHECK(totalOf(first.out, "format", "ell", "replays").getInteger("plans") == 1);
  size_t plans = 0;
  for (const json::Object &line : objectsOf(first.out))
    if (const json::Array *of = line.getArray("plans"))
      for (const json::Value &plan : *of) {
        ++plans;
        CHECK(plan.getAsObject()->getNumber("usReplay") ==
              *plan.getAsObject()->getNumber("us") / 2);
      }
  CHECK(plans > 5);
  const Outcome second =
      tool({"evaluate", "--measured", fileOf("replays2.jsonl", first.out), "--json", "--quiet"});
  CHECK((second.out == first.out));
}

TEST_CASE("a choice that was slow is a regret, and a trial finds it") {
  const json::Value seen = analyzed({kMatrix, "--type", "f32"});
  const std::string chosen = text(seen, "chosen.format");
  const std::string file = benchFile("slow.jsonl", chosen, 3);
  const Outcome outcome = tool({"evaluate", "--measured", file, "--json", "--quiet"});
  REQUIRE(outcome.status == 0);
  const double regret = *totalOf(outcome.out, "group", "long").getNumber("regret");
  CHECK(regret > 1);
  CHECK(*totalOf(outcome.out, "group", "long", "runoff").getNumber("regret") <= regret);
  const json::Object error = totalOf(outcome.out, "format", "chosen");
  CHECK(*error.getNumber("meanError") == doctest::Approx(errorOf(chosen, 3 * kLonger)));
}

TEST_CASE("what evaluate wrote it reads again, without the matrix and from gzip too") {
  const std::string file = benchFile("first.jsonl"), again = scratch("again.jsonl");
  const Outcome first = tool({"evaluate", "--measured", file, "--json", "--quiet"});
  REQUIRE(first.status == 0);
  const std::string renamed = [&] { // the profile is in the file, so the matrix need not be there
    std::string text = first.out;
    for (size_t at; (at = text.find(kMatrix)) != std::string::npos;)
      text.replace(at, std::string(kMatrix).size(), "gone");
    const size_t mean = text.find("\"usMean\":null"); // is kept if there is one
    REQUIRE(mean != std::string::npos);
    text.replace(mean, 13, "\"usMean\":12.5");
    return text;
  }();
  const Outcome second =
      tool({"evaluate", "--measured", fileOf("again.jsonl", renamed), "--json", "--quiet"});
  REQUIRE(second.status == 0);
  CHECK((second.out == renamed));
  REQUIRE(runProgram("/bin/gzip", {"-kf", again}).status == 0);
  const Outcome packed = tool({"evaluate", "--measured", again + ".gz", "--json", "--quiet"});
  CHECK((packed.out == second.out));
}

TEST_CASE("plans that are not offered any more are counted and left out") {
  const std::string file = fileOf(
      "unknown.jsonl",
      readFile(benchFile("known.jsonl")) +
          R"({"matrix":"diagonal:n=9","type":"f64","format":"ell","plans":[{"params":{"x":1},"us":2}]})"
          "\n"
          R"({"matrix":"diagonal:n=9","type":"f64","rows":9,"cols":9,"nnz":9,"summary":true})"
          "\n");
  const Outcome outcome = tool({"evaluate", "--measured", file, "--quiet"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("1 plans are left out") != std::string::npos);
}

// A former bug: they were left out without a word.
TEST_CASE("evaluate warns of wrong products, and leaves them out") {
  std::string text = readFile(benchFile("right.jsonl"));
  const std::string right = "\"verified\":true";
  const size_t at = text.find(right);
  REQUIRE(at != std::string::npos);
  text.replace(at, right.size(), "\"verified\":false");
  const auto plansIn = [](const std::string &file) {
    size_t plans = 0;
    for (const json::Object &line :
         objectsOf(tool({"evaluate", "--measured", file, "--json", "--quiet"}).out))
      if (const json::Array *of = line.getArray("plans"))
        plans += of->size();
    return plans;
  };
  const std::string wrong = fileOf("wrong.jsonl", text);
  const Outcome outcome = tool({"evaluate", "--measured", wrong, "--quiet"});
  CHECK_MESSAGE(contains(outcome.err, "wrong products of specmv are left out: 1 product,"),
                outcome.err);
  CHECK(plansIn(wrong) + 1 == plansIn(benchFile("right.jsonl")));
}

// A former bug: plans with a coding of values counted as plans that are not offered.
TEST_CASE("plans with a coding of values match such plans, never those with plain values") {
  const auto lineOf = [](const char *block, const char *values) {
    return std::string(R"({"matrix":"diagonal:n=90","type":"f64","format":"csr-scalar",)") +
           R"("plans":[{"params":{"block":)" + block + R"(,"offset":32,"column":32)" + values +
           "},\"us\":2}]}\n";
  };
  const std::string ones = R"(,"values":"ones")";
  const auto judged = [&](const std::string &lines) {
    const std::string summary =
        R"({"matrix":"diagonal:n=90","type":"f64","rows":90,"cols":90,"nnz":90,"summary":true})";
    return tool(
        {"evaluate", "--json", "--measured",
         fileOf("coded.jsonl", readFile(benchFile("plain.jsonl")) + lines + summary + "\n")});
  };
  const Outcome coded = judged(lineOf("256", ones.c_str()));
  CHECK(coded.status == 0);
  CHECK_MESSAGE(coded.err.find("left out") == std::string::npos, coded.err);
  CHECK(coded.out.find(R"("column":32,"offset":32,"values":"ones"})") != std::string::npos);
  const Outcome both = judged(lineOf("256", "") + lineOf("256", ones.c_str()));
  CHECK(both.out.find(R"("column":32,"offset":32})") != std::string::npos);
  CHECK(both.out.find(R"("column":32,"offset":32,"values":"ones"})") != std::string::npos);
  const Outcome unknown = judged(lineOf("256", R"(,"values":"twos")"));
  CHECK_MESSAGE(unknown.err.find("1 plans are left out") != std::string::npos, unknown.err);
}

// A former bug: such options were taken and changed nothing.
TEST_CASE("evaluate refuses options of measurements where it takes none") {
  const std::string file = benchFile("options.jsonl");
  for (const Strings &more : {Strings{"--format", "hyb"},
                              {"--set", "block=64"},
                              {"--set", "values=ones"},
                              {"--rigor", "measure"},
                              {"--resume", file},
                              {"--beta-is-zero"},
                              {"--papers", "full"},
                              {"--type", "f32"},
                              {"--target", "gpu"},
                              {"--device", "1"},
                              {"--only-packs"}}) {
    Strings call{"evaluate", "--measured", file};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome refused = tool(call);
    checkRefusal(refused, 2);
    CHECK_MESSAGE(specmv::testing::contains(refused.err, "so " + more[0] + " changes nothing"),
                  refused.err);
  }
}

// A former bug: only run and analyze noted it.
TEST_CASE("evaluate notes that a GPU's file lacks a rate") {
  std::string model = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  const size_t begin = model.find("\"gapNs\""), end = model.find('\n', begin);
  model.replace(begin, end - begin, "");
  const Outcome judged = tool({"evaluate", "--measured", benchFile("lacking.jsonl"), "--gpu",
                               fileOf("lacking.json", model)});
  CHECK_MESSAGE(judged.status == 0, judged.err);
  CHECK_MESSAGE(specmv::testing::contains(
                    judged.err, "note: the GPU model h200 lacks the rate csr5.gapNs (nanoseconds"),
                judged.err);
}

TEST_CASE("evaluate refuses what it cannot judge or measure") {
  checkRefusal(tool({"evaluate"}), 2);
  checkRefusal(tool({"evaluate", "--measured", scratch("none.jsonl")}), 1);
  checkRefusal(tool({"evaluate", "--measured", fileOf("text.jsonl", "hello\n")}), 1);
  checkRefusal(tool({"evaluate", "--measured", benchFile("both.jsonl"), kMatrix}), 2);
  checkRefusal(tool({"evaluate", kMatrix, "--target", "host"}), 2);
  checkRefusal(tool({"evaluate", kMatrix, "--resume", scratch("r.jsonl")}), 2); // no --json
  checkRefusal(tool({"evaluate", "--measured", benchFile("gpu.jsonl"), "--gpu", "none"}), 2);
  const std::string broken = R"({"arch":"sm_90","machine":"NVIDIA H200","request":{}})"
                             "\n"
                             R"({"matrix":"a","type":"f64","profile":"x","summary":true})"
                             "\n";
  checkRefusal(tool({"evaluate", "--measured", fileOf("broken.jsonl", broken)}), 1);
}

TEST_CASE("files of one GPU are joined, those of two are refused") {
  const std::string text = readFile(benchFile("part.jsonl"));
  const Outcome joined =
      tool({"evaluate", "--measured", fileOf("joined.jsonl", text + text), "--json", "--quiet"});
  REQUIRE(joined.status == 0);
  CHECK(totalOf(joined.out, "model", "traffic").getInteger("cases") == 2);
  std::string two = text + text;
  two.replace(two.find("H200"), 4, "H100");
  const Outcome refused = tool({"evaluate", "--measured", fileOf("two.jsonl", two)});
  checkRefusal(refused, 1);
  CHECK(specmv::testing::contains(refused.err, "was measured on NVIDIA H100 and on NVIDIA H200"));
}

TEST_CASE("what was measured is not taken for another matrix's") {
  const std::string text = readFile(benchFile("mine.jsonl"));
  const auto with = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.rfind(from), from.size(), to);
    return tool({"evaluate", "--measured", fileOf("changed.jsonl", changed)});
  };
  checkRefusal(with("24121", "24122"), 1);     // the matrix of that name has other entries
  checkRefusal(with("\"f32\"", "\"f16\""), 1); // no such type
  const auto total = [&](const std::string &changed) {
    const Outcome outcome =
        tool({"evaluate", "--measured", fileOf("changed.jsonl", changed), "--json", "--quiet"});
    CHECK(outcome.status == 0);
    return totalOf(outcome.out, "format", "").getInteger("plans").value_or(0);
  };
  const int64_t plans = total(text);
  std::string moved =
      text; // the line of a format that is another matrix's, and a time that is none
  moved.replace(moved.find(kMatrix), std::string(kMatrix).size(), "diagonal:n=9");
  CHECK(total(moved) < plans);
  std::string extreme = text;
  const size_t at = extreme.find("\"us\":") + 5;
  extreme.replace(at, extreme.find_first_of(",}", at) - at, "5e-324");
  CHECK(total(extreme) == plans - 1);
  const Outcome foreign = with(kMatrix, "diagonal:n=9"); // whose sizes are not those either
  checkRefusal(foreign, 1);
  checkRefusal(tool({"evaluate", "--measured", fileOf("none.jsonl", "")}), 1);
  std::string wrong = text;
  wrong.replace(wrong.rfind("\"summary\""), 9, "\"verified\":false,\"summary\"");
  checkRefusal(tool({"evaluate", "--measured", fileOf("wrong.jsonl", wrong)}), 1);
}
