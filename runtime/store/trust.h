// Which files and folders are trusted: machine code is loaded from them with all rights of this
// process, so nobody but its user and root may have written it.
#pragma once

#include "runtime/store/read_file.h"

#include <string>
#include <unistd.h>

namespace specmv {

// A sentence on who else may write to what is at `path` and how that is mended; "" if nobody may.
// What is below a folder that the user named, `root`, is mended from there. (With access control
// lists the group's bits of the mode are what any of their entries allows at most.)
std::string whyNotTrusted(const Access &access, const std::string &path, const std::string &root,
                          uid_t user = geteuid());

} // namespace specmv
