// Tests the output of `analyze` for small matrices, against numbers worked out by hand, and the
// signature.
#include "tests/models/h200_text.h"
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <llvm/Support/BLAKE3.h>

#include <cmath>

using namespace tooltest;
using llvm::json::Array;
using llvm::json::Value;
using specmv::testing::contains;

namespace {

// Rows of 3, 0, 1 and 3 entries: one is an explicit zero, one is given twice.
const std::string kSmall = "%%MatrixMarket matrix coordinate real general\n"
                           "4 5 8\n"
                           "1 1 1.5\n1 2 2\n1 5 -1\n"
                           "3 3 0\n"
                           "4 1 2\n4 4 3\n4 5 4\n4 4 5\n";
// This matrix has the same entries in another order with other values.
const std::string kShuffled = "%%MatrixMarket matrix coordinate integer general\n"
                              "% a comment\n"
                              "4 5 7\n"
                              "4 5 1\n1 5 1\n1 1 2\n4 4 3\n4 1 4\n3 3 5\n1 2 6\n";
// One entry moved from column 3 to column 2.
const std::string kMoved = "%%MatrixMarket matrix coordinate real general\n"
                           "4 5 7\n"
                           "1 1 1\n1 2 1\n1 5 1\n3 2 1\n4 1 1\n4 4 1\n4 5 1\n";

// Returns the signature's text and its name, as the tool prints them.
std::pair<std::string, std::string> signatureOf(const std::string &matrix) {
  const std::string file = scratch("signature");
  std::filesystem::remove(file);
  const Value json = analyzed({matrix, "--signature", file});
  return {readFile(file), text(json, "signature")};
}

std::string blake3(const std::string &bytes) {
  llvm::BLAKE3 hash;
  hash.update(bytes);
  std::string hex;
  for (uint8_t byte : hash.final()) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

void checkCandidate(const Value &candidate) {
  CHECK(text(candidate, "format") != "");
  CHECK((find(candidate, "params") && find(candidate, "params")->getAsObject()));
  if (!flag(candidate, "applies")) {
    CHECK(text(candidate, "why") != "");
    return;
  }
  CHECK(number(candidate, "bytes") >= 0);
  CHECK(number(candidate, "predictedUs.traffic") >= 0);
  for (const char *model : {"strips", "statistics"}) { // where they give no price it is null
    const Value *price = find(candidate, std::string("predictedUs.") + model);
    CHECK_MESSAGE((price && (price->getAsNumber() || price->getAsNull())), std::string(model));
  }
}

} // namespace

TEST_CASE("the profile of a small matrix is what one counts by hand") {
  const Value json = analyzed({fileOf("small.mtx", kSmall)});
  CHECK(number(json, "matrix.rows") == 4);
  CHECK(number(json, "matrix.cols") == 5);
  CHECK(number(json, "matrix.nnz") == 7); // the zero counts, the repeated entry counts once
  CHECK(text(json, "matrix.name") == "small");
  CHECK(number(json, "profile.mean") == doctest::Approx(1.75));
  CHECK(number(json, "profile.std") == doctest::Approx(std::sqrt(1.6875)));
  // Deviations 1.25, -1.75, -0.75, 1.25: the mean of their cubes is -0.46875.
  CHECK(number(json, "profile.skewness") == doctest::Approx(-0.46875 / std::pow(1.6875, 1.5)));
  CHECK(number(json, "profile.max") == 3);
  CHECK(number(json, "profile.min") == 0);
  CHECK(number(json, "profile.mode") == 3);
  CHECK(number(json, "profile.emptyRows") == 1);
  CHECK(number(json, "profile.bandwidth") == 4); // (1, 5)
  CHECK(number(json, "profile.diagonals") == 4); // -3, 0, 1 and 4
  CHECK(number(json, "profile.distavg") == doctest::Approx((4 + 0 + 0 + 4) / 4.0));
  CHECK(array(json, "profile.pmf") == Array{Array{0, 1}, Array{1, 1}, Array{3, 2}});
  // Half of the rows have at most 1 entry, the rest 3; the first 32-fractile is the empty row.
  CHECK(array(json, "profile.fractiles").size() == 32);
  CHECK(array(json, "profile.fractiles")[0] == Value(0));
  CHECK(array(json, "profile.fractiles")[15] == Value(1));
  CHECK(array(json, "profile.fractiles")[16] == Value(3));
  CHECK(number(array(json, "profile.spans").front(), "longest") == 5);
  CHECK(number(array(json, "profile.tiles").front(), "sampledEntries") == 7);
  CHECK(number(array(json, "profile.sectors").front(), "rows") == 1);
  // Slices of 2 rows without sorting: 2 x 3 and 2 x 3.
  CHECK(number(array(json, "profile.slices").front(), "slice") == 2);
  CHECK(number(array(json, "profile.slices").front(), "padded") == 12);
}

TEST_CASE("equal rows have no deviation, and the mode of a tie is the smallest") {
  const Value equal = analyzed({"diagonal:n=6"});
  CHECK(number(equal, "profile.std") == 0);
  CHECK(number(equal, "profile.skewness") == 0);
  CHECK(number(equal, "profile.bandwidth") == 0);
  CHECK(number(equal, "profile.diagonals") == 1);
  CHECK(number(equal, "profile.distavg") == 0);
  const std::string tie = "%%MatrixMarket matrix coordinate pattern general\n"
                          "4 4 6\n1 1\n1 4\n2 2\n3 1\n3 3\n4 1\n";
  const Value json = analyzed({fileOf("tie.mtx", tie)});
  CHECK(number(json, "profile.mode") == 1);
  CHECK(number(json, "profile.skewness") == doctest::Approx(0));
  CHECK(number(json, "profile.bandwidth") == 3); // (4, 1)
  CHECK(array(json, "profile.pmf") == Array{Array{1, 2}, Array{2, 2}});
}

TEST_CASE("matrices without entries, rows or columns are analyzed like others") {
  for (const char *size : {"0 0 0", "0 5 0", "5 0 0", "5 5 0"}) {
    CAPTURE(std::string(size));
    const Value json = analyzed({fileOf(
        "none.mtx", std::string("%%MatrixMarket matrix coordinate real general\n") + size + "\n")});
    CHECK(number(json, "matrix.nnz") == 0);
    for (const char *zero :
         {"mean", "std", "skewness", "max", "min", "mode", "bandwidth", "diagonals", "distavg"})
      CHECK_MESSAGE(number(json, std::string("profile.") + zero) == 0, std::string(zero));
    CHECK(number(json, "profile.emptyRows") == number(json, "matrix.rows"));
  }
}

TEST_CASE("analyze --json has every field of its kind") {
  for (const char *gpu : {"h200", "gt645m"}) {
    const Value json = analyzed({"stencil5:n=12", "--gpu", gpu, "--why"});
    CHECK(text(json, "gpu") == gpu);
    CHECK(text(json, "signature").size() == 32);
    CHECK(text(json, "chosen.format") != "");
    CHECK((find(json, "chosen.params") && find(json, "chosen.params")->getAsObject()));
    for (const char *mode : {"asPrinted", "corrected"})
      for (const char *format : {"coo", "csr", "ell", "hyb"})
        for (const char *time : {"ct", "dtt"}) {
          std::string path = "pmf.";
          path += std::string(mode) + "." + format + "." + time;
          CHECK_MESSAGE(number(json, path) > 0, path);
        }
    CHECK(number(json, "pmf.asPrinted.hyb.k") >= 0);
    CHECK(number(json, "pmf.corrected.hyb.k") <= 5);
    for (const Value &candidate : array(json, "candidates"))
      checkCandidate(candidate);
  }
}

TEST_CASE("the papers' benchmarks price the plans of their kernels, where a GPU model has them") {
  const std::string gpu = fileOf("measured.json", specmv::testing::h200TextWith(R"(,
      "benchmarks": {"source": "made up",
        "strips.coo.fixed.f64": {"slope": 2, "intercept": 3},
        "statistics.jad.normal.f64":
          {"x1": 32, "fSlope": 0, "fIntercept": 1, "eSlope": 0, "eIntercept": 34}})"));
  const Strings call{"stencil5:n=12", "--gpu", gpu};
  int priced = 0;
  const Value json = analyzed(call);
  for (const Value &candidate : array(json, "candidates")) {
    const std::string format = text(candidate, "format");
    CAPTURE(format);
    const Value *strips = find(candidate, "predictedUs.strips");
    const Value *statistics = find(candidate, "predictedUs.statistics");
    REQUIRE((strips && statistics));
    CHECK(*strips == (format == "coo" ? Value(5.0) : Value(nullptr)));     // one strip
    CHECK(*statistics == (format == "jad" ? Value(7.0) : Value(nullptr))); // 34 + (5 - 32)
    priced += !strips->getAsNull() + !statistics->getAsNull();
  }
  CHECK(priced == 2);
  const std::string told = tool({"analyze", "--all", "stencil5:n=12", "--gpu", gpu}).out;
  CHECK(
      contains(told, "\nstrips     corrected, us on the device: CSR -, ELL -, COO 5.000, HYB -\n"));
  CHECK(contains(told,
                 "\nstatistics corrected, us on the device: CSR-V -, CSR-S -, ELL -, JAD 7.000 "
                 "(normal)\n"));
  const std::string without = tool({"analyze", "--all", "stencil5:n=12", "--gpu", "gt645m"}).out;
  CHECK_FALSE(contains(without, "\nstrips "));
  CHECK_FALSE(contains(without, "\nstatistics "));
}

TEST_CASE("--products weighs set-ups: candidates come by their totals, with their cautions") {
  const auto few = document(tool({"analyze", "--json", "stencil5:n=99", "--products=10"}));
  const auto many =
      document(tool({"analyze", "--json", "stencil5:n=99", "--products", "1000000000000"}));
  CHECK(text(many, "chosen.format") == "dia");
  for (const auto &json : {few, many}) {
    double before = 0;
    for (const auto &candidate : array(json, "candidates")) {
      const auto *total = candidate.getAsObject()->get("totalUs");
      if (!total || total->getAsNull())
        continue; // a format without a plan
      const double setup = *candidate.getAsObject()->getNumber("setupUs");
      const double products = *total->getAsNumber() - setup; // the time of all
      const double count = products / number(candidate, "comparedUs");
      CHECK((count == doctest::Approx(10) || count == doctest::Approx(1e12)));
      const double ordered = setup + products * number(candidate, "caution");
      CHECK(ordered >= before * (1 - 1e-12));
      CHECK(setup > 0);
      before = ordered;
    }
    CHECK(before > 0);
  }
  const Outcome told = tool({"analyze", "stencil5:n=99", "--products=10"});
  CHECK(contains(told.out, "\nproducts   10 expected; a profile cannot pay for fewer than "));
  CHECK(contains(told.out, ", so that a program gets CSR as it is; "));
  CHECK(contains(tool({"analyze", "stencil5:n=99", "--products=1000000000"}).out,
                 "\nproducts   1000000000 expected\n"));
  const Outcome ran = tool({"run", "stencil5:n=99", "--products=1"});
  CHECK(contains(ran.err, "note: 1 product is expected: a profile cannot pay for fewer than "));
  CHECK(contains(ran.out, " wins for 1 product: "));
  CHECK(contains(told.out, "with set-up and products"));
  CHECK_FALSE(contains(tool({"analyze", "stencil5:n=99"}).out, "products "));
  // emit writes the source of that choice.
  CHECK(contains(tool({"emit", "stencil5:n=99"}).out, "struct DiaPlan {"));
  CHECK_FALSE(contains(tool({"emit", "stencil5:n=99", "--products=1"}).out, "struct DiaPlan {"));
  // A plan that is packed on the host must not seem cheap because no packing kernel is available.
  const Outcome skewed = tool({"analyze", "circuit:rows=500", "--products=1"});
  CHECK(skewed.status == 0);
  CHECK_FALSE(contains(skewed.out, "\nchosen     hcghyb"));
}

TEST_CASE("without a GPU cuSPARSE's formats are listed with a reason and never chosen") {
  const Value json = analyzed({"random:n=500,k=9,spread=1", "--target", "host"});
  int listed = 0;
  for (const Value &candidate : array(json, "candidates"))
    if (text(candidate, "format").rfind("cusparse-", 0) == 0) {
      CHECK_FALSE(flag(candidate, "applies"));
      checkCandidate(candidate);
      ++listed;
    }
  CHECK(listed == 11);
  CHECK(text(json, "chosen.format").rfind("cusparse-", 0) == std::string::npos);
}

TEST_CASE("--format, --set and --type narrow what is looked at") {
  const Value both = analyzed({"stencil5:n=12", "--format", "ell,hyb"});
  for (const Value &candidate : array(both, "candidates")) {
    const std::string format = text(candidate, "format");
    CHECK_MESSAGE((format == "ell" || format == "hyb"), format);
  }
  const Value wide = analyzed({"stencil5:n=12", "--format", "ell", "--set", "ell.width=9"});
  REQUIRE((find(wide, "chosen.params") && find(wide, "chosen.params")->getAsObject()));
  CHECK(find(wide, "chosen.params")->getAsObject()->getInteger("ell.width") == 9);
  const Value single = analyzed({"stencil5:n=12", "--format", "ell", "--type", "f32"});
  const Value twice = analyzed({"stencil5:n=12", "--format", "ell", "--type", "f64"});
  const auto bytes = [](const Value &json) {
    return number(array(json, "candidates").front(), "bytes");
  };
  CHECK(bytes(single) < bytes(twice));
  CHECK(text(single, "signature") == text(twice, "signature"));
}

TEST_CASE("a plan's list of integers is an array of its parameters") {
  const Value json = analyzed({"stencil5:n=12", "--format", "dia"});
  for (const char *plan : {"chosen", "candidates"}) {
    const Value *found = find(json, plan);
    REQUIRE(found);
    const Value &one = found->getAsArray() ? found->getAsArray()->front() : *found;
    const Value *params = find(one, "params"); // its names hold the points of a path
    REQUIRE((params && params->getAsObject() && params->getAsObject()->get("dia.offsets")));
    CHECK(*params->getAsObject()->get("dia.offsets") == Value(Array{-12, -1, 0, 1, 12}));
  }
}

TEST_CASE("a refused format is a candidate that does not apply, with a reason") {
  const Outcome outcome = tool({"analyze", "--json", "--format", "ell", "spike:n=2000,spikes=1"});
  CHECK(outcome.status == 1);
  CHECK(messages(outcome, "error") == 1);
  const Value json = document(outcome);
  const Array &candidates = array(json, "candidates");
  REQUIRE(candidates.size() == 1);
  CHECK_FALSE(flag(candidates.front(), "applies"));
  checkCandidate(candidates.front());
}

TEST_CASE("-o sends the document to a file, and nothing to standard output") {
  const Outcome outcome = tool({"analyze", "--json", "stencil5:n=4", "-o", scratch("a.json")});
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "");
  const Value json = document({0, readFile(scratch("a.json")), ""});
  CHECK(json == analyzed({"stencil5:n=4"}));
  const Outcome joined = tool({"analyze", "--json", "stencil5:n=4", "-o" + scratch("b.json")});
  CHECK(joined.status == 0);
  CHECK(joined.err == outcome.err);
  CHECK(readFile(scratch("b.json")) == readFile(scratch("a.json")));
}

TEST_CASE("the signature knows the pattern and neither the order nor the values") {
  const auto [bytes, id] = signatureOf(fileOf("order.mtx", kSmall));
  CHECK(bytes != "");
  CHECK(signatureOf(fileOf("order.mtx", kSmall)).first == bytes);
  CHECK(signatureOf(fileOf("other name.mtx", kShuffled)) == std::pair(bytes, id));
  const auto [movedBytes, movedId] = signatureOf(fileOf("moved.mtx", kMoved));
  CHECK(movedBytes != bytes);
  CHECK(movedId != id);
}

TEST_CASE("the name of a signature is the BLAKE3 of its bytes") {
  for (const char *matrix : {"stencil5:n=4", "empty:n=3", "chessboard:m=3,n=4,k=2"}) {
    const auto [bytes, id] = signatureOf(matrix);
    CHECK(blake3(bytes).substr(0, id.size()) == id);
  }
}
