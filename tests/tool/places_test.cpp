// Tests where a tool that was copied out of its build folder finds a compiler, and its messages
// about those that it skips.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

namespace {

// Makes a product on the host with a copy of the tool that has no link to the build's toolkit
// beside it. The only compiler fails, and reports it if it is called.
Outcome movedTool(const Strings &environment, const Strings &more = {}) {
  const std::string copy = scratch("moved/bin/specmv");
  std::filesystem::create_directories(scratch("moved/bin"));
  std::filesystem::copy_file(SPECMV_TOOL, copy, std::filesystem::copy_options::overwrite_existing);
  Setting setting{{"LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "SPECMV_CUDA_HOME",
                   "SPECMV_FAKE_NVRTC=compile", "SPECMV_CACHE_DIR=" + scratch("moved/cache")},
                  ""};
  setting.environment.insert(setting.environment.end(), environment.begin(), environment.end());
  Strings call = {"run", "--quiet", "--target", "host", "stencil5:n=4"};
  call.insert(call.end(), more.begin(), more.end());
  return runProgram(copy, call, setting);
}

// Writes the compiler of this version, such as 13.9, into a folder.
void putNvrtc(const std::string &folder, const std::string &version) {
  const std::string bytes = readFile(SPECMV_FAKE_TOOLKIT "/lib64/libnvrtc.so.13");
  writeFile(folder + "/libnvrtc.so." + version.substr(0, 2), bytes);
  writeFile(folder + "/libnvrtc-builtins.so." + version, bytes);
}

// Makes a Python environment with a compiler that is newer than any of this machine.
std::string pythonWithNvrtc(const std::string &version = "13.99") {
  std::string venv = scratch("moved/venv" + version);
  putNvrtc(venv + "/lib/python3.11/site-packages/nvidia/cu13/lib", version);
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
  putNvrtc(scratch("moved/nvidia/cu13/lib"), "13.99");
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

// A former bug: an old compiler in a virtual environment hid the newer one of the system.
TEST_CASE("the newest NVRTC compiles, wherever it lies, unless SPECMV_CUDA_HOME names another") {
  const std::string former = pythonWithNvrtc("12.1"), newest = pythonWithNvrtc();
  const Strings both = {"VIRTUAL_ENV=" + former, "CONDA_PREFIX=" + newest};
  const Outcome ran = movedTool(both);
  CHECK(ran.status == 0);
  CHECK_MESSAGE(contains(ran.err, "NVRTC 13.0 in " + newest), ran.err);
  const std::string home = scratch("moved/chosen");
  putNvrtc(home + "/lib64", "12.6");
  const Outcome chosen = movedTool({both[0], both[1], "SPECMV_CUDA_HOME=" + home});
  CHECK(chosen.status == 0);
  CHECK_MESSAGE(contains(chosen.err, "NVRTC 12.6 in " + home), chosen.err);
  CHECK_FALSE(contains(chosen.err, "is older than"));
}

TEST_CASE("an NVRTC that is older than the oldest supported one is a warning with its path") {
  const std::string home = scratch("moved/old");
  putNvrtc(home + "/lib64", "12.1");
  const Outcome ran =
      movedTool({"SPECMV_CUDA_HOME=" + home, "SPECMV_FAKE_NVRTC=", "SPECMV_FAKE_NVRTC_MINOR12=1"});
  CHECK(ran.status == 0);
  CHECK(messages(ran, "warning") == 1);
  CHECK_MESSAGE(contains(ran.err, "warning: NVRTC 12.1 in " + home), ran.err);
  CHECK_MESSAGE(contains(ran.err, "older than 12.6"), ran.err);
}

TEST_CASE("an architecture that the newest NVRTC does not know is compiled by the former one") {
  const std::string former = pythonWithNvrtc("12.9"), newest = pythonWithNvrtc();
  const Strings both = {"VIRTUAL_ENV=" + former, "CONDA_PREFIX=" + newest,
                        "SPECMV_FAKE_NVRTC_ARCH=90", "SPECMV_FAKE_NVRTC_ARCH12=70",
                        "SPECMV_CACHE_DIR=" + scratch("moved/archs")};
  const auto compiled = [&](const char *arch) { return movedTool(both, {"--arch", arch}); };
  CHECK_MESSAGE(contains(compiled("sm_70").err, "NVRTC 12.6 in " + former), "");
  CHECK_MESSAGE(contains(compiled("sm_90").err, "NVRTC 13.0 in " + newest), "");
  const Outcome neither = compiled("sm_80");
  CHECK_MESSAGE(contains(neither.err, "NVRTC 13.0 in " + newest), neither.err);
  CHECK_MESSAGE(contains(neither.err, "cannot compile for 'sm_80'; use one of sm_90"), neither.err);
}
