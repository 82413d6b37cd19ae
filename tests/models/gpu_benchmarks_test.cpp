// Tests of the benchmarks of a GPU model: they are written and read to the bit, and refused with
// the field at fault.
#include "models/base/error.h"
#include "models/gpu.h"
#include "models/gpus/borrow.h"
#include "models/gpus/fields.h"
#include "models/predict/strips/kernels.h"
#include "tests/models/h200_text.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <random>

using namespace specmv;
using specmv::testing::contains;
using specmv::testing::h200TextWith;

namespace {

std::string jsonText(const llvm::json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

llvm::Expected<Benchmarks> readFrom(const std::string &text) {
  return readBenchmarks(llvm::cantFail(llvm::json::parse(text)), "my.json");
}

std::string benchmarksRefusal(const std::string &text) {
  auto read = readFrom(text);
  REQUIRE_FALSE(static_cast<bool>(read));
  const auto [status, sentence] = describe(read.takeError());
  CHECK(status == Status::badInput);
  return sentence;
}

// Numbers of every size and sign, using every bit of a double.
class Numbers {
public:
  double any() {
    const double fraction = static_cast<double>(bits_() >> 11) * 0x1p-53;
    return std::ldexp(fraction - 0.5, static_cast<int>(bits_() % 160) - 80);
  }
  double count() { return static_cast<double>(1 + bits_() % 100'000); }
  RatioLines lines() {
    return {count(), count(), any(), any(), any(), any(), 1e-9 + std::abs(any())};
  }

private:
  std::mt19937_64 bits_{7};
};

// Every kernel, law and type.
Benchmarks everything() {
  Numbers n;
  Benchmarks out{"specmv calibrate, 2026-11-22, NVIDIA H200, driver 580.95", {}};
  for (const StripsKernelFacts &facts : stripsKernels())
    for (const RowLaw law : kRowLaws)
      for (const ValueType type : {ValueType::f32, ValueType::f64}) {
        if (facts.form == StripsForm::sum)
          continue;
        Fitted f{facts.kernel, law, type, LineModel{n.any(), n.any()}};
        if (facts.form == StripsForm::plane)
          f.model = PlaneModel{n.count(), n.any(), n.any(), n.any(), n.any()};
        if (facts.form == StripsForm::ratio) {
          RatioModel m{n.lines(), n.lines()};
          m.upTo1024.t1 = 0.1, m.above1024.t1 = 1e9;
          f.model = m;
        }
        out.fitted.push_back(f);
      }
  return out;
}

// h200's model with more text behind its last field.

const std::string kOneLine = R"({"source": "s", "strips.coo.fixed.f64": )"
                             R"({"slope": 2, "intercept": -1.5}})";

} // namespace

TEST_CASE("gpu: benchmarks are read back to the bit") {
  const Benchmarks written = everything();
  const Benchmarks read = llvm::cantFail(readFrom(jsonText(benchmarksJson(written))));
  CHECK(read == written);
  for (const double number : {0.1, 1.0 / 3, 5e-324, 1e30, -1e30, 9007199254740993.0, 1e17, 0.0}) {
    const Benchmarks one{
        "s", {{StripsKernel::coo, RowLaw::fixed, ValueType::f32, LineModel{number, 0}}}};
    const Benchmarks back = llvm::cantFail(readFrom(jsonText(benchmarksJson(one))));
    CHECK(std::bit_cast<uint64_t>(std::get<LineModel>(back.fitted[0].model).slope) ==
          std::bit_cast<uint64_t>(number));
  }
  const Benchmarks minus{"s",
                         {{StripsKernel::coo, RowLaw::fixed, ValueType::f32, LineModel{-0.0, 0}}}};
  CHECK(llvm::cantFail(readFrom(jsonText(benchmarksJson(minus)))) == minus);
}

TEST_CASE("gpu: a model may have benchmarks, and all of them fit into its text") {
  const auto parsed = [](const std::string &more) {
    return llvm::cantFail(parseGpuModel(h200TextWith(more), "my.json"));
  };
  CHECK_FALSE(parsed("").benchmarks.has_value());
  CHECK(parsed(", \"benchmarks\": " + kOneLine).benchmarks->fitted.size() == 1);
  CHECK(parsed(", \"benchmarks\": " + jsonText(benchmarksJson(everything()))).benchmarks ==
        everything());
  // Calibrated models have all benchmarks.
  for (const std::string &name : gpuModelNames())
    CHECK(llvm::cantFail(loadGpuModel(name)).benchmarks.has_value() == (name != "gt645m"));
  // No choice depends on benchmarks.
  CHECK(digestOf(parsed("")) == digestOf(parsed(", \"benchmarks\": " + kOneLine)));
  auto [status, sentence] =
      describe(parseGpuModel(h200TextWith(R"(, "benchmarks": {"source": "s", "x": {}})"), "my.json")
                   .takeError());
  CHECK(sentence == "my.json: unknown field 'benchmarks.x'");
}

TEST_CASE("gpu: benchmarks that cannot be are refused with the field at fault") {
  CHECK(benchmarksRefusal("7") == "my.json: field 'benchmarks' is not an object");
  CHECK(benchmarksRefusal("{}") == "my.json: field 'benchmarks.source' is missing");
  CHECK(benchmarksRefusal(R"({"source": ""})") ==
        "my.json: field 'benchmarks.source' must be a string that is not empty");
  CHECK(contains(benchmarksRefusal("{\"source\": \"a\\u0007\"}"), "cannot be printed"));
  for (const char *key :
       {"strips", "strips.coo", "strips.coo.fixed", "strips.coo.fixed.f16", "strips.coo.gamma.f32",
        "strips.jad.fixed.f32", "statistics.coo.fixed.f32", "strips.coo.fixed.f32.",
        "other.coo.fixed.f32"})
    CHECK(benchmarksRefusal("{\"source\": \"s\", \"" + std::string(key) + "\": {}}") ==
          "my.json: unknown field 'benchmarks." + std::string(key) + "'");
  CHECK(contains(benchmarksRefusal(R"({"source": "s", "strips.hyb.fixed.f64": {}})"),
                 "HYB is priced by the benchmarks of ell and coo"));
  const auto ofCoo = [](const std::string &fields) {
    return benchmarksRefusal(R"({"source": "s", "strips.coo.fixed.f64": )" + fields + "}");
  };
  CHECK(ofCoo("3") == "my.json: field 'benchmarks.strips.coo.fixed.f64' is not an object");
  CHECK(ofCoo(R"({"slope": 2})") ==
        "my.json: field 'benchmarks.strips.coo.fixed.f64.intercept' is missing");
  CHECK(ofCoo(R"({"slope": 2, "intercept": 1, "t1": 3})") ==
        "my.json: unknown field 'benchmarks.strips.coo.fixed.f64.t1'");
  for (const char *bad : {"null", "\"2\"", "[2]", "1e31", "-1e31", "1e308"})
    CHECK(contains(ofCoo(R"({"intercept": 0, "slope": )" + std::string(bad) + "}"),
                   "field 'benchmarks.strips.coo.fixed.f64.slope' is "));
}

TEST_CASE("gpu: of a ratio both regimes must be there, with a time to divide by") {
  const std::string lines = R"({"i": 1, "z": 4, "a": 0, "b": -1, "c": 2, "d": 3, "t1": )";
  const auto read = [&](const std::string &regimes) {
    return readFrom(R"({"source": "s", "strips.csr.fixed.f64": {)" + regimes + "}}");
  };
  const std::string low = "\"upTo1024\": " + lines + "5}", high = "\"above1024\": " + lines;
  CHECK(std::get<RatioModel>(llvm::cantFail(read(low + "," + high + "7}")).fitted[0].model)
            .above1024.t1 == 7);
  CHECK(describe(read(low).takeError()).second ==
        "my.json: field 'benchmarks.strips.csr.fixed.f64.above1024' is missing");
  for (const char *bad : {"0", "-1", "1e10", "null"})
    CHECK(contains(describe(read(low + "," + high + bad + "}").takeError()).second,
                   "field 'benchmarks.strips.csr.fixed.f64.above1024.t1' is "));
  CHECK(contains(describe(read(low + "," + high + "7}, \"more\": {}").takeError()).second,
                 "unknown field 'benchmarks.strips.csr.fixed.f64.more'"));
}
