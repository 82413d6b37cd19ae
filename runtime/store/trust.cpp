// Looks at owner and mode, and finds the words.
#include "runtime/store/trust.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <sys/stat.h>

namespace specmv {

std::string whyNotTrusted(const Access &access, const std::string &path, const std::string &root,
                          uid_t user) {
  const char *all = path == root ? "" : "-R ";
  if (access.owner != user && access.owner != 0)
    return llvm::formatv("{0} belongs to user {1}, not to you (user {2}) or root, so it is not "
                         "used; if you trust what is there, 'chown {3}{2} {4}'",
                         path, access.owner, user, all, root);
  const bool byGroup = (access.mode & S_IWGRP) != 0, byOthers = (access.mode & S_IWOTH) != 0;
  if (!byGroup && !byOthers)
    return "";
  return llvm::formatv("{0} may be written by {1} (its mode is {2}), so it is not used; if you "
                       "trust what is there, 'chmod {3}go-w {4}'",
                       path,
                       !byOthers  ? "its group"
                       : !byGroup ? "others"
                                  : "its group and others",
                       llvm::format("%04o", access.mode), all, root);
}

} // namespace specmv
