// Checks names first, and ages only of files with such names.
#include "runtime/store/sweep.h"

#include "models/base/fresh_file.h"
#include "runtime/store/entry_file.h"

namespace specmv {

bool isTemporaryName(llvm::StringRef name) { return isId(FreshFile::targetOf(name)); }

void sweep(const Folder &folder) {
  const auto now = std::chrono::system_clock::now();
  for (const std::string &name : folder.names())
    if (isTemporaryName(name))
      if (const auto found = folder.look(name); found && found->ageAt(now) > kStale)
        llvm::consumeError(folder.remove(name).takeError());
}

} // namespace specmv
