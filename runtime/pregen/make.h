// Makes a pack: compiles what is wanted, on all cores, and puts it into one file's bytes.
#pragma once

#include "runtime/pregen/wanted.h"
#include "runtime/store/pack_file.h"

#include <functional>
#include <map>

namespace specmv {

struct MadePack {
  std::string bytes; // equal for equal kernels in any order, if the compiler is the same
  std::string compiler;
  size_t kernels = 0;   // different ones
  size_t takenOver = 0; // of these, that were not compiled
  std::map<std::string, size_t> byName;
  double compileMs = 0;
};

// Called after each kernel, by one thread at a time.
using Progress = std::function<void(size_t done, size_t all)>;

// Kernels whose sources are equal are compiled once for each architecture. Those that `former` has,
// made by the compiler that is here, are taken over; null: none. Errors are those of compile().
llvm::Expected<MadePack> makePack(const std::vector<Wanted> &wanted, const Progress &progress,
                                  const PackFile *former = nullptr);

} // namespace specmv
