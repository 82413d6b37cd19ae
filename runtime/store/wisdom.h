// Stores wisdom: which plan was chosen for a matrix on a GPU, how, and its expected time.
#pragma once

#include "runtime/store/cache.h"

#include <cstdint>
#include <optional>
#include <string>

namespace specmv {

// In order of reliability. A trial measures only where that can pay, so it may have measured
// nothing.
enum class Chosen : uint8_t { predicted, tried, measured };

struct Wisdom {
  std::string plan; // Plan::text()
  Chosen chosen = Chosen::predicted;
  double predictedUs = 0;
  std::optional<double> measuredUs = {}; // always set if `chosen` is measured
  std::string object = {};               // CacheKey::id of the compiled object; "" if none
  std::optional<double> setupUs = {}; // time of profile and packing, if no kernel had to be loaded
  std::string signature = {};         // signatureId() of the matrix, if known
  // The expected number of products that it was chosen for, if it would also have been chosen with
  // all kernels loaded.
  std::optional<int64_t> products = {};
};

// Writes the text of an entry; equal wisdom gives equal text:
//   specmv wisdom 1
//   plan csr_vector block=256
//   chosen measured
//   predictedUs 12.5
//   measuredUs 13.25
//   setupUs 450
//   object 0123456789abcdef0123456789abcdef
//   signature 0123456789abcdef0123456789abcdef
//   products 100
// The second word of `chosen` may also be predicted or tried.
// The last five lines are left out if they are not set or there is no object.
std::string textOf(const Wisdom &wisdom);

// Reads what textOf() wrote; nullopt for everything else.
std::optional<Wisdom> parseWisdom(llvm::StringRef text);

// `pattern` is the patternId() of the matrix; `gpu` names the GPU and everything about it that
// plans depend on; `problem` names types and operation.
CacheKey wisdomKey(llvm::StringRef pattern, llvm::StringRef gpu, llvm::StringRef problem);

// Returns the wisdom under a key. If several directories have one, a more reliable choice is
// preferred to a less reliable one, so that predictions in a pack do not hide local measurements;
// among equals the first directory decides.
std::optional<Wisdom> recall(const Cache &cache, const CacheKey &key);

// Stores it in the user's own directory, unless parseWisdom() would refuse it.
void remember(Cache &cache, const CacheKey &key, const Wisdom &wisdom);

} // namespace specmv
