// Reads versions from file names. To open a library would cost more: NVRTC registers 3,000 handlers
// of exit(), and a library that has been opened stays open.
#include "runtime/cuda/toolkit_version.h"

#include "models/base/environment.h"
#include "runtime/store/read_file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace specmv {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// Returns 12.8 for "12.8.93", 12.-1 for "12".
static ToolkitVersion parsed(llvm::StringRef numbers) {
  ToolkitVersion out;
  if (numbers.consumeInteger(10, out.major))
    return {};
  if (numbers.consume_front("."))
    if (numbers.consumeInteger(10, out.minor))
      out.minor = -1;
  return out;
}

static ToolkitVersion versionInName(llvm::StringRef file) {
  return parsed(path::filename(file).split(".so.").second);
}

// Returns the file in the first folder of LD_LIBRARY_PATH that has it, or else in the loader's
// list; the name if it is in neither. The list is a binary file, in which paths end with a zero
// byte.
static std::string foundByLoader(const std::string &name) {
  const std::string set = environment("LD_LIBRARY_PATH");
  llvm::SmallVector<llvm::StringRef, 8> folders;
  llvm::SplitString(set, folders, ":;");
  for (const llvm::StringRef folder : folders)
    if (std::string file = folder.str() + "/" + name; fs::exists(file))
      return file;
  const auto list = ReadFile::open("/etc/ld.so.cache");
  const auto read = list ? list->read(0, list->size()) : std::nullopt;
  const llvm::StringRef bytes = read ? viewOf(*read) : "";
  const std::string end = "/" + name + '\0';
  const size_t at = bytes.find(end);
  if (at == llvm::StringRef::npos)
    return name;
  const size_t begin = bytes.rfind('\0', at) + 1; // 0 if there is none before
  return bytes.slice(begin, at + end.size() - 1).str();
}

ToolkitVersion versionOf(const std::string &file, const char *beside) {
  const std::string found = path::has_parent_path(file) ? file : foundByLoader(file);
  llvm::SmallString<256> real;
  if (fs::real_path(found, real))
    real = found;
  ToolkitVersion out = versionInName(real);
  if (out.minor >= 0 || !beside)
    return out;
  std::error_code error;
  for (fs::directory_iterator it(path::parent_path(real), error), end; it != end && !error;
       it.increment(error))
    if (path::filename(it->path()).starts_with(beside))
      if (const ToolkitVersion one = versionInName(it->path()); one.major == out.major)
        out = std::max(out, one);
  return out;
}

void sortByVersion(std::vector<std::string> &files, const char *beside, int mostMajor) {
  struct Known {
    std::string file;
    ToolkitVersion version;
    int group; // 0 and 1: up to and above the limit, 2: not there
  };
  std::vector<Known> all;
  for (std::string &file : files) {
    const bool isThere = !path::has_parent_path(file) || fs::exists(file);
    const ToolkitVersion version = isThere ? versionOf(file, beside) : ToolkitVersion{};
    all.push_back({std::move(file), version, !isThere ? 2 : version.major > mostMajor ? 1 : 0});
  }
  llvm::stable_sort(all, [](const Known &a, const Known &b) {
    if (a.group != b.group)
      return a.group < b.group;
    return a.group == 0 ? b.version < a.version : a.group == 1 && a.version < b.version;
  });
  llvm::transform(all, files.begin(), [](Known &one) { return std::move(one.file); });
}

} // namespace specmv
