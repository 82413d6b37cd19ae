// Tests of sweeping: stale files of dead processes, by name and age, and nothing else.
#include "runtime/store/prune.h"

#include "runtime/store/cache.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/aged.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace std::chrono_literals;

TEST_CASE("names of temporary files are those of an entry, a process and a number") {
  const std::string id(32, 'a');
  CHECK(isTemporaryName(id + ".123-0.tmp"));
  CHECK(isTemporaryName(id + ".1-999.tmp"));
  for (const std::string &name :
       std::vector<std::string>{id, id + ".tmp", id + ".1-.tmp", id + ".-1.tmp", id + ".1-1",
                                id + ".1-1.tmp2", "a.1-1.tmp", id + "a.1-1.tmp", ".1-1.tmp",
                                id + ".1x-1.tmp", std::string(32, 'A') + ".1-1.tmp"})
    CHECK_MESSAGE(!isTemporaryName(name), name);
}

TEST_CASE("publishing sweeps what is older than an hour and named as ours, and nothing else") {
  const ScratchDirectory scratch;
  const CacheKey key = objectKey("source", {}, {}, "sm_90");
  const std::string folder = scratch.path() + "/objects/" + key.id.substr(0, 2) + "/",
                    stale = folder + key.id + ".12-0.tmp", fresh = folder + key.id + ".12-1.tmp",
                    other = folder + key.id.substr(0, 2) + std::string(30, '0'),
                    foreign = folder + "notes.tmp",
                    outside = scratch.path() + "/" + key.id + ".12-0.tmp",
                    link = folder + key.id + ".12-2.tmp";
  for (const std::string &path : {stale, fresh, other, foreign, outside})
    writeFile(path, "partial");
  for (const std::string &path : {stale, other, foreign, outside})
    setAge(path, 61min);
  setAge(fresh, 59min);
  std::filesystem::create_symlink(outside, link);
  std::filesystem::create_directory(folder + key.id + ".12-3.tmp");
  Cache cache({}, scratch.path());
  cache.store(key, {{'E'}, "", "", ""});
  CHECK_FALSE(std::filesystem::exists(stale));
  for (const std::string &path :
       {fresh, other, foreign, outside, link, folder + key.id + ".12-3.tmp"})
    CHECK_MESSAGE(std::filesystem::exists(path), path);
  CHECK(cache.find(key));
  CHECK(cache.takeWarnings().empty());
}
