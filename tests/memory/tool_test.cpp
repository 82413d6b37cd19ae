// Tests the tool when one allocation, or all from some point on, fails: it ends with a status and a
// message. With NVRTC instead of the fake (SPECMV_MEMORY_CAMPAIGN=1, 5 to 10 minutes), NVIDIA's
// libraries may end it, which is distinguished.
#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr long kAllOfTool = 1L << 60;
// NVRTC makes its first allocation after 1,900 of ours, and about 90,000 in all: these are sampled.
constexpr long kOurs = 2000, kSampled = 397;
constexpr int kNvidias = 77; // fail_malloc.c's, where a library of NVIDIA's died

bool isLong() { return std::getenv("SPECMV_MEMORY_CAMPAIGN") != nullptr; }

struct Ran {
  int status; // minus the signal that ended it
  std::string err;
};

// `specmv run` with count allocations failing from the first-th on.
Ran runFailing(long first, long count, const std::string &cache, const std::string &err) {
  const auto set = [](const char *name, const std::string &value) {
    return std::string(name) + "=" + value;
  };
  std::vector<std::string> environment = {
      set("LD_PRELOAD", SPECMV_FAIL_MALLOC),
      set("SPECMV_FAIL", std::to_string(first) + "," + std::to_string(count)),
      set("SPECMV_CACHE_DIR", cache),
      set("LD_LIBRARY_PATH", SPECMV_FAKE_CUDA),
      set("SPECMV_STANDARD_PACK", ""),
      set("SPECMV_FAKE_CUINIT", "100")}; // no device
  if (!isLong())
    environment.push_back(set("SPECMV_CUDA_HOME", SPECMV_FAKE_TOOLKIT));
  const char *arguments[] = {SPECMV_TOOL,       "run", "stencil5:n=4", "--target", "host",
                             "--host-products", "1",   nullptr};
  std::vector<const char *> variables;
  variables.reserve(environment.size() + 1);
  for (const std::string &variable : environment)
    variables.push_back(variable.c_str());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, SPECMV_TOOL, &files, nullptr, const_cast<char **>(arguments),
                      const_cast<char **>(variables.data())) == 0);
  posix_spawn_file_actions_destroy(&files);
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  return {WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how), readFile(err)};
}

// A library of NVIDIA died, or wrongly reported a bad source or option for lack of memory, or the
// loader had no thread-local memory for it.
bool isNvidias(const Ran &ran) {
  const auto says = [&](const char *text) { return ran.err.find(text) != std::string::npos; };
  return isLong() && (ran.status == kNvidias || says("NVRTC_ERROR_") ||
                      says("cannot allocate memory for thread-local data"));
}

// Returns true for 0 if the run did everything it was asked for, and for 3, with a message, if
// memory ran out; 1 and 2 would blame the matrix or the call.
bool isTold(const Ran &ran) {
  return ran.status == 0 || (ran.status == 3 && ran.err.find("error: ") != std::string::npos) ||
         isNvidias(ran);
}

void fail(long count, long step, bool cold) {
  const ScratchDirectory scratch("specmv-memory");
  const std::string err = scratch.path() + "/err", warm = scratch.path() + "/warm";
  REQUIRE(runFailing(kAllOfTool, 1, warm, err).status == 0);
  const long last = isLong() ? 100000 : 700;
  long nvidias = 0;
  for (long first = 1; first <= last; first += first < kOurs || !isLong() ? step : kSampled) {
    const std::string fresh = scratch.path() + "/" + std::to_string(first);
    const Ran ran = runFailing(first, count, cold ? fresh : warm, err);
    nvidias += isNvidias(ran);
    CHECK_MESSAGE(isTold(ran), "allocation " << first << ": " << ran.status << " " << ran.err);
  }
  if (isLong())
    MESSAGE("NVIDIA's libraries failed in " << nvidias << " of the runs");
}

} // namespace

TEST_CASE("no allocation that fails in the tool ends it without a message") {
  for (const bool cold : {true, false}) {
    CAPTURE(cold);
    fail(1, isLong() || cold ? 1 : 2, cold);
    fail(kAllOfTool, isLong() ? 1 : 11, cold);
  }
}
