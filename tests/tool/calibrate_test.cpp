// Tests the verb calibrate as far as it needs no GPU: fitting earlier measurements.
#include "tests/text.h"
#include "tests/tool/measured_file.h"

using namespace tooltest;
namespace json = llvm::json;

TEST_CASE("calibrate fits a model to what was measured and writes it") {
  const std::string file = benchFile("calibrate.jsonl"), model = scratch("mine.json");
  const Outcome outcome = tool({"calibrate", "--measured", file, "-o", model, "--quiet"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == "");
  CHECK(readFile(model).find("specmv calibrate of calibrate.jsonl") != std::string::npos);
  // twice as slow everywhere: the model of the file is closer than the one that the fit started
  // from
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

TEST_CASE("calibrate tells of plans that it does not know, and refuses a file without any") {
  const std::string text = readFile(benchFile("all.jsonl"));
  std::string unknown = text;
  const size_t at = unknown.find("\"block\":256");
  unknown.replace(at, 11, "\"block\":255");
  const Outcome told = tool({"calibrate", "--measured", fileOf("unknown.jsonl", unknown)});
  CHECK(told.status == 0);
  CHECK(told.err.find("plans are left out") != std::string::npos);
  std::string none;
  for (size_t begin = 0; begin < text.size();) {
    const size_t us = text.find("\"us\":", begin);
    none += text.substr(begin, us == std::string::npos ? us : us + 5 - begin);
    if (us == std::string::npos)
      break;
    none += '0';
    begin = text.find_first_of(",}", us + 5);
  }
  for (const char *verb : {"calibrate", "evaluate"}) {
    const Outcome refused = tool({verb, "--measured", fileOf("zeros.jsonl", none)});
    checkRefusal(refused, 1);
    CHECK(refused.err.find("has no matrix with measured plans") != std::string::npos);
  }
}

TEST_CASE("calibrate and evaluate keep the unseen families out of every fit, and say so") {
  const std::string plain = benchFile("seen.jsonl");
  // Lines of evaluate have the profile, so the matrix can have any name.
  std::string kept = tool({"evaluate", "--measured", plain, "--json", "--quiet"}).out;
  for (size_t at; (at = kept.find(kMatrix)) != std::string::npos;)
    kept.replace(at, std::string(kMatrix).size(), "text:rows=4000");
  const std::string both = fileOf("both.jsonl", readFile(plain) + kept);
  const std::string said = "are left out of the fit, because no fit may use their families: text";
  const Outcome fitted = tool({"calibrate", "--measured", both});
  REQUIRE(fitted.status == 0);
  CHECK_MESSAGE(specmv::testing::contains(fitted.err, said), fitted.err);
  CHECK(specmv::testing::contains(fitted.err, "; of 1 cases the mean error"));
  // The sources name the file, which is the only difference to a fit without these lines.
  const std::string alone = tool({"calibrate", "--measured", plain, "--quiet"}).out;
  std::string renamed = fitted.out;
  for (size_t at; (at = renamed.find("both.jsonl")) != std::string::npos;)
    renamed.replace(at, 10, "seen.jsonl");
  CHECK((renamed == alone));

  const std::string only = fileOf("only.jsonl", kept);
  const Outcome refused = tool({"calibrate", "--measured", only});
  checkRefusal(refused, 1);
  CHECK_MESSAGE(specmv::testing::contains(refused.err, "has nothing to fit a model to: 1 of 1"),
                refused.err);
  const Outcome judged = tool({"evaluate", "--left-out", "--measured", both});
  CHECK(judged.status == 0);
  CHECK_MESSAGE(specmv::testing::contains(judged.err, said), judged.err);
}

TEST_CASE("calibrate refuses what it cannot measure, fit or keep") {
  const std::string file = benchFile("calibrate_refused.jsonl");
  checkRefusal(tool({"calibrate"}), 2);
  checkRefusal(tool({"calibrate", kMatrix, "-o", scratch("m.json")}), 2);
  checkRefusal(tool({"calibrate", "--measured", file, "--resume", file}), 2);
  checkRefusal(tool({"calibrate", "--part", "1/2", "--resume", file, "-o", scratch("p.json")}), 2);
  checkRefusal(tool({"calibrate", "--part", "1/2", "--resume", file, "--keep"}), 2);
  checkRefusal(tool({"calibrate", "--part", "1/2", "--keep"}), 2);
  checkRefusal(tool({"calibrate", "--part", "1/2", "--measured", file}), 2);
  for (const char *part : {"0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "a/b", "1/-2"})
    checkRefusal(tool({"calibrate", "--part", part, "--resume", file}), 2);
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

// Returns the text with another line after its first one.
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

// Writes a log like that of a GPU without a model, with its driver's data.
std::string measuredOnX100(const std::string &name) {
  std::string text = readFile(benchFile(name));
  const std::string device =
      R"("device":{"busBits":5120,"clockKHz":1980000,"l2Bytes":52428800,"memoryBytes":85000000000,)"
      R"("memoryClockKHz":2619000,"sharedBytesPerBlock":232448,"sms":132,"threadsPerSm":2048})";
  text.replace(text.find("\"machine\":\"NVIDIA H200\""), 23,
               device + R"(,"machine":"NVIDIA X100 80GB HBM3")");
  return text;
}

TEST_CASE("a GPU without a model is calibrated from what it borrows") {
  const std::string text = measuredOnX100("other_device.jsonl");
  const std::string file = fileOf("x100.jsonl", text), model = scratch("x100.json");
  REQUIRE(tool({"calibrate", "--measured", file, "-o", model, "--quiet"}).status == 0);
  const std::string written = readFile(model);
  for (const char *part : {"\"name\": \"x100\"", "told by the driver of NVIDIA X100 80GB HBM3",
                           "borrowed, not measured here: h100's", "specmv calibrate of x100.jsonl"})
    CHECK_MESSAGE(written.find(part) != std::string::npos, part);
  // The model is that of the measured GPU.
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

TEST_CASE("a part of a calibration measures its matrices and writes no model") {
  // The last of very many parts has no matrix, and the curves of the GPU are in the file.
  const std::string file = fileOf(
      "part.jsonl",
      withSecondLine("{\"arch\":\"sm_90\",\"machine\":\"Fake H200\",\"schema\":1}\n", kCurvesLine));
  const Outcome part = tool({"calibrate", "--part", "9000/9000", "--resume", file}, onFakeGpu());
  CHECK_MESSAGE(part.status == 0, part.err);
  CHECK(part.out == "");
  CHECK_MESSAGE(specmv::testing::contains(
                    part.err, file + " has part 9000 of 9000; join the parts and give them to"),
                part.err);
  CHECK(specmv::testing::contains(readFile(file), "\"curves\""));
}

TEST_CASE("a model that calibrate keeps predicts for its GPU from then on") {
  const std::string file = fileOf("x100_kept.jsonl", measuredOnX100("kept_device.jsonl")),
                    cache = scratch("kept.cache");
  const Setting fake{{"SPECMV_CACHE_DIR=" + cache,
                      std::string("LD_LIBRARY_PATH=") + SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
                      "SPECMV_FAKE_NAME=NVIDIA X100 80GB HBM3", "SPECMV_FAKE_CUSPARSE=1",
                      std::string("SPECMV_CUDA_HOME=") + SPECMV_FAKE_TOOLKIT},
                     ""};
  const Strings run = {"run", "stencil5:n=8", "--json",      "--target",
                       "gpu", "--format",     "cusparse-csr"};
  CHECK(tooltest::text(document(tool(run, fake)), "gpu") == "NVIDIA X100 80GB HBM3");
  const Outcome kept = tool({"calibrate", "--measured", file, "--keep"}, fake);
  REQUIRE(kept.status == 0);
  CHECK(kept.out == "");
  const std::string path = cache + "/models/nvidia-x100-80gb-hbm3.json";
  CHECK(kept.err.find("now use " + path + " to predict for NVIDIA X100 80GB HBM3") !=
        std::string::npos);
  CHECK(tooltest::text(document(tool(run, fake)), "gpu") == "x100");
  CHECK(tool({"cache", "clear"}, fake).status == 0);
  CHECK(std::filesystem::exists(path));
  const Outcome both =
      tool({"calibrate", "--measured", file, "--keep", "-o", scratch("both.json")}, fake);
  CHECK(both.status == 0);
  CHECK(readFile(scratch("both.json")) == readFile(path));
  checkRefusal(
      tool({"calibrate", "--measured", file, "--keep"}, {{"SPECMV_CACHE_DIR=/dev/null/no"}, ""}),
      3);
}
