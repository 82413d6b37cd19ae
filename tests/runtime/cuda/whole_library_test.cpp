// Tests that a truncated library, or a path that is not a file, is an error before the loader sees
// it.
#include "runtime/cuda/places.h"
#include "runtime/cuda/toolkit.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <elf.h>
#include <sys/stat.h>

using namespace specmv;
using specmv::testing::contains;

namespace {

const char *const kWhole = SPECMV_FAKE_TOOLKIT "/lib64/libnvrtc.so.13";

// Returns the error of opening a file with these bytes; "" if it opens.
std::string refusalOf(const std::string &path) {
  auto library = DynamicLibrary::open(std::vector<std::string>{path});
  return library ? "" : describe(library.takeError()).second;
}

} // namespace

TEST_CASE("a library that was cut off anywhere is refused with both sizes, not mapped") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/libcut.so", whole = readFile(kWhole);
  REQUIRE(whole.size() > 8000);
  CHECK(whyNotWhole(kWhole).empty());
  for (size_t size = sizeof(Elf64_Ehdr); size < whole.size(); size += 500) {
    writeFile(path, whole.substr(0, size));
    const std::string said = refusalOf(path);
    CAPTURE(said);
    CHECK(contains(said, "cannot open " + path + ": the file has " + std::to_string(size) +
                             " bytes, but its ELF headers describe " +
                             std::to_string(whole.size())));
  }
  writeFile(path, whole.substr(0, 20));
  CHECK(contains(refusalOf(path), "file too short"));
}

TEST_CASE("segments and tables beyond any file are refused") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/libodd.so";
  for (const size_t at : {offsetof(Elf64_Ehdr, e_phoff), offsetof(Elf64_Ehdr, e_shoff)}) {
    std::string bytes = readFile(kWhole);
    bytes.replace(at, 8, std::string(8, '\xff'));
    writeFile(path, bytes);
    CHECK(contains(refusalOf(path), "describe 18446744073709551615"));
  }
}

TEST_CASE("what is no regular file is refused at once in place of a library") {
  const ScratchDirectory scratch;
  const std::string pipe = scratch.path() + "/libpipe.so";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string &path :
       {pipe, std::string("/dev/zero"), std::string("/tmp/."), std::string("/dev/tty")}) {
    CAPTURE(path);
    CHECK(refusalOf(path) == "cannot open " + path + ": this is not a regular file");
  }
  CHECK(contains(refusalOf(scratch.path() + "/libnone.so"), "No such file"));
  CHECK(whyNotWhole(scratch.path() + "/libnone.so").empty());
}
