// Decides which files and folders are trusted. Machine code is loaded from them with all rights of
// this process, so only its user and root may be able to write to them.
#pragma once

#include "runtime/store/read_file.h"

#include <string>
#include <unistd.h>

namespace specmv {

// Returns a sentence on who else may write to `path` and how to fix that; "" if no one else may.
// The fix for what is below `root`, a folder that the user named, starts at the root. (With access
// control lists the group's bits of the mode limit what any of their entries allows.)
std::string whyNotTrusted(const Access &access, const std::string &path, const std::string &root,
                          uid_t user = geteuid());

} // namespace specmv
