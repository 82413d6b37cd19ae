// A directory for one test of files, and the few whole-file operations that such tests need.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

class ScratchDirectory {
public:
  // `name` becomes part of the path, to check that its characters do no harm.
  explicit ScratchDirectory(const std::string &name = "specmv") {
    path_ = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    if (!mkdtemp(path_.data()))
      std::abort();
  }
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

// The whole program writes to a cache of its own. One in the build folder has kernels.
struct OwnCache {
  ScratchDirectory directory;
  explicit OwnCache(const char *name) : directory(name) {
    setenv("SPECMV_CACHE_DIR", directory.path().c_str(), 1);
    setenv("SPECMV_STANDARD_PACK", "", 1);
    unsetenv("SPECMV_CACHE_PATH");
  }
};

// Returns every regular file below a directory.
inline std::vector<std::string> filesBelow(const std::string &directory) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      files.push_back(entry.path().string());
  return files;
}

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Only the owner may write to the tests' files, for any umask; a cache would not trust them
// otherwise.
inline void keepForOwner(const std::filesystem::path &path) {
  using std::filesystem::perms;
  std::error_code ignored;
  std::filesystem::permissions(path, perms::group_write | perms::others_write,
                               std::filesystem::perm_options::remove, ignored);
}

inline void makeFolders(const std::filesystem::path &folder) {
  if (folder.empty() || std::filesystem::exists(folder))
    return;
  makeFolders(folder.parent_path());
  std::filesystem::create_directory(folder);
  keepForOwner(folder);
}

// Removes an existing file first: ext4 flushes a file that is truncated and rewritten, which takes
// milliseconds.
inline void writeFile(const std::string &path, const std::string &bytes) {
  makeFolders(std::filesystem::path(path).parent_path());
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
  keepForOwner(path);
}
