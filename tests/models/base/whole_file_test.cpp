// A writer that throws while the file cannot be written.
#include "models/base/whole_file.h"

#include "tests/runtime/scratch_directory.h"

#include <doctest/doctest.h>

#include <new>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;

namespace {

// In a child, which LLVM would end: 0 if the exception came through.
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

} // namespace

TEST_CASE("a writer for whom memory runs out ends nothing, also where the disk is full") {
  const ScratchDirectory folder("specmv-whole");
  CHECK(statusOfThrowing(folder.path() + "/file") == 0);
  CHECK(filesBelow(folder.path()).empty());
  CHECK(statusOfThrowing("/dev/full") == 0);
}
