// Tests what the tool says of the papers' models: their readings, their choices, and QCSR's tree.
#include "tests/models/h200_text.h"
#include "tests/text.h"
#include "tests/tool/measured_file.h"

using namespace tooltest;
using specmv::testing::contains;
namespace json = llvm::json;

namespace {
// A GPU whose ELL takes 10 us for a strip and 2 us for each entry of a row beyond 8, and whose JAD
// takes 1 us by fixed lengths and 2 us by normal ones.
std::string gpuWithBenchmarks() {
  return fileOf("readings.json", specmv::testing::h200TextWith(R"(,
      "benchmarks": {"source": "made up",
        "strips.ell.fixed.f32": {"x1": 8, "fSlope": 0, "fIntercept": 2, "eSlope": 10, "eIntercept": 0},
        "statistics.jad.fixed.f32":
          {"x1": 32, "fSlope": 0, "fIntercept": 0, "eSlope": 0, "eIntercept": 1},
        "statistics.jad.normal.f32":
          {"x1": 32, "fSlope": 0, "fIntercept": 0, "eSlope": 0, "eIntercept": 2}})"));
}

json::Object errorsOf(const std::string &file, const Strings &more, const char *model,
                      const char *format) {
  Strings call{"evaluate", "--measured", file, "--json", "--quiet", "--gpu", gpuWithBenchmarks()};
  call.insert(call.end(), more.begin(), more.end());
  const Outcome outcome = tool(call);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return totalOf(outcome.out, "format", format, model);
}
} // namespace

TEST_CASE("analyze tells the times of strips and statistics in every reading") {
  const auto seen = analyzed({kMatrix, "--type", "f32", "--gpu", gpuWithBenchmarks()});
  const double longest = number(seen, "profile.max");
  REQUIRE(longest == 9);
  CHECK(number(seen, "strips.corrected.ell") == doctest::Approx(10 + 2 * (longest - 8)));
  CHECK(number(seen, "strips.asPrinted.ell") == doctest::Approx(10 + 2 * (longest - 1)));
  CHECK(number(seen, "strips.unrounded.ell") ==
        doctest::Approx(10 * 4000.0 / 270336 + 2 * (longest - 8)));
  CHECK(find(seen, "strips.corrected.coo")->getAsNull().has_value());
  CHECK(number(seen, "statistics.corrected.own.jad") == 2);
  CHECK(number(seen, "statistics.corrected.fixed.jad") == 1);
  CHECK(number(seen, "statistics.corrected.normal.jad") == 2);
  CHECK(find(seen, "statistics.corrected.uniform.jad")->getAsNull().has_value());
}

TEST_CASE("evaluate reads the papers' models as asked, and says how") {
  const std::string file = benchFile("readings.jsonl");
  const json::Object plain = errorsOf(file, {}, "statistics", "jad");
  CHECK(plain.getString("reading") == llvm::StringRef("corrected"));
  CHECK(plain.getString("law") == llvm::StringRef("own"));
  const json::Object fixed = errorsOf(file, {"--law", "fixed"}, "statistics", "jad");
  CHECK(fixed.getString("law") == llvm::StringRef("fixed"));
  CHECK(*fixed.getNumber("meanError") != *plain.getNumber("meanError"));
  CHECK(*fixed.getObject("published")->getNumber("meanError") == doctest::Approx(0.0597));
  CHECK(*plain.getObject("published")->getNumber("meanError") == doctest::Approx(0.0394));

  std::vector<double> errors;
  for (const char *reading : {"as-printed", "corrected", "unrounded"})
    errors.push_back(
        *errorsOf(file, {"--reading", reading}, "strips", "ell").getNumber("meanError"));
  CHECK(errors[0] != errors[1]);
  CHECK(errors[1] != errors[2]);
  const json::Object pmf = errorsOf(file, {"--reading", "unrounded"}, "pmf", "csr-scalar");
  CHECK(pmf.getString("reading") == llvm::StringRef("corrected"));
  CHECK(pmf.get("law")->getAsNull().has_value());
  CHECK(*pmf.getInteger("plans") == 1); // its CSR is a thread a row
  CHECK(errorsOf(file, {}, "traffic", "ell").get("reading")->getAsNull().has_value());
  checkRefusal(tool({"evaluate", "--measured", file, "--law", "pareto"}), 2);
  checkRefusal(tool({"evaluate", "--measured", file, "--reading", "best"}), 2);
}

TEST_CASE("analyze tells which format PMF would take, and its bytes") {
  const auto seen = analyzed({"diagonal:n=90", "--gpu", "gt645m"});
  // A row of one entry: 16 bytes of an entry in COO, 12 and a row's offset in CSR, 12 and a row's
  // number in ELL.
  CHECK(number(seen, "pmf.corrected.coo.bytes") == 90 * 16);
  CHECK(number(seen, "pmf.corrected.csr.bytes") == 90 * 12 + 91 * 4);
  CHECK(number(seen, "pmf.corrected.ell.bytes") == 90 * 16);
  CHECK(text(seen, "pmf.corrected.choice.byT") == "ELL"); // the bytes of COO, a shorter CT
  const auto uneven = analyzed({"arrow:rows=3000", "--gpu", "gt645m"});
  CHECK(text(uneven, "pmf.asPrinted.choice.byT") != "ELL");
  const Outcome told = tool({"analyze", "--all", "diagonal:n=90", "--gpu", "gt645m"});
  CHECK(contains(told.out, "           PMF would take ELL by T (with the copies"));
  CHECK(contains(told.out, "bytes: COO 1440, CSR 1444, ELL 1440, HYB"));
}

TEST_CASE("analyze --all builds QCSR's tree, analyze alone does not") {
  const Strings call{"diagonal:n=1000", "--format", "qcsr", "--set", "qcsr.d=256"};
  CHECK(find(analyzed(call), "quadtree")->getAsNull().has_value());
  Strings all = call;
  all.emplace_back("--all");
  const auto seen = analyzed(all);
  CHECK(number(seen, "quadtree.d") == 256);
  CHECK(number(seen, "quadtree.depth") == 2);
  CHECK(number(seen, "quadtree.innerNodes") == 3); // the root, and two of its quarters
  CHECK(number(seen, "quadtree.bytes") == 36);
  CHECK(number(seen, "quadtree.tiles") == 4);
  CHECK(number(seen, "quadtree.empty") == 6);
  const Outcome told =
      tool({"analyze", "diagonal:n=1000", "--format", "qcsr", "--set", "qcsr.d=256", "--all"});
  CHECK(contains(told.out, "for d = 256: depth 2, 3 inner nodes, 36 bytes in all (C_S), 4 tiles"));
}
