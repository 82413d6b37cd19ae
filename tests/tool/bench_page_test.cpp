// Tests the page that report draws from a file of bench: its numbers are those of the file, and
// files that have nothing to draw are refused.
#include "tests/tool/page_testing.h"

#include <llvm/Support/FormatVariadic.h>

using namespace tooltest;
using specmv::testing::contains;

namespace {

constexpr const char *kBenchSections[] = {"totals",     "profiles", "ratios",
                                          "prediction", "regret",   "matrices"};

const std::string kBenchedGpu =
    R"({"arch":"sm_90","cusparse":"cuSPARSE 12.9.4","date":"2026-11-27","l2Bytes":1000,)"
    R"("machine":"A GPU","request":{"verb":"bench"},"schema":1,"specmv":"0.1.0"})"
    "\n";

// A contender's times; one of cuSPARSE has no predicted time.
struct Timed {
  std::string format;
  double us, predictedUs = 0, usReplay = 0;
  bool isChosen = false;
};

std::string contenderLine(const std::string &matrix, const std::string &type, const Timed &t) {
  return llvm::formatv(
             R"({{"matrix":"{0}","type":"{1}","format":"{2}","params":{{},"us":{3},"usReplay":{4},)"
             R"("chosen":{5},"verified":true,"plans":[{{"params":{{},"us":{3},"predictedUs":{6},)"
             R"("verified":true}]})",
             matrix, type, t.format, t.us, t.usReplay, t.isChosen ? "true" : "false", t.predictedUs)
             .str() +
         "\n";
}

// The lines of a matrix with its summary.
std::string benchOf(const std::string &matrix, const std::string &type, int csrBytes,
                    const std::vector<Timed> &all) {
  std::string out;
  double chosen = 0, theirs = 0;
  for (const Timed &t : all) {
    out += contenderLine(matrix, type, t);
    if (t.isChosen)
      chosen = t.us;
    if (t.format.starts_with("cusparse") && (theirs == 0 || t.us < theirs))
      theirs = t.us;
  }
  return out +
         llvm::formatv(R"({{"summary":true,"matrix":"{0}","type":"{1}","rows":9,"cols":9,"nnz":30,)"
                       R"("csrBytes":{2},"ratio":{3},"verified":true})",
                       matrix, type, csrBytes, chosen > 0 ? theirs / chosen : 0)
             .str() +
         "\n";
}

std::string threeMatrices() {
  return kBenchedGpu +
         benchOf("band:n=9", "f64", 500,
                 {{"ell", 10, 9, 4, true},
                  {"sell", 8, 8, 5},
                  {"cusparse-csr", 20, 0, 8},
                  {"cusparse-coo", 15, 0, 6}}) +
         benchOf("band:n=99", "f64", 5000, {{"ell", 40, 44, 0, true}, {"cusparse-csr", 20}}) +
         benchOf("cant", "f64", 6000,
                 {{"sell", 30, 15, 0, true}, {"cusparse-csr", 33}, {"cusparse-coo", 120}});
}

std::string benchPageOf(const std::string &name, const std::string &bytes) {
  const std::string page = scratch("bench.html");
  const Outcome outcome = tool({"report", fileOf(name, bytes), "-o", page});
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err == "");
  return readFile(page);
}

// A row of a table; what does not break into lines is marked so.
std::string row(const std::vector<std::string> &cells) {
  std::string out;
  for (const std::string &cell : cells)
    out += "<td class=\"n\">" + cell + "</td>";
  return out + "</tr>";
}

} // namespace

TEST_CASE("a page of a bench has the numbers of the file") {
  const std::string page = benchPageOf("three.jsonl", threeMatrices());
  checkWholePage(page, kBenchSections);
  CHECK(contains(page, "<title>three.jsonl - specmv report</title>"));
  CHECK(contains(page, "measured on A GPU (sm_90), cuSPARSE 12.9.4, on 2026-11-27 by specmv 0.1.0: "
                       "9 products of 3 matrices in a type"));
  // (1.5 * 0.5 * 1.1)^(1/3)
  CHECK(contains(page, "<b>f64</b>: the best of cuSPARSE takes 0.94 times as long as the choice of "
                       "specmv (geometric mean); the choice is faster for 2 of 3 matrices."));
  // Shares of the three matrices within 1, 1.1, 1.5, 2 and 4 times the fastest.
  CHECK(contains(page, row({"67 %", "67 %", "67 %", "100 %", "100 %", "3"}))); // specmv
  CHECK(contains(page, row({"33 %", "67 %", "67 %", "100 %", "100 %", "3"}))); // cusparse-csr
  CHECK(contains(page, row({"0 %", "0 %", "33 %", "33 %", "67 %", "2"})));     // cusparse-coo
  CHECK(contains(page, "<h3>f64, products as launches, 3 matrices</h3>"));
  CHECK(contains(page, "<h3>f64, products as replays, 1 matrix</h3>"));
  CHECK(contains(page, "<td>files</td>"));
  CHECK(contains(page, "<td>band</td><td class=\"n\">2</td><td class=\"n\">1</td><td "
                       "class=\"n\">0.87</td><td class=\"n\">0.50</td><td>band:n=99</td>"));
  // Predicted by measured: 0.9, 1, 1.1 and 0.5.
  CHECK(contains(page, "all</span></td><td class=\"n\">4</td><td class=\"n\">0.84</td><td "
                       "class=\"n\">10.0 %</td><td class=\"n\">50.0 %</td>"));
  CHECK(contains(page,
                 "<td class=\"n\">1</td><td class=\"n\">1.25</td><td class=\"n\">1.25</td><td "
                 "class=\"n\">1.25</td>"));
  CHECK(contains(page, "band:n=9: 1.50, ell"));
  CHECK(contains(page, "choices, CSR fits L2</span></td><td class=\"n\">1</td><td "
                       "class=\"n\">0.90</td>"));
  CHECK(contains(page, "<td>cant</td><td>f64</td><td><span class=\"word\">sell</span></td><td "
                       "class=\"n\">15.0 us</td><td class=\"n\">30.0 us</td><td "
                       "class=\"n\">0.50</td>"));
  CHECK_FALSE(contains(page, "The file has no predicted time of the choice"));
}

TEST_CASE("a page of a bench has the first plans of programs beside the choices") {
  std::string text =
      kBenchedGpu + benchOf("cant", "f64", 6000, {{"sell", 30, 0, 0, true}, {"cusparse-csr", 33}});
  const std::string page = benchPageOf("choices.jsonl", text);
  CHECK_FALSE(contains(page, "as the first plan of a program"));
  const std::string ratio = "\"ratio\":";
  REQUIRE(contains(text, ratio));
  text.insert(text.find(ratio), "\"firstRatio\":0.5,");
  CHECK(contains(benchPageOf("first.jsonl", text),
                 "<b>f64</b>: the best of cuSPARSE takes 0.50 times as long as the first plan of a "
                 "program (geometric mean); that plan is faster for 0 of 1 matrices."));
}

TEST_CASE("a page of a bench takes files that lack something") {
  const std::string onlyOurs =
      kBenchedGpu + benchOf("band:n=9", "f32", 500, {{"ell", 10, 0, 0, true}});
  const std::string page = benchPageOf("ours.jsonl", onlyOurs);
  checkWholePage(page, kBenchSections);
  CHECK(contains(page, "No matrix has both a choice of specmv and a product of cuSPARSE."));
  CHECK(contains(page, "The file has no predicted times."));
  const std::string unforeseen =
      threeMatrices() + benchOf("b,c", "f64", 500, {{"ell", 9, 0, 0, true}});
  CHECK(contains(benchPageOf("unforeseen.jsonl", unforeseen),
                 "The file has no predicted time of the choice for b,<wbr>c f64."));
  const std::string onlyTheirs =
      kBenchedGpu + benchOf("band:n=9", "f32", 500, {{"cusparse-csr", 10}});
  checkWholePage(benchPageOf("theirs.jsonl", onlyTheirs), kBenchSections);
  // The matrix of an interrupted session is measured again in the next one.
  const std::string again =
      kBenchedGpu + contenderLine("band:n=9", "f64", {"dia", 1}) + threeMatrices();
  CHECK_FALSE(contains(benchPageOf("again.jsonl", again), "dia</span>"));
  // The last line may be cut off.
  checkWholePage(benchPageOf("cut.jsonl", threeMatrices() + R"({"matrix":"x)"), kBenchSections);
}

TEST_CASE("the names of a bench file are escaped") {
  const std::string page = benchPageOf(
      "<b>.jsonl",
      kBenchedGpu + benchOf("<i>&'", "f64", 500, {{"<u>", 10, 9, 0, true}, {"cusparse-<u>", 20}}));
  checkWholePage(page, kBenchSections);
  CHECK(contains(page, "<h1>&lt;b&gt;.jsonl</h1>"));
  CHECK_FALSE(contains(page, "<i>"));
  CHECK_FALSE(contains(page, "<u>"));
}

TEST_CASE("a page shows the bench of the unseen suite, packed too") {
  const std::string packed =
      SPECMV_SOURCE_DIR "/tests/bench/results/2026-11-27-h100-unseen.jsonl.gz";
  const Outcome outcome = tool({"report", packed});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  checkWholePage(outcome.out, kBenchSections);
  // The means of its 60 matrices, by launches.
  CHECK(contains(outcome.out, "<b>f32</b>: the best of cuSPARSE takes 1.50 times"));
  CHECK(contains(outcome.out, "<b>f64</b>: the best of cuSPARSE takes 1.34 times"));
}

TEST_CASE("report refuses files of a bench from which it cannot draw a page") {
  const std::string page = scratch("never.html");
  const auto refused = [&](const std::string &file, int status, const std::string &why,
                           const Strings &more = {}) {
    Strings call{"report", file, "-o", page};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome outcome = tool(call);
    checkRefusal(outcome, status);
    CHECK_MESSAGE(contains(outcome.err, why), outcome.err);
    CHECK_FALSE(std::filesystem::exists(page));
  };
  refused(scratch("none.jsonl"), 1, "none.jsonl");
  refused(fileOf("nothing.jsonl", ""), 1, "has no product that was timed");
  refused(fileOf("machine.jsonl", kBenchedGpu), 1, "has no product that was timed");
  refused(fileOf("other.jsonl", "{\"a\":1}\n"), 1, "first line of a bench file");
  refused(fileOf("text.jsonl", "hello\n"), 1, "first line of a bench file");
  std::string two = threeMatrices();
  std::string other = threeMatrices();
  other.replace(other.find("A GPU"), 5, "B GPU");
  refused(fileOf("two.jsonl", two + other), 1,
          "was measured on A GPU and on B GPU; use one file for each GPU");
  // A former bug: a wrong product was left out without a word.
  for (const std::string of : {"\"verified\":true,\"plans\"", "\"verified\":true}\n{\"matrix\""}) {
    std::string wrong = threeMatrices();
    const size_t at = wrong.find(of);
    REQUIRE(at != std::string::npos);
    refused(fileOf("wrong.jsonl", wrong.replace(at, 15, "\"verified\":false")), 1,
            "gives a wrong product in f");
  }
  const std::string good = fileOf("good.jsonl", threeMatrices());
  refused(good, 2, "has measurements, so --format changes nothing", {"--format", "ell"});
  refused(good, 2, "has measurements, so --set changes nothing", {"--set", "values=any"});
  refused(good, 2, "has measurements, so --type changes nothing", {"--type", "f32"});
  refused(good, 2, "has measurements, so --gpu changes nothing", {"--gpu", "h200"});
}
