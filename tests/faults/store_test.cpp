// Tests the cache on disk when one system call fails, when all calls from some point on fail, or
// when the process is killed there: wrong data is never read, and every remaining file is complete
// or temporary.
#include "tests/faults/campaign.h"

#include "models/base/files.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/packs.h"
#include "runtime/store/prune.h"
#include "runtime/store/wisdom.h"
#include "tests/runtime/processes.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/aged.h"
#include "tests/runtime/store/raced.h"

#include <doctest/doctest.h>

#include <cerrno>

using namespace specmv;
using namespace specmv::testing;
using namespace std::chrono_literals;

namespace {

constexpr int kOld = 1, kNew = 2; // keys

CacheKey wisdomOfTest() { return wisdomKey("pattern", "gpu", "problem"); }

void storeOld(const std::string &root) {
  Cache cache({}, root);
  cache.store(racedKey(kOld), racedObject(kOld, 1));
  remember(cache, wisdomOfTest(), {.plan = "old"});
  for (const std::string &file : filesBelow(root))
    setAge(file, 3h);
}

bool isRightIfFound(const Cache &cache, int key) {
  const auto found = cache.find(racedKey(key));
  return !found || isRight(*found, key);
}

bool isKnownIfFound(const Cache &cache) {
  const auto found = recall(cache, wisdomOfTest());
  return !found || found->plan == "old" || found->plan == "new";
}

void exportTo(const std::string &pack) {
  const std::string bytes =
      llvm::cantFail(packBytes("manifest\n", {packedObject(racedKey(kNew), racedObject(kNew, 2))}));
  llvm::consumeError(writeWholeFile(pack, [&](llvm::raw_ostream &out) { out << bytes; }));
}

// Makes every kind of access to a cache. Returns true if everything that it found was right.
bool workOn(const std::string &root) {
  Cache cache({}, root);
  bool isGood = isRightIfFound(cache, kOld);
  {
    const Leadership lead = cache.lead(racedKey(kNew));
    cache.store(racedKey(kNew), racedObject(kNew, 2));
  }
  cache.store(racedKey(kOld), racedObject(kOld, 2)); // over one that is there
  remember(cache, wisdomOfTest(), {.plan = "new"});
  isGood = isGood && isRightIfFound(cache, kNew) && isRightIfFound(cache, kOld);
  isGood = isGood && isKnownIfFound(cache);
  llvm::consumeError(prune(root, 30000, 0ms).takeError());
  exportTo(root + "/out.pack");
  return isGood && isRightIfFound(cache, kNew) && isRightIfFound(cache, kOld);
}

bool isTemporary(const std::string &file) {
  return !FreshFile::targetOf(std::filesystem::path(file).filename().string()).empty();
}

// Checks that the remaining files are complete and that the next process can use them.
void checkLeft(const std::string &root) {
  for (const EntryAt &entry : llvm::cantFail(entriesIn(root))) {
    const std::string bytes =
        readFile(root + "/" + entry.kind->folder + "/" + partOf(entry.id) + "/" + entry.id);
    CHECK(inspect(entry.id, {bytes.begin(), bytes.end()}).health == Inspected::whole);
  }
  if (std::filesystem::exists(root + "/out.pack"))
    CHECK_MESSAGE(PackFile::open(root + "/out.pack"), "half a pack");
  long temporaries = 0;
  for (const std::string &file : filesBelow(root))
    temporaries += isTemporary(file);
  CHECK(temporaries <= 1);
  CHECK(workOn(root));
  Cache cache({}, root);
  cache.store(racedKey(kNew), racedObject(kNew, 3));
  const auto found = cache.find(racedKey(kNew));
  REQUIRE(found);
  CHECK(isRight(*found, kNew));
}

// Counts the calls that can fail.
long callsOfWork() {
  const ScratchDirectory scratch;
  storeOld(scratch.path());
  failCalls(0, 0, 0);
  CHECK(workOn(scratch.path()));
  return callsMade();
}

// Takes each call of the work in turn, or a sample that begins at `start`; `perform` does the work
// with a failure at that call.
template <class F> void forEachCall(long start, const F &perform) {
  const long calls = callsOfWork(), step = isLongCampaign() ? 1 : 7;
  CHECK(calls > 50);
  long trials = 0;
  for (long first = step > 1 ? start % step + 1 : 1; first <= calls; first += step, ++trials) {
    CAPTURE(first);
    const ScratchDirectory scratch;
    storeOld(scratch.path());
    perform(scratch.path(), first);
    checkLeft(scratch.path());
  }
  if (isLongCampaign())
    MESSAGE(trials << " trials");
}

} // namespace

TEST_CASE("no system call that fails makes a wrong entry, or one of which half is there") {
  for (const int error : {EIO, ENOSPC, EINTR, EACCES})
    for (const long count : {1L, kAllCalls}) {
      CAPTURE(error);
      CAPTURE(count);
      forEachCall(error + count % 3, [&](const std::string &root, long first) {
        // An interrupted call is tried again, so some attempt must succeed.
        const long failures = error == EINTR && count > 1 ? 3 : count;
        failCalls(first, failures, error);
        const bool isGood = workOn(root);
        failCalls(0, 0, 0);
        CHECK(isGood);
      });
    }
}

// Network file systems report at the close that earlier writes failed.
TEST_CASE("a file whose close fails is not published, and one that is interrupted is") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/file";
  const auto written = [&](int error) {
    auto file = FreshFile::beside(path);
    REQUIRE(file);
    REQUIRE(write(file->descriptor(), "new", 3) == 3);
    failCloses(error);
    const std::error_code result = file->publish();
    failCloses(0);
    return result.value();
  };
  for (const int error : {EIO, ENOSPC, EDQUOT}) {
    CHECK(written(error) == error);
    CHECK(filesBelow(scratch.path()).empty());
  }
  writeFile(path, "old");
  CHECK(written(EIO) == EIO);
  CHECK(filesBelow(scratch.path()).size() == 1);
  CHECK(readFile(path) == "old");
  CHECK(written(EINTR) == 0); // the descriptor is closed all the same
  CHECK(readFile(path) == "new");
}

TEST_CASE(
    "a process that is killed at any call leaves whole entries and at most a temporary file") {
  forEachCall(0, [](const std::string &root, long first) {
    CHECK(endOf(startProcess([&] {
            failCalls(first, 1, FAIL_CALLS_KILL);
            return workOn(root) ? 0 : 1;
          })) == 128);
  });
}
