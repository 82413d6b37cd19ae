// The ready-made steps of specmv_fused.h, for the tests that compile their texts.
#pragma once

#include "generator/fusion/fusion.h"
#include "runtime/include/specmv_fused.h"
#include "llvm/ADT/StringRef.h"

namespace specmv::testing {

struct ReadyMade {
  const char *name; // behind SPECMV_FUSED_
  Fusion fusion;
};

inline std::vector<std::string> splitNames(llvm::StringRef list) {
  std::vector<std::string> out;
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, ',', -1, false);
  for (const llvm::StringRef part : parts)
    out.push_back(part.trim().str());
  return out;
}

inline Fusion fusionFrom(const specmvFusion_t &from) {
  return {.x = from.x ? from.x : "",
          .statements = from.epilogue,
          .vectors = splitNames(from.vectors),
          .written = splitNames(from.written),
          .scalars = splitNames(from.scalars),
          .gpuScalars = splitNames(from.gpuScalars),
          .sums = splitNames(from.sums)};
}

inline std::vector<ReadyMade> readyMadeSteps() {
#define READY_MADE(name) {#name, fusionFrom(SPECMV_FUSED_##name)},
  return {
#include "tests/generator/ready_made_steps.def"
  };
#undef READY_MADE
}

} // namespace specmv::testing
