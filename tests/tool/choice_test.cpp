// Tests which plan analyze, emit and run take, why, and with which toolkit.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <algorithm>
#include <cmath>
#include <regex>

using namespace tooltest;
using llvm::json::Value;
using specmv::testing::contains;

namespace {

// 3 x 3 blocks, all full but the first, which the profile's sample does not reach: it takes 65,536
// of 180,000 entries, and none of the first group of rows.
std::string almostFullBlocks() {
  constexpr int kRows = 60000;
  std::string text = "%%MatrixMarket matrix coordinate pattern general\n" + std::to_string(kRows) +
                     " " + std::to_string(kRows) + " " + std::to_string(3 * kRows - 1) + "\n";
  for (int row = 0; row < kRows; ++row)
    for (int k = row == 0 ? 1 : 0; k < 3; ++k)
      text += std::to_string(row + 1) + " " + std::to_string(row / 3 * 3 + k + 1) + "\n";
  return fileOf("almost.mtx", text);
}

} // namespace

TEST_CASE("a plan that the sample promises and the matrix does not have is neither chosen nor "
          "emitted") {
  const std::string file = almostFullBlocks();
  const Strings blocks = {"--format", "bcsr", "--set", "bcsr.r=3", "--set", "bcsr.c=3"};
  for (const std::string type : {"f32", "f64"}) {
    CAPTURE(type);
    Strings call = {file, "--type", type};
    call.insert(call.end(), blocks.begin(), blocks.end());
    const Value json = analyzed(call);
    const Value &first = array(json, "candidates")[0];
    REQUIRE(number(first, "params.full") == 1);
    CHECK_FALSE(flag(first, "applies"));
    CHECK(contains(text(first, "why"), "179999"));
    CHECK(number(json, "chosen.params.full") == 0);
    Strings run = call;
    run.insert(run.begin(), {"run", "--json", "--target", "host"});
    CHECK(*find(document(tool(run)), "chosen.params") == *find(json, "chosen.params"));
    call.insert(call.begin(), "emit");
    const Outcome emitted = tool(call);
    CHECK(emitted.status == 0);
    CHECK(contains(emitted.out, "{ full = false }"));
    CHECK_FALSE(contains(emitted.out, "full = true"));
  }
}

TEST_CASE("--why weighs all bytes, those of x too, and the rate at which they come") {
  // The choice stages x, the lower-ranked candidates gather it.
  const Outcome outcome = tool(
      {"analyze", "--why", "--type", "f32", "--format", "qcsr", "band:k=17,half=2000,rows=500000"});
  CHECK(outcome.status == 0);
  const Strings lines = linesOf(outcome.out);
  int weighed = 0;
  for (size_t i = 1; i < lines.size(); ++i)
    if (std::smatch words; std::regex_search(lines[i], words,
                                             std::regex("moves ([0-9.]+) times as "
                                                        "many bytes as the choice, at")))
      if (++weighed; contains(lines[i - 1], "qcsr.stage=0"))
        CHECK(std::stod(words[1]) > 1);
  CHECK(weighed > 0);
  CHECK(contains(lines.back(), "qcsr.stage=1"));
}

TEST_CASE("--why begins with a sentence, the gain and when the set-up has paid") {
  const Outcome outcome = tool({"analyze", "--why", "stencil5:n=300", "--target", "host"});
  CHECK(outcome.status == 0);
  const size_t why = outcome.out.find("\nwhy        dia wins: the values are equal along each ");
  const size_t gain = outcome.out.find("\ngain       "), pays = outcome.out.find("\nset-up     ");
  const size_t candidates = outcome.out.find("  plan (predicted for h200; ");
  REQUIRE(candidates != std::string::npos);
  CHECK(why < gain);
  CHECK(gain < pays);
  CHECK(pays < candidates);
  CHECK_FALSE(contains(tool({"analyze", "stencil5:n=300"}).out, "\nwhy "));
}

TEST_CASE("analyze shows eight plans and the choice, and with --all everything") {
  const auto plansIn = [](const std::string &text) {
    size_t count = 0;
    for (size_t at = text.find(" us  "); at != std::string::npos; at = text.find(" us  ", at + 1))
      ++count;
    return count;
  };
  const Strings call{"analyze", "stencil5:n=99", "--target", "host"};
  const std::string brief = tool(call).out;
  CHECK(plansIn(brief) == 8);
  CHECK(contains(brief, " more plans with --all\nchosen     dia "));
  Strings whole = call;
  whole.emplace_back("--all");
  const std::string all = tool(whole).out;
  CHECK(plansIn(all) > 15);
  CHECK_FALSE(contains(all, "with --all"));
  for (const char *line : {"\nsectors ", "\nPMF model ", "\nHYB's K ", "\n         -  "}) {
    CHECK_MESSAGE(contains(all, line), std::string(line));
    CHECK_FALSE_MESSAGE(contains(brief, line), std::string(line));
  }
  const std::string few =
      tool({"analyze", "stencil5:n=99", "--format", "ell", "--set", "values=plain"}).out;
  CHECK(plansIn(few) == 1);
  CHECK_FALSE(contains(few, "with --all"));
}

TEST_CASE("the JSON of analyze says why in numbers") {
  const Value json = analyzed({"stencil5:n=300", "--target", "host"});
  CHECK(contains(text(json, "why.sentence"), "dia wins: "));
  double sum = 0;
  for (const char *term : {"launchUs", "streamUs", "gatherUs", "waitUs", "hostUs"})
    sum += number(json, std::string("why.terms.") + term);
  CHECK(sum == doctest::Approx(number(array(json, "candidates").front(), "predictedUs.traffic"))
                   .epsilon(1e-12));
  CHECK(text(json, "why.cusparse.format").rfind("cusparse-", 0) == 0);
  CHECK(number(json, "why.cusparse.predictedUs") > sum);
  CHECK(number(json, "why.paysAfter") >= 1);
  const Value none = analyzed({"empty:n=3", "--target", "host"});
  for (const char *unknown : {"why.cusparse", "why.paysAfter"})
    CHECK_MESSAGE(find(none, unknown)->getAsNull(), std::string(unknown));
}

TEST_CASE("run says why in a line, also of an earlier choice, of which it knows less") {
  const Setting fresh{.environment = {"SPECMV_CACHE_DIR=" + scratch("why cache")}, .out = ""};
  const Strings call = {"run", "--target", "host", "stencil5:n=90"};
  Strings asJson = call;
  asJson.emplace_back("--json");
  const Outcome first = tool(call, fresh);
  if (!contains(first.out, "\nchosen     dia "))
    return; // without NVRTC there may be another choice
  CHECK(contains(first.out,
                 "\nwhy        dia wins: the offsets of its 5 diagonals replace the columns, "
                 "which are not read; 0.6"));
  CHECK(contains(first.out, "; as predicted, "));
  const Outcome again = tool(call, fresh);
  CHECK(contains(again.out,
                 "(wisdom)\nwhy        dia is an earlier choice: the offsets of its 5 diagonals "));
  CHECK(contains(again.out, " of CSR's bytes; predicted "));
  CHECK_FALSE(contains(again.out, "cusparse-"));
  const Value json = document(tool(asJson, fresh));
  CHECK(contains(text(json, "why.sentence"), "dia is an earlier choice: "));
  CHECK(number(json, "why.ofCsrBytes") > 0.5);
  for (const char *unknown : {"why.terms", "why.cusparse", "why.paysAfter"})
    CHECK_MESSAGE(find(json, unknown)->getAsNull(), std::string(unknown));
}

TEST_CASE("the choice is the candidate of the least compared time, with its caution") {
  const Value json = analyzed({"random:n=500,k=9,spread=1"});
  double least = HUGE_VAL;
  const Value *best = nullptr;
  for (const Value &candidate : array(json, "candidates"))
    if (flag(candidate, "applies"))
      if (const double us = number(candidate, "comparedUs") * number(candidate, "caution");
          us < least) {
        least = us;
        best = &candidate;
      }
  REQUIRE(best);
  CHECK(text(json, "chosen.format") == text(*best, "format"));
  REQUIRE((find(json, "chosen.params") && find(*best, "params")));
  CHECK(*find(json, "chosen.params") == *find(*best, "params"));
}

TEST_CASE("with very many products the choice is the one that looks at no set-up") {
  for (const char *spec : {"diagonal:n=1", "hypersparse:rows=1000000,k=1,filled=0.00001",
                           "rowlengths:dist=poisson,mean=9,rows=100000,columns=windows"}) {
    CAPTURE(spec);
    const Value without = analyzed({spec}), with = analyzed({spec, "--products", "1000000000000"});
    CHECK(text(with, "chosen.format") == text(without, "chosen.format"));
  }
}

TEST_CASE("a toolkit that the environment names and that is not there is a warning") {
  for (const char *verb : {"run", "analyze"}) {
    const Strings call = {verb, "--target", "host", "--quiet", "stencil5:n=4"};
    const Outcome outcome = tool(call, {{"SPECMV_CUDA_HOME=/absent"}, ""});
    CHECK(outcome.status == 0);
    CHECK(contains(outcome.err, "warning: SPECMV_CUDA_HOME: /absent: "));
    CHECK_FALSE(contains(tool(call, {{"SPECMV_CUDA_HOME=/usr"}, ""}).err, "SPECMV_CUDA_HOME"));
  }
}

TEST_CASE("run --start now tells by which plan a product could be launched before the set-up") {
  Strings call = {"run", "--json", "--quiet", "--target", "host", "stencil5:n=4"};
  CHECK(find(document(tool(call)), "start")->getAsNull());
  call.insert(call.end(), {"--start", "now"});
  CHECK(text(document(tool(call)), "start.plan") == "csr");
  const Setting fake{{"LD_LIBRARY_PATH=" SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
                      "SPECMV_FAKE_CUSPARSE=1", "SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT},
                     ""};
  // The kernels of the fake GPU do nothing, so that only cuSPARSE's product is right.
  call = {"run", "--quiet", "--start", "now", "--format", "cusparse-csr", "stencil5:n=4"};
  const Outcome outcome = tool(call, fake);
  CHECK_MESSAGE(
      std::regex_search(outcome.out, std::regex("set-up .*; first product after [0-9.]+ [mu]?s by "
                                                "cusparse-csr\n")),
      outcome.out, outcome.err);
}

// A former bug: nothing gave the whole text of a plan with a long list.
TEST_CASE("the text of a plan with many diagonals is told whole, and --plan takes it") {
  const Strings matrix = {"--format", "dia", "--target", "host", "stencil27:n=5"};
  const auto with = [&](Strings call) {
    call.insert(call.end(), matrix.begin(), matrix.end());
    return tool(call);
  };
  const Value run = document(with({"run", "--json"}));
  const std::string plan(find(run, "chosen")->getAsObject()->getString("text").value_or(""));
  CHECK(contains(plan, "dia.offsets=[-31,-30,-29,-26,"));
  CHECK(contains(tool({"emit", "--format", "dia", "stencil27:n=5"}).out, "// plan       " + plan));
  const Outcome again =
      tool({"run", "--quiet", "--target", "host", "--plan", plan, "stencil27:n=5"});
  CHECK_MESSAGE(again.status == 0, again.err);
  const std::string shown = linesOf(with({"run", "--quiet"}).out)[2].substr(11);
  REQUIRE(contains(shown, ",..."));
  const Outcome refused = tool({"run", "--quiet", "--target", "host", "--plan",
                                shown.substr(0, shown.rfind(" (")), "stencil27:n=5"});
  checkRefusal(refused, 2);
  CHECK_MESSAGE(contains(refused.err, "chosen.text of 'specmv run --json'"), refused.err);
}

TEST_CASE("run and emit take the plan that --plan gives") {
  const std::string plan = "csr-vector csr.lanes=8 block=256 offset=32 column=32";
  const Outcome ran = tool({"run", "--quiet", "--target", "host", "--plan", plan, "stencil5:n=9"});
  CHECK_MESSAGE(contains(ran.out, "chosen     " + plan + " (planText)\n"), ran.out, ran.err);
  const Value run =
      document(tool({"run", "--json", "--target", "host", "--plan", plan, "stencil5:n=9"}));
  CHECK(text(run, "chosenBy") == "planText");
  CHECK(find(run, "why")->getAsNull());
  CHECK_FALSE(text(run, "signature").empty());
  const Outcome emitted = tool({"emit", "--plan", plan, "stencil5:n=9"});
  CHECK_MESSAGE(contains(emitted.out, "// plan       " + plan), emitted.out, emitted.err);
  for (const char *verb : {"run", "emit"}) {
    const auto call = [&](const char *given) {
      return tool({verb, "--quiet", "--target", "host", "--plan", given, "stencil5:n=9"});
    };
    checkRefusal(call("csr-vector"), 2);
    CHECK(contains(call("csr-vector").err, "--plan 'csr-vector' is not the text of a plan"));
    // A former bug: the message did not name the word.
    checkRefusal(call((plan + " (predicted)").c_str()), 2);
    CHECK(contains(call((plan + " (predicted)").c_str()).err, "'(predicted)' cannot be read"));
    checkRefusal(call(""), 2);
    CHECK(contains(call("ell ell.width=2 block=256 offset=32 column=32").err,
                   "ell.width = 2 is less than the longest row"));
  }
}

// A former bug: --plan won silently.
TEST_CASE("--plan is refused beside options that it contradicts") {
  const std::pair<const char *, const char *> others[] = {{"--format", "ell"},
                                                          {"--set", "csr.lanes=4"},
                                                          {"--set", "values=ones"},
                                                          {"--rigor", "measure"}};
  for (const char *verb : {"run", "emit"})
    for (const auto &[option, value] : others) {
      if (verb == std::string("emit") &&
          option == std::string("--rigor")) // which emit does not have
        continue;
      const Outcome outcome =
          tool({verb, "--plan", "csr-vector csr.lanes=8 block=256 offset=32 column=32", option,
                value, "stencil5:n=9"});
      checkRefusal(outcome, 2);
      CHECK_MESSAGE(contains(outcome.err, "which " + std::string(option) + " contradicts"),
                    outcome.err);
    }
}

TEST_CASE("run tries plans on a GPU if --rigor says so, as the library does") {
  const auto chosenBy = [](const Strings &more) {
    Strings call = {"run", "--quiet", "--format", "sell,jad,ell", "stencil5:n=90"};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome outcome = tool(call, {{"LD_LIBRARY_PATH=" SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
                                         "SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT},
                                        ""});
    // The kernels of the fake GPU do nothing.
    const bool onHost = std::find(call.begin(), call.end(), "host") != call.end();
    CHECK_MESSAGE(onHost != contains(outcome.err,
                                     "the product is wrong (exact check): y[0] is nan, "
                                     "but must be "),
                  outcome.err);
    std::smatch words;
    const bool found =
        std::regex_search(outcome.out, words, std::regex("\nchosen .* \\((\\w+)\\)\n"));
    return found ? words[1].str() : outcome.out;
  };
  const std::string many = "1000000000000";
  CHECK(chosenBy({}) == "predicted");
  CHECK(chosenBy({"--products", many}) == "predicted");
  CHECK(chosenBy({"--products", many, "--rigor", "trial"}) == "tried");
  CHECK(chosenBy({"--products", "1", "--rigor", "trial"}) == "predicted");
  CHECK(chosenBy({"--rigor", "trial"}) == "tried");
  CHECK(chosenBy({"--rigor", "trial", "--target", "host"}) == "predicted");
  CHECK(chosenBy({"--rigor", "measure"}) == "measured");
}
