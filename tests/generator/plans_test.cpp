// Tests of the formats' offers: the reasons for offering nothing, fixed numbers, and unknown names.
#include "generator/formats/qcsr/qcsr.h"
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <cctype>
#include <limits>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Rows of 2 entries and one of 600.
CsrMatrix oneLongRow() {
  return matrixOf("one long row", 320, 600,
                  [](int64_t i) { return i == 151 ? run(0, 600) : run(i, 2); });
}

bool isSentence(const std::string &why) {
  return why.size() > 10 && why.size() < 200 && !std::isupper(static_cast<unsigned char>(why[0])) &&
         why.back() != '.' && !contains(why, "\n") && !contains(why, "  ");
}

} // namespace

TEST_CASE("a fixed number that cannot be is refused in a sentence that has it") {
  struct Case {
    const char *format;
    Fixed fixed;
    std::vector<const char *> parts; // of the sentence
  };
  const CsrMatrix a = evenMatrix(640, 27);
  const Case cases[] = {
      {"ell", {{"ell.width", 26}}, {"26", "27", "ell.width"}},
      {"ell", {{"ell.width", 0}}, {"0", "27"}},
      {"ell", {{"ell.width", -5}}, {"-5", "ell.width", "0.."}},
      {"ell", {{"ell.width", 1e6}}, {"1000000"}},
      {"ell", {{"ell.width", 1e15}}, {"1000000000000000"}},
      {"csr-vector", {{"csr.lanes", 3}}, {"csr.lanes", "3"}},
      {"csr-vector", {{"csr.lanes", 0}}, {"csr.lanes", "0"}},
      {"csr-vector", {{"csr.lanes", -16}}, {"csr.lanes", "-16"}},
      {"csr-vector", {{"csr.lanes", 64}}, {"csr.lanes", "64"}},
      {"hyb", {{"hyb.k", -1}}, {"hyb.k", "-1"}},
      {"hyb", {{"hyb.k", 1e6}}, {"1000000"}},
      {"hyb", {{"hyb.k", 1e15}}, {"1000000000000000"}},
      {"sell", {{"sell.slice", 1}}, {"sell.slice", "1", "256"}},
      {"sell", {{"sell.slice", 48}}, {"sell.slice", "48"}},
      {"sell", {{"sell.slice", 512}}, {"sell.slice", "512"}},
      {"sell", {{"sell.sigma", 0}}, {"sell.sigma", "0"}},
      {"sell", {{"sell.sigma", 1LL << 40}}, {"sell.sigma", "1099511627776"}},
      {"sell", {{"sell.sigma", 16}, {"sell.slice", 32}}, {"16", "32"}},
      {"sell", {{"sell.lanes", 32}}, {"sell.lanes", "32"}},
      {"sell", {{"sell.lanes", 4}, {"sell.slice", 16}}, {"4", "16"}},
      {"dia", {{"dia.rows", 3}}, {"dia.rows", "3"}},
      {"dia", {{"dia.rows", 0}}, {"dia.rows", "0"}},
      {"dia", {{"dia.rows", 8}}, {"dia.rows", "8"}},
      {"bcsr", {{"bcsr.r", 9}}, {"bcsr.r", "9"}},
      {"bcsr", {{"bcsr.r", 0}}, {"bcsr.r", "0"}},
      {"bcsr", {{"bcsr.r", 3}, {"bcsr.c", -1}}, {"bcsr.c", "-1"}},
      {"bcsr", {{"bcsr.lanes", 3}}, {"bcsr.lanes", "3"}},
      {"bcsr", {{"bcsr.lanes", 64}}, {"bcsr.lanes", "64"}},
      {"qcsr", {{"qcsr.d", 1000}}, {"qcsr.d", "1000"}},
      {"qcsr", {{"qcsr.d", 0}}, {"qcsr.d", "0"}},
      {"qcsr", {{"qcsr.d", -256}}, {"qcsr.d", "-256"}},
      {"qcsr", {{"qcsr.d", 1LL << 40}}, {"qcsr.d", "1099511627776"}},
      {"qcsr", {{"qcsr.lanes", 12}}, {"qcsr.lanes", "12"}},
      {"qcsr", {{"qcsr.lanes", 64}}, {"qcsr.lanes", "64"}},
      {"qcsr", {{"qcsr.align", 0}}, {"qcsr.align", "0"}},
      {"cusparse-bsr", {{"bsr.size", 1}}, {"bsr.size", "1"}},
      {"cusparse-bsr", {{"bsr.size", 9}}, {"bsr.size", "9"}},
      {"cusparse-bsr", {{"bsr.size", -3}}, {"bsr.size", "-3"}},
      {"cusparse-bsr", {{"bsr.size", 3}}, {"640 x 667", "bsr.size = 3"}},
      {"qcsr", {{"qcsr.slices", 2}}, {"qcsr.slices", "2"}},
      {"qcsr", {{"qcsr.stage", -1}}, {"qcsr.stage", "-1"}},
      {"qcsr", {{"qcsr.rows", 48}}, {"qcsr.rows", "48"}},
      {"qcsr", {{"qcsr.rows", 16}, {"qcsr.slices", 1}}, {"16", "32"}},
      {"qcsr", {{"qcsr.rows", 64}, {"qcsr.d", 32}, {"qcsr.slices", 0}}, {"64", "qcsr.d"}},
      {"qcsr", {{"qcsr.lanes", 4}, {"qcsr.slices", 1}}, {"qcsr.slices", "1"}},
      {"qcsr", {{"qcsr.d", 8192}, {"qcsr.stage", 1}, {"qcsr.slices", 0}}, {"8192", "49152"}},
      {"sell-bytes", {{"bytes.sigma", 131072}}, {"bytes.sigma", "131072"}},
      {"sell-bytes", {{"bytes.sigma", 48}}, {"bytes.sigma", "48"}},
      {"ctile", {{"ctile.columns", 31}}, {"ctile.columns", "31"}},
      {"ctile", {{"ctile.columns", 65536}}, {"ctile.columns", "65536"}},
      {"ctile", {{"ctile.threads", 96}}, {"ctile.threads", "96"}},
      {"ctile", {{"ctile.blocks", 0}}, {"ctile.blocks", "0"}},
  };
  for (const Case &c : cases) {
    CAPTURE(std::string(c.format));
    CAPTURE(c.fixed[0].second);
    const Offer offer = offerOf(a, c.format, c.fixed);
    CHECK(offer.plans.empty());
    CAPTURE(offer.why);
    CHECK(isSentence(offer.why));
    for (const char *part : c.parts)
      CHECK(contains(offer.why, part));
  }
}

TEST_CASE("a refusal prints a number as it was given") {
  const SparsityProfile seen = profile(evenMatrix(64, 27).view());
  for (const auto &[name, value, text] :
       {std::tuple{"ell.width", 6.001, "6.001"}, {"ell.width", 1e300, "1e+300"}}) {
    const Fixed fixed{{name, value}};
    auto offered = offers({seen, kDouble, h200(), fixed}, {"ell"});
    REQUIRE_FALSE(static_cast<bool>(offered));
    CHECK(contains(describe(offered.takeError()).second, std::string(" = ") + text + " is"));
  }
  CHECK(contains(offerOf(seen, "qcsr", {{"qcsr.fill", -0.001}}).why, "-0.001"));
}

TEST_CASE("a fixed number that is no integer is not rounded in silence") {
  const CsrMatrix a = evenMatrix(640, 27);
  for (const auto &[format, name] : {std::pair{"csr-vector", "csr.lanes"},
                                     {"ell", "ell.width"},
                                     {"hyb", "hyb.k"},
                                     {"sell", "sell.slice"},
                                     {"sell", "sell.sigma"},
                                     {"sell", "sell.lanes"},
                                     {"dia", "dia.rows"},
                                     {"bcsr", "bcsr.r"},
                                     {"bcsr", "bcsr.c"},
                                     {"bcsr", "bcsr.lanes"},
                                     {"qcsr", "qcsr.d"},
                                     {"qcsr", "qcsr.lanes"},
                                     {"qcsr", "qcsr.align"},
                                     {"qcsr", "qcsr.stage"},
                                     {"qcsr", "qcsr.rows"}})
    for (double value : {32.5, 1e300, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
      const std::string nameText = name; // clang does not capture name
      CAPTURE(nameText);
      CAPTURE(value);
      const SparsityProfile seen = profile(a.view());
      const Fixed fixed{{name, value}};
      auto offered = offers({seen, kDouble, h200(), fixed}, {format});
      if (offered)
        CHECK(offered->at(0).plans.empty());
      else
        CHECK(describe(offered.takeError()).first == Status::badCall);
    }
}

TEST_CASE("a fill-in ratio that is no ratio is refused") {
  const CsrMatrix a = evenMatrix(640, 27);
  for (double fill : {-0.5, std::numeric_limits<double>::quiet_NaN()})
    CHECK(offerOf(a, "qcsr", {{"qcsr.fill", fill}}).plans.empty());
}

TEST_CASE("formats that would store or cut too much say so with the numbers") {
  const Offer ell = offerOf(oneLongRow(), "ell");
  CHECK(ell.plans.empty());
  CHECK(isSentence(ell.why));
  CHECK(contains(ell.why, "600"));  // the width
  CHECK(contains(ell.why, "1238")); // the entries: 319 x 2 + 600
  // 4,000 entries, each alone in its tile of 16 x 16.
  const CsrMatrix lonely =
      matrixOf("lonely", 4000, 4000, [](int64_t i) { return run(i * 1597 % 4000, 1); });
  const Offer qcsr = offerOf(lonely, "qcsr", {{"qcsr.d", 16}});
  CHECK(qcsr.plans.empty());
  CHECK(isSentence(qcsr.why));
  CHECK(contains(qcsr.why, "4000"));
  const CsrMatrix row = matrixOf("row", 1, 3000, [](int64_t) { return run(0, 3000); });
  const std::string leaves = offerOf(row, "qcsr", {{"qcsr.fill", 0}}).why;
  CHECK(isSentence(leaves));
  CHECK(contains(leaves, "a fill of 0 "));
  const CsrMatrix none = matrixOf("none", 1000, 1000, [](int64_t) { return Row{}; });
  for (const auto &[format, width] : {std::pair{"ell", "ell.width"}, {"hyb", "hyb.k"}}) {
    const std::string why = offerOf(none, format, {{width, 1}}).why;
    CHECK(isSentence(why));
    CHECK(contains(why, "1024 slots for no entries"));
  }
}

TEST_CASE("a format gives plans or a reason, never both, and CSR-vector always gives plans") {
  for (const CsrMatrix &a : edgeMatrices())
    for (ValueType type : kTypes)
      for (const Fixed &fixed : fixedSets()) {
        const SparsityProfile seen = profile(a.view());
        const Problem problem{type};
        for (const Offer &offer : llvm::cantFail(offers({seen, problem, h200(), fixed}, {}))) {
          CAPTURE(a.name);
          CAPTURE(std::string(offer.format->name));
          CAPTURE(offer.why);
          CHECK(offer.plans.empty() != offer.why.empty());
          CHECK((offer.plans.empty() ? isSentence(offer.why) : true));
          CHECK((std::string(offer.format->name) != "csr-vector" || !offer.plans.empty()));
          for (const Plan &plan : offer.plans)
            CHECK(plan.format == offer.format->name);
        }
      }
}

TEST_CASE("fixed numbers are kept by every plan of the format") {
  const CsrMatrix a = evenMatrix(640, 27);
  const std::vector<std::pair<const char *, Fixed>> cases = {
      {"csr-vector", {{"csr.lanes", 1}}},
      {"csr-vector", {{"csr.lanes", 16}}},
      {"csr-vector", {{"csr.lanes", 32}}},
      {"ell", {{"ell.width", 27}}},
      {"ell", {{"ell.width", 40}}},
      {"hyb", {{"hyb.k", 0}}},
      {"hyb", {{"hyb.k", 26}}},
      {"hyb", {{"hyb.k", 27}}},
      {"hyb", {{"hyb.k", 28}}},
      {"sell", {{"sell.slice", 2}}},
      {"sell", {{"sell.slice", 256}}},
      {"sell", {{"sell.sigma", 2}}},
      {"sell", {{"sell.sigma", 65536}}},
      {"sell", {{"sell.lanes", 16}}},
      {"sell", {{"sell.slice", 4}, {"sell.sigma", 4}, {"sell.lanes", 2}}},
      {"dia", {{"dia.rows", 1}}},
      {"dia", {{"dia.rows", 4}}},
      {"bcsr", {{"bcsr.r", 1}, {"bcsr.c", 1}}},
      {"bcsr", {{"bcsr.r", 7}}},
      {"bcsr", {{"bcsr.c", 8}, {"bcsr.lanes", 16}}},
      {"qcsr", {{"qcsr.d", 16}}},
      {"qcsr", {{"qcsr.d", 131072}}},
      {"qcsr", {{"qcsr.lanes", 1}}},
      {"qcsr", {{"qcsr.lanes", 16}, {"qcsr.align", 8}, {"qcsr.d", 64}, {"qcsr.fill", 0.25}}},
      {"qcsr", {{"qcsr.fill", 1}}},
      {"qcsr", {{"qcsr.slices", 0}}},
      {"qcsr", {{"qcsr.slices", 1}, {"qcsr.d", 64}}},
      {"qcsr", {{"qcsr.stage", 1}}},
      {"qcsr", {{"qcsr.slices", 1}, {"qcsr.stage", 1}, {"qcsr.rows", 128}, {"qcsr.d", 1024}}},
  };
  for (const auto &[format, fixed] : cases) {
    const Offer offer = offerOf(a, format, fixed);
    const std::string formatText = format;
    const double firstFixed = fixed[0].second;
    CAPTURE(formatText);
    CAPTURE(firstFixed);
    CHECK_FALSE(offer.plans.empty());
    for (const Plan &plan : offer.plans)
      for (const auto &[name, value] : fixed) {
        const std::string text = plan.text() + ", " + name;
        CAPTURE(text);
        if (name == key::kQcsrFill.name)
          CHECK(plan.get(key::kQcsrFill) == value);
        else
          CHECK((plan.find(name) && *plan.find(name) == static_cast<int64_t>(value)));
      }
  }
}

TEST_CASE("names that no format knows are bad calls that name them") {
  const SparsityProfile seen = profile(evenMatrix(64, 3).view());
  const Fixed none, odd{{"ell.wdith", 3}};
  auto unknownFormat = offers({seen, kDouble, h200(), none}, {"ell", "elll"});
  REQUIRE_FALSE(static_cast<bool>(unknownFormat));
  auto [status, sentence] = describe(unknownFormat.takeError());
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "'elll'"));
  for (const Format &format : formats())
    CHECK(contains(sentence, format.name));
  auto unknownNumber = offers({seen, kDouble, h200(), odd}, {"ell"});
  REQUIRE_FALSE(static_cast<bool>(unknownNumber));
  std::tie(status, sentence) = describe(unknownNumber.takeError());
  CHECK(status == Status::badCall);
  CHECK(contains(sentence, "ell.wdith"));
}

TEST_CASE("offers come in the order of the table and only of the formats that are named") {
  const SparsityProfile seen = profile(evenMatrix(64, 3).view());
  const Fixed none;
  const auto two = llvm::cantFail(offers({seen, kDouble, h200(), none}, {"qcsr", "csr-vector"}));
  REQUIRE(two.size() == 2);
  CHECK(std::string(two[0].format->name) == "csr-vector");
  CHECK(std::string(two[1].format->name) == "qcsr");
  CHECK(llvm::cantFail(offers({seen, kDouble, h200(), none}, {})).size() == formats().size());
  CHECK(findFormat("ELL") == nullptr);
  CHECK(findFormat("") == nullptr);
  CHECK(findFormat("hyb")->name == std::string("hyb"));
}
