// Tests of the rates of a GPU model: they are read by format, borrowed, and refused with the field
// at fault.
#include "models/base/error.h"
#include "models/gpu.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

// Returns a complete model with these rates; without any if the text is empty.
std::string textWithRates(const std::string &rates) {
  std::string text = R"({"name": "mine", "arch": "sm_80")";
  for (const char *name :
       {"pcieGBs",      "intRate",  "singleRate", "doubleRate", "busBits",  "memoryClockGHz",
        "cores",        "warpSize", "blockSize",  "indexBytes", "sms",      "warpsPerSm",
        "threadsPerSm", "dramGBs",  "l2GBs",      "gatherGBs",  "launchUs", "periodUs",
        "loadNs",       "chainNs",  "waveNs",     "dramDelay",  "l2Bytes",  "sharedBytesPerBlock"})
    text += std::string(", \"") + name + R"(": {"value": 3, "source": "guess"})";
  text += R"(, "setup": "h200")";
  return text + (rates.empty() ? "" : ", \"rates\": " + rates) + "}";
}

std::string rateRefusal(const std::string &rates, const std::string &origin = "my.json") {
  auto gpu = parseGpuModel(textWithRates(rates), origin);
  REQUIRE_FALSE(static_cast<bool>(gpu));
  const auto [status, sentence] = describe(gpu.takeError());
  CHECK(status == Status::badInput);
  return sentence;
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("gpu: rates are read by format") {
  const GpuModel gpu = llvm::cantFail(parseGpuModel(
      textWithRates(
          R"({"ell": {"a": {"value": 0.5, "source": "s"}, "b": {"value": 7, "source": "s"}},
              "dia": {"a": {"value": 2, "source": "s"}}})"),
      "my.json"));
  CHECK(gpu.rates["ell.a"] == 0.5);
  CHECK(gpu.rates["ell.b"] == 7);
  CHECK(gpu.rates["dia.a"] == 2);
  CHECK(gpu.rates.all().size() == 3);
  CHECK_FALSE(gpu.rates.contains("ell.c"));
}

TEST_CASE("gpu: each rate of a table is found at the places of its hash") {
  std::vector<FlatRate> table(8);
  const char *const names[] = {"a.x", "a.y", "b.x", "b.y"};
  double value = 0;
  for (const char *name : names)
    forPlaces(table, rateHash(name), [&](FlatRate &place) {
      const bool isFree = !place.name;
      if (isFree)
        place = {rateHash(name), name, ++value};
      return isFree;
    });
  Rates rates{table};
  CHECK(rates.isTable());
  CHECK(rates.all() ==
        std::map<std::string, double>{{"a.x", 1}, {"a.y", 2}, {"b.x", 3}, {"b.y", 4}});
  for (size_t i = 0; i < 4; ++i) {
    CHECK(rates[names[i]] == static_cast<double>(i + 1));
    CHECK(rates[Rate{names[i], "", -1}] == static_cast<double>(i + 1));
  }
  CHECK(rates[Rate{"b.z", "", -1}] == -1);
  CHECK_FALSE(rates.contains("a"));
  CHECK(rates.inGroup("b", "y", "a") == 4);
  CHECK(rates.inGroup("c", "y", "a") == 2);
  rates.set("a.y", 9);
  CHECK(rates["a.y"] == 9);
  CHECK(rates.all()["a.y"] == 9);
  CHECK_FALSE(rates.isTable());
}

TEST_CASE("gpu: rates of a built-in model can be borrowed") {
  const GpuModel gpu = llvm::cantFail(parseGpuModel(textWithRates("\"h200\""), "my.json"));
  const GpuModel lender = llvm::cantFail(loadGpuModel("h200"));
  CHECK(gpu.rates.all() == lender.rates.all());
  CHECK(llvm::cantFail(loadGpuModel("gt645m")).rates.all() == lender.rates.all());
}

TEST_CASE("gpu: predictions of models with other rates are told apart") {
  const auto digestWith = [](const std::string &value) {
    return digestOf(llvm::cantFail(parseGpuModel(
        textWithRates(R"({"ell": {"a": {"value": )" + value + R"(, "source": "s"}}})"),
        "my.json")));
  };
  CHECK(digestWith("0.5") == digestWith("0.5"));
  CHECK(digestWith("0.5") != digestWith("0.25"));
}

TEST_CASE("gpu: rates that cannot be are refused with the field at fault") {
  CHECK(has(rateRefusal(""), "'rates' is missing"));
  for (const char *rates : {"7", "[]", "null"}) {
    CAPTURE(rates);
    CHECK(has(rateRefusal(rates), "'rates' must be an object"));
  }
  CHECK(has(rateRefusal("\"h300\""), "'h300'"));
  CHECK(has(rateRefusal("\"h300\""), "choose one of gt645m, h100, h200"));
  CHECK(has(rateRefusal("\"h200\"", "h200"), "'h200'")); // of itself
  CHECK(has(rateRefusal(R"({"ell": 3})"), "'ell'"));
  CHECK(has(rateRefusal(R"({"ell": {"a": 3}})"), "'ell.a'"));
  CHECK(has(rateRefusal(R"({"ell": {"a": {"value": 3}}})"), "'ell.a'"));
  CHECK(has(rateRefusal(R"({"ell": {"a": {"value": 3, "source": ""}}})"), "has no source"));
  for (const char *value : {"0", "-1", "1e300", "\"fast\"", "null"}) {
    CAPTURE(value);
    const std::string rates =
        std::string(R"({"ell": {"a": {"value": )") + value + R"(, "source": "s"}}})";
    CHECK(has(rateRefusal(rates), "field 'ell.a' is"));
  }
  const char *const bell = R"({"ell": {"a\u0007": {"value": 3, "source": "s"}}})";
  CHECK(has(rateRefusal(bell), "cannot be printed"));
}
