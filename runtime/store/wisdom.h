// Wisdom: which plan was chosen for a matrix on a GPU, how, and what it was expected to take.
#pragma once

#include "runtime/store/cache.h"

#include <cstdint>
#include <optional>
#include <string>

namespace specmv {

enum class Chosen : uint8_t { predicted, measured }; // the better-founded is the greater

struct Wisdom {
  std::string plan; // Plan::text()
  Chosen chosen = Chosen::predicted;
  double predictedUs = 0;
  std::optional<double> measuredUs = {}; // there always when chosen by measuring
  std::string object = {};               // CacheKey::id of the compiled object; "" if it has none
};

// The text of an entry; equal wisdom gives equal text:
//   specmv wisdom 1
//   plan csr_vector block=256
//   chosen measured
//   predictedUs 12.5
//   measuredUs 13.25
//   object 0123456789abcdef0123456789abcdef
// The last two lines are left out where there is nothing to say.
std::string textOf(const Wisdom &wisdom);

// Reads what textOf() wrote; nullopt for everything else.
std::optional<Wisdom> parseWisdom(llvm::StringRef text);

// `signature` is the id of the matrix's signature; `gpu` names the GPU and all of it that plans
// depend on; `problem` tells types and operation.
CacheKey wisdomKey(llvm::StringRef signature, llvm::StringRef gpu, llvm::StringRef problem);

// What is known under a key. A measured choice beats a predicted one, so that a pack's predictions
// do not hide what was measured here; else the first directory that has one decides.
std::optional<Wisdom> recall(const Cache &cache, const CacheKey &key);

// Keeps it in the user's own directory; wisdom that parseWisdom() would refuse is not kept.
void remember(Cache &cache, const CacheKey &key, const Wisdom &wisdom);

} // namespace specmv
