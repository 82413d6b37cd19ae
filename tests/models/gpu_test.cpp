// Tests of the GPU models: the numbers of the built-in ones, and the contents that a file may not
// have.
#include "models/base/error.h"
#include "models/gpu.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/stat.h>

using namespace specmv;

namespace {

const char *const kNumbers[] = {
    "pcieGBs",      "intRate",  "singleRate", "doubleRate", "busBits",  "memoryClockGHz",
    "cores",        "warpSize", "blockSize",  "indexBytes", "sms",      "warpsPerSm",
    "threadsPerSm", "dramGBs",  "l2GBs",      "gatherGBs",  "launchUs", "periodUs",
    "loadNs",       "chainNs",  "waveNs",     "dramDelay",  "l2Bytes",  "sharedBytesPerBlock"};

// The fields of a complete model, as JSON texts.
std::map<std::string, std::string> complete() {
  std::map<std::string, std::string> fields{{"name", "\"mine\""}, {"arch", "\"sm_80\""}};
  for (const char *name : kNumbers)
    fields[name] = R"({"value": 3, "source": "guess"})";
  fields["rates"] = "\"h200\"";
  fields["setup"] = "\"h200\"";
  return fields;
}

std::string textOf(const std::map<std::string, std::string> &fields) {
  std::string text;
  for (const auto &[name, value] : fields)
    text += (text.empty() ? "{\"" : ",\n\"") + name + "\": " + value;
  return text + "}";
}

std::string with(const std::string &name, const std::string &value) {
  auto fields = complete();
  fields[name] = value;
  return textOf(fields);
}

void checkRefused(llvm::Expected<GpuModel> gpu, Status status, const std::string &sentence) {
  REQUIRE_FALSE(static_cast<bool>(gpu));
  auto [actual, text] = describe(gpu.takeError());
  CHECK(actual == status);
  CHECK(text == sentence);
}

void checkBad(const std::string &text, const std::string &sentence) {
  checkRefused(parseGpuModel(text, "my.json"), Status::badInput, "my.json: " + sentence);
}

} // namespace

TEST_CASE("gpu: the built-in models load under their names") {
  CHECK(gpuModelNames() == std::vector<std::string>{"gt645m", "h100", "h200"});
  for (const std::string &name : gpuModelNames())
    CHECK(llvm::cantFail(loadGpuModel(name)).name == name);
}

TEST_CASE("gpu: gt645m is the PMF paper's Table 2") {
  GpuModel g = llvm::cantFail(loadGpuModel("gt645m"));
  CHECK(g.arch == "sm_30");
  CHECK(g.pcieGBs == 16);
  CHECK(g.intRate == 0.76);
  CHECK(g.singleRate == 0.76);
  CHECK(g.doubleRate == doctest::Approx(0.76 / 24).epsilon(1e-12));
  CHECK(g.busBits == 128);
  CHECK(g.memoryClockGHz == 0.9);
  CHECK(g.cores == 384);
  CHECK(g.warpSize == 32);
  CHECK(g.blockSize == 256);
  CHECK(g.indexBytes == 4);
  CHECK(g.sms * 192 == g.cores);
  CHECK(g.dramGBs == 28.8);
}

TEST_CASE("gpu: h200 has its data sheet's rates and the strips paper's S") {
  GpuModel g = llvm::cantFail(loadGpuModel("h200"));
  CHECK(g.arch == "sm_90");
  double busBytes = static_cast<double>(g.busBits) / 8;
  CHECK(busBytes * 2 * g.memoryClockGHz == doctest::Approx(4800));
  CHECK(g.cores == g.sms * 128);
  CHECK(2 * g.singleRate * static_cast<double>(g.cores) == doctest::Approx(67000).epsilon(0.01));
  CHECK(2 * g.doubleRate * static_cast<double>(g.cores) == doctest::Approx(34000).epsilon(0.02));
  CHECK(g.sms * g.warpsPerSm == 8448);
  CHECK(g.sms * g.threadsPerSm == 270336);
  CHECK(g.dramGBs == doctest::Approx(4253).epsilon(0.001));
  CHECK(g.l2Bytes == 60 << 20);
  CHECK(g.sharedBytesPerBlock == 227 << 10);
}

TEST_CASE("gpu: an unknown name is refused with the valid ones") {
  checkRefused(
      loadGpuModel("h300"), Status::badCall,
      "no GPU model is named 'h300'; choose gt645m, h100, h200, t4, a100, a40, l40s, b200, b300, "
      "rtx5090, gb10, or give a path to a .json file");
  checkRefused(
      loadGpuModel(""), Status::badCall,
      "no GPU model is named ''; choose gt645m, h100, h200, t4, a100, a40, l40s, b200, b300, "
      "rtx5090, gb10, or give a path to a .json file");
}

TEST_CASE("gpu: a complete text is read field by field") {
  auto fields = complete();
  for (size_t i = 0; i < std::size(kNumbers); ++i)
    fields[kNumbers[i]] = R"({"source": "guess", "value": )" + std::to_string(i % 8 + 1) + "}";
  GpuModel g = llvm::cantFail(parseGpuModel(textOf(fields), "my.json"));
  CHECK(g.name == "mine");
  CHECK(g.arch == "sm_80");
  const double actual[] = {g.pcieGBs,
                           g.intRate,
                           g.singleRate,
                           g.doubleRate,
                           static_cast<double>(g.busBits),
                           g.memoryClockGHz,
                           static_cast<double>(g.cores),
                           static_cast<double>(g.warpSize),
                           static_cast<double>(g.blockSize),
                           static_cast<double>(g.indexBytes),
                           static_cast<double>(g.sms),
                           static_cast<double>(g.warpsPerSm),
                           static_cast<double>(g.threadsPerSm),
                           g.dramGBs,
                           g.l2GBs,
                           g.gatherGBs,
                           g.launchUs,
                           g.periodUs,
                           g.loadNs,
                           g.chainNs,
                           g.waveNs,
                           g.dramDelay,
                           static_cast<double>(g.l2Bytes),
                           static_cast<double>(g.sharedBytesPerBlock)};
  for (size_t i = 0; i < std::size(kNumbers); ++i) {
    CAPTURE(kNumbers[i]);
    CHECK(actual[i] == static_cast<double>(i % 8 + 1));
  }
}

TEST_CASE("gpu: each missing field is named") {
  for (const auto &[name, value] : complete()) {
    auto fields = complete();
    fields.erase(name);
    checkBad(textOf(fields), "field '" + name + "' is missing");
  }
}

TEST_CASE("gpu: each field must be positive, whole where it counts, and have a source") {
  for (const char *name : kNumbers) {
    std::string field = "field '" + std::string(name) + "' ";
    for (const char *value :
         {"0", "-1", "\"many\"", "null", "1e-300", "5e-324", "1e300", "1e999"}) {
      std::string number = R"({"value": )" + std::string(value) + R"(, "source": "guess"})";
      auto [status, text] = describe(parseGpuModel(with(name, number), "my.json").takeError());
      CHECK(status == Status::badInput);
      CHECK(text.find("my.json: ") == 0);
      if (std::string(value) != "1e999") // which the JSON reader may refuse by itself
        CHECK(text.find(field + "is ") != std::string::npos);
    }
    checkBad(with(name, R"({"value": 3, "source": ""})"), field + "has no source");
    checkBad(with(name, "3"), field + R"(is not {"value": ..., "source": ...})");
    checkBad(with(name, R"({"value": 3})"), field + R"(is not {"value": ..., "source": ...})");
  }
  checkBad(with("sms", R"({"value": 2.5, "source": "guess"})"),
           "field 'sms' is 2.5, not a whole number in 1 .. 1048576");
  checkBad(with("warpSize", R"({"value": 1025, "source": "guess"})"),
           "field 'warpSize' is 1025, not a whole number in 1 .. 1024");
  checkBad(with("l2GBs", R"({"value": -6500, "source": "guess"})"),
           "field 'l2GBs' is -6500, not a number in 0.001 .. 1e+09");
  checkBad(with("launchUs", R"({"value": 2e9, "source": "guess"})"),
           "field 'launchUs' is 2000000000, not a number in 1e-09 .. 1e+09");
  checkBad(with("name", "\"\""), "field 'name' must be a string that is not empty");
  checkBad(with("arch", "90"), "field 'arch' must be a string that is not empty");
}

TEST_CASE("gpu: an unknown field is named") {
  checkBad(with("l3Bytes", R"({"value": 3, "source": "guess"})"),
           "unknown field 'l3Bytes' (did you mean 'l2Bytes'?)");
}

TEST_CASE("gpu: text that is no JSON object is refused") {
  checkBad("[]", "a GPU model must be a JSON object");
  for (const char *text : {"", "{", "{\"name\": }", "\xff"}) {
    auto [status, sentence] = describe(parseGpuModel(text, "my.json").takeError());
    CHECK(status == Status::badInput);
    CHECK(sentence.find("my.json: ") == 0);
  }
}

TEST_CASE("gpu: text that would overflow the stack or is huge is refused") {
  const std::string tooDeep =
      "more than 100 brackets inside one another are too many for a GPU model";
  checkBad(std::string(60'000, '['), tooDeep);
  checkBad(R"({"\\":[)" + std::string(100, '{'), tooDeep);
  checkBad(std::string(300'000, ' '),
           "300000 bytes are too many for a GPU model; the limit is 262144");
  // A former bug: 1000 brackets beside one another were too many as well.
  std::string flat = R"({"flat": ["\"[[)" + std::string(200, '[') + '"';
  for (int i = 0; i < 2000; ++i)
    flat += ", []";
  checkBad(flat + "]}", "unknown field 'flat'");
}

TEST_CASE("gpu: a path that ends in .json is read") {
  auto folder = std::filesystem::temp_directory_path() / "specmv_gpu_test";
  std::filesystem::create_directories(folder);
  std::string good = (folder / "mine.json").string(), gone = (folder / "gone.json").string();
  std::ofstream(good) << textOf(complete());
  CHECK(llvm::cantFail(loadGpuModel(good)).name == "mine");
  std::filesystem::remove(good);
  checkRefused(loadGpuModel(gone), Status::badInput, gone + ": No such file or directory");
  std::filesystem::remove_all(folder);
}

TEST_CASE("gpu: only a regular file is read, and of a long one nothing") {
  auto folder = std::filesystem::temp_directory_path() / "specmv_gpu_files_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "folder.json");
  const auto path = [&](const char *name) { return (folder / name).string(); };
  std::filesystem::create_symlink("/dev/zero", path("zero.json"));
  REQUIRE(mkfifo(path("fifo.json").c_str(), 0600) == 0);
  std::ofstream(path("long.json")) << ' ';
  std::filesystem::resize_file(path("long.json"), uintmax_t{1} << 40); // more than any memory
  for (const char *name : {"zero.json", "fifo.json", "folder.json"})
    checkRefused(loadGpuModel(path(name)), Status::badInput,
                 path(name) + ": this is not a regular file");
  checkRefused(loadGpuModel(path("long.json")), Status::badInput,
               path("long.json") +
                   ": 1099511627776 bytes are too many for a GPU model; the limit is 262144");
  std::filesystem::remove_all(folder);
}
