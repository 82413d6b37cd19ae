// Tests where a tool that was copied out of its build folder finds a compiler, and its messages
// about those that it skips.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

namespace {

// Makes a product on the host with a copy of the tool that has no link to the build's toolkit
// beside it. The only compiler fails, and reports it if it is called.
Outcome movedTool(const Strings &environment) {
  const std::string copy = scratch("moved/bin/specmv");
  std::filesystem::create_directories(scratch("moved/bin"));
  std::filesystem::copy_file(SPECMV_TOOL, copy, std::filesystem::copy_options::overwrite_existing);
  Setting setting{{"LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "SPECMV_CUDA_HOME",
                   "SPECMV_FAKE_NVRTC=compile", "SPECMV_CACHE_DIR=" + scratch("moved/cache")},
                  ""};
  setting.environment.insert(setting.environment.end(), environment.begin(), environment.end());
  return runProgram(copy, {"run", "--quiet", "--target", "host", "stencil5:n=4"}, setting);
}

std::string pythonWithNvrtc() {
  std::string venv = scratch("moved/venv");
  writeFile(venv + "/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            readFile(SPECMV_FAKE_TOOLKIT "/lib64/libnvrtc.so.13"));
  return venv;
}

} // namespace

TEST_CASE("a tool outside its build folder compiles by the NVRTC of a Python environment") {
  const Outcome ran = movedTool({"VIRTUAL_ENV=" + pythonWithNvrtc()});
  CHECK(ran.status == 0);
  CHECK(messages(ran, "warning") == 1);
  CHECK_MESSAGE(contains(ran.err, "planted"), ran.err);
}

TEST_CASE(
    "a tool in the folder of a Python package compiles by the NVRTC of the package beside it") {
  writeFile(scratch("moved/nvidia/cu13/lib/libnvrtc.so.13"),
            readFile(SPECMV_FAKE_TOOLKIT "/lib64/libnvrtc.so.13"));
  const Outcome ran = movedTool({});
  std::filesystem::remove_all(scratch("moved/nvidia"));
  CHECK(ran.status == 0);
  CHECK_MESSAGE(contains(ran.err, "planted"), ran.err);
}

TEST_CASE("a broken NVRTC in SPECMV_CUDA_HOME is a warning that names the one used instead") {
  const std::string home = scratch("moved/broken"), venv = pythonWithNvrtc();
  writeFile(home + "/lib64/libnvrtc.so.13", "junk");
  const Outcome ran = movedTool({"VIRTUAL_ENV=" + venv, "SPECMV_CUDA_HOME=" + home});
  CHECK(ran.status == 0);
  CHECK(messages(ran, "warning") == 2);
  CHECK_MESSAGE(contains(ran.err, "warning: SPECMV_CUDA_HOME: cannot open " + home), ran.err);
  CHECK_MESSAGE(contains(ran.err, "; using " + venv), ran.err);
  CHECK_MESSAGE(contains(ran.err, "planted"), ran.err);
}
