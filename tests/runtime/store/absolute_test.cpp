// Tests paths that environment variables give: "~", relative ones, and none.
#include "runtime/store/cache.h"
#include "runtime/store/folder.h"
#include "runtime/store/packs.h"

#include "tests/runtime/scratch_directory.h"
#include "tests/runtime/store/environment.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <unistd.h>

using namespace specmv;

namespace {

// Changes the working directory until the end of the scope.
class In {
public:
  explicit In(const std::string &folder) { std::filesystem::current_path(folder); }
  In(const In &) = delete;
  In &operator=(const In &) = delete;
  ~In() { std::filesystem::current_path(before_); }

private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

} // namespace

// A former bug: a folder named ~ was made.
TEST_CASE("~ in variables is the home folder, as in a shell") {
  const Environment set(
      {{"HOME", "/somebody"}, {"SPECMV_CACHE_DIR", "~/kernels"}, {"SPECMV_CACHE_PATH", ""}});
  CHECK(Cache::open().path() == "/somebody/kernels");
  CHECK(environmentPath("~") == "/somebody");
  CHECK(environmentPath("~root/x").front() == '/');
  CHECK(environmentPath("/a/~/b") == "/a/~/b");
  const Environment packs(
      {{"SPECMV_CACHE_PATH", "/nowhere:~/site"}, {"SPECMV_STANDARD_PACK", "~/p"}});
  const Cache cache = Cache::open();
  REQUIRE(cache.unread().size() >= 2);
  CHECK(cache.unread()[1].find("/somebody/site:") != std::string::npos);
  CHECK(standardPackPath() == "/somebody/p");
}

// A former bug: after chdir(), the cache was another folder.
TEST_CASE("a relative path of a variable stays where it was first") {
  const ScratchDirectory first, second;
  const Environment set({{"SPECMV_CACHE_DIR", "relative-own"},
                         {"SPECMV_CACHE_PATH", "relative-site"},
                         {"SPECMV_STANDARD_PACK", "relative.pack"}});
  const std::string folder = std::filesystem::canonical(first.path());
  const auto check = [&] {
    const Cache cache = Cache::open();
    CHECK(cache.path() == folder + "/relative-own");
    REQUIRE(!cache.unread().empty());
    CHECK(cache.unread()[0].find(folder + "/relative-site:") != std::string::npos);
    CHECK(standardPackPath() == folder + "/relative.pack");
  };
  {
    const In there(first.path());
    check();
  }
  const In elsewhere(second.path());
  check();
  CHECK(absolutePath("relative-own") ==
        std::filesystem::canonical(second.path()).string() + "/relative-own");
}

TEST_CASE("an empty SPECMV_CACHE_DIR asks for no cache, without a warning") {
  const ScratchDirectory home;
  const Environment set({{"HOME", home.path()},
                         {"XDG_CACHE_HOME", ""},
                         {"SPECMV_CACHE_DIR", ""}, // unset
                         {"SPECMV_CACHE_PATH", ""}});
  CHECK_FALSE(isWithoutCache());
  CHECK(!Cache::open().path().empty());
  setenv("SPECMV_CACHE_DIR", "", 1);
  CHECK(isWithoutCache());
  Cache cache = Cache::open();
  CHECK(cache.path().empty());
  CHECK(cache.takeWarnings().empty());
  cache.storeWisdom({}, "nothing");
  CHECK(cache.takeWarnings().empty());
  CHECK(filesBelow(home.path()).empty());
}
