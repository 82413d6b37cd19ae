// Tests of the limit on a cache's size: what is removed first, what is never removed, how rarely
// the size is checked, and the values of SPECMV_CACHE_SIZE.
#include "runtime/store/prune.h"

#include "runtime/store/cache.h"
#include "runtime/store/lead.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/aged.h"
#include "tests/runtime/store/environment.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <atomic>
#include <fcntl.h>
#include <regex>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace specmv;
using namespace std::chrono_literals;
using specmv::testing::contains;

namespace {

CacheKey prunedKey(int number) { return objectKey(std::to_string(number), {}, {}, "sm_90"); }
const CachedObject kLarge{std::vector<char>(10000, 'c'), "ell", "", "", "sm_90"};

// A cache with objects 0, 1, ... Object 0 was last used as many hours ago as there are objects, and
// the last object an hour and a half ago.
struct Aged {
  ScratchDirectory scratch;
  const std::string &root = scratch.path();
  uint64_t bytes = 0; // of an entry
  explicit Aged(int count) {
    Cache cache({}, root);
    for (int i = 0; i < count; ++i) {
      cache.store(prunedKey(i), kLarge);
      setAge(path(i), std::chrono::hours(count - i) + 30min);
    }
    bytes = std::filesystem::file_size(path(0));
  }
  std::string path(int number) const {
    const std::string id = prunedKey(number).id;
    return root + "/objects/" + id.substr(0, 2) + "/" + id;
  }
  bool has(int number) const { return std::filesystem::exists(path(number)); }
};

Pruned pruned(const std::string &root, uint64_t most) {
  return llvm::cantFail(prune(root, most, 0ms));
}

} // namespace

TEST_CASE("sizes are whole numbers with K, M or G of thousands") {
  for (const auto &[text, bytes] :
       std::vector<std::pair<std::string, uint64_t>>{{"0", 0},
                                                     {"500000", 500000},
                                                     {"64K", 64000},
                                                     {"20m", 20'000'000},
                                                     {"1G", kDefaultBound},
                                                     {"18446744073709551615", ~uint64_t{0}}}) {
    const std::string &given = text;
    CAPTURE(given);
    CHECK(parseBytes(text) == bytes);
  }
  for (const char *text : {"", "K", "-1", "+1", "1.5G", "1GB", "1 G", " 1", "0x10", "1KK",
                           "18446744073709551616", "18446744073709552K"})
    CHECK_MESSAGE(!parseBytes(text), text);
}

TEST_CASE("what was not used for longest goes first, and no more than must go") {
  const Aged cache(5);
  const Pruned none = pruned(cache.root, 5 * cache.bytes);
  CHECK(none.removed == 0);
  CHECK(none.bytes == 5 * cache.bytes);
  const Pruned some = pruned(cache.root, 3 * cache.bytes + cache.bytes / 2);
  CHECK(some.removed == 2);
  CHECK(some.entries == 3);
  CHECK(some.bytes == 3 * cache.bytes);
  CHECK_FALSE(some.isTooLarge);
  for (int i = 0; i < 5; ++i)
    CHECK(cache.has(i) == (i >= 2));
}

TEST_CASE("a hit counts as a use, and tells so at most once an hour") {
  const Aged cache(4);
  const Cache reader({}, cache.root);
  REQUIRE(reader.find(prunedKey(0)));
  const auto told = std::filesystem::last_write_time(cache.path(0));
  CHECK(std::filesystem::file_time_type::clock::now() - told < 5min);
  setAge(cache.path(1), 59min);
  const auto young = std::filesystem::last_write_time(cache.path(1));
  REQUIRE(reader.find(prunedKey(1)));
  CHECK(std::filesystem::last_write_time(cache.path(1)) == young);
  REQUIRE(Cache({cache.root}, "").find(prunedKey(2))); // who only reads tells nothing
  CHECK(pruned(cache.root, 0).isTooLarge);
  CHECK(cache.has(0));
  CHECK(cache.has(1));
  CHECK_FALSE(cache.has(2));
  CHECK_FALSE(cache.has(3));
}

// A former bug: an entry that was made while a clock was wrong stayed forever, and kept all others
// that came after it.
TEST_CASE("a time far ahead counts as old, one that clocks may differ by as new") {
  const Aged cache(3);
  setAge(cache.path(0), -24h * 365);
  setAge(cache.path(1), -10min);
  setAge(cache.path(2), 10min);
  const std::string left = cache.path(0) + ".1-1.tmp";
  writeFile(left, "");
  setAge(left, -24h * 365);
  const Pruned done = pruned(cache.root, 0);
  CHECK(done.removed == 1);
  CHECK_FALSE(cache.has(0));
  CHECK(cache.has(1));
  CHECK(cache.has(2));
  CHECK_FALSE(std::filesystem::exists(left));
}

TEST_CASE("a use corrects a time far ahead") {
  const Aged cache(1);
  setAge(cache.path(0), -24h * 365);
  REQUIRE(Cache({}, cache.root).find(prunedKey(0)));
  const auto told = std::filesystem::last_write_time(cache.path(0));
  CHECK(told - std::filesystem::file_time_type::clock::now() < 5min);
}

TEST_CASE("the manual has the times that pruning keeps entries for") {
  std::string page = readFile(SPECMV_SOURCE_DIR "/runtime/package/manual/specmv-environment.7.md");
  page = std::regex_replace(page, std::regex("\\s+"), " "); // lines may break anywhere
  const std::string kept = "less than " + std::to_string(kInUse.count()) + " minutes old",
                    sure = "within the last " + std::to_string((kInUse - kUseIsTold).count()) +
                           " minutes";
  CHECK_MESSAGE(page.find(kept) != std::string::npos, kept);
  CHECK_MESSAGE(page.find(sure) != std::string::npos, sure);
}

TEST_CASE("what is in use or not ours is never removed, what dead processes left is") {
  const Aged cache(2);
  const std::string id = prunedKey(0).id, folder = cache.root + "/objects/" + id.substr(0, 2);
  const std::string stay[] = {folder + "/" + id + ".1-1.tmp",
                              cache.root + "/locks/ab",
                              cache.root + "/objects/" + id,
                              cache.root + "/objects/zz/" + id,
                              cache.root + "/other/" + id.substr(0, 2) + "/" + id,
                              folder + "/" + std::string(32, 'g'),
                              folder + "/" + std::string(32, id[0] == '0' ? '1' : '0'),
                              folder + "/README"};
  for (const std::string &path : stay) {
    writeFile(path, std::string(1000, 'x'));
    setAge(path, path.ends_with(".tmp") ? 1min : 1000h);
  }
  writeFile(folder + "/" + id + ".1-2.tmp", "");
  setAge(folder + "/" + id + ".1-2.tmp", 2h);
  setAge(cache.path(1), 10min);
  const Pruned done = pruned(cache.root, 0);
  CHECK(done.removed == 1);
  CHECK(done.entries == 1);
  CHECK(done.isTooLarge);
  CHECK_FALSE(cache.has(0));
  CHECK(cache.has(1));
  CHECK_FALSE(std::filesystem::exists(folder + "/" + id + ".1-2.tmp"));
  for (const std::string &path : stay)
    CHECK_MESSAGE(std::filesystem::exists(path), path);
}

// A former bug: the file was removed.
TEST_CASE("a file of somebody else's whose name is that of an entry stays, and is not counted") {
  for (const char *bytes : {"mine", "", "specmv wisdom 3 1 1\n", "specmv objects x"}) {
    CAPTURE(bytes);
    const Aged cache(2);
    const std::string path = cache.path(0);
    writeFile(path, bytes);
    setAge(path, 1000h);
    const Pruned done = pruned(cache.root, 0);
    CHECK(done.removed == 1);
    CHECK(done.entries == 0);
    CHECK(done.bytes == 0);
    CHECK(readFile(path) == bytes);
  }
}

// A former bug: entries that another process had removed were counted as left.
TEST_CASE("entries that vanish meanwhile are not counted as left") {
  const Aged cache(40);
  const pid_t other = fork();
  if (other == 0) {
    for (int i = 0; i < 40; ++i)
      std::filesystem::remove(cache.path(i));
    _exit(0);
  }
  const Pruned done = pruned(cache.root, 0);
  waitpid(other, nullptr, 0);
  CHECK(done.entries == 0);
  CHECK(done.bytes == 0);
}

// A former bug: another process was blamed.
// Another thread uses entries, the newest first, as soon as the oldest one is gone. Until they are
// removed there is time for many, unless the machine is busy; then it is tried again.
TEST_CASE("what is used after it was listed stays") {
  constexpr int kEntries = 200, kTries = 50, kEnough = 10;
  int used = 0, lost = 0;
  for (int i = 0; i < kTries && used < kEnough; ++i) {
    const Aged cache(kEntries);
    std::atomic<bool> isOver = false;
    std::vector<int> kept;
    std::thread user([&] {
      while (cache.has(0) && !isOver)
        std::this_thread::yield();
      for (int k = kEntries - 1;
           k > 0 && utimensat(AT_FDCWD, cache.path(k).c_str(), nullptr, 0) == 0; --k)
        kept.push_back(k);
    });
    pruned(cache.root, 0);
    isOver = true;
    user.join();
    for (const int k : kept)
      used += cache.has(k), lost += !cache.has(k);
  }
  CHECK(used >= kEnough);
  CHECK(lost <= kTries); // what is used between the last look and the removal
}

TEST_CASE("a lock that cannot be had has its own reason") {
  const Aged cache(1);
  std::filesystem::create_directories(cache.root + "/locks/prune"); // in the place of the file
  const auto [status, sentence] = describe(prune(cache.root, 0, 0ms).takeError());
  CHECK(status == Status::missing);
  CHECK(sentence ==
        cache.root + " is not pruned: cannot lock " + cache.root + "/locks/prune: Is a directory");
}

TEST_CASE("one process prunes at a time, and nothing is pruned that is not trusted") {
  const Aged cache(2);
  pruned(cache.root, ~uint64_t{0}); // makes the lock's file
  {
    const Leadership other = Leadership::take(cache.root + "/locks/prune");
    REQUIRE(other.isHeld());
    const auto [status, sentence] = describe(prune(cache.root, 0, 0ms).takeError());
    CHECK(status == Status::missing);
    CHECK(contains(sentence, "another process is pruning " + cache.root));
  }
  std::filesystem::permissions(cache.root + "/objects", std::filesystem::perms(0777));
  CHECK(describe(prune(cache.root, 0, 0ms).takeError()).first == Status::badInput);
  CHECK(cache.has(0));
  const ScratchDirectory empty;
  CHECK(pruned(empty.path(), 0).entries == 0);
}

TEST_CASE("about 32 times in publishing the bound somebody looks, less often for small entries") {
  const auto looks = [](uint64_t bytes, uint64_t bound, int count) {
    int times = 0;
    for (int i = 0; i < count; ++i)
      times += isTimeToPrune(prunedKey(i).id, bytes, bound);
    return times;
  };
  const int large = looks(10000, 10'000'000, 1000); // as much as the bound
  CHECK(large > 15);
  CHECK(large < 60);
  CHECK(looks(10, 10'000'000, 1000) <= 2);
  CHECK(looks(10000, 10000, 100) == 100);
  CHECK(looks(10000, 0, 1000) == 0);
}

TEST_CASE(
    "publishing keeps the folder within SPECMV_CACHE_SIZE, and a value that is none is told") {
  for (const auto &[size, stays] : {std::pair{"25K", 2}, {"0", 12}, {"", 12}, {"nonsense", 12}}) {
    const Aged old(10);
    const Environment set(
        {{"SPECMV_CACHE_DIR", old.root}, {"SPECMV_CACHE_PATH", ""}, {"SPECMV_CACHE_SIZE", size}});
    Cache cache = Cache::open();
    for (int i = 10; i < 12; ++i)
      cache.store(prunedKey(i), kLarge);
    CHECK(llvm::cantFail(entriesIn(old.root)).size() == static_cast<size_t>(stays));
    CHECK(cache.find(prunedKey(11))); // in use
    const auto warnings = cache.takeWarnings();
    CHECK(warnings.size() == (size == std::string("nonsense") ? 1 : 0));
    for (const std::string &warning : warnings)
      CHECK(contains(warning, "SPECMV_CACHE_SIZE = 'nonsense' is not a number of bytes"));
  }
}
