// Tests `emit` and `run` with a compiler: their reports, and the cache between two runs, intact,
// broken and absent.
#include "tests/tool/tool_testing.h"

#include <regex>

using namespace tooltest;
using llvm::json::Value;

namespace {

// Runs on the host with this cache, successfully, and returns the JSON; its messages go to `said`.
Value ran(const std::string &matrix, const Strings &environment = {}, std::string *said = nullptr) {
  const Outcome outcome =
      tool({"run", "--json", "--quiet", "--target", "host", matrix}, {environment, ""});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(messages(outcome, "error") == 0);
  if (said)
    *said = outcome.err;
  Value json = document(outcome);
  CHECK(flag(json, "verified"));
  return json;
}

bool isHit(const Value &json) {
  CHECK(flag(json, "compile.hit") == !flag(json, "nvrtcLoaded"));
  return flag(json, "compile.hit");
}

// Returns true if the dynamic loader opened NVRTC during a run.
bool opensNvrtc(const std::string &matrix, const std::string &cache) {
  const std::string log = scratch("loader");
  for (const std::string &old : filesBelow(scratch("")))
    if (old.rfind(log, 0) == 0)
      std::filesystem::remove(old);
  ran(matrix, {"SPECMV_CACHE_DIR=" + cache, "LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + log});
  std::string all;
  for (const std::string &file : filesBelow(scratch("")))
    if (file.rfind(log, 0) == 0)
      all += readFile(file);
  REQUIRE(all.find("libc.so.6") != std::string::npos); // the log works
  return all.find("libnvrtc") != std::string::npos;
}

} // namespace

TEST_CASE("--json is one JSON document with every verb, or a bad call") {
  for (const Strings &call : {Strings{"emit", "stencil5:n=4", "--json"},
                              {"generate", "stencil5:n=4", "--json", "-o", scratch("json.mtx")},
                              {"generate", "--list", "--json"}}) {
    const Outcome outcome = tool(call);
    if (outcome.status == 2) {
      checkRefusal(outcome, 2);
      continue;
    }
    llvm::Expected<Value> value = llvm::json::parse(outcome.out);
    CHECK_MESSAGE(static_cast<bool>(value), call.front() << " --json: '" << outcome.out << "'");
    llvm::consumeError(value.takeError());
  }
}

TEST_SUITE_BEGIN("compile");

TEST_CASE("emit --ptx is the kernel for the architecture that was named") {
  if (!compiles())
    return;
  for (const char *arch : {"sm_80", "sm_90"}) {
    const std::string ptx = emitted("stencil5:n=20", {"--ptx", "--arch", arch}).out;
    CHECK(ptx.find(std::string(".target ") + arch) != std::string::npos);
    CHECK(ptx.find(".entry specmv_kernel") != std::string::npos);
    CHECK(ptx == emitted("stencil5:n=20", {"--ptx", "--arch", arch}).out);
  }
  checkRefusal(tool({"emit", "stencil5:n=20", "--ptx", "--arch", "sm_1"}), 2);
}

TEST_CASE("run --json has every field of its kind") {
  if (!compiles())
    return;
  const std::string cache = scratch("fields");
  const Value json = ran("stencil5:n=30", {"SPECMV_CACHE_DIR=" + cache});
  CHECK(text(json, "signature") ==
        text(document(tool({"analyze", "--json", "stencil5:n=30"})), "signature"));
  CHECK(text(json, "chosen.format") != "");
  CHECK((find(json, "chosen.params") && find(json, "chosen.params")->getAsObject()));
  CHECK(number(json, "compile.ms") > 0);
  CHECK_FALSE(flag(json, "compile.hit"));
  CHECK_FALSE(flag(json, "cache.hit"));
  CHECK(text(json, "cache.path").rfind(cache, 0) == 0);
  CHECK(text(json, "target") == "host");
  CHECK(number(json, "us") > 0);
  CHECK(number(json, "gbps") > 0);
  CHECK(number(json, "maxErrorRatio") >= 0);
  CHECK(number(json, "maxErrorRatio") <= 1);
  // Without a GPU there is no comparison: the field is present, but null.
  CHECK_MESSAGE(find(json, "cusparse") != nullptr, "no field cusparse");
}

TEST_CASE("the second run of a matrix compiles nothing and does not load NVRTC") {
  if (!compiles())
    return;
  const std::string cache = scratch("second");
  CHECK(opensNvrtc("stencil5:n=9", cache));
  CHECK_FALSE(opensNvrtc("stencil5:n=9", cache));
  CHECK(isHit(ran("stencil5:n=9", {"SPECMV_CACHE_DIR=" + cache})));
  const Outcome outcome =
      tool({"run", "--target", "host", "stencil5:n=9"}, {{"SPECMV_CACHE_DIR=" + cache}, ""});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("from the cache " + cache + ": nothing compiled") != std::string::npos);
}

TEST_CASE("matrices whose kernels are the same share one") {
  if (!compiles())
    return;
  const Strings environment = {"SPECMV_CACHE_DIR=" + scratch("shared")};
  const Strings options = {"--json", "--quiet", "--target", "host", "--format", "ell"};
  const auto hit = [&](const char *matrix) {
    Strings call = {"run", matrix};
    call.insert(call.end(), options.begin(), options.end());
    return isHit(document(tool(call, {environment, ""})));
  };
  CHECK_FALSE(hit("stencil5:n=9"));
  CHECK(hit("stencil5:n=10"));       // also five entries wide
  CHECK_FALSE(hit("stencil9:n=10")); // nine
}

TEST_CASE("a broken cache costs a compilation, never the result, and is mended") {
  if (!compiles())
    return;
  const std::string cache = scratch("broken");
  const Strings environment = {"SPECMV_CACHE_DIR=" + cache};
  CHECK_FALSE(isHit(ran("stencil5:n=9", environment)));
  const Strings files = filesBelow(cache);
  REQUIRE(files.size() >= 2); // the object and the wisdom
  const auto ruin = [&](auto &&change) {
    for (const std::string &file : files)
      writeFile(file, change(readFile(file)));
    CHECK_FALSE(isHit(ran("stencil5:n=9", environment)));
    CHECK(isHit(ran("stencil5:n=9", environment)));
  };
  ruin([](const std::string &) { return std::string(); });
  ruin([](const std::string &) { return std::string("nonsense\n"); });
  ruin([](const std::string &bytes) { return bytes.substr(0, bytes.size() - 1); });
  ruin([](const std::string &bytes) { return bytes.substr(0, bytes.size() / 2); });
  ruin([](const std::string &bytes) { return bytes + "x"; });
  ruin([](std::string bytes) {
    bytes[bytes.size() / 2] ^= 1;
    return bytes;
  });
  ruin([](std::string bytes) {
    bytes[0] ^= 64;
    return bytes;
  });
  ruin([](const std::string &bytes) { return std::string(bytes.size(), '\0'); });
}

TEST_CASE("a cache whose files are directories is no cache") {
  if (!compiles())
    return;
  const std::string cache = scratch("directories");
  const Strings environment = {"SPECMV_CACHE_DIR=" + cache};
  ran("stencil5:n=9", environment);
  for (const std::string &file : filesBelow(cache)) {
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
  }
  CHECK_FALSE(isHit(ran("stencil5:n=9", environment)));
}

TEST_CASE("a cache that cannot be written costs a warning, never the result") {
  if (!compiles())
    return;
  writeFile(scratch("regular"), "not a directory");
  const std::vector<Strings> environments = {{"SPECMV_CACHE_DIR=" + scratch("regular")},
                                             {"SPECMV_CACHE_DIR=" + scratch("regular/below")},
                                             {"SPECMV_CACHE_DIR=/proc/no/such/place"},
                                             {"SPECMV_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}};
  for (const Strings &environment : environments)
    for (int round = 0; round < 2; ++round) {
      CAPTURE(environment.front());
      std::string said;
      CHECK_FALSE(isHit(ran("stencil5:n=9", environment, &said)));
      CHECK(messages({0, "", said}, "warning") == 1);
      CHECK(std::regex_search(said, std::regex("cache|CACHE")));
    }
  CHECK(readFile(scratch("regular")) == "not a directory");
}

TEST_CASE("without SPECMV_CACHE_DIR the cache is below the home directory") {
  if (!compiles())
    return;
  const std::string home = scratch("home");
  std::filesystem::create_directory(home);
  const Strings environment = {"SPECMV_CACHE_DIR", "XDG_CACHE_HOME", "HOME=" + home};
  CHECK_FALSE(isHit(ran("stencil5:n=9", environment)));
  CHECK(isHit(ran("stencil5:n=9", environment)));
  CHECK(filesBelow(home).size() >= 2);
}

TEST_CASE("SPECMV_DUMP keeps the source and the cubin of what is compiled") {
  if (!compiles())
    return;
  const std::string dump = scratch("dump");
  std::filesystem::create_directory(dump);
  ran("stencil5:n=9", {"SPECMV_CACHE_DIR=" + scratch("dumped"), "SPECMV_DUMP=" + dump});
  int sources = 0, cubins = 0;
  for (const std::string &file : filesBelow(dump)) {
    const std::string bytes = readFile(file);
    sources += file.ends_with(".cu") && bytes == withoutHeader(emitted("stencil5:n=9").out);
    cubins += file.ends_with(".cubin") && bytes.find("ELF") == 1;
  }
  CHECK(sources == 1);
  CHECK(cubins == 1);
}

// A former bug: the file that a planted link led to was overwritten.
TEST_CASE("SPECMV_DUMP replaces a link in its folder and not what that leads to") {
  if (!compiles())
    return;
  const std::string first = scratch("dump names"), dump = scratch("dump links"),
                    mine = fileOf("not to be dumped over", "mine");
  ran("stencil5:n=9", {"SPECMV_CACHE_DIR=" + scratch("dumped 1"), "SPECMV_DUMP=" + first});
  const Strings names = filesBelow(first);
  REQUIRE(names.size() == 2);
  std::filesystem::create_directory(dump);
  const auto inDump = [&](const std::string &name) { return dump + name.substr(first.size()); };
  for (const std::string &name : names)
    std::filesystem::create_symlink(mine, inDump(name));
  ran("stencil5:n=9", {"SPECMV_CACHE_DIR=" + scratch("dumped 2"), "SPECMV_DUMP=" + dump});
  for (const std::string &name : names) {
    CHECK_FALSE(std::filesystem::is_symlink(inDump(name)));
    CHECK(readFile(inDump(name)) == readFile(name));
  }
  CHECK(readFile(mine) == "mine");
}

TEST_SUITE_END();
