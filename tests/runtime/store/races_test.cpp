// Tests many processes in one cache, some of which are killed at any point of their work: no
// process ever reads a wrong or partial entry, and if several want one entry, still only one makes
// it at a time.
#include "runtime/store/cache.h"

#include "runtime/store/entry_file.h"
#include "runtime/store/prune.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/aged.h"
#include "tests/runtime/store/raced.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

using namespace specmv;
using namespace specmv::testing;
using namespace std::chrono_literals;

namespace {

constexpr int kKeys = 24;

// Stores and finds at random until the time is over. Returns 1 if anything that it found was wrong.
int storeAndFind(const std::string &root, unsigned seed, std::chrono::milliseconds time) {
  std::mt19937 random(seed);
  Cache cache({}, root);
  for (const auto end = std::chrono::steady_clock::now() + time;
       std::chrono::steady_clock::now() < end;) {
    const int key = static_cast<int>(random() % kKeys);
    if (random() % 3 == 0)
      cache.store(racedKey(key), racedObject(key, static_cast<int>(seed)));
    else if (const auto found = cache.find(racedKey(key)); found && !isRight(*found, key))
      return 1;
  }
  return cache.takeWarnings().empty() ? 0 : 2;
}

// Makes entries look unused, and prunes.
int age(const std::string &root, std::chrono::milliseconds time) {
  for (const auto end = std::chrono::steady_clock::now() + time;
       std::chrono::steady_clock::now() < end;) {
    auto entries = entriesIn(root);
    if (!entries)
      return 1;
    for (const EntryAt &entry : *entries) {
      std::error_code gone;
      std::filesystem::last_write_time(root + "/objects/" + partOf(entry.id) + "/" + entry.id,
                                       std::filesystem::file_time_type::clock::now() - 3h, gone);
    }
    if (auto pruned = prune(root, 100000, 1ms); !pruned)
      if (describe(pruned.takeError()).first != Status::missing) // locked
        return 2;
  }
  return 0;
}

} // namespace

TEST_CASE("what is found is whole while others publish, prune and are killed at any point") {
  const ScratchDirectory scratch;
  const std::string &root = scratch.path();
  Cache({}, root).store(racedKey(0), racedObject(0, 0));
  std::vector<pid_t> lasting;
  lasting.reserve(5);
  for (unsigned i = 1; i <= 3; ++i)
    lasting.push_back(startProcess([&, i] { return storeAndFind(root, i, 600ms); }));
  for (int i = 0; i < 2; ++i)
    lasting.push_back(startProcess([&] { return age(root, 600ms); }));
  std::mt19937 random(1);
  for (unsigned i = 10; i < 40; ++i) {
    const pid_t victim = startProcess(
        [&, i] { return i % 3 == 0 ? age(root, 10000ms) : storeAndFind(root, i, 10000ms); });
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 15000));
    kill(victim, SIGKILL);
    CHECK(endOf(victim) == 128);
  }
  for (pid_t child : lasting)
    CHECK(endOf(child) == 0);
  for (const EntryAt &entry : llvm::cantFail(entriesIn(root))) {
    const std::string bytes = readFile(root + "/objects/" + partOf(entry.id) + "/" + entry.id);
    CHECK(inspect(entry.id, {bytes.begin(), bytes.end()}).health == Inspected::whole);
  }
  // Killed processes leave no lock, and their other remains are removed when they are an hour old.
  for (const std::string &file : filesBelow(root))
    setAge(file, 3h);
  CHECK(llvm::cantFail(prune(root, 0, 0ms)).entries == 0);
  CHECK(filesBelow(root + "/objects").empty());
}

TEST_CASE("a wait of a second for another process is told") {
  const ScratchDirectory scratch;
  const std::string root = scratch.path() + "/cache";
  const CacheKey key = racedKey(1);
  Cache first({}, root), second({}, root);
  std::optional<Leadership> held(first.lead(key));
  REQUIRE(held->isHeld());
  std::atomic<bool> waits{false};
  std::thread release([&] {
    while (!waits)
      std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(1500ms); // the other thread may take a while to begin
    held.reset();
  });
  waits = true;
  CHECK(second.lead(key).isHeld());
  release.join();
  const std::vector<std::string> warnings = second.takeWarnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].rfind("waited ", 0) == 0);
  CHECK(std::atof(warnings[0].c_str() + std::strlen("waited ")) >= 1); // more on a busy machine
  CHECK(warnings[0].find(root + "/locks/") != std::string::npos);
  CHECK(first.takeWarnings().empty());
}

TEST_CASE("of many processes one makes an entry at a time, and another one if it is killed") {
  const ScratchDirectory scratch;
  const std::string root = scratch.path() + "/cache", made = scratch.path() + "/made";
  const CacheKey key = racedKey(1);
  const auto append = [&](char what) {
    const int file = open(made.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)!write(file, &what, 1);
    close(file);
  };
  // Works like findOrCompile(), with a slow compiler; the first process never returns.
  const auto findOrMake = [&](bool isFirst) {
    Cache cache({}, root);
    if (cache.find(key))
      return 0;
    const Leadership lead = cache.lead(key);
    if (const auto found = cache.find(key))
      return isRight(*found, 1) ? 0 : 1;
    append(isFirst ? 'k' : 'm');
    std::this_thread::sleep_for(isFirst ? 10000ms : 50ms);
    cache.store(key, racedObject(1, 7));
    return 0;
  };
  const pid_t leader = startProcess([&] { return findOrMake(true); });
  for (int i = 0; i < 5000 && !std::filesystem::exists(made); ++i)
    std::this_thread::sleep_for(1ms);
  std::vector<pid_t> others;
  others.reserve(8);
  for (int i = 0; i < 8; ++i)
    others.push_back(startProcess([&] { return findOrMake(false); }));
  std::this_thread::sleep_for(30ms);
  CHECK(readFile(made) == "k"); // all wait
  kill(leader, SIGKILL);
  CHECK(endOf(leader) == 128);
  for (pid_t other : others)
    CHECK(endOf(other) == 0);
  CHECK(readFile(made) == "km");
  CHECK(filesBelow(root + "/objects").size() == 1);
}

// The time is processor time, which does not depend on the load of the machine.
TEST_CASE("a hit on disk takes less than two milliseconds") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  cache.store(racedKey(0), racedObject(0, 0));
  std::vector<double> ms;
  for (int i = 0; i < 31; ++i) {
    const std::clock_t start = std::clock();
    REQUIRE(cache.find(racedKey(0)));
    ms.push_back(1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::nth_element(ms.begin(), ms.begin() + 15, ms.end()); // the median
  CHECK(ms[15] < 2);
}
