// Tests that a tool that runs with the rights of another user does not follow its caller's
// environment.
#include "tests/sanitized.h"
#include "tests/tool/tool_testing.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace tooltest;

TEST_CASE("a setuid program does not read the environment of who started it") {
  if (kSanitized) {
    MESSAGE("skipped: LeakSanitizer does not work in a setuid program");
    return;
  }
  const std::string copy = scratch("setuid/specmv");
  writeFile(copy, readFile(SPECMV_TOOL));
  struct statvfs mount = {};
  REQUIRE(statvfs(copy.c_str(), &mount) == 0);
  if (geteuid() != 0 || (mount.f_flag & (ST_NOSUID | ST_NOEXEC)) != 0 ||
      prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) {
    MESSAGE("skipped: no setuid program can be made here");
    return;
  }
  REQUIRE(chmod(copy.c_str(), 0755) == 0);
  const Setting setting{{"SPECMV_LOG=nonsense"}, ""};
  CHECK(messages(runProgram(copy, {"generate", "--list"}, setting), "warning") == 1);
  REQUIRE(chown(copy.c_str(), 65534, 65534) == 0);
  REQUIRE(chmod(copy.c_str(), 04755) == 0); // behind chown, which takes setuid away
  const Outcome raised = runProgram(copy, {"generate", "--list"}, setting);
  CHECK(raised.status == 0);
  CHECK(raised.err == "");
}
