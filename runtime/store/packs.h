// The packs of this process: each file is opened once and stays open.
#pragma once

#include "runtime/store/pack_file.h"

namespace specmv {

using Packs = std::vector<std::shared_ptr<const PackFile>>;

// The pack at an absolute path. A file that was replaced since it was opened is opened again.
// Fails as PackFile::open().
llvm::Expected<std::shared_ptr<const PackFile>> packAt(const std::string &path);

// Makes every cache that is opened from now on look into this pack, before all others.
llvm::Error addPack(const std::string &path);
Packs addedPacks(); // in the order in which they were added

// The pack that belongs to this library: the file that SPECMV_STANDARD_PACK names (none if that is
// set and empty), else standard.pack beside the library, else in share/specmv/ of its installation.
// "" if there is none.
std::string standardPackPath();

} // namespace specmv
