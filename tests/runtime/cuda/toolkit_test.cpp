// Tests of the places where libraries of the CUDA toolkit are looked for, and of their order.
#include "runtime/cuda/toolkit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace specmv;

namespace {

// SPECMV_CUDA_HOME for the length of a test.
struct CudaHome {
  explicit CudaHome(const char *value) { setenv("SPECMV_CUDA_HOME", value, 1); }
  ~CudaHome() {
    if (before.empty())
      unsetenv("SPECMV_CUDA_HOME");
    else
      setenv("SPECMV_CUDA_HOME", before.c_str(), 1);
  }
  CudaHome(const CudaHome &) = delete;
  CudaHome &operator=(const CudaHome &) = delete;
  std::string before = std::getenv("SPECMV_CUDA_HOME") ? std::getenv("SPECMV_CUDA_HOME") : "";
};

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

TEST_CASE("SPECMV_CUDA_HOME goes before all other places, and the loader's path is the last") {
  const CudaHome home("/chosen");
  const Paths paths = toolkitCandidates({"libtried.so.13", "libtried.so.12"});
  REQUIRE(paths.size() > 8);
  CHECK(Paths(paths.begin(), paths.begin() + 6) ==
        Paths{"/chosen/lib64/libtried.so.13", "/chosen/lib/libtried.so.13",
              "/chosen/extras/CUPTI/lib64/libtried.so.13", "/chosen/lib64/libtried.so.12",
              "/chosen/lib/libtried.so.12", "/chosen/extras/CUPTI/lib64/libtried.so.12"});
  CHECK(Paths(paths.end() - 2, paths.end()) == Paths{"libtried.so.13", "libtried.so.12"});
}

TEST_CASE("a library beside the program goes before that of the build's toolkit") {
  const CudaHome home("/chosen");
  const FileBesideProgram file("libspecmv-beside.so.12");
  const Paths paths = toolkitCandidates({"libspecmv-beside.so.13", "libspecmv-beside.so.12"});
  CHECK(placeOf(paths, file.path) == 6); // only the one that is there
  CHECK(paths.size() == 6 + 1 + 6 + 2);
}

TEST_CASE("without SPECMV_CUDA_HOME the build's toolkit is looked into first") {
  const CudaHome home("");
  const Paths paths = toolkitCandidates({"libtried.so"});
  CHECK(paths.size() == 3 + 1);
  CHECK(paths.back() == "libtried.so");
}
