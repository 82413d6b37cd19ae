// Tests the files that a call names: one that cannot be read or written is refused in the same way
// by every verb, before any work; and what a verb says that needs a GPU where there is none.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

namespace {

void checkUnreadable(const Strings &call, const std::string &file, const std::string &why) {
  const Outcome outcome = tool(call);
  CAPTURE(call[0]);
  checkRefusal(outcome, 1);
  CHECK(outcome.err == file + ": error: " + why + "\n");
}

} // namespace

// A former bug: it was status 1, 2 or 3, by the verb and the kind of file.
TEST_CASE("a file that is missing is refused in the same way everywhere, also without a GPU") {
  const std::string pack = scratch("never.pack");
  const std::pair<std::string, std::vector<Strings>> uses[] = {
      {"absent.mtx",
       {{"run"},
        {"analyze"},
        {"report"},
        {"emit"},
        {"bench"},
        {"profile"},
        {"evaluate"},
        {"pregen", "-o", pack},
        {"bench", "stencil5:n=4"},
        {"cache", "forget"}}},
      {"absent.mtx.gz", {{"run"}, {"bench"}}},
      {"absent.sig", {{"pregen", "-o", pack}, {"run"}}},
      {"absent.jsonl",
       {{"report"}, {"evaluate", "--measured"}, {"calibrate", "-o", pack, "--measured"}}},
      {"absent.pack", {{"cache", "import"}, {"pregen", "stencil5:n=4", "--coverage"}}}};
  for (const auto &[name, calls] : uses)
    for (Strings call : calls) {
      call.push_back(scratch(name));
      checkUnreadable(call, scratch(name), "cannot open: No such file or directory");
      call.back() = scratch("cache");
      std::filesystem::create_directory(call.back());
      checkUnreadable(call, call.back(), "this is a directory");
    }
  for (const char *verb : {"run", "analyze", "bench", "pregen", "evaluate"})
    checkUnreadable({verb, "stencil5:n=4", "--gpu", scratch("absent.json")}, scratch("absent.json"),
                    "cannot open: No such file or directory");
}

// A former bug: run, analyze and emit worked for seconds before they looked at the place.
TEST_CASE("a place for results that cannot be written to is refused before the work") {
  const std::string broken = fileOf("broken.mtx", "this is no matrix\n"), absent = scratch("no/x");
  const std::vector<Strings> calls = {{"run", broken, "-o"},
                                      {"analyze", broken, "-o"},
                                      {"analyze", broken, "--signature"},
                                      {"report", broken, "-o"},
                                      {"emit", broken, "-o"},
                                      {"emit", broken, "--cubin"},
                                      {"emit", broken, "--standalone", "-o"},
                                      {"pregen", broken, "-o"},
                                      {"generate", "nonsense:n=4", "-o"},
                                      {"cache", "export"},
                                      {"calibrate", "--measured", broken, "-o"}};
  for (Strings call : calls) {
    CAPTURE(call[0]);
    call.push_back(absent + (call.size() > 3 && call[2] == "--standalone" ? ".cu" : ""));
    const Outcome outcome = tool(call);
    checkRefusal(outcome, 1);
    CHECK(contains(outcome.err, absent));
    CHECK(contains(outcome.err, "error: cannot write: No such file or directory"));
  }
  std::filesystem::create_directory(scratch("data.bin"));
  const Outcome data = tool({"emit", broken, "--standalone", "-o", scratch("data.cu")});
  CHECK(contains(data.err, scratch("data.bin") + ": error: this is not a regular file"));
}

// A former bug: it named libcuda.so.1 twice, and nothing to do.
TEST_CASE("a verb that needs a GPU says what works without one") {
  const std::pair<Strings, std::string> calls[] = {
      {{"bench", "stencil5:n=4"}, "'specmv analyze' predicts times without a GPU"},
      {{"profile", "stencil5:n=4"}, "'specmv analyze' predicts times without a GPU"},
      {{"evaluate", "stencil5:n=4"},
       "'specmv evaluate --measured FILE' judges earlier measurements without a GPU"},
      {{"calibrate", "-o", scratch("never.json")},
       "'specmv calibrate --measured FILE' fits a model to earlier measurements without a GPU"},
      {{"run", "stencil5:n=4", "--target", "gpu"},
       "leave out --target gpu and --device to multiply on the host"},
      {{"run", "stencil5:n=4", "--device", "2"},
       "leave out --target gpu and --device to multiply on the host"},
      {{"analyze", "stencil5:n=4", "--target", "gpu"},
       "leave out --target gpu and --device to predict for another machine's GPU"}};
  for (const auto &[call, way] : calls) {
    const Outcome outcome = tool(call);
    checkRefusal(outcome, 3);
    CHECK(outcome.err.rfind("error: " + call[0] + " needs a GPU, and none is here: ", 0) == 0);
    CHECK(contains(outcome.err, "; " + way + "\n"));
    const size_t first = outcome.err.find("libcuda");
    if (first != std::string::npos)
      CHECK(outcome.err.find("libcuda", first + 1) == std::string::npos);
  }
}
