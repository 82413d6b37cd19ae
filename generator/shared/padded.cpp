// Implements the limit of padding.
#include "generator/shared/padded.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

std::string whyTooPadded(const std::string &what, int64_t slots, int64_t entries, int64_t spare) {
  if (slots <= kMaxEllPadding * entries + spare)
    return "";
  if (entries == 0)
    return llvm::formatv("{0} would store {1} slots for no entries", what, slots);
  return llvm::formatv("{0} would store {1:f1} slots for each of {2} entries, more than {3}", what,
                       static_cast<double>(slots) / static_cast<double>(entries), entries,
                       kMaxEllPadding);
}

} // namespace specmv
