// Checks the limit of padding.
#include "generator/shared/padded.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv {

std::string whyTooPadded(const llvm::formatv_object_base &what, int64_t slots, int64_t entries,
                         int64_t spare) {
  if (slots <= kMaxEllPadding * entries + spare)
    return "";
  if (entries == 0)
    return llvm::formatv("{0} would store {1} slots for no entries; the limit is {2}", what.str(),
                         slots, spare);
  return llvm::formatv("{0} would store {1:f1} slots for each of {2} entries; the limit is {3} "
                       "(csr-vector stores no padding)",
                       what.str(), static_cast<double>(slots) / static_cast<double>(entries),
                       entries, kMaxEllPadding);
}

} // namespace specmv
