// Sends signals at random times while a process compiles for the first time: each ends as it would
// without specmv. A program gets them in its own handlers, and the tool dies by them.
#include "tests/faults/campaign.h"

#include "tests/api/api_testing.h"
#include "tests/runtime/child_process.h"
#include "tests/runtime/scratch_directory.h"

#include <chrono>
#include <csignal>
#include <map>
#include <poll.h>
#include <random>
#include <thread>

using namespace apitest;
using namespace specmv::testing;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr const char *kChild = "child: signals in the first compilation";
constexpr int kToParent = 3; // the descriptor on which the child tells how far it is
constexpr int kNoNvrtc = 77;

volatile sig_atomic_t caught = 0;
void catching(int signal, siginfo_t *, void *) { caught = signal; }
void catchingBefore(int signal, siginfo_t *, void *) { caught = signal; }

using Handler = void (*)(int, siginfo_t *, void *);

void setHandlers(Handler handler) {
  struct sigaction own = {};
  own.sa_sigaction = handler;
  own.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaddset(&own.sa_mask, SIGUSR2);
  for (const int signal : {SIGINT, SIGTERM})
    sigaction(signal, &own, nullptr);
}

bool areHandlers(Handler handler) {
  bool all = true;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    all = all && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler &&
          (now.sa_flags & SA_RESTART) != 0 && sigismember(&now.sa_mask, SIGUSR2) == 1;
  }
  return all;
}

void tell(char what) { REQUIRE(write(kToParent, &what, 1) == 1); }

// The set-up may read the matrix in the background.
specmvPlan_t firstPlan(specmvStart_t start, const Csr<int32_t, double> &a) {
  specmvMatrix_t matrix = nullptr;
  specmvPlan_t plan = nullptr;
  specmvPlanOptions_t options = compilingHostOptions();
  options.start = start;
  if (create(&matrix, a) == SPECMV_STATUS_SUCCESS &&
      specmvCreatePlan(&plan, matrix, &options) == SPECMV_STATUS_NO_NVRTC)
    _exit(kNoNvrtc);
  if (start == SPECMV_START_NOW) {
    int ready = 0; // begins the set-up
    REQUIRE(specmvPlanReady(plan, &ready) == SPECMV_STATUS_SUCCESS);
  }
  specmvDestroyMatrix(matrix);
  return plan;
}

// A way in which a program may meet the first compilation.
struct Way {
  const char *name;
  specmvStart_t start;
  bool hasThreads;  // which do not block signals
  bool setsHandler; // while the plan is made
};
constexpr Way kWays[] = {
    {"waits", SPECMV_START_WAIT, false, false},
    {"starts now", SPECMV_START_NOW, false, false},
    {"has threads", SPECMV_START_WAIT, true, false},
    {"sets its handlers", SPECMV_START_NOW, false, true},
};

// A process that was started, and the read end of its pipe.
struct Process {
  pid_t id;
  int pipe;
};

// Starts a program whose descriptor kToParent is the pipe; returns when it runs.
Process startProgram(const std::vector<std::string> &words, const std::string &cache,
                     const std::vector<std::pair<std::string, std::string>> &more = {}) {
  int ends[2], begun[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(pipe2(begun, O_CLOEXEC) == 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("SPECMV_CACHE_DIR", cache.c_str(), 1);
    setenv("SPECMV_STANDARD_PACK", "", 1);
    for (const auto &[name, value] : more)
      setenv(name.c_str(), value.c_str(), 1);
    const int silent = open("/dev/null", O_WRONLY);
    const int copy = fcntl(begun[1], F_DUPFD_CLOEXEC, 10), told = fcntl(ends[1], F_DUPFD, 10);
    (void)copy;
    for (const int fd : {1, 2})
      dup2(silent, fd);
    dup2(told, kToParent);
    close(told);
    std::vector<char *> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string &word : words)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  close(begun[1]);
  char none = 0;
  (void)!read(begun[0], &none, 1); // ends when the program runs
  close(begun[0]);
  return {child, ends[0]};
}

// Waits for what the child tells; 0 if it has ended.
char told(const Process &process) {
  char what = 0;
  return read(process.pipe, &what, 1) == 1 ? what : 0;
}

// Returns the exit status, 128 and the signal, or 1000 if the process hangs.
int endOf(const Process &process) {
  constexpr int kLong = 120'000; // ms: on the most loaded machine
  pollfd end = {process.pipe, POLLIN, 0};
  char rest[8];
  int ready = 0;
  while ((ready = poll(&end, 1, kLong)) > 0 && read(process.pipe, rest, sizeof rest) > 0) {
  }
  if (ready == 0)
    kill(process.id, SIGKILL);
  int status = 0;
  waitpid(process.id, &status, 0);
  close(process.pipe);
  if (ready == 0)
    return 1000;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> wordsOfChild() {
  return {"/proc/self/exe", "--no-skip", filterFor(kChild)};
}

Process startChild(const Way &way, const std::string &cache, microseconds later, bool isSignalled) {
  const Process child = startProgram(wordsOfChild(), cache,
                                     {{"SPECMV_TESTED_WAY", std::to_string(&way - kWays)},
                                      {"SPECMV_TESTED_LATER", std::to_string(later.count())},
                                      {"SPECMV_TESTED_SIGNAL", isSignalled ? "1" : "0"}});
  if (told(child) != 'b')
    WARN_MESSAGE(false, "a child did not begin");
  return child;
}

std::vector<std::string> wordsOfTool() {
  return {SPECMV_TOOL, "run", "stencil5:n=9", "--target", "host", "--quiet"};
}

struct RandomSignals {
  std::mt19937 bits{20261129};
  microseconds upTo(microseconds most) {
    return microseconds(std::uniform_int_distribution<int64_t>(0, most.count())(bits));
  }
  int signal() { return bits() % 2 == 0 ? SIGINT : SIGTERM; }
};

int runs(int sample, int all) {
  return std::getenv("SPECMV_SIGNALS_CAMPAIGN") != nullptr ? all : sample;
}

void tellCampaign(const std::string &who, const std::map<int, int> &ends) {
  std::string text = who + ":";
  for (const auto &[status, count] : ends)
    text += " status " + std::to_string(status) + " " + std::to_string(count) + " times";
  if (runs(0, 1) == 1)
    MESSAGE(text);
}

} // namespace

TEST_CASE("child: signals in the first compilation" * doctest::skip()) {
  const Way &way = kWays[std::atoi(std::getenv("SPECMV_TESTED_WAY"))];
  setHandlers(way.setsHandler ? catchingBefore : catching);
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int i = 0; way.hasThreads && i < 2; ++i)
    threads.emplace_back([&] {
      while (!ends)
        std::this_thread::sleep_for(microseconds(100));
    });
  tell('b');
  const auto a = randomCsr<int32_t, double>(300, 200, 5);
  specmvPlan_t plan = firstPlan(way.start, a);
  if (way.setsHandler) {
    const auto end = Clock::now() + microseconds(std::atoi(std::getenv("SPECMV_TESTED_LATER")));
    while (Clock::now() < end) { // a signal would end a longer sleep
    }
    setHandlers(catching);
  }
  CHECK(specmvPlanWait(plan) == SPECMV_STATUS_SUCCESS);
  tell('e');
  CHECK(areHandlers(catching));
  const bool isSignalled = std::getenv("SPECMV_TESTED_SIGNAL") == std::string("1");
  while (isSignalled && caught == 0)
    std::this_thread::sleep_for(microseconds(100));
  specmvDestroyPlan(plan);
  ends = true;
  for (std::thread &thread : threads)
    thread.join();
}

TEST_CASE("a program gets signals in its own handlers while it compiles for the first time") {
  const ScratchDirectory scratch("specmv-signals");
  RandomSignals random;
  int number = 0;
  for (const Way &way : kWays) {
    const auto cache = [&] { return scratch.path() + "/" + std::to_string(number++); };
    const Process unhurt = startChild(way, cache(), microseconds(0), /*isSignalled=*/false);
    const auto begin = Clock::now();
    const bool isEnd = told(unhurt) == 'e';
    const auto most = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
    const int status = endOf(unhurt);
    if (status == kNoNvrtc) {
      std::printf("signals: skipped: there is no NVRTC\n");
      return;
    }
    REQUIRE(isEnd);
    REQUIRE(status == 0);
    std::map<int, int> ends;
    for (int run = runs(4, 200); run > 0; --run) {
      const Process child = startChild(way, cache(), random.upTo(most), /*isSignalled=*/true);
      std::this_thread::sleep_for(random.upTo(most));
      kill(child.id, random.signal());
      ++ends[endOf(child)];
    }
    tellCampaign(std::string("a program that ") + way.name, ends);
    CHECK(ends.size() == 1);
    CHECK(ends.contains(0));
  }
}

TEST_CASE("the tool dies by a signal while it compiles for the first time") {
  const ScratchDirectory scratch("specmv-signals");
  RandomSignals random;
  const auto begin = Clock::now();
  const int status = endOf(startProgram(wordsOfTool(), scratch.path() + "/unhurt"));
  const auto most = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
  if (status == 3) {
    std::printf("signals: skipped: there is no NVRTC\n");
    return;
  }
  REQUIRE(status == 0);
  std::map<int, int> ends;
  for (int run = runs(4, 200); run > 0; --run) {
    const Process child = startProgram(wordsOfTool(), scratch.path() + "/" + std::to_string(run));
    std::this_thread::sleep_for(random.upTo(most));
    const int signal = random.signal();
    kill(child.id, signal);
    const int end = endOf(child);
    CHECK((end == 128 + signal || end == 0)); // it may have ended before
    ++ends[end];
  }
  tellCampaign("the tool", ends);
}
