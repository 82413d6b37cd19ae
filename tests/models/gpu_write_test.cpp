// Tests of writing GPU models: the text reads back to the bit, with exactly the requested changes.
#include "models/gpus/borrow.h"
#include "models/gpus/write.h"

#include "models/base/error.h"

#include <doctest/doctest.h>
#include <llvm/Support/JSON.h>

using namespace specmv;

namespace {

std::string builtInText(const char *name) { return findBuiltInGpu(name)->text; }

std::string changed(const char *name, const GpuChanges &changes) {
  return llvm::cantFail(changedGpuModel(builtInText(name), name, changes));
}

llvm::json::Object jsonOf(const std::string &text) {
  return *llvm::cantFail(llvm::json::parse(text)).getAsObject();
}

} // namespace

TEST_CASE("without changes every built-in model is written as it was read") {
  for (const std::string &name : gpuModelNames()) {
    CAPTURE(name);
    const std::string text = changed(name.c_str(), {});
    CHECK(digestOf(llvm::cantFail(parseGpuModel(text, name))) ==
          digestOf(llvm::cantFail(loadGpuModel(name))));
    CHECK(llvm::cantFail(changedGpuModel(text, name, {})) == text);
  }
  CHECK(jsonOf(changed("h200", {})) == jsonOf(builtInText("h200")));
}

TEST_CASE("changed numbers get their source, and all others keep theirs") {
  const double awkward = 0.1 + 0.2;
  const GpuChanges changes{.name = "mine",
                           .numbers = {{"gatherGBs", awkward}, {"rates.csr5.tilePasses", 1.0 / 3}},
                           .source = "fitted to a file"};
  const std::string text = changed("h200", changes);
  const GpuModel model = llvm::cantFail(parseGpuModel(text, "mine"));
  CHECK(model.name == "mine");
  CHECK(model.gatherGBs == awkward);
  CHECK(model.rates["csr5.tilePasses"] == 1.0 / 3);
  llvm::json::Object expected = jsonOf(builtInText("h200"));
  expected["name"] = "mine";
  expected["gatherGBs"] = llvm::json::Object{{"value", awkward}, {"source", changes.source}};
  (*expected.getObject("rates")->getObject("csr5"))["tilePasses"] =
      llvm::json::Object{{"value", 1.0 / 3}, {"source", changes.source}};
  CHECK(jsonOf(text) == expected);
  CHECK(text.find(
            "\"gatherGBs\": {\"value\": 0.30000000000000004, \"source\": \"fitted to a file\"}") !=
        std::string::npos);
}

TEST_CASE("borrowed rates are written out") {
  const std::string text =
      changed("gt645m", {.numbers = {{"rates.csr5.tilePasses", 7}}, .source = "s"});
  const GpuModel model = llvm::cantFail(parseGpuModel(text, "x"));
  CHECK(model.rates["csr5.tilePasses"] == 7);
  CHECK(model.rates["csr5.blockPasses"] ==
        llvm::cantFail(loadGpuModel("h200")).rates["csr5.blockPasses"]);
}

TEST_CASE("what a lender borrows itself is written out too") {
  llvm::json::Object twice = jsonOf(builtInText("h200"));
  twice["rates"] = "gt645m"; // which has the rates of the H200
  const std::string base = llvm::formatv("{0}", llvm::json::Value(std::move(twice)));
  const GpuModel model = llvm::cantFail(
      parseGpuModel(llvm::cantFail(changedGpuModel(
                        base, "x", {.numbers = {{"rates.csr5.tilePasses", 7}}, .source = "s"})),
                    "x"));
  CHECK(model.rates.all().size() == llvm::cantFail(loadGpuModel("h200")).rates.all().size());
}

TEST_CASE("benchmarks are written and read") {
  Benchmarks benchmarks{.source = "s", .fitted = {}};
  benchmarks.fitted.push_back({.kernel = StripsKernel::coo, .model = LineModel{1.0 / 7, -2e-17}});
  const std::string text = changed("h200", {.benchmarks = benchmarks});
  CHECK(llvm::cantFail(parseGpuModel(text, "x")).benchmarks == benchmarks);
}

TEST_CASE("what would be no model is refused") {
  const auto refused = [](const std::string &base, const GpuChanges &changes) {
    auto text = changedGpuModel(base, "mine.json", changes);
    REQUIRE_FALSE(static_cast<bool>(text));
    const auto [status, sentence] = describe(text.takeError());
    CHECK(status == Status::badInput);
    CHECK(sentence.find("mine.json") == 0);
  };
  refused("{}", {});
  refused("no JSON", {});
  refused(builtInText("h200"), {.numbers = {{"noSuchField", 1}}, .source = "s"});
  refused(builtInText("h200"), {.numbers = {{"gatherGBs", -1}}, .source = "s"});
  refused(builtInText("h200"), {.numbers = {{"gatherGBs", 1}}}); // without a source
}
