// Tests the meaning of a failure to open NVRTC or the driver, now and later: not present, present
// but broken, or temporary. Each runs in its own process, since an opened library stays open.
#include "runtime/cuda/device.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/machine.h"

#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/sanitized.h"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <sys/resource.h>

using namespace specmv;

namespace {

// While an object of this class lives, no file can be opened.
class NoMoreFiles {
public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0); // the lowest that is free
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  NoMoreFiles(const NoMoreFiles &) = delete;
  NoMoreFiles &operator=(const NoMoreFiles &) = delete;
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_{};
};

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// Returns the message of the error with which the search for a machine ends; "" if it finds one.
std::string whyNoMachine(Target target) {
  auto machine = Machine::find({.target = target});
  if (machine)
    return "";
  return describe(machine.takeError()).second;
}

// UBSan opens a pipe to test whether memory is readable, and takes a failure for a bad pointer.
bool cannotDoWithoutFiles() {
  if (kSanitized)
    MESSAGE("skipped: sanitizers need files to be opened");
  return kSanitized;
}

// Runs a child with its libcuda.so.1 from this folder.
void passesWithDriverIn(const std::string &folder, const std::string &testCase) {
  const ScratchDirectory scratch("specmv-opening");
  const std::string output = scratch.path() + "/output";
  const int status = runAlone(testCase, {{"LD_LIBRARY_PATH", folder}}, output);
  CHECK_MESSAGE(status == 0, readFile(output));
}

} // namespace

TEST_CASE("child: NVRTC opens when files can be opened again" * doctest::skip()) {
  {
    const NoMoreFiles limit;
    auto none = nvrtcArchitectures();
    REQUIRE(!none);
    const auto why = describe(none.takeError());
    CHECK(why.first == Status::noNvrtc);
    CHECK_MESSAGE(has(why.second, "Too many open files"), why.second);
  }
  auto known = nvrtcArchitectures();
  CHECK_MESSAGE(known, (known ? "" : describe(known.takeError()).second));
}

TEST_CASE("that no file could be opened when NVRTC was first asked for passes") {
  if (cannotDoWithoutFiles())
    return;
  auto known = nvrtcArchitectures();
  if (!known) {
    MESSAGE("skipped: " << describe(known.takeError()).second);
    return;
  }
  passesWithDriverIn("", "child: NVRTC opens when files can be opened again");
}

TEST_CASE("child: a driver is there when files can be opened again" * doctest::skip()) {
  {
    const NoMoreFiles limit;
    const std::string why = whyNoMachine(Target::automatic);
    CHECK_MESSAGE(has(why, "Too many open files"), why);
  }
  const std::string why = whyNoMachine(Target::automatic);
  CHECK_MESSAGE(has(why, "cuDeviceGetCount failed"), why); // which only the fake driver says
}

TEST_CASE("that no file could be opened when the driver was first asked for passes") {
  if (cannotDoWithoutFiles())
    return;
  passesWithDriverIn(SPECMV_FAKE_CUDA, "child: a driver is there when files can be opened again");
}

TEST_CASE("child: a broken driver is an error but where the host is asked for" * doctest::skip()) {
  const std::string why = whyNoMachine(Target::automatic);
  CHECK_MESSAGE(has(why, "libcuda.so.1"), why);
  CHECK_MESSAGE(has(why, "host"), why); // the way out
  CHECK(whyNoMachine(Target::gpu) != "");
  CHECK(whyNoMachine(Target::host) == "");
}

TEST_CASE("a libcuda that does not open is no reason to multiply on the host") {
  const ScratchDirectory folder("specmv-junk");
  const std::string header = readFile(SPECMV_FAKE_CUDA "/libcuda.so.1").substr(0, 64);
  Dl_info other = {}; // a library, and no driver
  REQUIRE(dladdr(dlsym(RTLD_DEFAULT, "cos"), &other) != 0);
  for (const std::string &junk :
       {std::string("junk"), std::string(), header, readFile(other.dli_fname)}) {
    writeFile(folder.path() + "/libcuda.so.1", junk);
    passesWithDriverIn(folder.path(),
                       "child: a broken driver is an error but where the host is asked for");
  }
}
