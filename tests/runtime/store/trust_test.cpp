// Tests of who may have written the files that a cache reads: owners, modes and links, in each
// place, with the one warning for each and how to fix it.
#include "runtime/store/folder.h"

#include "models/base/error.h"
#include "runtime/store/cache.h"
#include "runtime/store/packs.h"
#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/environment.h"
#include "tests/text.h"

#include <doctest/doctest.h>

#include <functional>
#include <sys/stat.h>
#include <unistd.h>

using namespace specmv;
using specmv::testing::contains;

namespace {

CacheKey trustedKey() { return objectKey("source", {}, {}, "sm_90"); }
const CachedObject kTrusted{{'E', 'L', 'F'}, "", "", ""};

// A cache with one object. Paths are those of its root, its folders and its entry.
struct Filled {
  ScratchDirectory scratch;
  std::string root = scratch.path() + "/cache", id = trustedKey().id, kind = root + "/objects",
              folder = kind + "/" + id.substr(0, 2), entry = folder + "/" + id;
  Filled() { Cache({}, root).store(trustedKey(), kTrusted); }
  std::vector<std::string> paths() const { return {root, kind, folder, entry}; }
};

void setMode(const std::string &path, mode_t mode) { REQUIRE(chmod(path.c_str(), mode) == 0); }

// Returns the warnings of a cache that failed to find the object twice.
std::vector<std::string> warningsOf(Cache cache) {
  CHECK_FALSE(cache.find(trustedKey()));
  CHECK_FALSE(cache.find(trustedKey()));
  return cache.takeWarnings();
}

std::string whyRefused(llvm::Error error) {
  auto [status, sentence] = describe(std::move(error));
  CHECK(status == Status::badInput);
  return sentence;
}

bool finds(const std::string &root) { return Cache({}, root).find(trustedKey()).has_value(); }

} // namespace

TEST_CASE("what only this user and root may write is trusted, whoever reads it") {
  for (const uid_t owner : {0U, 1000U})
    for (const mode_t mode : {0600U, 0644U, 0755U, 01755U, 04755U})
      CHECK(whyNotTrusted({owner, mode}, "/c/x", "/c", 1000) == "");
  CHECK(whyNotTrusted({1000, 0644}, "/c/x", "/c", 0) ==
        "/c/x belongs to user 1000, not to you (user 0) or root, so it is not used; if you trust "
        "its contents, run 'chown -R 0 /c'");
  CHECK(contains(whyNotTrusted({1001, 0644}, "/c", "/c", 1000), "'chown 1000 /c'"));
}

TEST_CASE(
    "what its group or others may write is not trusted, and the mode and a way out are told") {
  CHECK(whyNotTrusted({0, 0664}, "/c/x", "/c", 0) ==
        "/c/x may be written by its group (its mode is 0664), so it is not used; if you trust its "
        "contents, run 'chmod -R go-w /c'");
  CHECK(contains(whyNotTrusted({0, 0646}, "/c", "/c", 0), "by others (its mode is 0646)"));
  CHECK(contains(whyNotTrusted({0, 01777}, "/c", "/c", 0),
                 "its group and others (its mode is 1777)"));
  CHECK(contains(whyNotTrusted({0, 01777}, "/c", "/c", 0), "; all users share it, so name a"));
}

TEST_CASE("a root, a folder below it or an entry that others may write is a miss and one warning") {
  for (const mode_t added : {S_IWGRP, S_IWOTH})
    for (size_t which = 0; which < 4; ++which) {
      const Filled filled;
      REQUIRE(finds(filled.root));
      const std::string path = filled.paths()[which];
      CAPTURE(path);
      setMode(path, 0755 | added);
      const auto warnings = warningsOf(Cache({}, filled.root));
      REQUIRE(warnings.size() == 1);
      CHECK(contains(warnings[0], path + " may be written by "));
      CHECK(contains(warnings[0], "'chmod " + std::string(which == 0 ? "" : "-R ") + "go-w " +
                                      filled.root + "'"));
      // Checks the same in a read-only place.
      CHECK(warningsOf(Cache({filled.root}, filled.scratch.path() + "/own")) == warnings);
      setMode(path, 0755);
      CHECK(finds(filled.root));
    }
}

TEST_CASE("what belongs to another user is a miss and one warning") {
  if (geteuid() != 0) {
    MESSAGE("skipped: only root can give files away");
    return;
  }
  for (size_t which = 0; which < 4; ++which) {
    const Filled filled;
    const std::string path = filled.paths()[which];
    CAPTURE(path);
    REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    const auto warnings = warningsOf(Cache({}, filled.root));
    REQUIRE(warnings.size() == 1);
    CHECK(contains(warnings[0], path + " belongs to user 65534, not to you (user 0) or root"));
    CHECK(contains(warnings[0], "chown"));
    REQUIRE(chown(path.c_str(), 0, 0) == 0);
    CHECK(finds(filled.root));
  }
}

TEST_CASE("a link below the root is a miss and one warning; the root itself may be one") {
  for (size_t which = 0; which < 4; ++which) {
    const Filled filled;
    const std::string path = filled.paths()[which], moved = filled.scratch.path() + "/moved";
    CAPTURE(path);
    std::filesystem::rename(path, moved);
    std::filesystem::create_symlink(moved, path);
    CHECK(finds(filled.root) == (which == 0));
    if (which == 0)
      continue;
    const auto warnings = warningsOf(Cache({}, filled.root));
    REQUIRE(warnings.size() == 1);
    CHECK(contains(warnings[0], path + " is a symbolic link"));
    CHECK(contains(warnings[0], "'rm " + path + "'"));
  }
}

TEST_CASE("nothing is written through a link, nor into a folder that others may write") {
  const ScratchDirectory scratch;
  const std::string root = scratch.path() + "/cache", elsewhere = scratch.path() + "/elsewhere";
  std::filesystem::create_directories(root);
  std::filesystem::create_directories(elsewhere);
  for (const char *name : {"/objects", "/wisdom", "/locks"})
    std::filesystem::create_symlink(elsewhere, root + name);
  Cache linked({}, root);
  CHECK_FALSE(linked.lead(trustedKey()).isHeld());
  linked.store(trustedKey(), kTrusted);
  linked.storeWisdom(trustedKey(), "text");
  CHECK(filesBelow(scratch.path()).empty());
  CHECK(linked.takeWarnings().size() == 1);
  setMode(elsewhere, 0777);
  Cache open({}, elsewhere);
  open.store(trustedKey(), kTrusted);
  CHECK(filesBelow(scratch.path()).empty());
  CHECK(open.takeWarnings().size() == 1);
}

TEST_CASE(
    "whatever the umask, what a cache makes is trusted, and a parent's mode does not matter") {
  const ScratchDirectory scratch;
  setMode(scratch.path(), 01777);
  const mode_t before = umask(0);
  for (const char *variable : {"SPECMV_CACHE_DIR", "XDG_CACHE_HOME"}) {
    const Environment set({{"SPECMV_CACHE_DIR", ""},
                           {"SPECMV_CACHE_PATH", ""},
                           {variable, scratch.path() + "/" + variable}});
    Cache cache = Cache::open();
    { CHECK(cache.lead(trustedKey()).isHeld()); }
    cache.store(trustedKey(), kTrusted);
    CHECK(cache.find(trustedKey()));
    CHECK(cache.takeWarnings().empty());
  }
  umask(before);
}

TEST_CASE("a pack that others may write is an error where it is named, else one warning") {
  const ScratchDirectory scratch;
  const std::string pack = scratch.path() + "/a.pack";
  writeFile(pack, llvm::cantFail(packBytes("", {packedObject(trustedKey(), kTrusted)})));
  const auto opened = llvm::cantFail(packAt(pack));
  setMode(pack, 0664);
  const std::string sentence = "the pack " + pack +
                               " may be written by its group (its mode is 0664), so it is not "
                               "used; if you trust its contents, run 'chmod go-w " +
                               pack + "'";
  CHECK(whyRefused(addPack(pack)) == sentence);
  CHECK(whyRefused(packAt(pack).takeError()) == sentence);
  for (const auto &[variable, origin] : {std::pair{"SPECMV_CACHE_PATH", "SPECMV_CACHE_PATH"},
                                         {"SPECMV_STANDARD_PACK", "the standard pack"}}) {
    const Environment set({{"SPECMV_CACHE_DIR", scratch.path() + "/own"},
                           {"SPECMV_CACHE_PATH", ""},
                           {variable, pack}});
    Cache cache = Cache::open();
    CHECK_FALSE(cache.find(trustedKey()));
    CHECK(cache.takeWarnings() == std::vector<std::string>{std::string(origin) + ": " + sentence});
    setMode(pack, 0644);
    CHECK(Cache::open().find(trustedKey()));
    setMode(pack, 0664);
  }
  if (geteuid() == 0) {
    setMode(pack, 0644);
    REQUIRE(chown(pack.c_str(), 65534, 65534) == 0);
    CHECK(contains(whyRefused(addPack(pack)), "belongs to user 65534"));
  }
}
