// Folders of a cache, which are trusted, absolute and can be read.
#pragma once

#include "models/base/error.h"
#include "runtime/store/entry_file.h"

#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace specmv {

// --- Trust ---------------------------------------------------------------------------------------

// Decides which files and folders are trusted. Machine code is loaded from them with all rights of
// this process, so only its user and root may be able to write to them.

// Returns a sentence on who else may write to `path` and how to fix that; "" if no one else may.
// The fix for what is below `root`, a folder that the user named, starts at the root. (With access
// control lists the group's bits of the mode limit what any of their entries allows.)
std::string whyNotTrusted(const Access &access, const std::string &path, const std::string &root,
                          uid_t user = geteuid());

// --- Directory -----------------------------------------------------------------------------------

// Explains why a directory that the environment names cannot be read.

// Returns a reason such as "PATH: No such file or directory"; empty if the directory can be read.
inline std::string whyNotReadable(const std::string &directory) {
  if (access((directory + "/.").c_str(), R_OK | X_OK) == 0)
    return "";
  return directory + ": " + std::generic_category().message(errno);
}

// --- Absolute ------------------------------------------------------------------------------------

// Makes paths absolute, because the host program may change its working directory between calls.

// Returns the path in the working directory of now.
std::string absolutePath(llvm::StringRef path);

// Returns a path that an environment variable gives, absolute. "~" and "~user" at its begin are
// replaced as by a shell, which does not do so after every "=". A relative path is in the working
// directory at the time when this process first asked for it.
std::string environmentPath(const std::string &path);

// Returns the absolute paths in a list, which are separated by colons.
std::vector<std::string> listedPaths(llvm::StringRef list, bool isOfEnvironment);

// --- Folder --------------------------------------------------------------------------------------

// Holds a folder of a cache open by its descriptor, so that operations in it are not affected if
// its path is replaced meanwhile.

// More than the difference of the clocks of two machines, which is minutes at most.
constexpr std::chrono::hours kClocksDiffer{1};

// Errors are missing: it does not exist or cannot be opened; badInput: it is not trusted,
// or it is a symbolic link below the root.
class Folder {
public:
  // Opens the folder that the user named, the root. Its path may contain links.
  static llvm::Expected<Folder> open(const std::string &root);
  Folder(Folder &&other) noexcept
      : root_(std::move(other.root_)), path_(std::move(other.path_)),
        fd_(std::exchange(other.fd_, -1)) {}
  Folder &operator=(Folder &&) = delete;
  ~Folder();

  // Open the folder or file of that name in this folder.
  llvm::Expected<Folder> below(const std::string &name) const;
  llvm::Expected<ReadFile> file(const std::string &name) const;
  // Opens a subfolder, and makes it if necessary. Only this user may write to it.
  llvm::Expected<Folder> made(const std::string &name) const;

  // Lists all names in it, unordered.
  std::vector<std::string> names() const;
  // The facts about a regular file that is not opened; nullopt for anything else.
  struct Listed {
    uint64_t bytes = 0;
    std::chrono::system_clock::time_point changed = {};
    Access access = {};
    // Returns the time since the last change. A time that lies further ahead than clocks of file
    // servers differ is wrong, and counts as very old.
    std::chrono::system_clock::duration ageAt(std::chrono::system_clock::time_point now) const {
      return changed - now > kClocksDiffer ? now.time_since_epoch() : now - changed;
    }
  };
  std::optional<Listed> look(const std::string &name) const;
  // Removes a file if it exists. Returns true if this call removed it, rather than another process.
  llvm::Expected<bool> remove(const std::string &name) const;

  const std::string &path() const { return path_; }
  int descriptor() const { return fd_; }

private:
  // Takes no descriptor, so that one cannot leak if memory runs out here.
  Folder(std::string root, std::string path) : root_(std::move(root)), path_(std::move(path)) {}
  static llvm::Expected<Folder> ifTrusted(Folder folder);
  // Explains why `name` could not be opened.
  llvm::Error failure(const std::string &name, int error) const;

  std::string root_, path_;
  int fd_ = -1;
};

// Turns an error that says that something is missing into success.
llvm::Error unlessMissing(llvm::Error error);

// The mode of new folders in a cache, before the umask. All users who may enter the root may read.
// Only the owner may write; otherwise the folders would not be trusted.
constexpr mode_t kFolderMode = 0755;

} // namespace specmv
