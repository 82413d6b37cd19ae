// Tests versions of libraries as file names tell them, and the order that follows.
#include "runtime/cuda/places.h"

#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/environment.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <limits>

using namespace specmv;

namespace {

constexpr const char *kBeside = "libtried-builtins.so.";

void makeEmpty(const std::filesystem::path &file) {
  std::filesystem::create_directories(file.parent_path());
  writeFile(file, "");
}

} // namespace

TEST_CASE("a version is that of the file that a link leads to, or of the one beside it") {
  const ScratchDirectory scratch;
  const std::string toolkit = scratch.path() + "/toolkit/", wheel = scratch.path() + "/wheel/";
  makeEmpty(toolkit + "libtried.so.12.8.93");
  std::filesystem::create_symlink("libtried.so.12.8.93", toolkit + "libtried.so.12");
  std::filesystem::create_symlink("libtried.so.12", toolkit + "libtried.so");
  for (const char *name : {"libtried.so.12.8.93", "libtried.so.12", "libtried.so"})
    CHECK(versionOf(toolkit + name, kBeside) == ToolkitVersion{12, 8});
  for (const char *name : {"libtried.so.12", "libtried.so.13", "libtried-builtins.so.12.1",
                           "libtried-builtins.so.13.0", "libtried-builtins.so.13.2"})
    makeEmpty(wheel + name);
  CHECK(versionOf(wheel + "libtried.so.12", kBeside) == ToolkitVersion{12, 1});
  CHECK(versionOf(wheel + "libtried.so.13", kBeside) == ToolkitVersion{13, 2});
  CHECK(versionOf(wheel + "libtried.so.13", nullptr) == ToolkitVersion{13, -1});
  CHECK(versionOf(scratch.path() + "/absent.so", kBeside) == ToolkitVersion{-1, -1});
}

TEST_CASE("the version of a plain name is that of the file which the loader finds") {
  const ScratchDirectory scratch;
  makeEmpty(scratch.path() + "/b/libtried.so.12.9.1");
  std::filesystem::create_symlink("libtried.so.12.9.1", scratch.path() + "/b/libtried.so.12");
  const Environment set({{"LD_LIBRARY_PATH", scratch.path() + "/a:" + scratch.path() + "/b"}});
  CHECK(versionOf("libtried.so.12", kBeside) == ToolkitVersion{12, 9});
  CHECK(versionOf("libtried.so.11", kBeside) == ToolkitVersion{11, -1});
  // In the loader's list of every machine: libm.so.6, which may be a link to libm-2.31.so.
  CHECK(versionOf("libm.so.6", kBeside).minor == -1);
}

TEST_CASE("the newest comes first, what the driver may not load and what is not there last") {
  const ScratchDirectory scratch;
  const auto at = [&](const char *name) { return scratch.path() + "/" + name; };
  const std::string a = at("a/libtried.so.12.1"), b = at("b/libtried.so.13.0"),
                    c = at("c/libtried.so.12.8"), d = at("d/libtried.so.13.2"),
                    e = at("e/libtried.so.12.8"), absent = at("f/libtried.so.14.0");
  for (const std::string &file : {a, b, c, d, e})
    makeEmpty(file);
  std::vector<std::string> files{absent, a, b, c, d, e};
  sortByVersion(files, kBeside, std::numeric_limits<int>::max());
  CHECK(files == std::vector{d, b, c, e, a, absent});
  files = {absent, a, b, c, d, e};
  sortByVersion(files, kBeside, 12);
  CHECK(files == std::vector{c, e, a, b, d, absent});
}
