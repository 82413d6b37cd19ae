// The verb evaluate, as far as it needs no GPU: judging what was measured before.
#include "tests/tool/tool_testing.h"

using namespace tooltest;
namespace json = llvm::json;

namespace {

constexpr const char *kMatrix = "random:rows=4000,k=6,spread=0.5";

// A file as bench writes it: each candidate of the matrix has twice its predicted time, and the
// ones of the factor's format `factor` times.
std::string benchFile(const std::string &name, const std::string &format = "", double factor = 1) {
  const json::Value seen = analyzed({kMatrix, "--type", "f32"});
  std::string text = R"({"arch":"sm_90","machine":"NVIDIA H200","request":{}})"
                     "\n";
  for (const json::Value &each : array(seen, "candidates")) {
    if (!flag(each, "applies"))
      continue;
    const double us = 2 * number(each, "predictedUs.traffic") *
                      (tooltest::text(each, "format") == format ? factor : 1);
    json::Object plan{{"params", *find(each, "params")}, {"us", us}, {"verified", true}};
    json::Object line{{"matrix", kMatrix},
                      {"type", "f32"},
                      {"format", tooltest::text(each, "format")},
                      {"plans", json::Array{json::Value(std::move(plan))}}};
    text += llvm::formatv("{0}\n", json::Value(std::move(line))).str();
  }
  text += std::string(R"({"matrix":")") + kMatrix +
          R"(","type":"f32","rows":4000,"cols":4000,"nnz":24121,"summary":true})"
          "\n";
  return fileOf(name, text);
}

// The line of totals with these values.
json::Object totalOf(const std::string &out, const char *key, const char *value,
                     const char *model = "traffic") {
  for (const json::Object &line : objectsOf(out))
    if (line.getString("model") == model && line.getString(key) == value)
      return line;
  return {};
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
  CHECK(*error.getNumber("meanError") == doctest::Approx(0.5));

  const Outcome table = tool({"evaluate", "--measured", file, "--quiet"});
  REQUIRE(table.status == 0);
  CHECK(table.out.find("traffic") != std::string::npos);
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
  CHECK(*error.getNumber("meanError") == doctest::Approx(1 - 1.0 / 6));
}

TEST_CASE("what evaluate wrote it reads again, without the matrix and from gzip too") {
  const std::string file = benchFile("first.jsonl"), again = scratch("again.jsonl");
  const Outcome first = tool({"evaluate", "--measured", file, "--json", "--quiet"});
  REQUIRE(first.status == 0);
  const std::string renamed = [&] { // the profile is in the file, so the matrix need not be there
    std::string text = first.out;
    for (size_t at; (at = text.find(kMatrix)) != std::string::npos;)
      text.replace(at, std::string(kMatrix).size(), "gone");
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

TEST_CASE("calibrate fits a model to what was measured and writes it") {
  const std::string file = benchFile("calibrate.jsonl"), model = scratch("mine.json");
  const Outcome outcome = tool({"calibrate", "--measured", file, "-o", model, "--quiet"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == "");
  CHECK(readFile(model).find("specmv calibrate of calibrate.jsonl") != std::string::npos);
  // twice as slow everywhere: the model of the file is nearer to it than the one that it began with
  const auto meanError = [&](const Strings &gpu) {
    Strings call{"evaluate", "--measured", file, "--json", "--quiet"};
    call.insert(call.end(), gpu.begin(), gpu.end());
    return *totalOf(tool(call).out, "format", "").getNumber("meanError");
  };
  CHECK(meanError({"--gpu", model}) < meanError({}) / 2);
  CHECK(tool({"calibrate", "--measured", file, "--quiet"}).out == readFile(model));
  // from the fitted model on, there is little left to do
  CHECK(tool({"calibrate", "--measured", file, "--gpu", model, "--quiet"}).status == 0);
}

TEST_CASE("calibrate refuses what it cannot measure, fit or keep") {
  const std::string file = benchFile("calibrate_refused.jsonl");
  checkRefusal(tool({"calibrate"}), 2);
  checkRefusal(tool({"calibrate", kMatrix, "-o", scratch("m.json")}), 2);
  checkRefusal(tool({"calibrate", "--measured", file, "--resume", file}), 2);
  checkRefusal(tool({"calibrate", "--measured", scratch("none.jsonl")}), 1);
  checkRefusal(tool({"calibrate", "--measured", file, "--gpu", scratch("none.json")}), 1);
  const std::string empty = fileOf("empty.jsonl", R"({"arch":"sm_90","machine":"NVIDIA H200"})"
                                                  "\n");
  checkRefusal(tool({"calibrate", "--measured", empty}), 1);
  const Outcome onto = tool({"calibrate", "--measured", file, "-o", file});
  checkRefusal(onto, 2);
  CHECK(readFile(file).find("\"summary\":true") != std::string::npos);
}

TEST_CASE("a file that another GPU made is fitted only to a model that is named") {
  std::string other = readFile(benchFile("other.jsonl"));
  other.replace(other.find("NVIDIA H200"), 11, "NVIDIA GB10");
  const std::string file = fileOf("gb10.jsonl", other);
  CHECK(messages(tool({"evaluate", "--measured", file}), "warning") == 1);
  const Outcome refused = tool({"calibrate", "--measured", file});
  checkRefusal(refused, 2);
  CHECK(refused.err.find("GB10") != std::string::npos);
  CHECK(tool({"calibrate", "--measured", file, "--gpu", "h200", "--quiet"}).status == 0);
}

// The line of curves as calibrate writes it.
constexpr const char *kCurvesLine =
    R"({"curves":{"source":"s","copyGBs":4000,"periodUs":{"median":2.25,"p10":2.2,"p90":2.5},)"
    R"("roundTripUs":{"median":7,"p10":6,"p90":8},)"
    R"("stream":[{"bytes":1048576,"warmGBs":8000,"coldGBs":300},)"
    R"({"bytes":67108864,"warmGBs":4200,"coldGBs":4000}],)"
    R"("gather":[{"bytes":16777216,"valueBytes":4,"together":1,"sectorGBs":4500}],)"
    R"("chase":[{"bytes":8192,"ns":20}],"shared":[{"valueBytes":4,"warpNs":2}]}})"
    "\n";

// The text with another line behind its first one.
std::string withSecondLine(std::string text, const std::string &line) {
  return text.insert(text.find('\n') + 1, line);
}

TEST_CASE("calibrate takes curves from what was measured, and evaluate passes them by") {
  const std::string plain = readFile(benchFile("plain.jsonl"));
  const std::string file = fileOf("curves.jsonl", withSecondLine(plain, kCurvesLine));
  const Outcome outcome = tool({"calibrate", "--measured", file});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.find("2.25 us from launch to launch, a copy at 4000 GB/s") !=
        std::string::npos);
  const json::Value parsed = llvm::cantFail(json::parse(outcome.out));
  const json::Object &model = *parsed.getAsObject();
  CHECK(model.getObject("periodUs")->getNumber("value") == 2.25);
  CHECK(model.getObject("dramGBs")->getNumber("value") == 4000);
  CHECK(model.getObject("curves")->getString("source")->find("curves.jsonl") !=
        llvm::StringRef::npos);
  const std::string named = fileOf("curves.json", outcome.out);
  CHECK(tool({"analyze", kMatrix, "--gpu", named, "--quiet"}).status == 0);

  const Outcome judged = tool({"evaluate", "--measured", file, "--json", "--quiet"}),
                same =
                    tool({"evaluate", "--measured", benchFile("plain.jsonl"), "--json", "--quiet"});
  CHECK(judged.status == 0);
  const size_t begin = judged.out.find("{\"curves\":");
  REQUIRE(begin != std::string::npos);
  const std::string line = judged.out.substr(begin, judged.out.find('\n', begin) + 1 - begin);
  CHECK((judged.out == withSecondLine(same.out, line)));
  CHECK(tool({"calibrate", "--measured", fileOf("again.jsonl", judged.out), "--quiet"}).status ==
        0);
}

TEST_CASE("curves that cannot be are refused with the file and the number") {
  std::string line = kCurvesLine;
  line.replace(line.find("8000"), 4, "-800");
  const std::string file =
      fileOf("bad_curves.jsonl", withSecondLine(readFile(benchFile("plain.jsonl")), line));
  const Outcome refused = tool({"calibrate", "--measured", file});
  checkRefusal(refused, 1);
  CHECK(refused.err.find("bad_curves.jsonl: field 'curves.stream[0].warmGBs' is -800") !=
        std::string::npos);
}

TEST_CASE("a GPU without a model is calibrated from what it borrows") {
  std::string text = readFile(benchFile("other_device.jsonl"));
  const std::string device =
      R"("device":{"busBits":5120,"clockKHz":1980000,"l2Bytes":52428800,"memoryBytes":85000000000,)"
      R"("memoryClockKHz":2619000,"sharedBytesPerBlock":232448,"sms":132,"threadsPerSm":2048})";
  text.replace(text.find("\"machine\":\"NVIDIA H200\""), 23,
               device + R"(,"machine":"NVIDIA X100 80GB HBM3")");
  const std::string file = fileOf("x100.jsonl", text), model = scratch("x100.json");
  REQUIRE(tool({"calibrate", "--measured", file, "-o", model, "--quiet"}).status == 0);
  const std::string written = readFile(model);
  for (const char *part : {"\"name\": \"x100\"", "told by the driver of NVIDIA X100 80GB HBM3",
                           "borrowed, not measured here: h100's", "specmv calibrate of x100.jsonl"})
    CHECK_MESSAGE(written.find(part) != std::string::npos, part);
  // The model is one of the GPU that was measured.
  CHECK(tool({"evaluate", "--measured", file, "--gpu", model}).status == 0);
  std::string bad = text;
  bad.replace(bad.find("\"sms\":132"), 9, "\"sms\":-1");
  const Outcome refused = tool({"calibrate", "--measured", fileOf("bad_device.jsonl", bad)});
  checkRefusal(refused, 1);
  CHECK(refused.err.find("device.sms is -1") != std::string::npos);
}

TEST_CASE("calibrate does not write over the model or the measurements that it begins with") {
  const std::string file = benchFile("kept.jsonl"), model = scratch("kept.json");
  REQUIRE(tool({"calibrate", "--measured", file, "-o", model, "--quiet"}).status == 0);
  const std::string before = readFile(model);
  checkRefusal(tool({"calibrate", "--measured", file, "--gpu", model, "-o", model}), 2);
  checkRefusal(tool({"analyze", kMatrix, "--gpu", model, "-o", model}), 2);
  CHECK(readFile(model) == before);
  const std::string bytes = readFile(file);
  checkRefusal(tool({"calibrate", "--resume", file, "-o", file}), 2);
  CHECK(readFile(file) == bytes);
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
