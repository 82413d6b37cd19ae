// Keeps the packs of this process: each file is opened once and stays open.
#pragma once

#include "runtime/store/pack_file.h"

namespace specmv {

using Packs = std::vector<std::shared_ptr<const PackFile>>;

// Returns the pack at an absolute path. A file that was replaced since it was opened is opened
// again. Fails as PackFile::open().
llvm::Expected<std::shared_ptr<const PackFile>> packAt(const std::string &path);

// Makes every cache that is opened later search this pack, before all others.
llvm::Error addPack(const std::string &path);
Packs addedPacks(); // in the order in which they were added

// Returns the pack that belongs to this library: the file that SPECMV_STANDARD_PACK names (none if
// that is set but empty), otherwise standard.pack beside the library, otherwise the one in
// share/specmv/ of its installation. "" if there is none.
std::string standardPackPath();

} // namespace specmv
