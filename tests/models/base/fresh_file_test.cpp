// Tests which mode bits a file takes from the file that it replaces.
#include "models/base/files.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace specmv;

namespace {

constexpr uid_t kStranger = 12345; // any user but this process's

void leave(const std::string &path, mode_t mode, uid_t owner) {
  writeFile(path, "old");
  REQUIRE(chown(path.c_str(), owner, static_cast<gid_t>(-1)) == 0);
  REQUIRE(chmod(path.c_str(), mode) == 0); // behind chown, which takes setuid away
}

struct stat statusOf(const std::string &path) {
  struct stat status = {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status;
}

mode_t modeOf(const std::string &path) { return statusOf(path).st_mode & 07777; }

void replace(const std::string &path) {
  auto file = FreshFile::beside(path);
  REQUIRE(file);
  REQUIRE(write(file->descriptor(), "new", 3) == 3);
  REQUIRE(!file->publish());
  REQUIRE(readFile(path) == "new");
}

} // namespace

TEST_CASE("a file keeps the permissions of the own file that it replaces, and no setuid") {
  const ScratchDirectory folder("specmv-fresh");
  const std::string path = folder.path() + "/out";
  for (const auto &[before, after] : {std::pair{0600, 0600}, {0640, 0640}, {06755, 0755}}) {
    leave(path, static_cast<mode_t>(before), geteuid());
    replace(path);
    CHECK(modeOf(path) == static_cast<mode_t>(after));
  }
}

TEST_CASE("a file gets no more of a mode than the caller allows, in a folder by descriptor too") {
  const ScratchDirectory folder("specmv-fresh");
  const int descriptor = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  const mode_t umaskBefore = umask(0);
  for (const int before : {0, 0666, 0777}) {
    const std::string path = folder.path() + "/out";
    std::filesystem::remove(path);
    if (before != 0)
      leave(path, static_cast<mode_t>(before), geteuid());
    auto file = FreshFile::beside("out", descriptor, 0644);
    REQUIRE(file);
    REQUIRE(!file->publish());
    CHECK(modeOf(path) == (before == 0777 ? 0755 : 0644));
  }
  umask(umaskBefore);
  close(descriptor);
}

TEST_CASE("the name of a file that a killed process left tells its target") {
  CHECK(FreshFile::targetOf("a.b.123-4.tmp") == "a.b");
  for (const char *name : {"a.tmp", "a.1.tmp", "a.1-2.temp", "a.x-2.tmp", "a.1-2.tmp.tmp", ""})
    CHECK(FreshFile::targetOf(name) == "");
}

TEST_CASE("a file in a shared folder takes no mode bits of a stranger's file") {
  if (geteuid() != 0) {
    MESSAGE("skipped: only root can make a stranger's file");
    return;
  }
  const ScratchDirectory folder("specmv-fresh");
  const std::string path = folder.path() + "/out", fresh = folder.path() + "/fresh";
  replace(fresh);
  for (const int mode : {04777, 06777, 0666, 0600}) {
    leave(path, static_cast<mode_t>(mode), kStranger);
    replace(path);
    CHECK(modeOf(path) == modeOf(fresh));
    CHECK(statusOf(path).st_uid == geteuid());
  }
}

TEST_CASE("a link that is replaced lends no mode bits of the file behind it") {
  const ScratchDirectory folder("specmv-fresh");
  const std::string path = folder.path() + "/link", fresh = folder.path() + "/fresh";
  const std::string behind = folder.path() + "/program";
  replace(fresh);
  leave(behind, 0777, geteuid());
  REQUIRE(symlink(behind.c_str(), path.c_str()) == 0);
  replace(path);
  CHECK(modeOf(path) == modeOf(fresh));
  CHECK(readFile(behind) == "old");
}
