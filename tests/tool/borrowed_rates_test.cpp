// Tests that run and analyze say once when predictions use rates that were not measured on the GPU.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using llvm::json::Value;
using specmv::testing::contains;

namespace {

// An A100 whose kernels do nothing.
const Setting kFakeA100{{std::string("LD_LIBRARY_PATH=") + SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
                         "SPECMV_FAKE_NAME=NVIDIA A100-SXM4-80GB", "SPECMV_FAKE_CLOCK=1410000",
                         "SPECMV_FAKE_MEMORY_CLOCK=1593000", "SPECMV_FAKE_CUSPARSE=1",
                         std::string("SPECMV_CUDA_HOME=") + SPECMV_FAKE_TOOLKIT},
                        ""};

int notesOfRates(const Outcome &outcome) {
  int count = 0;
  for (const std::string &line : linesOf(outcome.err))
    count += line.rfind("note: no rates were measured on ", 0) == 0;
  return count;
}

Strings with(Strings call, const Strings &more) {
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

const Strings kAnalyze = {"analyze", "--target", "host", "stencil5:n=8"};

} // namespace

TEST_CASE("analyze notes once that an architecture has no rates of its own") {
  const Outcome two = tool(with(kAnalyze, {"--arch", "sm_80", "--type", "f32,f64"}));
  CHECK(two.status == 0);
  CHECK(notesOfRates(two) == 1);
  CHECK_MESSAGE(contains(two.err, "measured on a100: predictions use those of h"), two.err);
  CHECK_MESSAGE(contains(two.err, "108 SMs, 1.41 GHz and 2039 GB/s; --gpu names"), two.err);
  CHECK(contains(two.out, "predicted for a100;"));
  CHECK(tool(with(kAnalyze, {"--arch", "sm_80", "--quiet"})).err == "");
  for (const Strings &own : {Strings{}, {"--gpu", "h200", "--arch", "sm_80"}, {"--gpu", "gt645m"}})
    CHECK(notesOfRates(tool(with(kAnalyze, own))) == 0);
}

TEST_CASE("analyze notes once that a GPU's file lacks a rate, and predicts with its default") {
  std::string model = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  const size_t begin = model.find("\"gapNs\""), end = model.find('\n', begin);
  model.replace(begin, end - begin, "");
  const Outcome lacking =
      tool(with(kAnalyze, {"--gpu", fileOf("lacking.json", model), "--type", "f32,f64"}));
  CHECK_MESSAGE(lacking.status == 0, lacking.err);
  const std::string note =
      "note: the GPU model h200 lacks the rate csr5.gapNs (nanoseconds of a row";
  const size_t at = lacking.err.find(note);
  CHECK_MESSAGE(at != std::string::npos, lacking.err);
  CHECK(contains(lacking.err, "predictions use its default, 0.0028; --gpu names"));
  CHECK(lacking.err.find(note, at + 1) == std::string::npos);
  // A former bug: the JSON told of no rates but the model's own.
  const Value json = analyzed({"stencil5:n=8", "--gpu", fileOf("lacking.json", model)});
  CHECK(find(json, "gpuRates.from")->getAsNull());
  CHECK(array(json, "gpuRates.lacking").size() == 1);
  CHECK(array(json, "gpuRates.lacking").front() == "csr5.gapNs");
}

// A former bug: the message named no file, came behind a note that told the same, and did not come
// at all with --plan or from the environment with the status of a bad call.
TEST_CASE("a rate that no format reads is refused where the file is named") {
  std::string model = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  const std::string rate = "\"gapNs\"";
  model.replace(model.find(rate), rate.size(), "\"gapsNs\"");
  const std::string file = fileOf("misspelt.json", model);
  const std::string sentence = file + ": the GPU model h200 has a rate 'csr5.gapsNs', which no "
                                      "format reads (did you mean 'csr5.gapNs'?)";
  for (const Strings &more : {Strings{}, {"--plan", "csr-scalar block=256 offset=32 column=32"}}) {
    const Outcome refused =
        tool(with({"run", "--target", "host", "stencil5:n=8", "--gpu", file}, more));
    CHECK(refused.status == 1);
    CHECK_MESSAGE(refused.err.rfind("error: " + sentence, 0) == 0, refused.err);
  }
  const Outcome packed = tool({"pregen", "stencil5:n=8", "-o", scratch("x.pack"), "--gpu", file});
  CHECK_MESSAGE(packed.err.rfind("error: " + sentence, 0) == 0, packed.err);
  const Outcome named = tool(kAnalyze, {{"SPECMV_GPU_MODEL=" + file}, ""});
  CHECK(named.status == 2);
  CHECK_MESSAGE(named.err.rfind("error: SPECMV_GPU_MODEL: " + sentence, 0) == 0, named.err);
}

TEST_CASE("analyze --json tells whose rates predict") {
  const Value borrowed = analyzed({"stencil5:n=8", "--target", "host", "--arch", "sm_80"});
  CHECK(text(borrowed, "gpu") == "a100");
  CHECK(text(borrowed, "gpuRates.from") != "");
  CHECK(flag(borrowed, "gpuRates.scaled"));
  const Value named = analyzed({"stencil5:n=8", "--gpu", "gt645m"});
  CHECK(text(named, "gpuRates.from") == "h200");
  CHECK_FALSE(flag(named, "gpuRates.scaled"));
  CHECK(array(named, "gpuRates.lacking").empty());
  const Value own = analyzed({"stencil5:n=8", "--gpu", "h200"});
  REQUIRE(find(own, "gpuRates"));
  CHECK(find(own, "gpuRates")->getAsNull());
}

TEST_CASE("run notes once that a GPU has no rates of its own, and its JSON tells whose it uses") {
  const Strings call = {"run",      "stencil5:n=8", "--json", "--target", "gpu",
                        "--format", "cusparse-csr", "--type", "f32,f64"};
  const Outcome noted = tool(call, kFakeA100);
  CHECK_MESSAGE(notesOfRates(noted) == 1, noted.err);
  CHECK(contains(noted.err, "--rigor measure"));
  CHECK(notesOfRates(tool(with(call, {"--quiet"}), kFakeA100)) == 0);
  const Value json = document(noted);
  REQUIRE(array(json, "further").size() == 1);
  for (const Value *type : {&json, &array(json, "further").front()}) {
    CHECK(text(*type, "gpu") == "NVIDIA A100-SXM4-80GB");
    CHECK(text(*type, "gpuRates.from") != "");
    CHECK(flag(*type, "gpuRates.scaled"));
  }
}
