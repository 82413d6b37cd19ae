// Tests of whole files that are written behind links, to open files and devices, and of writers
// that throw.
#include "models/base/files.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <new>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;

namespace {

// Runs in a child, since LLVM might end it: returns 0 if the exception came through.
int statusOfThrowing(const std::string &path) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      llvm::consumeError(writeWholeFile(path, [](llvm::raw_ostream &out) {
        out << std::string(3 << 20, 'x'); // more than is buffered
        throw std::bad_alloc();
      }));
    } catch (const std::bad_alloc &) {
      _exit(0);
    }
    _exit(1);
  }
  int how = 0;
  waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

// Returns "" if the text was written, otherwise the reason.
std::string whyNotWritten(const std::string &path, const char *text) {
  llvm::Error error = writeWholeFile(path, [&](llvm::raw_ostream &out) { out << text; });
  return error ? describe(std::move(error)).second : "";
}

void link(const std::string &to, const std::string &path) {
  REQUIRE(symlink(to.c_str(), path.c_str()) == 0);
}

bool isLink(const std::string &path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

} // namespace

TEST_CASE("the file behind links is replaced, or made, and they stay") {
  const ScratchDirectory folder("specmv-whole");
  const std::string at = folder.path() + "/";
  writeFile(at + "old", "old");
  link("old", at + "first");
  link(at + "first", at + "second");
  CHECK(whyNotWritten(at + "second", "new") == "");
  CHECK(readFile(at + "old") == "new");
  CHECK(isLink(at + "first"));
  CHECK(isLink(at + "second"));
  link("made", at + "nowhere");
  CHECK(whyNotWritten(at + "nowhere", "text") == "");
  CHECK(readFile(at + "made") == "text");
  link("loop", at + "loop");
  CHECK(whyNotWritten(at + "loop", "text").find("Too many levels") != std::string::npos);
}

// A former bug: the link was followed although the kernel would have refused it.
TEST_CASE("a stranger's link in a shared folder is not followed") {
  if (geteuid() != 0) {
    MESSAGE("skipped: only root can make a stranger's link");
    return;
  }
  constexpr uid_t kStranger = 12345; // any user but this process's
  const ScratchDirectory own("specmv-whole"), shared("specmv-whole");
  REQUIRE(chmod(shared.path().c_str(), 01777) == 0);
  const std::string file = own.path() + "/mine", path = shared.path() + "/out";
  writeFile(file, "old");
  link(file, path);
  CHECK(whyNotWritten(path, "by my own link") == "");
  REQUIRE(lchown(path.c_str(), kStranger, static_cast<gid_t>(-1)) == 0);
  const std::string why = whyNotWritten(path, "by theirs");
  CHECK_MESSAGE(why.find("is a link of another user") != std::string::npos, why);
  CHECK(readFile(file) == "by my own link");
  REQUIRE(chmod(shared.path().c_str(), 0777) == 0); // as the kernel, which protects these only
  CHECK(whyNotWritten(path, "by theirs") == "");
}

// A former bug: a log to which standard output was appended was replaced, and a pipe was refused.
TEST_CASE("an open file of the process is written to where it stands, and a pipe too") {
  const ScratchDirectory folder("specmv-whole");
  const std::string log = folder.path() + "/log";
  writeFile(log, "before\n");
  const int fd = open(log.c_str(), O_WRONLY | O_APPEND);
  for (const char *names : {"/dev/fd/", "/proc/self/fd/"})
    CHECK(whyNotWritten(names + std::to_string(fd), "more\n") == "");
  const std::string path = folder.path() + "/link";
  link("/dev/fd/" + std::to_string(fd), path);
  CHECK(whyNotWritten(path, "last\n") == "");
  close(fd);
  CHECK(readFile(log) == "before\nmore\nmore\nlast\n");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(whyNotWritten("/dev/fd/" + std::to_string(ends[1]), "text") == "");
  char text[5] = {};
  CHECK(read(ends[0], text, 4) == 4);
  CHECK(std::string(text) == "text");
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("whether a file may be written is known before, and asking leaves nothing behind") {
  const ScratchDirectory folder("specmv-whole");
  const std::string path = folder.path() + "/file";
  CHECK_FALSE(llvm::errorToBool(checkWholeFile(path)));
  CHECK(filesBelow(folder.path()).empty());
  writeFile(path, "old");
  CHECK_FALSE(llvm::errorToBool(checkWholeFile(path)));
  CHECK(readFile(path) == "old");
  CHECK_FALSE(llvm::errorToBool(checkWholeFile("/dev/null")));
  for (const std::string &bad : {folder.path(), folder.path() + "/none/file"}) {
    const auto [status, sentence] = describe(checkWholeFile(bad));
    CHECK(sentence.find(bad + ": error: ") == 0);
  }
}

TEST_CASE("a writer for whom memory runs out ends nothing, also where the disk is full") {
  const ScratchDirectory folder("specmv-whole");
  CHECK(statusOfThrowing(folder.path() + "/file") == 0);
  CHECK(filesBelow(folder.path()).empty());
  CHECK(statusOfThrowing("/dev/full") == 0);
}
