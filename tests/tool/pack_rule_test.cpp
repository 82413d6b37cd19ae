// Tests that pregen, --coverage, run, analyze and emit mean one GPU and choose one plan, with the
// coding of the values, and that the command which an error recommends works.
#include "tests/text.h"
#include "tests/tool/packs_testing.h"

#include <llvm/ADT/STLExtras.h>

#include <regex>

using namespace tooltest;
using llvm::json::Value;
using specmv::testing::contains;

namespace {

// The compiler that answers at once compiles for sm_90 and for this.
Strings alsoFor(const std::string &arch) { return {"SPECMV_FAKE_NVRTC_MORE=" + arch.substr(3)}; }

Strings joined(Strings call, const Strings &more) {
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

// Runs with the pack alone; checks that the kernel is taken from it in silence, and returns the
// document.
Value ranFrom(const std::string &pack, const Strings &more,
              const std::string &chosenBy = "predicted") {
  const Outcome ran = runOnHost(joined(more, {"--only-packs"}), withPack(pack, "rule-cache"));
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  CHECK(ran.err == "");
  Value out = document(ran);
  CHECK(text(out, "chosenBy") == chosenBy);
  CHECK(flag(out, "compile.hit"));
  return out;
}

std::string chosenText(const Value &document) { return text(document, "chosen.text"); }

Value covered(const std::string &pack, const Strings &more) {
  const Outcome told =
      tool(joined({"pregen", "--coverage", pack, "--target", "host", "--json", "--quiet"}, more),
           quickly("rule-cache"));
  INFO(told.err);
  REQUIRE(told.status == 0);
  return document(told);
}

// Values that no coding fits, equal ones along diagonals, and blocks that repeat.
const Strings kMatrices = {"powerlaw:rows=9000,avg=8", "stencil5:n=300",
                           "elasticity:n=35,materials=20"};

} // namespace

// A former bug: pregen and --coverage predicted for the H200, run for the GPU of --arch.
TEST_CASE("a pack has what run, analyze and emit choose for the architecture") {
  for (const std::string &matrix : {kMatrices[0], kMatrices[1]})
    for (const char *arch : {"sm_80", "sm_89", "sm_90", "sm_100"}) {
      CAPTURE(matrix);
      CAPTURE(arch);
      const Strings call = {matrix, "--arch", arch};
      const std::string pack = packed("rule.pack", call, alsoFor(arch));
      const std::string plan = chosenText(ranFrom(pack, call));
      const Value told = covered(pack, call);
      CHECK(number(told, "best") == 1);
      CHECK(text(array(told, "choices").front(), "plan") == plan);
      for (const char *verb : {"analyze", "emit"}) {
        Strings words = joined({verb, "--json", "--quiet", "--target", "host"}, call);
        const Outcome shown = tool(words, quickly("rule-cache"));
        REQUIRE(shown.status == 0);
        const Value json = document(shown);
        CHECK(text(json, std::string(verb) == "emit" ? "text" : "chosen.text") == plan);
      }
    }
}

TEST_CASE("one pack serves several architectures, types and problems") {
  const Strings call = {kMatrices[0], "--type", "f32,f64"};
  const std::string pack = packed(
      "several.pack", joined(call, {"--arch", "sm_80,sm_90", "--beta-is-zero", "--vectors", "1,8"}),
      alsoFor("sm_80"));
  CHECK(number(covered(pack, joined(call, {"--arch", "sm_80,sm_90"})), "best") == 4);
  CHECK(number(covered(pack, joined(call, {"--arch", "sm_89"})), "any") == 0);
  for (const char *arch : {"sm_80", "sm_90"})
    for (const Strings &more : {Strings{}, {"--beta-is-zero"}, {"--vectors", "8"}})
      ranFrom(pack, joined({kMatrices[0], "--type", "f32", "--arch", arch}, more));
}

TEST_CASE("a GPU that has no file is named like one that has") {
  const Value named = analyzed({kMatrices[0], "--target", "host", "--gpu", "a100"});
  CHECK(text(named, "gpu") == "a100");
  const Value meant = analyzed({kMatrices[0], "--target", "host", "--arch", "sm_80"});
  CHECK(chosenText(named) == chosenText(meant));
  CHECK(readFile(packed("named.pack", {kMatrices[0], "--gpu", "a100"}, alsoFor("sm_80"))) ==
        readFile(packed("meant.pack", {kMatrices[0], "--arch", "sm_80"}, alsoFor("sm_80"))));
  // A model that names no architecture to compile for gives its own; both may be named.
  const std::string both =
      packed("both.pack", {kMatrices[0], "--gpu", "h200", "--arch", "sm_89"}, alsoFor("sm_89"));
  ranFrom(both, {kMatrices[0], "--gpu", "h200", "--arch", "sm_89"});
}

TEST_CASE("pregen means the GPU of this machine, unless another one is named") {
  const Setting setting =
      onFakeGpu({"SPECMV_FAKE_NAME=NVIDIA H100 80GB HBM3", "SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT,
                 alsoFor("sm_80").front()});
  const auto gpusOf = [&](const Strings &more) {
    const Outcome made = tool(
        joined({"pregen", "stencil5:n=9", "-o", scratch("here.pack"), "--json"}, more), setting);
    INFO(made.err);
    REQUIRE(made.status == 0);
    return array(document(made), "gpus");
  };
  CHECK(gpusOf({}) == llvm::json::Array{"h100"});
  CHECK(gpusOf({"--arch", "sm_80,sm_90"}) == llvm::json::Array{"a100", "h100"});
  CHECK(gpusOf({"--gpu", "a100"}) == llvm::json::Array{"a100"});
  CHECK(gpusOf({"--target", "host"}) == llvm::json::Array{"h200"});
  // A former bug: run and analyze predicted for the GPU of the machine with any --arch.
  const auto predictedFor = [&](const char *arch) {
    return text(document(tool({"analyze", "stencil5:n=9", "--json", "--arch", arch}, setting)),
                "gpu");
  };
  CHECK(predictedFor("sm_80") == "a100");
  CHECK(predictedFor("sm_90") == "h100");
}

// A former bug: the tool showed and packed plain values where a program gets coded ones.
TEST_CASE("packs have the coding that a program's values get, and plain values beside it") {
  for (size_t i = 1; i < kMatrices.size(); ++i) {
    CAPTURE(kMatrices[i]);
    const std::string pack = packed("coded.pack", {kMatrices[i]});
    CHECK(contains(chosenText(ranFrom(pack, {kMatrices[i]})), "values="));
    // A program whose values change asks for this.
    CHECK_FALSE(
        contains(chosenText(ranFrom(pack, {kMatrices[i], "--set", "values=plain"})), "values="));
    CHECK(number(covered(pack, {kMatrices[i]}), "best") == 1);
  }
}

TEST_CASE("a signature, which has no values, gives a pack for whatever they are") {
  const std::string signature = scratch("rule.sig");
  REQUIRE(tool({"analyze", kMatrices[1], "--signature", signature}).status == 0);
  const std::string pack = packed("unseen.pack", {signature});
  for (const char *more : {"", ",coef=random"})
    ranFrom(pack, {kMatrices[1] + more});
}

// A former bug: with only packs, a plan with plain values was taken without a word.
TEST_CASE("a plan that replaces one with a coding, which no pack has, is told") {
  const std::string matrix = "stencil5:n=900"; // large enough that the values count
  const std::string pack = packed("plain.pack", {matrix, "--set", "values=plain"});
  const Strings call = {matrix, "--only-packs"};
  const Outcome ran = runOnHost(call, withPack(pack, "rule-cache"));
  REQUIRE(ran.status == 0);
  CHECK(messages(ran, "warning") == 1);
  CHECK(contains(ran.err, "values=diagonals' in f64 for sm_90, and only packs are allowed"));
  const Value json = document(ran);
  CHECK(text(json, "chosenBy") == "fallback");
  CHECK(text(json, "why.better.params.values") == "diagonals");
  CHECK(contains(text(json, "why.sentence"), "dia replaces dia with values=diagonals, predicted "));
  CHECK(number(covered(pack, {matrix}), "covered") == 0);
  // analyze shows what run takes.
  const Outcome shown =
      tool({"analyze", matrix, "--only-packs", "--json", "--quiet"}, withPack(pack, "rule-cache"));
  REQUIRE(shown.status == 0);
  CHECK(chosenText(document(shown)) == chosenText(json));
  CHECK(text(document(shown), "why.better.params.values") == "diagonals");
  checkRefusal(tool({"analyze", matrix, "--only-packs", "--quiet"}, quickly("rule-cache")), 3);
}

// A former bug: it was the command that had just been run, or made other kernels.
TEST_CASE("the command that an error recommends makes the pack") {
  for (const Strings &request :
       {Strings{kMatrices[0], "--arch", "sm_80"},
        {kMatrices[1], "--type", "f32"},
        {kMatrices[1], "--format", "csr-vector", "--set", "csr.lanes=32"},
        {kMatrices[1], "--set", "order=bfs", "--gpu", "a100"},
        {kMatrices[1], "--vectors", "3", "--beta-is-zero"},
        {"stencil5:n=9", "--plan", "csr-scalar block=128 offset=32 column=32"}}) {
    const Outcome refused = runOnHost(joined(request, {"--only-packs"}), quickly("rule-cache"));
    checkRefusal(refused, 3);
    INFO(refused.err);
    std::smatch command;
    REQUIRE(std::regex_search(refused.err, command, std::regex("'specmv pregen -o PACK ([^']*)'")));
    Strings call;
    const std::string words = command[1];
    const std::regex word("\"([^\"]*)\"|([^ \"]+)");
    for (std::sregex_iterator at(words.begin(), words.end(), word), end; at != end; ++at)
      call.push_back((*at)[1].matched ? (*at)[1] : (*at)[2]);
    const bool isGiven = llvm::is_contained(request, "--plan");
    ranFrom(packed("advised.pack", call, alsoFor("sm_80")), request,
            isGiven ? "planText" : "predicted");
  }
}

TEST_CASE("pregen --plan refuses what has no kernel, and takes no part in --coverage") {
  const auto refusal = [&](const Strings &more) {
    const Outcome refused = tool(joined({"pregen", "-o", scratch("never.pack")}, more));
    checkRefusal(refused, 2);
    return refused.err;
  };
  CHECK(contains(refusal({"--plan", "cusparse-csr offset=32 column=32"}), "is a call of cuSPARSE"));
  CHECK(contains(refusal({"--plan", "csr-scalar block=128 offset=32 column=32", "--coverage",
                          fileOf("x.pack", "x"), "stencil5:n=9"}),
                 "--coverage reports on matrices, and --plan has none"));
}
