// A compiler that fails or answers badly: what it gave is not taken for a kernel, nothing of it is
// kept, and the host multiplies without one.
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

// A bug once: neither of the calls that give the cubin was looked at, and 100 zero bytes were kept.
TEST_CASE("an answer that is no cubin is an error, and is not kept") {
  struct Case {
    std::string answer, reason;
  };
  for (const Case &c : {Case{"archs", "cannot list the architectures"},
                        {"size", "nvrtcGetCUBINSize: NVRTC_ERROR_INTERNAL_ERROR"},
                        {"cubin", "nvrtcGetCUBIN: NVRTC_ERROR_INTERNAL_ERROR"},
                        {"zeros", "100 bytes"}}) {
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
