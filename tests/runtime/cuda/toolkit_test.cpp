// Tests of the places in which libraries of the CUDA toolkit are searched, and of their order.
#include "runtime/cuda/places.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

using namespace specmv;

namespace {

// Sets an environment variable for the duration of a test; nullptr unsets it.
class Variable {
public:
  Variable(const char *name, const char *value) : name_(name) {
    if (const char *before = std::getenv(name))
      before_ = before;
    set(value);
  }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

private:
  void set(const char *value) {
    if (value)
      setenv(name_, value, 1);
    else
      unsetenv(name_);
  }
  const char *name_;
  std::optional<std::string> before_;
};

// SPECMV_CUDA_HOME as given, and no Python environment.
struct CudaHome {
  explicit CudaHome(const char *value) : home("SPECMV_CUDA_HOME", value) {}
  Variable home, venv{"VIRTUAL_ENV", nullptr}, conda{"CONDA_PREFIX", nullptr}, path{"PATH", ""};
};

void touch(const std::filesystem::path &file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file).put('\n');
}

// An empty file in the folder of this program.
struct FileBesideProgram {
  std::filesystem::path path;
  explicit FileBesideProgram(const char *name)
      : path(std::filesystem::read_symlink("/proc/self/exe").parent_path() / name) {
    std::ofstream(path).put('\n');
  }
  ~FileBesideProgram() { std::filesystem::remove(path); }
  FileBesideProgram(const FileBesideProgram &) = delete;
  FileBesideProgram &operator=(const FileBesideProgram &) = delete;
};

using Paths = std::vector<std::string>;

ptrdiff_t placeOf(const Paths &paths, const std::string &path) {
  return std::find(paths.begin(), paths.end(), path) - paths.begin();
}

} // namespace

TEST_CASE("SPECMV_CUDA_HOME goes before all other places, /usr/local/cuda is the last") {
  const CudaHome home("/chosen");
  const Paths paths = toolkitCandidates({"libtried.so.13", "libtried.so.12"});
  REQUIRE(paths.size() == 6 + 6 + 2 + 6);
  CHECK(Paths(paths.begin(), paths.begin() + 6) ==
        Paths{"/chosen/lib64/libtried.so.13", "/chosen/lib/libtried.so.13",
              "/chosen/extras/CUPTI/lib64/libtried.so.13", "/chosen/lib64/libtried.so.12",
              "/chosen/lib/libtried.so.12", "/chosen/extras/CUPTI/lib64/libtried.so.12"});
  CHECK(Paths(paths.begin() + 12, paths.begin() + 15) ==
        Paths{"libtried.so.13", "libtried.so.12", "/usr/local/cuda/lib64/libtried.so.13"});
}

TEST_CASE("a library beside the program goes before that of the build's toolkit") {
  const CudaHome home("/chosen");
  const FileBesideProgram file("libspecmv-beside.so.12");
  const Paths paths = toolkitCandidates({"libspecmv-beside.so.13", "libspecmv-beside.so.12"});
  CHECK(placeOf(paths, file.path) == 6); // only the one that is there
  CHECK(paths.size() == 6 + 1 + 6 + 2 + 6);
}

TEST_CASE(
    "without SPECMV_CUDA_HOME the toolkit linked into the build folder is looked into first") {
  const CudaHome home("");
  const Paths paths = toolkitCandidates({"libtried.so"});
  REQUIRE(paths.size() == 3 + 1 + 3);
  const std::string first = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  CHECK(paths.front() == first + "/specmv-toolkit/lib64/libtried.so");
  CHECK(paths[3] == "libtried.so");
}

TEST_CASE("NVIDIA's packages of a Python environment are found before what the loader finds") {
  const ScratchDirectory scratch("specmv-python");
  const std::filesystem::path venv = scratch.path() + "/venv", conda = scratch.path() + "/conda",
                              other = scratch.path() + "/other";
  const std::string in12 =
                        venv / "lib/python3.11/site-packages/nvidia/cuda_tried/lib/libtried.so.12",
                    in13 = venv / "lib/python3.11/site-packages/nvidia/cu13/lib/libtried.so.13",
                    condas = conda / "lib/libtried.so.12",
                    onPath =
                        other / "lib64/python3.13/site-packages/nvidia/cu13/lib/libtried.so.13";
  for (const std::string &file : {in12, in13, condas, onPath})
    touch(file);
  touch(other / "bin/python3");
  std::filesystem::permissions(other / "bin/python3", std::filesystem::perms::owner_all);

  const CudaHome home("");
  const Variable first("VIRTUAL_ENV", venv.c_str()), second("CONDA_PREFIX", conda.c_str());
  const Variable path("PATH", ("relative:/nowhere:" + (other / "bin").string()).c_str());
  const Paths paths = toolkitCandidates({"libtried.so.13", "libtried.so.12"});
  REQUIRE(paths.size() == 6 + 4 + 2 + 6);
  // The newer name comes first within one environment, and one environment comes after the other.
  CHECK(Paths(paths.begin() + 6, paths.begin() + 11) ==
        Paths{in13, in12, condas, onPath, "libtried.so.13"});
}

TEST_CASE("a library that is nowhere is an error that says what to install") {
  const CudaHome home("/nowhere");
  auto none = openFromToolkit({"Tried", {"libtried.so.13"}, "tried-13-0", "nvidia-tried"});
  REQUIRE(!none);
  llvm::Error error = none.takeError();
  CHECK(error.isA<AbsentError>());
  const std::string sentence = describe(std::move(error)).second;
  for (const char *part : {"no Tried: libtried.so.13 was not found", "NVIDIA's package tried-13-0",
                           "'pip install nvidia-tried'", "set SPECMV_CUDA_HOME"})
    CHECK_MESSAGE(sentence.find(part) != std::string::npos, sentence);
}

TEST_CASE("a library in SPECMV_CUDA_HOME that does not open is told of, once") {
  const ScratchDirectory scratch("specmv-broken");
  const std::filesystem::path broken = scratch.path() + "/lib64/libm.so.6";
  touch(broken);
  {
    const CudaHome home("/nowhere"); // one that is not there is passed over in silence
    REQUIRE(bool(openFromToolkit({"libm", {"libm.so.6"}, "libm", "libm"})));
    CHECK(takeToolkitWarnings().empty());
  }
  const CudaHome home(scratch.path().c_str());
  REQUIRE(bool(openFromToolkit({"libm", {"libm.so.6"}, "libm", "libm"})));
  const std::vector<std::string> warnings = takeToolkitWarnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].rfind("SPECMV_CUDA_HOME: cannot open " + broken.string(), 0) == 0);
  CHECK(warnings[0].find("libm.so.6 as libm instead") != std::string::npos);
  CHECK(takeToolkitWarnings().empty());
}
