// Checks owner and mode, and writes the sentence.
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
                         "used; if you trust its contents, run 'chown {3}{2} {4}'",
                         path, access.owner, user, all, root);
  const bool byGroup = (access.mode & S_IWGRP) != 0, byOthers = (access.mode & S_IWOTH) != 0;
  if (!byGroup && !byOthers)
    return "";
  const std::string what = llvm::formatv("{0} may be written by {1} (its mode is {2}), so it is "
                                         "not used; ",
                                         path,
                                         !byOthers  ? "its group"
                                         : !byGroup ? "others"
                                                    : "its group and others",
                                         llvm::format("%04o", access.mode));
  if ((access.mode & S_ISVTX) != 0 && path == root) // such as /tmp, whose mode must stay
    return what + "all users share it, so name a folder of your own, for example one in it";
  return llvm::formatv("{0}if you trust its contents, run 'chmod {1}go-w {2}'", what, all, root);
}

} // namespace specmv
