// Finds out the version of a toolkit's library without opening it, and orders libraries by it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace specmv {

struct ToolkitVersion {
  int major = -1, minor = -1; // -1: not known
  bool operator==(const ToolkitVersion &) const = default;
  bool operator<(const ToolkitVersion &other) const {
    return std::pair(major, minor) < std::pair(other.major, other.minor);
  }
};

// Returns the version of the file, whose path or plain name may be a link. The name tells it
// (libnvrtc.so.12.8.93), or that of a file beside it that starts with `beside` and has the same
// major version (libnvrtc-builtins.so.12.8). A plain name is that of the file which the loader
// finds.
ToolkitVersion versionOf(const std::string &file, const char *beside);

// Sorts the files so that the newest comes first, and keeps the order of those of equal versions.
// Files whose major version exceeds `mostMajor` come after the others, the oldest first. Files that
// do not exist come last.
void sortByVersion(std::vector<std::string> &files, const char *beside, int mostMajor);

} // namespace specmv
