// Tests of cache files: publishing is all or nothing under failing system calls, sudden death and
// concurrent writers; and which files reading refuses.
#include "runtime/store/entry_file.h"

#include "models/base/error.h"
#include "runtime/store/cache.h"
#include "runtime/store/folder.h"
#include "tests/runtime/scratch_directory.h"
#include "llvm/Support/BLAKE3.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace specmv;

namespace {

// Runs f in a child process, which exits with its result.
pid_t start(const std::function<int()> &f) {
  const pid_t child = fork();
  if (child == 0)
    _exit(f());
  return child;
}

// The exit status of a child, or minus the signal that ended it.
int wait(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int runChild(const std::function<int()> &f) { return wait(start(f)); }

// From here on, these calls perform `action` (a return value of seccomp filters) in this process.
// Returns false if the kernel does not allow that.
bool intercept(std::initializer_list<int> calls, uint32_t action) {
  std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#ifdef SYS_rename
const std::initializer_list<int> kRename{SYS_rename, SYS_renameat, SYS_renameat2};
#else
const std::initializer_list<int> kRename{SYS_renameat2};
#endif

constexpr int kNoSeccomp = 77; // exit status of a child that could not intercept

// Publishes the bytes. Returns the error message; "" for success.
std::string publish(const std::string &path, const std::string &bytes) {
  const std::filesystem::path at(path);
  auto folder = Folder::open(at.parent_path());
  llvm::Error error = folder ? publishFile(*folder, at.filename(), bytes) : folder.takeError();
  return error ? describe(std::move(error)).second : "";
}

// Publishes in a child in which `calls` perform `action`. Returns how the child ended: 0 if it
// published, 1 if it was refused with the reason in its message.
int publishWith(std::initializer_list<int> calls, uint32_t action, const std::string &path,
                const std::string &reason) {
  return runChild([&] {
    if (!intercept(calls, action))
      return kNoSeccomp;
    const std::string sentence = publish(path, "new");
    if (sentence.empty())
      return 0;
    return sentence.find(reason) != std::string::npos ? 1 : 2;
  });
}

} // namespace

// A former bug: the sections of such an entry pointed nowhere.
TEST_CASE("an entry whose first line has no end is none, also if its digest is right") {
  const std::string whole = packEntry(kWisdomEntry, {"", ""});
  const std::string line = whole.substr(0, whole.find('\n'));
  CHECK_FALSE(unpackEntry(kWisdomEntry, line + blake3Of(line)));
  CHECK(unpackEntry(kWisdomEntry, line + "\n" + blake3Of(line + "\n")));
}

TEST_CASE("a published file holds the bytes, and replaces what was there") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/file";
  for (const std::string &bytes : {std::string("first"), std::string("a\0b", 3), std::string()}) {
    CHECK(publish(path, bytes).empty());
    CHECK(readFile(path) == bytes);
  }
  CHECK(filesBelow(scratch.path()) == std::vector<std::string>{path});
}

TEST_CASE("a percent sign in the directory's name stays what it is") {
  const ScratchDirectory scratch("100%%");
  CHECK(publish(scratch.path() + "/file", "bytes").empty());
  CHECK(readFile(scratch.path() + "/file") == "bytes");
}

TEST_CASE("a symbolic link under the final name is replaced, not written through") {
  const ScratchDirectory scratch;
  writeFile(scratch.path() + "/victim", "untouched");
  std::filesystem::create_symlink(scratch.path() + "/victim", scratch.path() + "/file");
  CHECK(publish(scratch.path() + "/file", "bytes").empty());
  CHECK(readFile(scratch.path() + "/victim") == "untouched");
  CHECK(readFile(scratch.path() + "/file") == "bytes");
  CHECK(!std::filesystem::is_symlink(scratch.path() + "/file"));
}

TEST_CASE("a failing write, fsync or rename is an error that says why and leaves nothing behind") {
  struct Failure {
    std::initializer_list<int> calls;
    int error;
    const char *reason;
  };
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/file";
  writeFile(path, "old");
  for (const Failure &f : {Failure{{SYS_write}, ENOSPC, "No space left on device"},
                           Failure{{SYS_fsync}, EIO, "Input/output error"},
                           Failure{kRename, EDQUOT, "Disk quota exceeded"}}) {
    const int status =
        publishWith(f.calls, SECCOMP_RET_ERRNO | static_cast<uint32_t>(f.error), path, f.reason);
    if (status == kNoSeccomp) {
      MESSAGE("skipped: seccomp filters are not allowed here");
      return;
    }
    CHECK(status == 1);
    CHECK(readFile(path) == "old");
    CHECK(filesBelow(scratch.path()).size() == 1);
  }
}

TEST_CASE("a process that is killed before the rename leaves the old file, and the path usable") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/file";
  writeFile(path, "old");
  const int status = publishWith(kRename, SECCOMP_RET_KILL_PROCESS, path, "");
  if (status == kNoSeccomp) {
    MESSAGE("skipped: seccomp filters are not allowed here");
    return;
  }
  CHECK(status == -SIGSYS);
  CHECK(readFile(path) == "old");
  CHECK(filesBelow(scratch.path()).size() == 2); // with the temporary of the dead
  CHECK(publish(path, "new").empty());
  CHECK(readFile(path) == "new");
}

TEST_CASE("a limit on the size of files is an error, not the signal that ends the process") {
  const ScratchDirectory scratch;
  const int status = runChild([&] {
    const rlimit limit{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return 3;
    const std::string small = publish(scratch.path() + "/small", std::string(1000, 's'));
    const std::string large = publish(scratch.path() + "/large", std::string(1001, 'l'));
    return small.empty() && large.find("File too large") != std::string::npos ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(filesBelow(scratch.path()) == std::vector<std::string>{scratch.path() + "/small"});
}

TEST_CASE("what is no regular file of a sensible size is not read") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/entry";
  CHECK_FALSE(readEntryFile(path));            // absent
  CHECK_FALSE(readEntryFile(scratch.path()));  // a directory
  CHECK_FALSE(readEntryFile("/dev/zero"));     // a device
  CHECK_FALSE(readEntryFile(path + "/below")); // below what is absent
  REQUIRE(mkfifo((path + ".pipe").c_str(), 0600) == 0);
  CHECK_FALSE(readEntryFile(path + ".pipe")); // must not wait for a writer
  writeFile(path, "");
  REQUIRE(truncate(path.c_str(), static_cast<off_t>(kMaxEntryBytes) + 1) == 0);
  CHECK_FALSE(readEntryFile(path)); // one byte too large
  std::filesystem::create_symlink(path + ".loop", path + ".loop");
  CHECK_FALSE(readEntryFile(path + ".loop"));
  writeFile(path, "plain");
  REQUIRE(readEntryFile(path));
  CHECK(readEntryFile(path)->size() == 5);
}

TEST_CASE("an entry that is too large to be read back is not published") {
  const ScratchDirectory scratch;
  const std::string bytes(kMaxEntryBytes + 1, 'x');
  CHECK(publish(scratch.path() + "/entry", bytes) ==
        "cannot write 67108865 bytes to " + scratch.path() + "/entry: File too large");
  CHECK(filesBelow(scratch.path()).empty());
}

TEST_CASE("sections come back as they were, and an entry of another kind is refused") {
  const std::string bytes = packEntry(kWisdomEntry, {"key\n1 2", llvm::StringRef("\0\n", 2)});
  CHECK(bytes.substr(0, 20) == "specmv wisdom 3 7 2\n");
  CHECK(bytes.size() == 20 + 7 + 2 + 32);
  const auto sections = unpackEntry(kWisdomEntry, bytes);
  REQUIRE(sections);
  REQUIRE(sections->size() == 2);
  CHECK((*sections)[0] == "key\n1 2");
  CHECK((*sections)[1] == llvm::StringRef("\0\n", 2));
  CHECK_FALSE(unpackEntry(kObjectEntry, bytes));
}

TEST_CASE("lengths that do not fit an intact entry are refused") {
  const auto entry = [](const std::string &body) {
    llvm::BLAKE3 hasher;
    hasher.update(llvm::StringRef(body));
    const auto digest = hasher.final<32>();
    return body + std::string(digest.begin(), digest.end());
  };
  REQUIRE(unpackEntry(kWisdomEntry, entry("specmv wisdom 3 1 2\nabc")));
  for (const char *body :
       {"specmv wisdom 3 5 0\nabc", "specmv wisdom 3 0 18446744073709551615\nabc",
        "specmv wisdom 3 3 99999999999999999999\nabc", "specmv wisdom 3 3\nabc",
        "specmv wisdom 3 1 1 1\nabc", "specmv wisdom 3 1 1\nabc", "specmv wisdom 3 -1 4\nabc",
        "specmv wisdom 3  1 2\nabc", "specmv wisdom 3 1 2 \nabc", "specmv wisdom 1 1 2\nabc",
        "specmv objects 3 1 2\nabc", "Specmv wisdom 2 1 2\nabc", "specmv wisdom 3 1 2", "\n", ""})
    CHECK_MESSAGE(!unpackEntry(kWisdomEntry, entry(body)), body);
  CHECK_FALSE(unpackEntry(kWisdomEntry, ""));
}

// Writing into the file in place would show as misses; the digest alone would hide that.
TEST_CASE("readers among eight writers of one key always find one writer's whole object") {
  const ScratchDirectory scratch;
  const CacheKey key = objectKey("source", {}, {}, "sm_90");
  const auto objectOf = [](int writer) {
    const auto letter = static_cast<char>('a' + writer);
    return CachedObject{std::vector<char>(100000 + 10000 * writer, letter), "source", "compiler",
                        std::string(1, letter)};
  };
  Cache({}, scratch.path()).store(key, objectOf(0));
  const auto read = [&] {
    const Cache cache({}, scratch.path());
    for (int round = 0; round < 300; ++round) {
      const auto found = cache.find(key);
      if (!found)
        return 1;
      if (found->log.size() != 1 || found->cubin != objectOf(found->log[0] - 'a').cubin)
        return 2;
    }
    return 0;
  };
  const auto write = [&](int writer) {
    Cache cache({}, scratch.path());
    for (int round = 0; round < 10; ++round)
      cache.store(key, objectOf(writer));
    return cache.takeWarnings().empty() ? 0 : 3;
  };
  std::vector<pid_t> children;
  children.reserve(11);
  for (int writer = 0; writer < 8; ++writer)
    children.push_back(start([&, writer] { return write(writer); }));
  for (int reader = 0; reader < 3; ++reader)
    children.push_back(start(read));
  for (pid_t child : children)
    CHECK(wait(child) == 0);
  CHECK(read() == 0);
  CHECK(filesBelow(scratch.path()).size() == 1); // no temporary is left
}
