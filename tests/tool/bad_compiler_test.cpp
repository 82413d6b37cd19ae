// Tests a compiler that fails or answers badly: its output is not used as a kernel or stored, and
// the host multiplies without it.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

namespace {

Setting withCompiler(const std::string &answer, const std::string &cache = "fake-cache") {
  return {{"SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT, "SPECMV_FAKE_NVRTC=" + answer,
           "SPECMV_CACHE_DIR=" + scratch(cache)},
          ""};
}

// The objects in a cache.
Strings objectsIn(const std::string &cache) {
  const std::string folder = scratch(cache) + "/objects";
  return std::filesystem::exists(folder) ? filesBelow(folder) : Strings{};
}

} // namespace

// A former bug: the results of the calls that return the cubin were not checked, and 100 zero bytes
// were stored.
TEST_CASE("an answer that is no cubin is an error, and is not kept") {
  struct Case {
    std::string answer, reason;
  };
  for (const Case &c : {Case{"archs", "cannot list the architectures"},
                        {"size", "nvrtcGetCUBINSize: NVRTC_ERROR_INTERNAL_ERROR"},
                        {"cubin", "nvrtcGetCUBIN: NVRTC_ERROR_INTERNAL_ERROR"},
                        {"zeros", "100 bytes"},
                        {"noArchs", "nvrtcGetNumSupportedArchs answered 0, but 1 to 1000"},
                        {"minusArchs", "nvrtcGetNumSupportedArchs answered -1, but 1 to 1000"},
                        {"manyArchs", "nvrtcGetNumSupportedArchs answered 2000000000, but"},
                        {"hugeCubin", "nvrtcGetCUBINSize answered 1099511627776, but 0 to "}}) {
    CAPTURE(c.answer);
    const std::string file = scratch(c.answer + ".cubin"), cache = "bad-" + c.answer;
    const Outcome emitted =
        tool({"emit", "stencil5:n=4", "--cubin", file}, withCompiler(c.answer, cache));
    checkRefusal(emitted, 1);
    CHECK(contains(emitted.err, c.reason));
    CHECK_FALSE(std::filesystem::exists(file));
    const Outcome ran = tool({"run", "--json", "--quiet", "--target", "host", "stencil5:n=4"},
                             withCompiler(c.answer, cache));
    CHECK(ran.status == 0);
    CHECK(messages(ran, "warning") == 1);
    CHECK(contains(ran.err, c.reason));
    CHECK(flag(document(ran), "verified"));
    CHECK(objectsIn(cache).empty());
  }
  const Setting sound = withCompiler("", "bad-zeros");
  CHECK(tool({"run", "--target", "host", "stencil5:n=4"}, sound).status == 0);
  CHECK(objectsIn("bad-zeros").size() == 1);
}

TEST_CASE("on the host a kernel that does not compile is a warning") {
  const Strings run = {"run", "--json", "--quiet", "--target", "host", "stencil5:n=4"};
  const Outcome ran = tool(run, withCompiler("compile"));
  CHECK(ran.status == 0);
  CHECK(messages(ran, "warning") == 1);
  CHECK(contains(ran.err, "warning: no kernel was compiled: "));
  CHECK(contains(ran.err, "planted"));
  CHECK(flag(document(ran), "verified"));
  CHECK(objectsIn("fake-cache").empty());
  CHECK(tool({"emit", "stencil5:n=4", "--cubin", scratch("never.cubin")}, withCompiler("compile"))
            .status == 1);
  CHECK_FALSE(std::filesystem::exists(scratch("never.cubin")));
  Strings elsewhere = run;
  elsewhere.insert(elsewhere.end(), {"--arch", "sm_1"});
  checkRefusal(tool(elsewhere, withCompiler("")), 2);
}

TEST_CASE("a log of an absurd size is no allocation, and the object is used without it") {
  const Outcome emitted = tool(
      {"emit", "stencil5:n=4", "--cubin", scratch("logless.cubin"), "-o", scratch("logless.cu")},
      withCompiler("hugeLog"));
  CHECK(emitted.status == 0);
  CHECK(std::filesystem::exists(scratch("logless.cubin")));
}

TEST_CASE("absurd numbers of the driver are one error each") {
  struct Case {
    std::string planted, reason;
  };
  for (const Case &c :
       {Case{"SPECMV_FAKE_ATTRIBUTE=16=-5", "asked for the SMs, answered -5, but 1 to 65536"},
        {"SPECMV_FAKE_ATTRIBUTE=16=2000000000", "answered 2000000000, but 1 to 65536"},
        {"SPECMV_FAKE_ATTRIBUTE=39=0", "asked for the threads of an SM, answered 0"},
        {"SPECMV_FAKE_ATTRIBUTE=75=-9", "asked for the architecture, answered -9"},
        {"SPECMV_FAKE_ATTRIBUTE=38=-1", "asked for the bytes of L2, answered -1"},
        {"SPECMV_FAKE_MEMORY=18446744073709551615",
         "cuDeviceTotalMem answered 18446744073709551615"}}) {
    CAPTURE(c.planted);
    Setting setting = withCompiler("");
    setting.environment.insert(setting.environment.end(), {"LD_LIBRARY_PATH=" SPECMV_FAKE_CUDA,
                                                           "SPECMV_FAKE_GPU=1", c.planted});
    const Outcome ran = tool({"run", "stencil5:n=4"}, setting);
    checkRefusal(ran, 1);
    CHECK(contains(ran.err, c.reason));
  }
}
