// Tests of the cache of objects: keys, hits, misses for every kind of damage, packs, unusable
// directories, and the environment variables.
#include "runtime/store/cache.h"

#include "runtime/store/entry_file.h"
#include "runtime/store/packs.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/environment.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;

namespace {

const CachedObject kObject{{'\177', 'E', 'L', 'F', '\0', '\n', '\377'},
                           "ell",
                           "NVRTC 13.0",
                           "info: used 32 registers",
                           "sm_90"};

CacheKey objectKeyOf(const std::string &source) { return objectKey(source, {}, {}, "sm_90"); }

bool isObject(const std::optional<CachedObject> &found, const CachedObject &wanted = kObject) {
  return found && found->cubin == wanted.cubin && found->name == wanted.name &&
         found->compiler == wanted.compiler && found->log == wanted.log &&
         found->arch == wanted.arch;
}

} // namespace

TEST_CASE("a key tells all that determines the object, and its id is 32 hexadecimal digits") {
  const EmbeddedFile a{"a.cuh", "", "digest"}, b{"b.cuh", "", "digest"},
      changed{"a.cuh", "", "Digest"};
  const std::vector<std::string> none, fast{"-O3"}, both{"-O3", "-g"}, joined{"-O3-g"};
  std::set<std::string> ids, digests;
  size_t keys = 0;
  for (const char *source : {"s", "S", ""})
    for (const char *arch : {"sm_90", "sm_9"})
      for (const auto &options : {none, fast, both, joined})
        for (const auto &headers : {std::vector<EmbeddedFile>{}, {a}, {b}, {changed}, {a, b}}) {
          const CacheKey key = objectKey(source, headers, options, arch);
          CHECK(key.id.size() == 32);
          CHECK(key.id.find_first_not_of("0123456789abcdef") == std::string::npos);
          ids.insert(key.id);
          digests.insert(key.digest);
          ++keys;
        }
  CHECK(ids.size() == keys);
  CHECK(digests.size() == keys);
}

TEST_CASE("text that looks like the next field does not make two keys one") {
  const std::vector<std::string> one{"-O3\noption 2\n-g"}, two{"-O3", "-g"};
  CHECK(objectKey("s", {}, one, "sm_90").digest != objectKey("s", {}, two, "sm_90").digest);
}

TEST_CASE("the id is the BLAKE3 digest of the text, so that packs outlive this build") {
  const CacheKey key = objectKey("s", {}, {}, "sm_90");
  CHECK(key.digest == blake3Of("specmv objects 3\narch 5\nsm_90\nsource 1\ns\n"));
  CHECK(key.id == "c03f151626acc6f42c60332b254b7884");
}

TEST_CASE("what was stored is found, by another cache of the same directory too") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path() + "/not/yet/there");
  CHECK_FALSE(cache.find(objectKeyOf("a")));
  cache.store(objectKeyOf("a"), kObject);
  cache.store(objectKeyOf("empty"), {});
  CHECK(isObject(cache.find(objectKeyOf("a"))));
  CHECK(isObject(Cache({}, cache.path()).find(objectKeyOf("a"))));
  CHECK(isObject(cache.find(objectKeyOf("empty")), {}));
  CHECK_FALSE(cache.find(objectKeyOf("b")));
  CHECK(cache.takeWarnings().empty());
}

TEST_CASE(
    "an entry is little more than its cubin, however long the source, and the same in a pack") {
  const ScratchDirectory scratch;
  const CacheKey key = objectKeyOf(std::string(100000, 's'));
  const CachedObject object{std::vector<char>(9000, 'c'), "csr-merge", "NVRTC 13.0", "", "sm_90"};
  Cache({}, scratch.path()).store(key, object);
  const std::string bytes = readFile(filesBelow(scratch.path()).at(0));
  CHECK(bytes.size() < 9000 + 150);
  CHECK(bytes == packedObject(key, object).bytes);
}

TEST_CASE("an entry lies under its id, and what was stored last is found") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  const std::string id = objectKeyOf("a").id;
  cache.store(objectKeyOf("a"), {});
  cache.store(objectKeyOf("a"), kObject);
  CHECK(isObject(cache.find(objectKeyOf("a"))));
  CHECK(filesBelow(scratch.path()) ==
        std::vector<std::string>{scratch.path() + "/objects/" + id.substr(0, 2) + "/" + id});
}

TEST_CASE("whatever byte of an entry is changed, wherever it is cut or continued, it is a miss") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  cache.store(objectKeyOf("a"), kObject);
  const std::string path = filesBelow(scratch.path()).at(0), intact = readFile(path);
  for (size_t i = 0; i < intact.size(); ++i) {
    std::string flipped = intact;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    writeFile(path, flipped);
    CHECK_FALSE(cache.find(objectKeyOf("a")));
    writeFile(path, intact.substr(0, i));
    CHECK_FALSE(cache.find(objectKeyOf("a")));
  }
  for (const std::string &tail : {std::string(1, '\0'), std::string("\n"), intact}) {
    writeFile(path, intact + tail);
    CHECK_FALSE(cache.find(objectKeyOf("a")));
  }
  writeFile(path, std::string(intact.size(), '\0')); // as a crash of the machine may leave it
  CHECK_FALSE(cache.find(objectKeyOf("a")));
  cache.store(objectKeyOf("a"), kObject);
  CHECK(isObject(cache.find(objectKeyOf("a"))));
}

TEST_CASE("an intact entry of another key or kind under the name is a miss") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  const CacheKey a = objectKeyOf("a"), collision{objectKeyOf("b").digest, a.id};
  cache.store(a, kObject);
  CHECK(isObject(cache.find(a)));
  CHECK_FALSE(cache.find(collision));
  CHECK(cache.findWisdom(a).empty());
  std::filesystem::rename(scratch.path() + "/objects", scratch.path() + "/wisdom");
  CHECK(cache.findWisdom(a).empty());
}

TEST_CASE("a directory where the entry should be is a miss and one warning") {
  const ScratchDirectory scratch;
  Cache cache({}, scratch.path());
  const std::string id = objectKeyOf("a").id;
  writeFile(scratch.path() + "/objects/" + id.substr(0, 2) + "/" + id + "/file", "");
  CHECK_FALSE(cache.find(objectKeyOf("a")));
  cache.store(objectKeyOf("a"), kObject);
  CHECK_FALSE(cache.find(objectKeyOf("a")));
  CHECK(cache.takeWarnings().size() == 1);
  CHECK(filesBelow(scratch.path()).size() == 1);
}

TEST_CASE("a directory that cannot be made costs one warning, which names it") {
  const ScratchDirectory scratch;
  writeFile(scratch.path() + "/file", "");
  Cache cache({}, scratch.path() + "/file/cache");
  for (const char *source : {"a", "b"}) {
    cache.store(objectKeyOf(source), kObject);
    cache.storeWisdom(objectKeyOf(source), "text");
    CHECK_FALSE(cache.find(objectKeyOf(source)));
  }
  const std::vector<std::string> warnings = cache.takeWarnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find(scratch.path() + "/file/cache") != std::string::npos);
  CHECK(warnings[0].find("Not a directory") != std::string::npos);
  CHECK(cache.takeWarnings().empty());
}

TEST_CASE("packs are asked first, in their order, and never written to") {
  const ScratchDirectory scratch;
  const std::string first = scratch.path() + "/1", second = scratch.path() + "/2",
                    own = scratch.path() + "/own";
  const auto named = [](const char *name) { return CachedObject{{}, name, "", ""}; };
  Cache({}, first).store(objectKeyOf("a"), named("first"));
  Cache({}, second).store(objectKeyOf("a"), named("second"));
  Cache({}, second).store(objectKeyOf("b"), named("second"));
  Cache cache({first, second, scratch.path() + "/absent"}, own);
  for (const char *source : {"a", "b", "c"})
    cache.store(objectKeyOf(source), named("own"));
  CHECK(cache.find(objectKeyOf("a"))->name == "first");
  CHECK(cache.find(objectKeyOf("b"))->name == "second");
  CHECK(cache.find(objectKeyOf("c"))->name == "own");
  CHECK(filesBelow(first).size() == 1);
  CHECK(filesBelow(second).size() == 2);
  writeFile(filesBelow(first).at(0), "damaged");
  CHECK(cache.find(objectKeyOf("a"))->name == "second");
  CHECK(cache.takeWarnings().empty());
}

TEST_CASE("without a writable directory nothing is kept, and that is no warning of its own") {
  const ScratchDirectory scratch;
  Cache({}, scratch.path()).store(objectKeyOf("a"), kObject);
  Cache cache({scratch.path()}, "");
  cache.store(objectKeyOf("b"), kObject);
  CHECK(isObject(cache.find(objectKeyOf("a"))));
  CHECK_FALSE(cache.find(objectKeyOf("b")));
  CHECK(filesBelow(scratch.path()).size() == 1);
  CHECK(cache.takeWarnings().empty());
}

TEST_CASE("a new directory is for its owner alone, unless SPECMV_CACHE_DIR names it") {
  const ScratchDirectory scratch;
  const std::string &top = scratch.path();
  const mode_t before = umask(022);
  for (const char *variable : {"SPECMV_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    std::vector<std::pair<std::string, std::string>> set{
        {"SPECMV_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}, {"SPECMV_CACHE_PATH", ""}};
    for (auto &[name, value] : set)
      if (name == variable)
        value = top + "/" + variable + "/below";
    const Environment environment(set);
    Cache::open().store(objectKeyOf("a"), kObject);
  }
  umask(before);
  const auto modeOf = [&](const std::string &path) {
    struct stat status;
    return stat((top + path).c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  };
  CHECK(modeOf("/SPECMV_CACHE_DIR") == 0755);
  CHECK(modeOf("/SPECMV_CACHE_DIR/below") == 0755);
  CHECK(modeOf("/SPECMV_CACHE_DIR/below/objects") == 0755);
  CHECK(modeOf("/XDG_CACHE_HOME/below/specmv") == 0700);
  CHECK(modeOf("/HOME/below/.cache") == 0700);
  CHECK(modeOf("/HOME/below/.cache/specmv") == 0700);
  CHECK(modeOf("/HOME/below/.cache/specmv/objects") == 0755);
  for (const std::string &file : filesBelow(top))
    CHECK(modeOf(file.substr(top.size())) == 0644);
}

TEST_CASE("the environment names the directories, the more specific variable first") {
  const auto pathFor = [](const char *dir, const char *xdg, const char *home) {
    const Environment set({{"SPECMV_CACHE_DIR", dir},
                           {"XDG_CACHE_HOME", xdg},
                           {"HOME", home},
                           {"SPECMV_CACHE_PATH", ""}});
    Cache cache = Cache::open();
    CHECK(cache.takeWarnings().empty() == !cache.path().empty());
    return cache.path();
  };
  CHECK(pathFor("/d", "/x", "/h") == "/d");
  CHECK(pathFor("", "/x", "/h") == "/x/specmv");
  CHECK(pathFor("", "relative", "/h") == "/h/.cache/specmv");
  CHECK(pathFor("", "", "/h") == "/h/.cache/specmv");
  CHECK(pathFor("", "", "").empty());
  CHECK(pathFor("own", "", "") == std::filesystem::current_path().string() + "/own");
}

TEST_CASE("SPECMV_CACHE_PATH lists packs, and one that is not there is a warning") {
  const ScratchDirectory scratch;
  Cache({}, scratch.path() + "/pack").store(objectKeyOf("a"), kObject);
  const Environment set(
      {{"SPECMV_CACHE_DIR", scratch.path() + "/own"},
       {"SPECMV_CACHE_PATH", ":" + scratch.path() + "/absent::" + scratch.path() + "/pack"}});
  Cache cache = Cache::open();
  CHECK(isObject(cache.find(objectKeyOf("a"))));
  const std::vector<std::string> warnings = cache.takeWarnings();
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].rfind("SPECMV_CACHE_PATH: there is no name before, between", 0) == 0);
  CHECK(warnings[1] ==
        "SPECMV_CACHE_PATH: " + scratch.path() + "/absent: No such file or directory");
}

TEST_CASE("a pack that may not be read is a warning with the reason, and one that may is none") {
  const ScratchDirectory scratch;
  const std::string closed = scratch.path() + "/closed", file = scratch.path() + "/file";
  using std::filesystem::perms;
  std::filesystem::permissions(scratch.path(), perms(0755));
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed, perms::none);
  writeFile(file, "");
  const Environment set({{"SPECMV_CACHE_DIR", scratch.path() + "/own"},
                         {"SPECMV_CACHE_PATH", closed + ":" + scratch.path() + ":" + file}});
  const std::vector<std::string> expected{
      "SPECMV_CACHE_PATH: " + closed + ": Permission denied",
      "SPECMV_CACHE_PATH: " + scratch.path() +
          " is not a cache folder: it has neither objects nor wisdom",
      "SPECMV_CACHE_PATH: " + file +
          " is not a pack: its first line is not that of a pack; make it "
          "again with 'specmv pregen'"};
  // A separate process in which root becomes the user nobody, since root may read everything.
  const pid_t child = fork();
  if (child == 0)
    _exit(geteuid() == 0 && setuid(65534) != 0 ? 2 : Cache::open().takeWarnings() != expected);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
