// Tests of the curves of a GPU model: they are written and read to the bit, refused with the number
// at fault, and show where L2 ends.
#include "models/base/error.h"
#include "models/gpu.h"
#include "models/gpus/borrow.h"
#include "models/gpus/fields.h"
#include "models/gpus/write.h"
#include "tests/models/h200_text.h"
#include "tests/text.h"

#include <doctest/doctest.h>

using namespace specmv;
using specmv::testing::contains;
using specmv::testing::h200TextWith;

namespace {

// An L2 with 8 GB/s up to 32 MB, and a memory with 2 GB/s.
Curves madeUp() {
  Curves out{.source = "made up",
             .copyGBs = 2.1,
             .periodUs = {2.5, 2.4, 1.0 / 0.3},
             .roundTripUs = {7, 6.5, 9},
             .replayPeriodUs = {1.3, 1.2, 1.0 / 0.7},
             .replayTripUs = {8, 7.5, 11}};
  for (double bytes = 1 << 20; bytes <= 0x1p32; bytes *= 2)
    out.stream.push_back({bytes,
                          bytes <= 0x1p25   ? 8.0
                          : bytes <= 0x1p26 ? 5.0
                                            : 2.0,
                          bytes / 0x1p32 + 0.1});
  for (const double bytes : {0x1p24, 0x1p29})
    for (const double together : {1.0, 2.0})
      out.gather.push_back({bytes, 4, together, 1.0 / 3});
  out.chase = {{8192, 20.1}, {0x1p24, 260}, {0x1p29, 700}};
  out.shared = {{4, 1.7}, {8, 3.3}};
  return out;
}

llvm::json::Object madeUpJson() { return *curvesJson(madeUp()).getAsObject(); }

std::string curvesRefusal(llvm::json::Object json) {
  auto read = readCurves(llvm::json::Value(std::move(json)), "my.json");
  REQUIRE_FALSE(static_cast<bool>(read));
  const auto [status, sentence] = describe(read.takeError());
  CHECK(status == Status::badInput);
  return sentence;
}

// A point of a curve.
llvm::json::Object &pointOf(llvm::json::Object &json, const char *curve, size_t i) {
  return *(*json.getArray(curve))[i].getAsObject();
}

} // namespace

TEST_CASE("gpu: curves are read back to the bit, also as text") {
  const Curves curves = madeUp();
  CHECK(llvm::cantFail(readCurves(curvesJson(curves), "x")) == curves);
  std::string text;
  llvm::raw_string_ostream(text) << curvesJson(curves);
  CHECK(llvm::cantFail(readCurves(llvm::cantFail(llvm::json::parse(text)), "x")) == curves);
}

TEST_CASE("gpu: curves of a driver without graphs have no times of replays") {
  Curves curves = madeUp();
  curves.replayPeriodUs = curves.replayTripUs = {};
  const llvm::json::Value json = curvesJson(curves);
  CHECK_FALSE(json.getAsObject()->get("replayPeriodUs"));
  CHECK(llvm::cantFail(readCurves(json, "x")) == curves);
  auto wrong = madeUpJson();
  wrong["replayTripUs"] = 7;
  CHECK(curvesRefusal(std::move(wrong)) == "my.json: field 'curves.replayTripUs' is not an object");
}

TEST_CASE("gpu: a model may have curves, on which no choice depends") {
  const std::string base = h200TextWith("");
  const std::string text = llvm::cantFail(changedGpuModel(base, "x", {.curves = madeUp()}));
  const GpuModel with = llvm::cantFail(parseGpuModel(text, "x"));
  const GpuModel without = llvm::cantFail(parseGpuModel(base, "x"));
  CHECK(with.curves == madeUp());
  CHECK_FALSE(without.curves.has_value());
  CHECK(digestOf(with) == digestOf(without));
  CHECK(contains(text, "\n      {\"bytes\": 8192, \"ns\": 20.1},\n")); // a point in a line
  auto refused = parseGpuModel(base.substr(0, base.rfind('}')) + R"(, "curves": 7})", "my.json");
  CHECK(describe(refused.takeError()).second == "my.json: field 'curves' is not an object");
}

TEST_CASE("gpu: curves that cannot be are refused with the number at fault") {
  for (const char *field :
       {"source", "copyGBs", "periodUs", "roundTripUs", "stream", "gather", "chase", "shared"}) {
    auto json = madeUpJson();
    json.erase(field);
    CHECK(contains(curvesRefusal(std::move(json)), std::string("field 'curves.") + field + "'"));
  }
  auto json = madeUpJson();
  json["more"] = 1;
  CHECK(curvesRefusal(std::move(json)) == "my.json: unknown field 'curves.more'");
  json = madeUpJson();
  json["chase"] = llvm::json::Array();
  CHECK(curvesRefusal(std::move(json)) == "my.json: field 'curves.chase' is not a list of points");
  json = madeUpJson();
  pointOf(json, "stream", 2)["warmGBs"] = -3;
  CHECK(contains(curvesRefusal(std::move(json)), "field 'curves.stream[2].warmGBs' is -3, not"));
  json = madeUpJson();
  pointOf(json, "gather", 1)["together"] = 33;
  CHECK(contains(curvesRefusal(std::move(json)), "field 'curves.gather[1].together' is 33, not"));
  json = madeUpJson();
  pointOf(json, "shared", 0)["us"] = 1;
  CHECK(curvesRefusal(std::move(json)) == "my.json: unknown field 'curves.shared[0].us'");
  json = madeUpJson();
  pointOf(json, "chase", 1)["bytes"] = 8192;
  CHECK(curvesRefusal(std::move(json)) ==
        "my.json: field 'curves.chase[1].bytes' is 8192, but must be more than the 8192 before it");
  json = madeUpJson();
  (*json.getObject("roundTripUs"))["p10"] = 7.5;
  CHECK(curvesRefusal(std::move(json)) ==
        "my.json: field 'curves.roundTripUs': the median 7 is not in p10 .. p90, 7.5 .. 9");
}

TEST_CASE("gpu: L2 ends where reading is half-way between its rate and memory's") {
  Curves curves = madeUp(); // 8 up to 32 MB, 5 at 64 MB, which is half-way
  CHECK(*effectiveL2Bytes(curves) == doctest::Approx(0x1p26));
  curves.stream[6].warmGBs = 2; // 64 MB
  CHECK(*effectiveL2Bytes(curves) == doctest::Approx(0x1p25 * std::sqrt(2)));
  curves.stream[6].warmGBs = 8;
  curves.stream[0].warmGBs = 3; // what begins slowly does not count
  CHECK(*effectiveL2Bytes(curves) == doctest::Approx(0x1p26 * std::sqrt(2)));
}

TEST_CASE("gpu: a curve that is level does not tell where L2 ends") {
  Curves curves = madeUp();
  for (StreamPoint &point : curves.stream)
    point.warmGBs = 2;
  CHECK_FALSE(effectiveL2Bytes(curves).has_value());
  curves.stream.resize(1);
  CHECK_FALSE(effectiveL2Bytes(curves).has_value());
  curves.stream.clear();
  CHECK_FALSE(effectiveL2Bytes(curves).has_value());
}
