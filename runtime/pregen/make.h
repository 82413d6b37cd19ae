// Makes a pack: compiles the wanted kernels, on all cores, and puts them into one file's bytes.
#pragma once

#include "runtime/pregen/wanted.h"
#include "runtime/store/packs.h"

#include <map>

namespace specmv {

struct MadePack {
  std::string bytes; // equal for equal kernels in any order, if the compiler is the same
  std::string compiler;
  size_t kernels = 0;   // number of different kernels
  size_t takenOver = 0; // number of these that were not compiled
  std::map<std::string, size_t> byName;
  double compileMs = 0;
};

// Compiles kernels with equal sources once for each architecture. Takes over kernels from `former`,
// which may be null, if they were made by the present compiler. Errors are those of compile().
llvm::Expected<MadePack> makePack(const std::vector<Wanted> &wanted,
                                  const PackFile *former = nullptr);

} // namespace specmv
